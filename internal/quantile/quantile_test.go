// Tests of the quantile rule against NumPy's.

package quantile

import (
	"math"
	"testing"
)

// The wanted numbers are NumPy's: np.quantile([0.1, 0.4, 1.7, 2.9], q) of version 1.24.2. The rule
// of the nearer end shows in the last digit at 0.63 and 0.97.
func TestSorted(t *testing.T) {
	t.Parallel()
	values := []float64{0.1, 0.4, 1.7, 2.9}
	for _, c := range []struct{ q, want float64 }{
		{0, 0.1}, {0.25, 0.325}, {0.5, 1.05}, {0.75, 2}, {1, 2.9},
		{0.63, 1.5570000000000002}, {0.97, 2.7920000000000003},
	} {
		if got := Sorted(values, c.q); got != c.want {
			t.Errorf("quantile %g: %.17g, want %.17g", c.q, got, c.want)
		}
	}
	if !math.IsNaN(Sorted(nil, 0.5)) || !math.IsNaN(Sorted(values, -0.1)) || !math.IsNaN(Sorted(values, math.NaN())) {
		t.Error("no values, or a probability outside [0, 1], must give NaN")
	}
	if got := Sorted([]float64{7}, 0.3); got != 7 {
		t.Errorf("one value: %g, want 7", got)
	}
}
