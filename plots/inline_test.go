// Figures inside HTML pages.

package plots

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func inlineFigure() *Figure {
	return &Figure{
		WidthMM: 80, HeightMM: 50, Legend: LegendNone, Series: []string{"unused", `a<b>&"c`, "b"},
		Tiles: []Tile{{Panel: &Curves{X: Axis{Label: "k"}, Y: Axis{Label: "value"}, Series: []CurveSeries{
			{Name: "b", X: []float64{1, 2}, Y: []float64{0.25, math.NaN()}},
			{Name: `a<b>&"c`, X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{0.5, math.NaN()}, High: []float64{1.5, math.NaN()}},
		}}}},
	}
}

// An inline figure is well-formed, has no ids, tells series apart and explains each value.
func TestInline(t *testing.T) {
	t.Parallel()
	var out, again strings.Builder
	if err := inlineFigure().Inline(&out, `of <"all">`); err != nil {
		t.Fatal(err)
	}
	if err := inlineFigure().Inline(&again, `of <"all">`); err != nil || again.String() != out.String() {
		t.Errorf("equal figures give other bytes (%v)", err)
	}
	var values []string
	series := map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(out.String()))
	for title := false; ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
		switch token := token.(type) {
		case xml.StartElement:
			title = token.Name.Local == "title"
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "id":
					t.Errorf("an id: %s", a.Value)
				case "data-m":
					series[a.Value] = true
				case "aria-label":
					if a.Value != `of <"all">` {
						t.Errorf("label %q", a.Value)
					}
				}
			}
		case xml.CharData:
			if title {
				values = append(values, string(token))
			}
		case xml.EndElement:
			title = false
		}
	}
	want := []string{"b: 0.25 at k 1", `a<b>&"c: 1 [0.5, 1.5] at k 1`, `a<b>&"c: 2 at k 2`}
	if strings.Join(values, "|") != strings.Join(want, "|") {
		t.Errorf("values %q, want %q", values, want)
	}
	if len(series) != 2 || !series["1"] || !series["2"] {
		t.Errorf("series %v, want 1 and 2", series)
	}
}

// The canvas turns, moves and scales as the others do, and is upside up.
func TestInlineTransforms(t *testing.T) {
	t.Parallel()
	c := newInline(100)
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 20})
	c.Rotate(math.Pi / 2)
	c.Scale(2, 3)
	if x, y := c.top().place(vg.Point{X: 5, Y: 1}); math.Abs(x-7) > 1e-12 || math.Abs(y-70) > 1e-12 {
		t.Errorf("(5, 1) is at (%g, %g), want (7, 70)", x, y)
	}
	c.Pop()
	if x, y := c.top().place(vg.Point{X: 5, Y: 1}); x != 5 || y != 99 {
		t.Errorf("(5, 1) is at (%g, %g), want (5, 99)", x, y)
	}
}
