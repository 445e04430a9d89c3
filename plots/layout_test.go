// Geometry: in every figure of the gallery no text leaves the canvas, touches
// another text or covers data.

package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// checkGeometry asserts the layout of one figure.
func checkGeometry(t *testing.T, f *Figure) {
	t.Helper()
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.collisions() {
		t.Error(c)
	}
	var values, data, intervals []mark
	for _, m := range s.marks {
		switch m.kind {
		case "data", "image":
			data = append(data, m)
		case "interval":
			intervals = append(intervals, m)
		case "value":
			values = append(values, m)
		}
	}
	for _, m := range values {
		for _, d := range data {
			if m.panel == d.panel && m.text != "n/a" {
				for _, c := range m.corners {
					if c.Y > d.corners[2].Y+textSlack || c.Y < d.corners[0].Y-textSlack {
						t.Errorf("value %q (panel %d) leaves the data rectangle", m.text, m.panel)
						break
					}
				}
			}
		}
		for _, iv := range intervals {
			if overlap(m.corners, iv.corners, 0.2) {
				t.Errorf("value %q (panel %d) covers an interval's cap", m.text, m.panel)
			}
		}
	}
}

func TestGeometry(t *testing.T) {
	t.Parallel()
	for name, f := range galleryFigures() {
		t.Run(name, func(t *testing.T) { checkGeometry(t, &f) })
		for _, where := range []LegendPosition{LegendAbove, LegendBelow, LegendRight, LegendNone} {
			if name != "odd" && name != "neighborhood_04_long" && name != "robustness_12_short" {
				continue
			}
			f.Legend = where
			t.Run(name, func(t *testing.T) { checkGeometry(t, &f) })
		}
	}
}

// Charts of one row share their lower and upper edges, charts of one column their
// left and right edges.
func TestAlignedAxes(t *testing.T) {
	t.Parallel()
	f := manifoldFigure(longNames[:4])
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		t.Fatal(err)
	}
	data := map[int]mark{}
	for _, m := range s.marks {
		if m.kind == "data" {
			data[m.panel] = m
		}
	}
	if len(data) != 5 {
		t.Fatalf("%d data rectangles, want 5", len(data))
	}
	near := func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 1e-9 }
	for _, pair := range [][2]int{{0, 1}, {1, 2}, {3, 4}} {
		a, b := data[pair[0]], data[pair[1]]
		if !near(a.corners[0].Y, b.corners[0].Y) || !near(a.corners[2].Y, b.corners[2].Y) {
			t.Errorf("panels %d and %d: rows differ: %v %v", pair[0], pair[1], a.corners, b.corners)
		}
	}
	for _, pair := range [][2]int{{0, 3}, {1, 4}} {
		a, b := data[pair[0]], data[pair[1]]
		if !near(a.corners[0].X, b.corners[0].X) || !near(a.corners[2].X, b.corners[2].X) {
			t.Errorf("panels %d and %d: columns differ: %v %v", pair[0], pair[1], a.corners, b.corners)
		}
	}
}
