// The figure: latent distance over the level, and its distribution at one level.

package robustness

import (
	"fmt"

	"repscope/analysis/internal/results"
	"repscope/plots"
)

// Figure composes robustness_comparison: curves of the mean latent distance with
// 95 % bands, and box plots at the compared level. Relative distances are divided
// by each model's RMS distance: the curves are those of relative_mean.
func (r *Result) Figure(relative bool) *plots.Figure {
	label := "Latent distance ‖φ(x′) − φ(x)‖"
	if r.L2 {
		label += " of unit latents"
	}
	meanLabel := label
	if relative {
		label, meanLabel = "Latent distance / RMS distance", "Mean distance / RMS distance"
	}
	curves := &plots.Curves{X: plots.Axis{Label: r.Unit}, Y: plots.Axis{Label: meanLabel, Zero: true}}
	flips := &plots.Curves{X: plots.Axis{Label: r.Unit}, Y: plots.Axis{Label: "Flip rate", Min: 0, Max: 1}}
	box := &plots.BoxPlot{Y: plots.Axis{Label: label}}
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
		// One reason for a collapsed model, not one for each of its curves.
		collapsed := results.Why(m.RMSDistance)
		line, flip := plots.CurveSeries{Name: m.Name, Reason: collapsed}, plots.CurveSeries{Name: m.Name, Reason: collapsed}
		var boxed []float64
		unit := 1.0
		if relative {
			unit = m.RMSDistance.Float() // NaN for constant latents: drawn as n/a
		}
		for i, l := range m.Levels {
			mean, ci := l.Mean, l.MeanCI
			if relative {
				mean, ci = l.RelativeMean, l.RelativeMeanCI
			}
			results.AppendPoint(&line, l.Sigma, mean, ci)
			results.AppendPoint(&flip, l.Sigma, l.FlipRate, l.FlipRateCI)
			if l.Sigma == r.CompareLevel {
				for _, d := range m.Distances[i] {
					boxed = append(boxed, d/unit)
				}
			}
		}
		curves.Series = append(curves.Series, line)
		flips.Series = append(flips.Series, flip)
		box.Boxes = append(box.Boxes, plots.Box{Name: m.Name, Values: boxed, Reason: collapsed})
	}
	note := fmt.Sprintf("Corruption: %s. Flip rate: share of corrupted latents whose nearest clean latent is another state's.", r.Corruption)
	if r.Blocks != "" {
		note += fmt.Sprintf(" Bands: 95 %% by deleting each of %s.", r.Blocks)
	}
	if reason := results.NoTest(r.Comparisons); reason != "" {
		note += " No tests: " + reason + "."
	}
	return &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 78,
		Tiles: []plots.Tile{
			{Panel: curves, Title: "Mean distance", Row: 0, Column: 0},
			{Panel: box, Title: fmt.Sprintf("Distances at level %g", r.CompareLevel), Row: 0, Column: 1},
			{Panel: flips, Title: "Retrieval", Row: 0, Column: 2},
		},
		Series:   names,
		Footnote: note,
		Notes:    results.IntervalNotes(r.Warnings),
		Title:    "Robustness",
	}
}
