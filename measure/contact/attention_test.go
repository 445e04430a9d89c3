// Properties of attention across chains, and what it refuses.

package contact

import (
	"math"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

// TestCrossingEven: attention that is spread evenly crosses as expected, whatever chains.
func TestCrossingEven(t *testing.T) {
	t.Parallel()
	length := 23
	even := make([]float32, length*length)
	for k := range even {
		even[k] = 1
	}
	for _, heavy := range []int{1, 3, 12, 20} {
		a, err := Crossing(even, length, count(1, heavy), count(1+heavy, 21-heavy), Interface)
		must(t, err)
		measuretest.Near(t, "cross", a.Cross(), a.Expected, 1e-12)
		measuretest.Near(t, "joint", a.Joint, a.ExpectedJoint, 1e-12)
		measuretest.Near(t, "joint", a.Joint, float64(2*min(heavy, 5)*min(21-heavy, 5)), 1e-12)
	}
}

func TestCrossingErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attention     []float32
		first, second []int
		want          string
	}{
		{make([]float32, 3), []int{0}, []int{1}, "3 attention values, want 2 × 2"},
		{make([]float32, 4), []int{0}, []int{2}, "residue at token 2, want one of 2"},
		{[]float32{0, -1, 0, 0}, []int{0}, []int{1}, "the attention of token 0 to token 1 is -1, want a probability"},
		{[]float32{0, 0, 0, float32(math.NaN())}, []int{0}, []int{1}, "token 1 to token 1 is NaN"},
		{[]float32{0, 0, float32(math.Inf(1)), 0}, []int{0}, []int{1}, "token 1 to token 0 is +Inf"},
	} {
		if _, err := Crossing(c.attention, 2, c.first, c.second, 5); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
