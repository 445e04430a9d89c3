// The figure: latent distance over the level, and its distribution at one level.

package command

import (
	"fmt"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/analysis/robustness"
	"repscope/plots"
)

// Figure composes robustness_comparison: curves of the mean latent distance with
// 95 % bands, and box plots at the compared level. Relative distances are divided
// by each model's RMS distance: the curves show relative_mean.
func Figure(r *robustness.Result, relative bool) *plots.Figure {
	label := "Latent distance ‖φ(x′) − φ(x)‖"
	if r.L2 {
		label += " (unit latents)"
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
		collapsed := output.Why(m.RMSDistance.Value)
		line, flip := plots.CurveSeries{Name: m.Name, Reason: collapsed}, plots.CurveSeries{Name: m.Name, Reason: collapsed}
		var boxed []float64
		unit := 1.0
		if relative {
			unit = m.RMSDistance.Float() // NaN for constant latents: drawn as n/a
		}
		for i, l := range m.Levels {
			mean := l.Mean
			if relative {
				mean = l.RelativeMean
			}
			output.AppendPoint(&line, l.Sigma, mean)
			output.AppendPoint(&flip, l.Sigma, l.FlipRate)
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
	note := fmt.Sprintf("Corruption: %s. Flip rate: share of corrupted latents with a clean latent of another "+
		"state as nearest neighbor.", r.Corruption)
	if r.Blocks != "" {
		note += fmt.Sprintf(" Bands: 95 %% intervals, jackknife over %s.", r.Blocks)
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
		Notes:    output.IntervalNotes(r.Warnings),
		Title:    "Robustness",
	}
}

// mostBoxed is how many levels have box plots.
const mostBoxed = 4

// boxedLevels are the places of the levels above 0 that have box plots: all of few, else the
// first, the last and others evenly between.
func boxedLevels(levels []robustness.Level) []int {
	var shown []int
	for i, l := range levels {
		if l.Sigma != 0 {
			shown = append(shown, i)
		}
	}
	if len(shown) <= mostBoxed {
		return shown
	}
	out := make([]int, mostBoxed)
	for k := range out {
		out[k] = shown[k*(len(shown)-1)/(mostBoxed-1)]
	}
	return out
}

// DistancesFigure composes robustness_distances: the published curve, which is the mean distance
// E‖φ(x′) − φ(x)‖ over the level in units of the latents as they are, and box plots of the same
// distances at several levels.
func DistancesFigure(r *robustness.Result) *plots.Figure {
	label := "Latent distance ‖φ(x′) − φ(x)‖"
	if r.L2 {
		label += " (unit latents)"
	}
	figure := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Robustness, unscaled distances", Notes: output.IntervalNotes(r.Warnings)}
	curves := &plots.Curves{X: plots.Axis{Label: r.Unit}, Y: plots.Axis{Label: "Mean " + strings.ToLower(label[:1]) + label[1:], Zero: true}}
	figure.Tiles = []plots.Tile{{Panel: curves, Title: "Mean distance"}}
	for _, m := range r.Models {
		figure.Series = append(figure.Series, m.Name)
		line := plots.CurveSeries{Name: m.Name, Reason: output.Why(m.RMSDistance.Value)}
		for _, l := range m.Levels {
			output.AppendPoint(&line, l.Sigma, l.Mean)
		}
		curves.Series = append(curves.Series, line)
	}
	if len(r.Models) > 0 {
		for k, i := range boxedLevels(r.Models[0].Levels) {
			box := &plots.BoxPlot{Y: plots.Axis{Label: label}}
			for _, m := range r.Models {
				box.Boxes = append(box.Boxes, plots.Box{Name: m.Name, Values: m.Distances[i], Reason: output.Why(m.RMSDistance.Value)})
			}
			place := k + 1
			figure.Tiles = append(figure.Tiles, plots.Tile{Panel: box, Title: fmt.Sprintf("Distances at level %g", r.Models[0].Levels[i].Sigma), Row: place / 3, Column: place % 3})
		}
	}
	figure.HeightMM = 75 * float64(1+figure.Tiles[len(figure.Tiles)-1].Row)
	figure.Footnote = fmt.Sprintf("Corruption: %s. Distances are in units of each model's latents: compare levels, "+
		"not models with latents of different scale.", r.Corruption)
	if r.Blocks != "" {
		figure.Footnote += fmt.Sprintf(" Bands: 95 %% intervals, jackknife over %s.", r.Blocks)
	}
	return figure
}
