// The figure of statistics: how far generated samples are from real ones, next to
// what two parts of the real samples are apart.

package command

import (
	"math"
	"slices"
	"strings"

	"repscope/analysis/generation"
	"repscope/analysis/internal/output"
	"repscope/plots"
	"repscope/stat"
)

func (d *drawing) statisticPages() int {
	some := slices.ContainsFunc(d.in.Generators, func(g generation.Generator) bool { return g.Generated != nil })
	if !d.has("similarity") || d.in.Real == nil || !some {
		return 0
	}
	return 1
}

// statistics shows distances of statistics in standard deviations of the real ones: by
// statistic, and by label.
func (d *drawing) statistics(int) (*plots.Figure, error) {
	var models []*generation.Model
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: d.series(), Title: "Statistics of generated samples"}
	for i := range d.r.Models {
		if m := &d.r.Models[i]; m.Similarity != nil {
			models = append(models, m)
		}
	}
	if len(models) == 0 {
		f.HeightMM, f.Tiles = 30, []plots.Tile{{Panel: &plots.Text{Body: "No generator has enough samples for any " +
			"label."}}}
		return f, nil
	}
	const axis = "Wasserstein distance / SD of real"
	f.Tiles = []plots.Tile{{Panel: byStatistic(models, axis), Title: "By statistic", Row: 0}}
	if models[0].Similarity.Labeled {
		f.Tiles = append(f.Tiles, plots.Tile{Panel: d.byLabelOf(models, axis), Title: "By label, mean over statistics", Row: 1})
	}
	f.HeightMM = 18 + 62*float64(len(f.Tiles)) + 4*float64(len(models)/8)
	f.Footnote = "Dashed: two random halves of the real samples."
	if models[0].Similarity.Overall.CI.Defined() && len(f.Tiles) > 1 {
		f.Footnote += " Error bars: 95 % intervals."
	}
	if d.rows() {
		f.Footnote += " " + generation.RealRow + ": held-out real samples; " + generation.ShuffledRow + ": with shuffled labels."
	}
	return f, nil
}

// byStatistic shows the mean distance over labels of each statistic.
func byStatistic(models []*generation.Model, axis string) *plots.GroupedBars {
	bars := &plots.GroupedBars{Y: plots.Axis{Label: axis}}
	for _, s := range models[0].Similarity.Statistics {
		bars.Groups = append(bars.Groups, strings.ReplaceAll(strings.TrimPrefix(s.Name, "num_"), "_", " "))
	}
	for _, m := range models {
		series := plots.BarSeries{Name: m.Name}
		for _, s := range models[0].Similarity.Statistics {
			value, base := math.NaN(), []float64{}
			for _, statistic := range m.Similarity.Statistics {
				if statistic.Name == s.Name {
					value = statistic.Scaled
				}
			}
			for _, l := range m.Similarity.ByLabel {
				for _, statistic := range l.Statistics {
					if statistic.Name == s.Name && statistic.Real.SD > 0 && statistic.Baseline.Reason == "" {
						base = append(base, statistic.Baseline.Mean/statistic.Real.SD)
					}
				}
			}
			series.Values, series.Baselines = append(series.Values, value), append(series.Baselines, stat.Mean(base))
		}
		bars.Series = append(bars.Series, series)
	}
	return bars
}

// byLabelOf shows the mean distance over statistics of each label.
func (d *drawing) byLabelOf(models []*generation.Model, axis string) *plots.GroupedBars {
	bars := &plots.GroupedBars{Y: plots.Axis{Label: axis}}
	var lists [][]int
	for _, m := range models {
		for _, l := range m.Similarity.ByLabel {
			lists = append(lists, []int{l.Label})
		}
	}
	all := generation.DistinctLabels(lists...)
	for _, label := range all {
		bars.Groups = append(bars.Groups, d.names.name(label))
	}
	for _, m := range models {
		series := plots.BarSeries{Name: m.Name}
		for _, label := range all {
			value, low, high, base := math.NaN(), math.NaN(), math.NaN(), []float64{}
			for _, l := range m.Similarity.ByLabel {
				if l.Label != label {
					continue
				}
				value = l.Scaled.Value.Float()
				low, high = output.Ends(l.Scaled.CI)
				for _, statistic := range l.Statistics {
					if statistic.Real.SD > 0 && statistic.Baseline.Reason == "" {
						base = append(base, statistic.Baseline.Mean/statistic.Real.SD)
					}
				}
			}
			series.Values, series.Baselines = append(series.Values, value), append(series.Baselines, stat.Mean(base))
			series.Low, series.High = append(series.Low, low), append(series.High, high)
		}
		bars.Series = append(bars.Series, series)
	}
	return bars
}
