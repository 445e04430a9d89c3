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

// TestNemenyiDifference compares with the critical values of Demšar (2006), table 5(a), to their three digits, and with
// scipy 1.17.1, studentized_range.ppf(1 - alpha, k, 1e9)/√2.
func TestNemenyiDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		models           int
		alpha            float64
		published, scipy float64
	}{
		{2, 0.05, 1.960, 1.9599639845400534}, {3, 0.05, 2.343, 2.343700586378409}, {4, 0.05, 2.569, 2.569031772546482},
		{10, 0.05, 3.164, 3.163683577053373}, {2, 0.1, 1.645, 1.6448536269514722}, {3, 0.1, 2.052, 2.0522927304967755},
		{4, 0.1, 2.291, 2.2913414968880566}, {10, 0.1, 2.920, 2.9198888400615384}, {40, 0.05, 3.888,
			3.8876273068086244},
	} {
		k := float64(c.models)
		got, err := NemenyiDifference(c.models, 1, c.alpha)
		if err != nil {
			t.Fatal(err)
		}
		got /= math.Sqrt(k * (k + 1) / 6)
		if math.Abs(got-c.published) > 1e-3 || math.Abs(got-c.scipy) > 1e-7 {
			t.Errorf("%d models at %g: %v, want %v", c.models, c.alpha, got, c.scipy)
		}
	}
	for _, bad := range []struct {
		models, tasks int
		alpha         float64
	}{{1, 3, 0.05}, {3, 0, 0.05}, {3, 3, 0}, {3, 3, 1}, {3, 3, math.NaN()}} {
		if v, err := NemenyiDifference(bad.models, bad.tasks, bad.alpha); err == nil {
			t.Errorf("%+v is accepted: %v", bad, v)
		}
	}
}
