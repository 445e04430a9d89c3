// Figures of calibration: ranks of the truth, and spread against skill.

package command

import (
	"fmt"
	"math"

	"repscope/analysis/forecast"
	"repscope/analysis/internal/output"
	"repscope/plots"
)

// ensembles are the models of several members.
func (d *drawing) ensembles() []*forecast.Model {
	var out []*forecast.Model
	for i := range d.Models {
		if d.Models[i].Members > 1 {
			out = append(out, &d.Models[i])
		}
	}
	return out
}

// ranks are the histograms of the ranks of the truth, one per ensemble.
func (d *drawing) ranks() *plots.Figure {
	list := d.ensembles()
	columns := min(4, len(list))
	rows := (len(list) + columns - 1) / columns
	width := min(plots.DoubleColumnMM, max(plots.SingleColumnMM, 46*float64(columns)))
	figure := &plots.Figure{WidthMM: width, HeightMM: 42*float64(rows) + 9, Series: d.names(), Legend: plots.LegendNone, Title: "Rank histograms",
		Footnote: "Share of cells by the number of members below the truth. Dashed: a calibrated ensemble."}
	top := 0.0
	for _, m := range list {
		for _, share := range forecast.Table[float64](m, forecast.RankTable) {
			top = max(top, share*float64(m.Members+1))
		}
	}
	banded := false
	for i, m := range list {
		shares := forecast.Table[float64](m, forecast.RankTable)
		expected := 1 / float64(m.Members+1)
		panel := &plots.Histogram{X: plots.Axis{Label: "Rank of the truth", Integer: true}, Y: plots.Axis{Label: "Share", Max: 1.06 * top * expected}, Name: m.Name,
			Edges: []float64{-0.5}, Values: shares, References: []plots.Reference{{Value: expected}}}
		for k := range shares {
			panel.Edges = append(panel.Edges, float64(k)+0.5)
		}
		if reach := bandReach(forecast.Table[float64](m, forecast.RankErrorTable)); reach > 0 {
			panel.Low, panel.High, banded = max(0, expected-reach), expected+reach, true
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: panel, Title: m.Name, Row: i / columns, Column: i % columns})
	}
	if banded {
		figure.Footnote += fmt.Sprintf(" Band: ± 2 standard errors of a share, jackknife over %s.", d.Blocks)
	}
	return figure
}

// bandReach is twice the root mean square of standard errors; 0 without.
func bandReach(errors []float64) float64 {
	sum := 0.0
	for _, v := range errors {
		sum += v * v
	}
	if len(errors) == 0 || math.IsNaN(sum) {
		return 0
	}
	return 2 * math.Sqrt(sum/float64(len(errors)))
}

// spreadSkill sets the spread against the error of the mean, by lead if there are leads,
// and shows their ratio.
func (d *drawing) spreadSkill() *plots.Figure {
	leads, intervals := contentsOf(d.Result).leads, "Error bars"
	if leads {
		intervals = "Bands"
	}
	figure := d.figure("Spread and skill", intervals, 1, 62)
	against := &plots.Curves{X: plots.Axis{Label: "Spread √((S + 1)/S)·σ" + d.unit("spread"), Zero: true}, Y: plots.Axis{Label: "Error " +
		"of the ensemble mean" + d.unit("rmse"), Zero: true}}
	largest := 0.0
	ratio := &plots.Curves{X: d.leadAxis(), Y: plots.Axis{Label: "Spread/skill"}, References: []plots.Reference{{Value: 1}}}
	bars := &plots.Bars{Y: plots.Axis{Label: "Spread/skill"}, NamesInLegend: true, References: []plots.Reference{{Value: 1}}}
	for _, m := range d.ensembles() {
		points, curve := plots.CurveSeries{Name: m.Name}, plots.CurveSeries{Name: m.Name}
		correction := math.Sqrt(float64(m.Members+1) / float64(m.Members))
		add := func(find func(string) (forecast.Score, bool)) {
			spread, _ := find("spread")
			skill, ok := find("skill")
			if ok {
				points.X, points.Y = append(points.X, correction*spread.Value.Float()), append(points.Y, skill.Value.Float())
				largest = max(largest, points.X[len(points.X)-1], points.Y[len(points.Y)-1])
			}
		}
		if !leads {
			add(m.Score)
			s := scoreOf(m, "spread_skill_ratio")
			bars.Bars = append(bars.Bars, output.Bar(m.Name, s.Estimate, 1))
		}
		for j := range m.ByLead {
			l := &m.ByLead[j]
			add(l.Score)
			if s, ok := l.Score("spread_skill_ratio"); ok {
				output.AppendPoint(&curve, l.Lead, s.Estimate)
			}
		}
		against.Series, ratio.Series = append(against.Series, points), append(ratio.Series, curve)
	}
	const steps = 64 // more points than curves have markers
	var diagonal plots.CurveSeries
	for i := range steps + 1 {
		at := largest * 1.03 * float64(i) / steps
		diagonal.X, diagonal.Y = append(diagonal.X, at), append(diagonal.Y, at)
	}
	against.Series = append([]plots.CurveSeries{diagonal}, against.Series...)
	figure.Tiles = []plots.Tile{{Panel: against, Title: "Spread against skill"}, {Panel: ratio, Title: "Ratio by lead", Column: 1}}
	if !leads {
		figure.Tiles[1] = plots.Tile{Panel: bars, Title: "Ratio", Column: 1}
	}
	note := "Gray: spread equal to the error, as in a calibrated ensemble of S members; σ² is their mean variance. "
	if leads {
		note += "Each point is one lead. "
	}
	figure.Footnote = note + figure.Footnote
	return figure
}
