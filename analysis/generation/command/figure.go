// The figures: which there are, and the overview.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/generation"
	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/plots"
	"repscope/report"
)

// drawing is what the figures are drawn of.
type drawing struct {
	ctx     context.Context
	in      *generation.Input
	metrics []string
	names   labels
	seed    uint64
	r       *generation.Result // nil for a plan
}

// figure is a kind of figure: how many pages it has for an input, 0 where there is nothing
// to draw, and one of them.
type figure struct {
	name  string
	pages func(d *drawing) int
	page  func(d *drawing, k int) (*plots.Figure, error)
}

// figures are the kinds in the order in which they are written.
var figures = []figure{
	{"generation_samples", (*drawing).samplePages, (*drawing).samples},
	{"generation_distances", (*drawing).distancePages, (*drawing).distances},
	{"generation_statistics", (*drawing).statisticPages, (*drawing).statistics},
	{"generation_latents_pca", (*drawing).latentPages, (*drawing).principal},
	{"generation_latents_tsne", (*drawing).latentPages, (*drawing).neighbors},
	{"generation_confusion", (*drawing).confusionPages, (*drawing).confusion},
	{"generation_overview", func(*drawing) int { return 1 }, (*drawing).overview},
}

// pageName is the file of page k of a figure, from 0.
func pageName(name string, k int) string {
	if k == 0 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, k+1)
}

// pages is how many pages that many things fill.
func pages(n, each int) int { return (n + each - 1) / each }

// planFigures enters the figures that a run would write.
func planFigures(env *run.Env, in *generation.Input, o generation.Options) {
	d := &drawing{in: in, metrics: o.Metrics, names: in.LabelNames}
	for _, f := range figures {
		for k := range f.pages(d) {
			env.PlanFigures(pageName(f.name, k))
		}
	}
}

// writeFigures writes the figures of the metrics that were computed.
func writeFigures(ctx context.Context, r *generation.Result, env *run.Env, in *generation.Input) error {
	d := &drawing{ctx: ctx, in: in, metrics: r.Metrics, names: in.LabelNames, seed: env.Options.Seed, r: r}
	var drawings []run.Drawing
	for _, f := range figures {
		for k := range f.pages(d) {
			name := pageName(f.name, k)
			drawings = append(drawings, output.Drawing(name, func() (*plots.Figure, error) {
				drawn, err := f.page(d, k)
				if err != nil {
					return nil, fmt.Errorf("figure %s: %w", name, err)
				}
				return drawn, nil
			}))
		}
	}
	return env.Figures(ctx, drawings)
}

// has reports whether a metric was asked for.
func (d *drawing) has(metric string) bool { return slices.Contains(d.metrics, metric) }

// series are the names of all generators and reference rows, which fix their styles; real
// samples are the last where they are no row.
func (d *drawing) series() []string {
	var names []string
	for i := range d.in.Generators {
		names = append(names, d.in.Generators[i].Name)
	}
	if !slices.Contains(names, generation.RealRow) {
		names = append(names, generation.RealRow)
	}
	return names
}

// headlines are the numbers of the overview, by path, with their published values.
var headlines = []struct {
	path, title, label string
	target             float64
	top                float64 // of the axis; 0: by the data
}{
	{"reconstruction.mean_iou", "Reconstruction", "Mean IoU", 0.7, 1},
	{"diversity.overall_uniqueness_ratio", "Uniqueness", "Share of distinct samples", 0.8, 1},
	{"similarity.overall_mean_distance", "Distance between statistics", "Mean Wasserstein distance", 0.1, 0},
	{"clusters.silhouette_score", "Labels in latent space", "Silhouette", 0.2, 0},
	{"conditioning.exact_accuracy", "Conditioning", "Share of correct labels", math.NaN(), 1},
	{"fidelity.coverage", "Coverage", "Share of real samples covered", math.NaN(), 1},
}

// estimateAt is the number at a path of a model.
func estimateAt(m *generation.Model, path string) (generation.Estimate, bool) {
	for _, metric := range generation.Registry() {
		if slices.ContainsFunc(m.Skipped, func(s generation.Skipped) bool { return s.Metric == metric.Name }) {
			continue
		}
		for _, e := range metric.Estimates(m) {
			if e.Path == path {
				return e, true
			}
		}
	}
	return generation.Estimate{}, false
}

// overview shows one number of each metric for all generators, with the published target.
func (d *drawing) overview(int) (*plots.Figure, error) {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: d.series(), Title: "Generators", Notes: output.IntervalNotes(d.r.Warnings)}
	errors := false
	for _, h := range headlines {
		bars := &plots.Bars{Y: plots.Axis{Label: h.label}, NamesInLegend: len(d.r.Models) > 4, NoValues: len(d.r.Models) > 6}
		if !math.IsNaN(h.target) {
			bars.References = []plots.Reference{{Value: h.target, Label: "target"}}
		}
		if h.top > 0 {
			bars.Y.Min, bars.Y.Max, bars.Y.Ticks = 0, 1.03*h.top, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}
		}
		some := false
		for i := range d.r.Models {
			m := &d.r.Models[i]
			e, ok := estimateAt(m, h.path)
			some, errors = some || ok, errors || e.CI.Defined()
			switch {
			case ok:
				bars.Bars = append(bars.Bars, output.Bar(m.Name, e.Estimate, 1))
			case !m.Reference:
				bars.Bars = append(bars.Bars, output.Bar(m.Name, report.WithInterval(report.Undefined("skipped"), report.NoInterval("skipped")), 1))
			}
		}
		if some {
			f.Tiles = append(f.Tiles, plots.Tile{Panel: bars, Title: h.title, Row: len(f.Tiles) / 3, Column: len(f.Tiles) % 3})
		}
	}
	if len(f.Tiles) == 0 {
		f.Tiles = []plots.Tile{{Panel: &plots.Text{Body: "None of the overview metrics was computed."}}}
	}
	rows := pages(len(f.Tiles), 3)
	f.HeightMM = 14 + 56*float64(rows) + 4*float64(len(d.r.Models)/7)
	f.Footnote = "Dashed: published targets."
	if d.rows() {
		f.Footnote += fmt.Sprintf(" %s: held-out real samples instead of generated samples; %s: the same with "+
			"shuffled labels.", generation.RealRow, generation.ShuffledRow)
	}
	if errors {
		f.Footnote += " Error bars: 95 % intervals."
	}
	return f, nil
}

// rows reports whether there are reference rows.
func (d *drawing) rows() bool {
	return slices.ContainsFunc(d.in.Generators, func(g generation.Generator) bool { return g.Reference })
}
