// The figures: frames side by side, scores, and scores by steps ahead.

package command

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/analysis/reconstruction"
	frame "repscope/measure/image"
	"repscope/plots"
)

// sheetModels is the number of models on a contact sheet; more have sheets of their own.
const sheetModels = 4

// sheets is the number of contact sheets for the models.
func sheets(models int) int { return max(1, (models+sheetModels-1)/sheetModels) }

// sheetName is the name of contact sheet k.
func sheetName(k int) string {
	if k == 0 {
		return "reconstruction_frames"
	}
	return fmt.Sprintf("reconstruction_frames_%d", k+1)
}

// Sheets are contact sheets of the shown samples, a row each: the current frame, the
// true next one, and for every model its prediction and the absolute error, at most
// four models to a sheet.
func Sheets(shown []reconstruction.Shown, models []string, shape frame.Shape) []*plots.Figure {
	scale := errorScale(shown, shape)
	var figures []*plots.Figure
	for k := range sheets(len(models)) {
		first, last := k*sheetModels, min((k+1)*sheetModels, len(models))
		figures = append(figures, sheet(shown, models, first, last, shape, scale))
	}
	return figures
}

// sheet shows the models first ≤ i < last.
func sheet(shown []reconstruction.Shown, models []string, first, last int, shape frame.Shape,
	scale float64) *plots.Figure {
	grid := &plots.ImageGrid{ColumnLabels: []string{"current", "true next"}}
	if shown[0].Current == nil {
		grid.ColumnLabels = []string{"true"} // states are predicted themselves, and none has another before it
	}
	for _, name := range models[first:last] {
		grid.ColumnLabels = append(grid.ColumnLabels, name, "|error|")
	}
	for _, s := range shown {
		row := []image.Image{picture(s.Truth, shape)}
		if s.Current != nil {
			row = slices.Insert(row, 0, picture(s.Current, shape))
		}
		for _, p := range s.Predicted[first:last] {
			row = append(row, picture(p, shape), heat(difference(p, s.Truth, shape), shape, scale))
		}
		grid.Images = append(grid.Images, row)
		grid.RowLabels = append(grid.RowLabels, "state "+strconv.Itoa(s.State))
	}
	columns := float64(len(grid.ColumnLabels))
	const widest = 24.0 // mm of a column
	width := min(plots.DoubleColumnMM, max(62, 14+widest*columns))
	const gap = 0.7 // between images
	cell := ((width-14)/columns - gap) * float64(shape.Height) / float64(shape.Width)
	note := "Absolute error in units of the pixel range, on the same scale for all models."
	if shape.Channels > 1 && shape.Channels != 3 {
		note = fmt.Sprintf("Shown: the last of %d channels. ", shape.Channels) + note
	} else if shape.Channels == 3 {
		note += " Mean over the three channels."
	}
	const key, page = 9.0, 235.0
	height := min((cell+gap)*float64(len(shown))+5, page)
	figure := &plots.Figure{
		WidthMM: width, HeightMM: height, NoLetters: true, Title: "Predicted and true next frames",
		Tiles: []plots.Tile{{Panel: grid, Row: 0, Column: 0}},
	}
	if first < last {
		figure.HeightMM += key + 9
		figure.RowHeights = []float64{height, key}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: scaleKey(scale), Row: 1, Column: 0})
		figure.Footnote = note
	}
	return figure
}

// scaleKey shows what the colors of errors mean.
func scaleKey(scale float64) *plots.ImageGrid {
	const steps, wide = 11, 8
	key := &plots.ImageGrid{Images: [][]image.Image{nil}, RowLabels: []string{"|error|"}}
	for i := range steps {
		m := image.NewNRGBA(image.Rect(0, 0, wide, 2))
		for y := range 2 {
			for x := range wide {
				m.SetNRGBA(x, y, heatColor(float64(i)/(steps-1)))
			}
		}
		key.Images[0] = append(key.Images[0], m)
		key.ColumnLabels = append(key.ColumnLabels,
			strconv.FormatFloat(math.Round(scale*float64(i)/(steps-1)*1e6)/1e6, 'g', 3, 64))
	}
	return key
}

// panels are the scores that the figure shows.
var panels = []struct{ score, title, label string }{
	{"mse", "Error", "Mean squared error (range²)"},
	{"psnr", "Peak signal-to-noise ratio", "PSNR (dB)"},
	{"ssim", "Structural similarity", "SSIM"},
	{"moving_mse", "Moving pixels", "Mean squared error (range²)"},
	{"static_mse", "Static pixels", "Mean squared error (range²)"},
	{"sharpness_ratio", "Sharpness", "Gradient energy / true gradient energy"},
}

// Figure composes reconstruction_scores: the scores of all models and baselines with
// their intervals.
func Figure(r *reconstruction.Result) *plots.Figure {
	figure := &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 130 + 5*max(0, float64(len(r.Models)-8)),
		Series: names(r), Footnote: caption(r, fmt.Sprintf(" Moving pixels change by more than %g of the pixel range.",
			r.Threshold), "Error bars"), Notes: output.IntervalNotes(r.Warnings), Title: "Reconstruction",
	}
	for i, p := range panels {
		bars := &plots.Bars{Y: plots.Axis{Label: p.label}, NamesInLegend: len(r.Models) > 3}
		if p.score == "sharpness_ratio" {
			bars.References = []plots.Reference{{Value: 1}}
		}
		for k := range r.Models {
			m := &r.Models[k]
			s, _ := m.Score(p.score)
			bars.Bars = append(bars.Bars, output.Bar(m.Name, s.Estimate, 1))
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: bars, Title: p.title, Row: i / 3, Column: i % 3})
	}
	return figure
}

// HorizonFigure composes reconstruction_horizon: error, similarity and sharpness by
// steps ahead. It is nil where no model predicts more than one.
func HorizonFigure(r *reconstruction.Result) *plots.Figure {
	if r.Steps < 2 {
		return nil
	}
	figure := &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 75 + 4*max(0, float64(len(r.Models)-8)),
		Series: names(r), Footnote: caption(r, "", "Bands"), Notes: output.IntervalNotes(r.Warnings), Title: "Reconstruction by steps ahead",
	}
	for i, p := range []struct{ score, title, label string }{panels[0], panels[2], panels[5]} {
		curves := &plots.Curves{X: plots.Axis{Label: "Steps ahead", Integer: true}, Y: plots.Axis{Label: p.label, Zero: p.score == "mse"}}
		for _, m := range r.Models {
			series := plots.CurveSeries{Name: m.Name}
			for k := range m.Horizon {
				s, _ := m.Horizon[k].Score(p.score)
				output.AppendPoint(&series, float64(m.Horizon[k].Step), s.Estimate)
			}
			curves.Series = append(curves.Series, series)
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: curves, Title: p.title, Row: 0, Column: i})
	}
	return figure
}

func names(r *reconstruction.Result) []string {
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
	}
	return names
}

// caption names the baselines, the terms of the panels and what the marks of intervals are.
func caption(r *reconstruction.Result, terms, intervals string) string {
	note := fmt.Sprintf("%s and %s are baselines.%s", reconstruction.CopyLast, reconstruction.MeanFrame, terms)
	if r.Blocks != "" {
		note += fmt.Sprintf(" %s: 95 %% intervals, jackknife over %s.", intervals, r.Blocks)
	}
	if reason := results.NoTest(r.Comparisons); reason != "" {
		note += " No tests: " + reason + "."
	}
	return note
}
