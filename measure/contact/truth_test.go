// What contacts refuse.

package contact

import (
	"math"
	"strings"
	"testing"
)

func TestTruthErrors(t *testing.T) {
	t.Parallel()
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		xyz       []float32
		threshold float64
		want      string
	}{
		{[]float32{1, 2}, 8, "2 coordinates, want 3 for each residue"},
		{[]float32{1, 2, inf}, 8, "coordinate 2 of residue 0 is +Inf"},
		{[]float32{1, 2, 3}, 0, "contact distance 0, want a number above 0"},
		{[]float32{1, 2, 3}, math.NaN(), "contact distance NaN"},
	} {
		if _, err := Truth(c.xyz, c.threshold); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestTruthBorder has residues exactly at the threshold, which do not touch.
func TestTruthBorder(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	c, err := Truth([]float32{0, 0, 0, 8, 0, 0, 0, 7.999, 0, nan, 0, 0}, 8)
	must(t, err)
	want := []int8{
		Touching, apart, Touching, Unknown,
		apart, Touching, apart, Unknown,
		Touching, apart, Touching, Unknown,
		Unknown, Unknown, Unknown, Unknown,
	}
	for k, state := range want {
		if c.Pairs[k] != state {
			t.Errorf("pair %d is %d, want %d", k, c.Pairs[k], state)
		}
	}
	if c.Resolved != 3 {
		t.Errorf("%d residues, want 3", c.Resolved)
	}
}
