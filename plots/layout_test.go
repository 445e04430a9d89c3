// Geometry: in every figure of the gallery no text leaves the canvas, touches
// another text or covers data.

package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// overlap reports whether two convex quadrilaterals share more than slack points
// along every axis that could separate them.
func overlap(p, q [4]vg.Point, slack float64) bool {
	for _, shape := range [][4]vg.Point{p, q} {
		for i := range shape {
			edge := shape[(i+1)%4].Sub(shape[i])
			length := math.Hypot(float64(edge.X), float64(edge.Y))
			if length == 0 {
				continue
			}
			normal := vg.Point{X: -edge.Y / vg.Length(length), Y: edge.X / vg.Length(length)}
			lowP, highP := project(p, normal)
			lowQ, highQ := project(q, normal)
			if math.Min(highP, highQ)-math.Max(lowP, lowQ) <= slack {
				return false
			}
		}
	}
	return true
}

func project(p [4]vg.Point, axis vg.Point) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range p {
		d := float64(c.X*axis.X + c.Y*axis.Y)
		low, high = math.Min(low, d), math.Max(high, d)
	}
	return low, high
}

// checkGeometry asserts the layout of one figure.
func checkGeometry(t *testing.T, f *Figure) {
	t.Helper()
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		t.Fatal(err)
	}
	var texts, data, intervals []mark
	for _, m := range s.marks {
		switch m.kind {
		case "data", "image":
			data = append(data, m)
		case "interval":
			intervals = append(intervals, m)
		case "bar":
		default:
			texts = append(texts, m)
		}
	}
	// The boxes of text include room for accents above and descenders below.
	const slack = 1.3
	for i, m := range texts {
		for _, c := range m.corners {
			if c.X < -0.01 || c.Y < -slack || c.X > s.width+0.01 || c.Y > s.height+slack {
				t.Errorf("%s %q of panel %d leaves the canvas at (%.1f, %.1f)", m.kind, m.text, m.panel, c.X, c.Y)
				break
			}
		}
		for _, other := range texts[i+1:] {
			if overlap(m.corners, other.corners, slack) {
				t.Errorf("%s %q (panel %d) overlaps %s %q (panel %d)", m.kind, m.text, m.panel, other.kind, other.text, other.panel)
			}
		}
		inside := m.kind == "value" || m.kind == "note"
		for _, d := range data {
			if !inside && overlap(m.corners, d.corners, slack) {
				t.Errorf("%s %q (panel %d) covers the data of panel %d", m.kind, m.text, m.panel, d.panel)
			}
			if m.kind == "value" && m.panel == d.panel && m.text != "n/a" {
				for _, c := range m.corners {
					if c.Y > d.corners[2].Y+slack || c.Y < d.corners[0].Y-slack {
						t.Errorf("value %q (panel %d) leaves the data rectangle", m.text, m.panel)
						break
					}
				}
			}
		}
		for _, iv := range intervals {
			if m.kind == "value" && overlap(m.corners, iv.corners, 0.2) {
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
