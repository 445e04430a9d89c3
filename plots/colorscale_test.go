// Colors of numbers: order, ends, undefined values.

package plots

import (
	"image/color"
	"math"
	"strings"
	"testing"
)

// Ramps are ordered in gray print: one way, or both ways from the middle.
func TestRamps(t *testing.T) {
	t.Parallel()
	for ramp := range rampStops {
		c := ColorScale{Ramp: Ramp(ramp), Low: -2, High: 2}
		for i := range 64 {
			v := -2 + 4*float64(i)/64
			here, next := luminance(c.Color(v)), luminance(c.Color(v+4./64))
			rises := c.Ramp == RampSequential || (c.Ramp == RampDiverging || c.Ramp == RampReversed) && v < 0
			if rises != (next > here) {
				t.Errorf("ramp %d: luminance %.3f at %.3f, then %.3f", ramp, here, v, next)
			}
		}
		if c.Color(-9) != c.Color(-2) || c.Color(math.Inf(1)) != c.Color(2) || c.Color(math.NaN()) != plainInk {
			t.Errorf("ramp %d: colors beyond the ends or of NaN", ramp)
		}
	}
	if (ColorScale{Ramp: RampDiverging, Low: -3, High: 3}).Color(0) != paperOpen || (ColorScale{Ramp: RampMagnitude, High: 3}).Color(0) != paperOpen {
		t.Error("zero is not white")
	}
}

func TestColorScaleImage(t *testing.T) {
	t.Parallel()
	c := ColorScale{High: 1}
	m, err := c.Image([]float64{0, 1, 2, math.NaN(), 0, 0}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if b := m.Bounds(); b.Dx() != 3 || b.Dy() != 2 {
		t.Fatalf("an image of %v", b)
	}
	for i, want := range []color.Color{c.Color(0), c.Color(1), c.Color(1), plainInk} {
		if got := m.At(i%3, i/3); got != want {
			t.Errorf("cell %d has the color %v, want %v", i, got, want)
		}
	}
	if _, err := c.Image(make([]float64, 5), 2, 3); err == nil || !strings.Contains(err.Error(), "5 values cannot be 2 × 3 cells") {
		t.Errorf("too few values: %v", err)
	}
	if _, err := (ColorScale{Label: "x"}).Image(make([]float64, 1), 1, 1); err == nil || !strings.Contains(err.Error(), `color scale "x"`) {
		t.Errorf("no range: %v", err)
	}
}
