// Numbers as text.

package plots

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value  float64
		digits int
		want   string
	}{
		{0, 3, "0"}, {1, 3, "1.00"}, {-12.345, 3, "−12.3"}, {9.996, 3, "10.0"}, {1234.5, 3, "1230"}, {0.00123456, 3, "0.00123"},
		{1.234e-4, 3, "1.23×10^{−4}"}, {-1e5, 1, "−1×10^{5}"}, {99999, 3, "1.00×10^{5}"}, {math.NaN(), 3, "n/a"},
		{math.Inf(1), 3, "∞"}, {math.Inf(-1), 3, "−∞"}, {1.5, 0, "2"}, {math.Pi, 99, "3.1415926535897931"},
	} {
		if got := Number(c.value, c.digits); got != c.want {
			t.Errorf("Number(%g, %d) = %q, want %q", c.value, c.digits, got, c.want)
		}
	}
}
