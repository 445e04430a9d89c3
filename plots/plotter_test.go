// Panels in plots of gonum's: ranges, glyph boxes, places, axes, faults.

package plots

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
)

// axesPanel is a panel with axes, as a plotter of gonum's.
type axesPanel interface {
	Panel
	plot.DataRanger
	plot.GlyphBoxer
	plot.Thumbnailer
}

// foreignPanels are small panels with the ranges they must report.
func foreignPanels() map[string]struct {
	panel axesPanel
	want  [4]float64 // of x, then of y
} {
	nan := math.NaN()
	return map[string]struct {
		panel axesPanel
		want  [4]float64
	}{
		"scatter": {&Scatter{Series: []ScatterSeries{{Name: "a", X: []float64{1, 2, nan}, Y: []float64{5, 7, 90}},
			{Name: "b", X: []float64{3}, Y: []float64{6}, Fit: &Fit{X: []float64{0, 4}, Y: []float64{5, 8}}}}}, [4]float64{0, 4, 5, 8}},
		"scatter on log axes": {&Scatter{X: Axis{Log: true}, Y: Axis{Log: true}, Series: []ScatterSeries{{Name: "a", X: []float64{1, 100, 0}, Y: []float64{0.1, 10, 1}}}},
			[4]float64{1, 100, 0.1, 10}},
		"scatter in a fixed range": {&Scatter{X: Axis{Min: 0, Max: 2}, Series: []ScatterSeries{{Name: "a", X: []float64{1, 100}, Y: []float64{1, 2}}}}, [4]float64{0, 2, 1, 2}},
		"constant":                 {&Scatter{Series: []ScatterSeries{{Name: "a", X: []float64{5}, Y: []float64{-10}}}}, [4]float64{4.5, 5.5, -11, -9}},
		"constant on a log axis":   {&Scatter{Y: Axis{Log: true}, Series: []ScatterSeries{{Name: "a", X: []float64{5}, Y: []float64{10}}}}, [4]float64{4.5, 5.5, 10 / math.Sqrt(10), 10 * math.Sqrt(10)}},
		"curves": {&Curves{Series: []CurveSeries{{Name: "a", X: []float64{1, 2}, Y: []float64{3, 4}, Low: []float64{2, 3}, High: []float64{4, 9}}},
			References: []Reference{{Value: 1, Label: "chance"}}}, [4]float64{1, 2, 1, 9}},
		"histogram": {&Histogram{Name: "a", Edges: []float64{0, 1, 3}, Values: []float64{2, nan}, Low: 1, High: 4, References: []Reference{{Value: 5, Label: "uniform"}}},
			[4]float64{0, 3, 0, 5}},
		"spectrum":        {&Spectrum{Series: []SpectrumSeries{{Name: "a", Values: []float64{8, 4, 2, 0}}}}, [4]float64{1, 3, 2, 8}},
		"bars":            {&Bars{Bars: []Bar{{Name: "a", Value: 2, Low: 1, High: 3}, {Name: "b", Value: -1}, {Name: "c", Value: nan}}}, [4]float64{-0.5, 2.5, -1, 3}},
		"dots":            {&Bars{Dots: true, Bars: []Bar{{Name: "a", Value: 12, Low: 11, High: 13}, {Name: "b", Value: 14}}}, [4]float64{-0.5, 1.5, 11, 14}},
		"bars above zero": {&Bars{Bars: []Bar{{Name: "a", Value: 2}}, References: []Reference{{Value: 4, Label: "null"}}}, [4]float64{-0.5, 0.5, 0, 4}},
		"grouped bars": {&GroupedBars{Groups: []string{"5", "10"}, Series: []BarSeries{{Name: "a", Values: []float64{1, 2}}, {Name: "b", Values: []float64{3, nan}}}},
			[4]float64{-0.5, 1.5, 0, 3}},
		"box plot": {&BoxPlot{Boxes: []Box{{Name: "a", Values: []float64{1, 2, 3, 4, 10}}, {Name: "b", Values: nil}}}, [4]float64{-0.5, 1.5, 1, 10}},
	}
}

