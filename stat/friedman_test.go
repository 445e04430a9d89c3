// Friedman's test against scipy; see testdata/README.md.

package stat

import (
	"fmt"
	"math"
	"testing"
)

func TestFriedman(t *testing.T) {
	t.Parallel()
	for i, c := range readTests(t).Friedman {
		got, err := Friedman(c.Scores)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprint("table ", i)
		within(t, what+" χ²", got.ChiSquared, c.Chi_squared, 1e-12)
		within(t, what+" p of χ²", got.ChiSquaredP, c.Chi_squared_p, 1e-12)
		within(t, what+" F", got.F, c.F, 1e-11)
		within(t, what+" p", got.P, c.P, 1e-11)
		for k, r := range got.AverageRanks {
			within(t, what+" rank", r, c.Ranks[k], 1e-14)
		}
	}
	// Tasks that all agree: the probability of that for n tasks of k! orders.
	got, err := Friedman([][]float64{{1, 2, 3}, {0, 5, 9}, {-3, -2, 7}})
	if err != nil || !math.IsInf(got.F, 1) || math.Abs(got.P-1.0/36) > 1e-15 {
		t.Errorf("agreement: %+v, %v", got, err)
	}
	// With two orders of a tied task.
	got, err = Friedman([][]float64{{1, 2, 2}, {0, 9, 9}})
	if err != nil || math.Abs(got.P-1.0/3) > 1e-15 {
		t.Errorf("agreement with ties: %+v, %v", got, err)
	}
	// Models whose ranks balance exactly.
	got, err = Friedman([][]float64{{1, 2}, {2, 1}})
	if err != nil || got.F != 0 || got.P != 1 {
		t.Errorf("balance: %+v, %v", got, err)
	}
	for _, bad := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 2}, {1}}, {{1, math.NaN()}, {1, 2}}, {{1, 1}, {2, 2}}} {
		if _, err := Friedman(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
