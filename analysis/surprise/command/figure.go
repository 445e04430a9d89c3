// The figure: a violated episode with its frames and errors, detection by violation and model, curves over size.

package command

import (
	"fmt"
	"image"
	"math"

	"repscope/analysis/internal/output"
	"repscope/analysis/surprise"
	"repscope/measure/spectrum"
	"repscope/plots"
)

// framesShown is the number of frames in the figure.
const framesShown = 6

// Figure composes the figure.
func Figure(r *surprise.Result, l *loaded, o surprise.Options) *plots.Figure {
	figure := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Surprise", Notes: output.IntervalNotes(r.Warnings)}
	row, height := 0, 0.0
	add := func(share float64, tiles ...plots.Tile) {
		for _, t := range tiles {
			t.Row = row
			figure.Tiles = append(figure.Tiles, t)
		}
		figure.RowHeights = append(figure.RowHeights, share)
		row++
		height += share
	}
	note := ""
	if s := r.Shown; s != nil {
		title := fmt.Sprintf("%s of size %g", s.Kind, s.Size)
		if grid := frames(s, l); grid != nil {
			add(45, plots.Tile{Panel: grid, Title: title, ColumnSpan: 2})
		}
		add(60, plots.Tile{Panel: along(s, l, o), Title: "Errors along the episode, " + title, ColumnSpan: 2})
		note = fmt.Sprintf("Errors of %s. Transition 0 is the first impossible one. ", s.Names[0])
	}
	detection := heat(r)
	add(22+4.5*float64(len(detection.Rows)), plots.Tile{Panel: detection, Title: "AUROC at the largest size",
		ColumnSpan: 2})
	var curves []plots.Tile
	for _, kind := range kindsOf(r) {
		if c := bySizes(r, string(kind), kind.Unit()); c != nil && len(curves) < 2 {
			curves = append(curves, plots.Tile{Panel: c, Title: string(kind), Column: len(curves)})
		}
	}
	if len(curves) == 1 {
		curves[0].ColumnSpan = 2
	}
	if len(curves) > 0 {
		for _, m := range r.Models {
			if m.Of == "" {
				figure.Series = append(figure.Series, m.Name)
			}
		}
		add(60, curves...)
	}
	figure.HeightMM = height + 20
	figure.Footnote = note + "AUROC: probability that an impossible transition has a larger error than one of the " +
		"same stretch of the untouched episode; 0.5 is chance."
	if r.Blocks != "" && len(curves) > 0 {
		figure.Footnote += fmt.Sprintf(" Bands: 95 %% intervals, jackknife over %s.", r.Blocks)
	}
	return figure
}

// frames shows the frames from the violation on above the untouched ones; nil where there are no images.
func frames(s *surprise.Shown, l *loaded) *plots.ImageGrid {
	if l == nil || len(s.Violated) == 0 || l.data.States == nil {
		return nil
	}
	shape := l.data.States.LastFrame().Shape()
	low, high := l.data.States.Range().Low, l.data.States.Range().High
	grid := &plots.ImageGrid{RowLabels: []string{"violated", "untouched"}, Images: make([][]image.Image, 2)}
	for i := range min(framesShown, len(s.Violated)) {
		for k, frame := range [][]float64{s.Violated[i], s.Twin[i]} {
			m := picture(frame, shape, low, high)
			if m == nil {
				return nil
			}
			grid.Images[k] = append(grid.Images[k], m)
		}
		grid.ColumnLabels = append(grid.ColumnLabels, fmt.Sprintf("+%d", i))
	}
	return grid
}

// picture is a frame as an image: colors of three channels, or the last plane; nil for other shapes.
func picture(values []float64, shape []int, low, high float64) image.Image {
	if len(shape) < 2 || !(high > low) {
		return nil
	}
	height, width := shape[len(shape)-2], shape[len(shape)-1]
	pixels := make([]uint8, len(values))
	for i, v := range values {
		pixels[i] = uint8(math.Round(255 * min(1, max(0, (v-low)/(high-low)))))
	}
	var m image.Image
	var err error
	if len(shape) == 3 && shape[0] == 3 {
		m, err = plots.RGBImage(pixels, height, width)
	} else {
		m, err = plots.GrayImage(pixels[len(pixels)-height*width:], height, width)
	}
	if err != nil {
		return nil
	}
	return m
}

// along are the errors of the first model along the violated and the untouched episode.
func along(s *surprise.Shown, l *loaded, o surprise.Options) *plots.Curves {
	label := "Error"
	if inRMS(l, o) {
		label = "Error / RMS distance"
	}
	curves := &plots.Curves{
		X: plots.Axis{Label: "Transitions since the violation"}, Y: plots.Axis{Label: label, Zero: true},
	}
	violated, twin := plots.CurveSeries{Name: "violated"}, plots.CurveSeries{Name: "untouched"}
	for i, step := range s.Step {
		violated.X, violated.Y = append(violated.X, float64(step)), append(violated.Y, s.Errors[0][i])
		twin.X, twin.Y = append(twin.X, float64(step)), append(twin.Y, s.Twins[0][i])
	}
	curves.Series = []plots.CurveSeries{violated, twin}
	return curves
}

// inRMS reports whether errors are in units of the RMS distance of two random states. Errors from elsewhere have the
// unit of their file; nothing is loaded for them.
func inRMS(l *loaded, o surprise.Options) bool { return l != nil && o.Scale == spectrum.ScaleRMS }

// heat is the AUROC of each model and violation at its largest size.
func heat(r *surprise.Result) *plots.HeatMap {
	last := lastSizes(r)
	m := &plots.HeatMap{Scale: plots.ColorScale{Low: 0, High: 1, Label: "AUROC"}}
	for _, made := range last {
		m.Columns = append(m.Columns, string(made.Kind))
	}
	for i := range r.Models {
		model := &r.Models[i]
		m.Rows = append(m.Rows, model.Name)
		var values []float64
		for _, made := range last {
			v := math.NaN()
			if row := model.Row(made.Kind, made.Size); row != nil {
				v = row.AUROC.Float()
			}
			values = append(values, v)
		}
		m.Values = append(m.Values, values)
	}
	return m
}

// bySizes are curves of the AUROC over the size of a violation; nil for one size, or where no model was measured.
func bySizes(r *surprise.Result, kind, unit string) *plots.Curves {
	curves := &plots.Curves{X: plots.Axis{Label: "Size (" + unit + ")"}, Y: plots.Axis{Label: "AUROC", Min: 0,
		Max: 1.0001},
		References: []plots.Reference{{Value: 0.5}}}
	measured := false
	for i := range r.Models {
		m := &r.Models[i]
		v, ok := m.Violations.Get(kind)
		if !ok || m.Of != "" {
			continue
		}
		line := plots.CurveSeries{Name: m.Name}
		for _, row := range v.([]surprise.Violated) {
			output.AppendPoint(&line, row.Size, row.AUROC)
			measured = measured || row.AUROC.Defined()
		}
		if len(line.X) < 2 {
			return nil
		}
		curves.Series = append(curves.Series, line)
	}
	if !measured {
		return nil
	}
	return curves
}