func TestDataRange(t *testing.T) {
	t.Parallel()
	for name, c := range foreignPanels() {
		xmin, xmax, ymin, ymax := c.panel.DataRange()
		for i, got := range []float64{xmin, xmax, ymin, ymax} {
			if math.Abs(got-c.want[i]) > 1e-12*math.Abs(c.want[i]) {
				t.Errorf("%s: range x [%g, %g], y [%g, %g], want %v", name, xmin, xmax, ymin, ymax, c.want)
				break
			}
		}
		// Added to a plot, the panel widens its axes and no more.
		p := plot.New()
		p.Y.Min, p.Y.Max = 3, 3
		p.Add(c.panel)
		if p.X.Min != xmin || p.X.Max != xmax || p.Y.Min != min(3, ymin) || p.Y.Max != max(3, ymax) {
			t.Errorf("%s: axes x [%g, %g], y [%g, %g]", name, p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
		}
	}
	// Without data the axes of a plot stay as they are.
	p := plot.New()
	p.Add(&Scatter{Series: []ScatterSeries{{Name: "a"}}}, &Bars{}, &Table{Header: []string{"x"}})
	if !math.IsInf(p.X.Min, 1) || !math.IsInf(p.Y.Max, -1) {
		t.Errorf("no data: axes x [%g, %g], y [%g, %g]", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
}

// drawnOn draws a plot and returns all that was drawn.
func drawnOn(p *plot.Plot, width, height vg.Length) []recorder.Action {
	var c recorder.Canvas
	p.Draw(draw.NewCanvas(&c, width, height))
	return c.Actions
}

// What a panel draws at the edge of its data lies on the canvas: the glyph boxes
// make room for it. Without them it would not.
func TestGlyphBoxes(t *testing.T) {
	t.Parallel()
	const width, height = 160, 120
	outside := func(actions []recorder.Action) (texts []string) {
		for _, a := range actions {
			// The panels turn no text; gonum turns the label of y, which is left empty.
			if a, ok := a.(*recorder.FillString); ok {
				b := newBlock(a.String, a.Size.Points(), false)
				if a.Point.X < -0.01 || a.Point.X+b.width > width+0.01 || a.Point.Y < -0.01 || a.Point.Y+capHeight*b.size > height+0.01 {
					texts = append(texts, a.String)
				}
			}
			if a, ok := a.(*recorder.Fill); ok {
				for _, part := range a.Path {
					if q := part.Pos; part.Type != vg.CloseComp && (q.X < -0.01 || q.X > width+0.01 || q.Y < -0.01 || q.Y > height+0.01) {
						texts = append(texts, "shape")
					}
				}
			}
		}
		return texts
	}
	for name, c := range foreignPanels() {
		p := plot.New()
		p.HideAxes()
		p.X.Padding, p.Y.Padding = 0, 0
		p.Add(c.panel)
		if texts := outside(drawnOn(p, width, height)); len(texts) > 0 {
			t.Errorf("%s: %q leave the canvas", name, texts)
		}
		if len(c.panel.GlyphBoxes(p)) == 0 {
			if name != "spectrum" && name != "grouped bars" {
				t.Errorf("%s: no glyph boxes", name)
			}
			continue
		}
		bare := plot.New()
		bare.HideAxes()
		bare.X.Padding, bare.Y.Padding = 0, 0
		bare.X.Min, bare.X.Max, bare.Y.Min, bare.Y.Max = c.panel.DataRange()
		bare.Add(struct{ plot.Plotter }{c.panel})
		inside := name == "constant" || name == "constant on a log axis" || name == "scatter in a fixed range"
		if texts := outside(drawnOn(bare, width, height)); len(texts) == 0 && !inside {
			t.Errorf("%s: the glyph boxes are not needed", name)
		}
	}
}

// A bar and its printed value lie where the plot's transformation says.
func TestForeignPlaces(t *testing.T) {
	t.Parallel()
	panel := &Bars{Bars: []Bar{{Name: "a", Value: 2}, {Name: "b", Value: 4, Text: "four"}}}
	p := plot.New()
	p.Add(panel)
	var c recorder.Canvas
	canvas := draw.NewCanvas(&c, 200, 150)
	p.Draw(canvas)
	data := p.DataCanvas(canvas)
	x, y := p.Transforms(&data)
	shape, words := false, false
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.Fill:
			corner := a.Path[2].Pos // the upper right one of a rectangle
			shape = shape || math.Abs(float64(corner.X-x(1.36))) < 1e-9 && math.Abs(float64(corner.Y-y(4))) < 1e-9
		case *recorder.FillString:
			if a.String == "four" {
				words = math.Abs(float64(a.Point.X-x(1))) < 20 && a.Point.Y > y(4) && a.Point.Y < y(4)+5
			}
		}
	}
	if !shape || !words {
		t.Errorf("bar at its place: %v, its value: %v", shape, words)
	}
	boxes := panel.GlyphBoxes(p)
	if len(boxes) != 2 || boxes[1].Y != p.Y.Norm(4) || boxes[1].X != p.X.Norm(1) || boxes[1].Rectangle.Min.Y != valueGap {
		t.Errorf("glyph boxes %+v", boxes)
	}
}

// Add shares one order of series between panels, sets the axes of the first, and
// changes nothing where a panel cannot be drawn.
func TestAdd(t *testing.T) {
	t.Parallel()
	p := plot.New()
	p.X.Label.Text = "kept"
	curves := &Curves{Y: Axis{Label: "d_{z}", Log: true}, Series: []CurveSeries{{Name: "b", X: []float64{0, 1}, Y: []float64{1, 100}}}}
	points := &Scatter{Y: Axis{Log: true}, Series: []ScatterSeries{{Name: "a", X: []float64{2, 3}, Y: []float64{1, 0}}}}
	notes, err := Add(p, []string{"a", "b"}, curves, points)
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "Panel b: not shown: 1 value") {
		t.Fatalf("notes %q, error %v", notes, err)
	}
	if !isLog(p.Y.Scale) || isLog(p.X.Scale) || p.Y.Label.Text != "d_{z}" || p.X.Label.Text != "kept" {
		t.Errorf("axes: %T %q, %T %q", p.X.Scale, p.X.Label.Text, p.Y.Scale, p.Y.Label.Text)
	}
	if !(p.X.Min < 0 && p.X.Max > 2 && p.Y.Min > 0 && p.Y.Max > 100) {
		t.Errorf("ranges x [%g, %g], y [%g, %g] have no margin", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	var stroked []color.Color
	for _, a := range drawnOn(p, 200, 150) {
		if a, ok := a.(*recorder.SetColor); ok {
			stroked = append(stroked, a.Color)
		}
	}
	has := func(c color.Color) bool {
		for _, s := range stroked {
			if s == c {
				return true
			}
		}
		return false
	}
	if !has(SeriesStyle(1).Line) || !has(SeriesStyle(0).Fill) {
		t.Error("the series are not drawn in the styles of their order")
	}

	p = plot.New()
	for _, bad := range []Panel{nil, (*Bars)(nil), &Bars{}, &Table{}} {
		if _, err := Add(p, nil, curves, bad); err == nil || !strings.Contains(err.Error(), "panel b") {
			t.Errorf("%#v: error %v", bad, err)
		}
	}
	if _, err := Add(p, []string{"a", "a"}); err == nil {
		t.Error("a series listed twice is accepted")
	}
	if !math.IsInf(p.X.Min, 1) || isLog(p.Y.Scale) {
		t.Error("a panel that cannot be drawn changed the plot")
	}
}

// A panel on axes that cannot show it, or with invalid data, draws as much as possible or an error; no panic leaves it.
func TestForeignFaults(t *testing.T) {
	t.Parallel()
	message := func(p *plot.Plot) string {
		var words []string
		for _, a := range drawnOn(p, 200, 150) {
			if a, ok := a.(*recorder.FillString); ok {
				words = append(words, a.String)
			}
		}
		return strings.Join(words, " ")
	}
	for _, panel := range []Panel{&Bars{}, &Table{Header: []string{"x"}, Rows: make([][]string, 900)}, (*Curves)(nil), &ImageGrid{Images: [][]image.Image{{nil}}}} {
		p := plot.New()
		p.HideAxes()
		p.Add(panel)
		if got := message(p); !strings.Contains(got, "plots: panel") {
			t.Errorf("%T: the plot says %q", panel, got)
		}
	}
	zeros := &Scatter{Series: []ScatterSeries{{Name: "a", X: []float64{0, 1, 2}, Y: []float64{-1, 0, 5}, Fit: &Fit{X: []float64{-1, 2}, Y: []float64{-5, 5}}}}, Diagonal: true}
	for _, scale := range []plot.Normalizer{plot.LogScale{}, plot.InvertedScale{Normalizer: plot.LogScale{}}, LogScale{}, plot.InvertedScale{Normalizer: plot.LinearScale{}}} {
		p := plot.New()
		p.Add(zeros)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.1, 10, 0.1, 10
		p.X.Scale, p.Y.Scale = scale, scale
		p.HideAxes()
		if got := message(p); got != "" {
			t.Errorf("%T: the plot says %q", scale, got)
		}
	}
}

// Panels without axes fill the data rectangle; heavy layers are images in vector
// formats only.
func TestForeignCanvases(t *testing.T) {
	t.Parallel()
	gray, err := GrayImage([]uint8{0, 255, 255, 0}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	images := func(c vg.Canvas, actions func() []recorder.Action, panel Panel) int {
		p := plot.New()
		if _, err := Add(p, nil, panel); err != nil {
			t.Fatal(err)
		}
		p.Draw(draw.NewCanvas(c, 200, 150))
		n := 0
		for _, a := range actions() {
			if _, ok := a.(*recorder.DrawImage); ok {
				n++
			}
		}
		return n
	}
	var sheet recorder.Canvas
	if n := images(&sheet, func() []recorder.Action { return sheet.Actions }, &ImageGrid{Images: [][]image.Image{{gray, nil, gray}}}); n != 2 {
		t.Errorf("%d images, want 2", n)
	}
	heavy := &Scatter{Series: []ScatterSeries{{Name: "a", X: make([]float64, rasterAbove+1), Y: make([]float64, rasterAbove+1)}}}
	for i := range heavy.Series[0].X {
		heavy.Series[0].X[i] = float64(i)
	}
	var vector recorder.Canvas
	if n := images(&vector, func() []recorder.Action { return vector.Actions }, heavy); n != 1 {
		t.Errorf("%d images for %d points of a vector format, want 1", n, rasterAbove+1)
	}
	if newForeignScene(vgimg.PngCanvas{Canvas: vgimg.New(10, 10)}).vector {
		t.Error("a PNG canvas is taken for a vector format")
	}
}

// A plotter of gonum's and a panel of ours share axes.
func TestBesideGonum(t *testing.T) {
	t.Parallel()
	line, err := plotter.NewLine(plotter.XYs{{X: -5, Y: 0}, {X: 5, Y: 50}})
	if err != nil {
		t.Fatal(err)
	}
	p := plot.New()
	p.Add(line, &Curves{Series: []CurveSeries{{Name: "a", X: []float64{0, 9}, Y: []float64{1, 2}}}})
	if p.X.Min != -5 || p.X.Max != 9 || p.Y.Min != 0 || p.Y.Max != 50 {
		t.Errorf("ranges x [%g, %g], y [%g, %g]", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	p.Legend.Add("a", &Curves{Series: []CurveSeries{{Name: "a", X: []float64{0}, Y: []float64{1}}}})
	drawnOn(p, 100, 100)
}
