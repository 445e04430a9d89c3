// The range of a spectrum.

package plots

import (
	"math"
	"testing"
)

// A spectrum shows twelve decades unless told otherwise.
func TestSpectrumRange(t *testing.T) {
	t.Parallel()
	values := []float64{1, 1e-5, 1e-20}
	for _, c := range []struct{ decades, low float64 }{{0, 1e-12}, {6, 1e-6}, {-1, 1e-20}} {
		_, _, low, _ := (&Spectrum{Series: []SpectrumSeries{{Name: "a", Values: values}}, Decades: c.decades}).DataRange()
		if math.Abs(low-c.low) > 1e-9*c.low {
			t.Errorf("%g decades: down to %g, want %g", c.decades, low, c.low)
		}
	}
}
