// The signed rank test against scipy and against all signs; see testdata/README.md.

package stat

import (
	"math"
	"strings"
	"testing"
)

// goldenTests is testdata/tests.json.
type goldenTests struct {
	Signed_rank []struct {
		Name, Zeros string
		Differences []float64
		Normal_p    float64
		P           *float64 // nil: neither all signs nor a table
		Plus, Minus float64
	}
	Wilson   [][5]float64
	Mcnemar  [][3]float64
	Power    [][4]float64
	Needed   [][3]float64
	Friedman []struct {
		Scores                     [][]float64
		Chi_squared, Chi_squared_p float64
		F, P                       float64
		Ranks                      []float64
	}
	Welch []struct {
		A, B     []float64
		T, DF, P float64
		CI       [2]float64
	}
}

func readTests(t *testing.T) (g goldenTests) {
	t.Helper()
	readGolden(t, "tests.json", &g)
	return g
}

// within compares with a relative tolerance, absolute below 1.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, tolerance)
	}
}

func TestWilcoxonSignedRank(t *testing.T) {
	t.Parallel()
	for _, c := range readTests(t).Signed_rank {
		zeros := ZerosPratt
		if c.Zeros == ZerosWilcox.String() {
			zeros = ZerosWilcox
		}
		got, err := WilcoxonSignedRank(c.Differences, zeros)
		if err != nil {
			t.Fatal(err)
		}
		what := c.Name + " " + c.Zeros
		within(t, what+" plus", got.Plus, c.Plus, 1e-12)
		within(t, what+" minus", got.Minus, c.Minus, 1e-12)
		within(t, what+" normal p", got.NormalP, c.Normal_p, 1e-12)
		if c.P != nil {
			within(t, what+" p", got.P, *c.P, 1e-12)
		}
		if got.Exact != (got.N-got.Zeros <= 50) {
			t.Errorf("%s: exact %v for %d differences", what, got.Exact, got.N-got.Zeros)
		}
		// The other direction has the same p and the opposite effect.
		negative := make([]float64, len(c.Differences))
		for i, d := range c.Differences {
			negative[i] = -3 * d
		}
		other, err := WilcoxonSignedRank(negative, zeros)
		if err != nil || other.P != got.P || other.RankBiserial != -got.RankBiserial || other.Plus != got.Minus {
			t.Errorf("%s: %+v for the differences with the other sign, %+v, %v", what, other, got, err)
		}
	}
	if got, err := WilcoxonSignedRank([]float64{0, 0}, ZerosPratt); err != nil || got.P != 1 || got.Zeros != 2 {
		t.Errorf("zeros alone: %+v, %v", got, err)
	}
	for _, bad := range [][]float64{nil, {1, math.NaN()}, {math.Inf(1)}} {
		if _, err := WilcoxonSignedRank(bad, ZerosPratt); err == nil || !strings.HasPrefix(err.Error(), "signed rank test: ") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
