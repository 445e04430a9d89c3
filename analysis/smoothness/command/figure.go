// The figure: distances of pairs with fitted lines, and the ratio's
// distribution.

package command

import (
	"fmt"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/analysis/smoothness"
	"repscope/internal/text"
	"repscope/measure/spectrum"
	"repscope/plots"
	"repscope/stat"
)

// shownPairs is the number of pairs in the scatter: more would cover each other.
const shownPairs = 1500

// Figure composes smoothness_comparison: pixel against latent distance with
// fitted lines and their confidence bands, and a box plot of the ratio.
func Figure(r *smoothness.Result, seed uint64) (*plots.Figure, error) {
	shown, err := stat.NewRandom(stat.StreamScatter.Key(seed)).SampleWithoutReplacement(len(r.PixelDistance), shownPairs)
	if err != nil {
		return nil, err
	}
	for _, i := range r.Decisive { // those must be seen
		if !slices.Contains(shown, i) {
			shown = append(shown, i)
		}
	}
	scatter := &plots.Scatter{
		X: plots.Axis{Label: "Pixel distance over " + steps(r) + " (gray levels)", Zero: true},
		Y: plots.Axis{Label: "Latent distance over " + steps(r) + unit(r), Zero: true},
	}
	box := &plots.BoxPlot{
		Y: plots.Axis{Label: "Latent / pixel distance" + ratioUnit(r), Log: true},
	}
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
		collapsed := output.Why(m.EffectiveRank)
		series := plots.ScatterSeries{Name: m.Name, Fit: (*plots.Fit)(m.Line), Other: (*plots.Fit)(m.Rest), Reason: collapsed}
		if collapsed != "" {
			series.Fit, series.Other = nil, nil // its distances are all 0, which says nothing
		} else {
			for _, i := range shown {
				series.X = append(series.X, r.PixelDistance[i])
				series.Y = append(series.Y, m.Distance[i])
			}
		}
		scatter.Series = append(scatter.Series, series)
		box.Boxes = append(box.Boxes, plots.Box{Name: m.Name, Values: m.Ratios, Reason: collapsed})
	}
	return &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 82 + 4*max(0, float64(len(r.Models)-8)),
		Tiles: []plots.Tile{
			{Panel: scatter, Title: "Pairs of states", Row: 0, Column: 0},
			{Panel: box, Title: "Local expansion", Row: 0, Column: 1},
		},
		Series:   names,
		Footnote: caption(r, len(shown)),
		Notes:    output.IntervalNotes(r.Warnings),
		Title:    "Smoothness",
	}, nil
}

// steps is the time between the two states of a pair.
func steps(r *smoothness.Result) string { return text.Count(r.Horizon, "step") }

func unit(r *smoothness.Result) string {
	if len(r.Models) > 0 && r.Models[0].LatentScale == spectrum.ScaleRMS {
		return " (RMS distances)"
	}
	return ""
}

func ratioUnit(r *smoothness.Result) string {
	if unit(r) != "" {
		return " (RMS distances per gray level)"
	}
	return " (per gray level)"
}

func caption(r *smoothness.Result, shown int) string {
	text := fmt.Sprintf("%d of %d pairs drawn", shown, len(r.PixelDistance))
	if r.EffectivePairs.Defined() && r.EffectiveReliable {
		text += fmt.Sprintf(", effective number about %.0f", r.EffectivePairs.V)
	}
	if r.Blocks != "" {
		text += fmt.Sprintf("; bands: 95 %% intervals, jackknife over %s", r.Blocks)
	}
	if r.Decisive != nil {
		text += fmt.Sprintf("; %d pairs have %.0f %% of the variance of the pixel distances and determine the "+
			"lines; dotted: without them", len(r.Decisive), 100*r.DecisiveShare)
	}
	if reason := results.NoTest(r.Comparisons); reason != "" {
		text += "; no tests: " + reason
	}
	return text + "."
}
