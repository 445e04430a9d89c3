// Properties of scores, and what they refuse.

package contact

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

// TestAPC: what is a product of a number of each residue goes away entirely, and rows add up to 0.
func TestAPC(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	n := 17
	s := &Scores{N: n, Values: make([]float64, n*n)}
	at := make([]float64, n)
	for i := range at {
		at[i] = r.Float64()
	}
	for i := range n {
		for j := range n {
			s.Values[i*n+j] = at[i] * at[j]
		}
	}
	s.APC()
	for _, v := range s.Values {
		measuretest.Near(t, "a product", v, 0, 1e-15)
	}
	for k := range s.Values {
		s.Values[k] = r.Float64()
	}
	s.Symmetrize()
	s.APC()
	for i := range n {
		sum := 0.0
		for j := range n {
			sum += s.Values[i*n+j]
			if s.Values[i*n+j] != s.Values[j*n+i] {
				t.Fatalf("%d and %d are not symmetric", i, j)
			}
		}
		measuretest.Near(t, "a row", sum, 0, 1e-13)
	}
	zero := &Scores{N: 2, Values: make([]float64, 4)}
	zero.APC()
	for _, v := range zero.Values {
		if v != 0 {
			t.Errorf("scores of 0 become %v", v)
		}
	}
}

// TestHeadsOnlySeesResidues: what stands at special tokens changes nothing, nor which direction
// attention goes.
func TestHeadsOnlySeesResidues(t *testing.T) {
	t.Parallel()
	g := readGolden(t).Structures[0]
	length, square := g.length(), g.length()*g.length()
	one := g.Attention[:square]
	want, err := Heads(one, 1, length, g.keep())
	must(t, err)
	other := make([]float32, square)
	for i := range length {
		for j := range length {
			if other[j*length+i] = one[i*length+j]; i == 0 || j == 0 || i == length-1 || j == length-1 {
				other[j*length+i] = 7
			}
		}
	}
	got, err := Heads(other, 1, length, g.keep())
	must(t, err)
	for k, v := range got.Values {
		measuretest.Near(t, "score", v, want.Values[k], 1e-15)
	}
}

func TestScoreErrors(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	for _, c := range []struct {
		attention     []float32
		heads, length int
		keep          []int
		want          string
	}{
		{make([]float32, 7), 2, 2, []int{0}, "7 attention values, want 2 heads of 2 × 2"},
		{make([]float32, 8), 2, 2, []int{1, 0}, "token 1 to keep is 0, want ascending indices below 2"},
		{make([]float32, 8), 2, 2, []int{2}, "token 0 to keep is 2, want ascending indices below 2"},
		{[]float32{0, 0, 0, 0, 0, nan, 0, 0}, 2, 2, []int{0, 1}, "head 1: the score of tokens 0 and 1 is NaN"},
	} {
		if _, err := Heads(c.attention, c.heads, c.length, c.keep); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := Given(make([]float32, 3), 2, nil); err == nil || !strings.Contains(err.Error(),
		"3 contact scores, want 2 × 2") {
		t.Error(err)
	}
	if _, err := Given([]float32{0, nan, 0, 0}, 2, []int{0, 1}); err == nil || !strings.Contains(err.Error(), "tokens 0 and 1 is NaN") {
		t.Error(err)
	}
}
