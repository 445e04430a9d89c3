// Tests of baselines across bars.

package plots

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// A baseline enters the range of the axis; an undefined one is left out.
func TestBaselines(t *testing.T) {
	t.Parallel()
	below := -2.0
	bars := &Bars{Bars: []Bar{{Name: "a", Value: 1, Low: math.NaN(), High: math.NaN(), Baseline: &below}}}
	if _, _, low, _ := bars.DataRange(); low > below {
		t.Errorf("the axis begins at %g, want %g or less", low, below)
	}
	grouped := func(baselines []float64) *Figure {
		return &Figure{WidthMM: SingleColumnMM, HeightMM: 50, Series: []string{"a"}, Tiles: []Tile{{Panel: &GroupedBars{
			Groups: []string{"5", "10"}, Series: []BarSeries{{Name: "a", Values: []float64{1, 2}, Baselines: baselines}}}}}}
	}
	var with, without, short bytes.Buffer
	if err := grouped([]float64{0.5, math.NaN()}).Render(&with, "svg"); err != nil {
		t.Fatal(err)
	}
	if err := grouped(nil).Render(&without, "svg"); err != nil {
		t.Fatal(err)
	}
	if with.Len() <= without.Len() {
		t.Error("a baseline draws nothing")
	}
	if err := grouped([]float64{1}).Render(&short, "svg"); err == nil || !strings.Contains(err.Error(), `series "a": 1 baselines for 2 values`) {
		t.Errorf("a missing baseline: %v", err)
	}
}
