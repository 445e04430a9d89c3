// Tests of what a figure says about series that cannot be drawn.

package plots

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// said lays a figure out and returns the texts of each kind, and the warnings.
func said(t *testing.T, f *Figure) (texts map[string][]string, warnings []string) {
	t.Helper()
	s, err := f.compose(&recorder.Canvas{}, false)
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string][]string{}
	for _, m := range s.marks {
		texts[m.kind] = append(texts[m.kind], m.text)
	}
	return texts, s.warnings
}

// A panel without data says why in its middle, and its axes have no ticks, which would
// belong to no range; a fixed range keeps them.
func TestNothingToDraw(t *testing.T) {
	t.Parallel()
	nan, why := math.NaN(), "collapsed: the points are constant"
	panels := map[string]Panel{
		"bars":      &Bars{Bars: []Bar{{Name: "a", Value: nan, Reason: why}}, References: []Reference{{Value: 1, Label: "chance"}}},
		"grouped":   &GroupedBars{Groups: []string{"k"}, Series: []BarSeries{{Name: "a", Values: []float64{nan}, Reason: why}}},
		"boxes":     &BoxPlot{Y: Axis{Log: true}, Boxes: []Box{{Name: "a", Values: []float64{0, 0}, Reason: why}}},
		"curves":    &Curves{Series: []CurveSeries{{Name: "a", Reason: why}}, References: []Reference{{Value: 0}}},
		"histogram": &Histogram{Name: "a", Edges: []float64{0, 1}, Values: []float64{nan}, Low: 1, High: 2, Reason: why},
		"spectrum":  &Spectrum{Series: []SpectrumSeries{{Name: "a", Reason: why}}},
		"scatter":   &Scatter{Series: []ScatterSeries{{Name: "a", X: []float64{nan}, Y: []float64{nan}, Reason: why}}},
	}
	for name, p := range panels {
		f := one(p)
		texts, warnings := said(t, &f)
		if got := strings.Join(texts["note"], "|"); got != why {
			t.Errorf("%s: the panel says %q", name, got)
		}
		if len(texts["tick"]) > 0 || len(texts["factor"]) > 0 || len(texts["reference"]) > 0 {
			t.Errorf("%s: ticks %q, references %q", name, texts["tick"], texts["reference"])
		}
		if got := strings.Join(texts["footnote"], "|"); got != "Undefined: a ("+why+")." || len(warnings) > 0 {
			t.Errorf("%s: footnote %q, warnings %q", name, got, warnings)
		}
	}
	f := one(&Curves{X: Axis{Min: 0, Max: 1}, Series: []CurveSeries{{Name: "a"}}})
	if texts, _ := said(t, &f); len(texts["tick"]) == 0 || texts["note"][0] != "no data" {
		t.Errorf("a fixed range has ticks %q, the panel says %q", texts["tick"], texts["note"])
	}
}

// Next to other bars and boxes the reason is in the slot; several reasons are distinguished in the footnote.
func TestReasonsInSlots(t *testing.T) {
	t.Parallel()
	f := one(&Bars{Bars: []Bar{{Name: "a", Value: 1}, {Name: "b", Value: math.NaN(), Reason: "flat"}, {Name: "c", Value: math.NaN(), Reason: "two states"}}})
	texts, _ := said(t, &f)
	if got := strings.Join(texts["value"], "|"); got != "1.00|n/a: flat|n/a: two states" {
		t.Errorf("the slots say %q", got)
	}
	if got := strings.Join(texts["footnote"], "|"); got != "Undefined: b (flat); c (two states)." {
		t.Errorf("footnote %q", got)
	}
	f = one(&BoxPlot{Y: Axis{Log: true}, Boxes: []Box{{Name: "a", Values: []float64{1, 2}}, {Name: "b", Values: []float64{0, -1}}}})
	texts, warnings := said(t, &f)
	if got := strings.Join(texts["value"], "|"); got != "n/a: no value above 0" || len(warnings) > 0 {
		t.Errorf("the box says %q, warnings %q", got, warnings)
	}
}

// What the font lacks is said once for each name, however many panels draw it.
func TestMissingGlyphsOnce(t *testing.T) {
	t.Parallel()
	bars := &Bars{Bars: []Bar{{Name: "模型", Value: 1}, {Name: "Модель", Value: 1}}}
	f := one(bars)
	f.Tiles = append(f.Tiles, Tile{Panel: bars, Column: 1}, Tile{Panel: &Table{Header: []string{"Model"}, Rows: [][]string{{"模型"}}}, Column: 2})
	warnings, err := f.Warnings()
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], `the font has no glyph for "模型"`) {
		t.Errorf("warnings %q", warnings)
	}
}

// Notes follow the footnote as sentences, each once.
func TestFigureNotes(t *testing.T) {
	t.Parallel()
	f := one(&Bars{Bars: []Bar{{Name: "a", Value: 1}}})
	f.Footnote, f.Notes = "Bars: 95 %.", []string{"Few blocks", "", "Few blocks", "Is it so?"}
	if texts, _ := said(t, &f); texts["footnote"][0] != "Bars: 95 %. Few blocks. Is it so?" {
		t.Errorf("footer %q", texts["footnote"])
	}
}

// Axes of counts have ticks at whole numbers only.
func TestIntegerTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0.955, 2.045, false, "1 2"}, {0.9, 1.1, false, "1"}, {0.955, 3.5, false, "1 2 3"}, {0, 100, false, "0 20 40 60 80 100"},
		{1.2, 1.8, false, ""}, {0.9, 2.2, true, "1 2"}, {1, 1000, true, "1 10 100 1000"},
	} {
		s, err := newScale(Axis{Log: c.log, Integer: true, Min: c.low, Max: c.high}, extent{})
		if err != nil {
			t.Fatal(err)
		}
		s.mark(6)
		var got []string
		for _, tick := range s.ticks {
			if tick.Value != math.Round(tick.Value) {
				t.Errorf("[%g, %g]: a tick at %g", c.low, c.high, tick.Value)
			}
			if !tick.IsMinor() {
				got = append(got, tick.Label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("[%g, %g], log %v: %q, want %q", c.low, c.high, c.log, got, c.want)
		}
	}
}

// Numbers of a matrix stay readable in small cells, or are left out with a warning.
func TestMatrixText(t *testing.T) {
	t.Parallel()
	names := longNames
	values := make([][]float64, len(names))
	for i := range values {
		values[i] = make([]float64, len(names))
		for j := range values[i] {
			values[i][j] = -0.001 - 0.25*float64(j)/12
		}
	}
	for _, c := range []struct {
		width float64
		first string
		warns bool
	}{{120, "0.00", false}, {66, ".00", false}, {40, "", true}} {
		f := Figure{WidthMM: c.width, HeightMM: 90, Tiles: []Tile{{Panel: &Matrix{Names: names, Values: values}}}, Legend: LegendNone}
		texts, warnings := said(t, &f)
		first := ""
		if len(texts["value"]) > 0 {
			first = texts["value"][0]
		}
		if first != c.first || (len(warnings) > 0) != c.warns {
			t.Errorf("%g mm: first number %q, warnings %q", c.width, first, warnings)
		}
	}
	f := one(&Matrix{Names: []string{"a", "b"}, Values: [][]float64{{1}, {1, 2}}})
	if _, err := f.Warnings(); err == nil || !strings.Contains(err.Error(), `row "a" of the matrix has 1 values for 2 names`) {
		t.Errorf("a short row: %v", err)
	}
}
