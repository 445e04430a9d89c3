// Shares of episodes, control tasks, entropy, and scores of axes with known answers.

package probe

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

func TestFractions(t *testing.T) {
	t.Parallel()
	groups := make([]int, 300)
	for i := range groups {
		groups[i] = i / 10 * 7
	}
	folds, err := GroupFolds(groups, 3)
	if err != nil {
		t.Fatal(err)
	}
	var before [][]int
	for _, c := range []struct {
		share float64
		want  int
	}{{0.01, 2}, {0.1, 2}, {0.25, 5}, {0.3, 6}, {1, 20}} {
		train, episodes, err := Fractions(groups, folds, c.share, 5)
		if err != nil {
			t.Fatal(err)
		}
		for f, rows := range train {
			if episodes[f] != c.want || len(rows) != 10*c.want || Groups(points.Pick(groups, rows)) != c.want {
				t.Errorf("share %v, fold %d: %d episodes, %d rows; want %d", c.share, f, episodes[f], len(rows), c.want)
			}
			if before != nil && len(common(before[f], rows)) != len(before[f]) {
				t.Errorf("share %v, fold %d does not hold the smaller share", c.share, f)
			}
		}
		d := Data{X: measuretest.Normal(rand.New(rand.NewPCG(1, 1)), 300, 1), Groups: groups, Folds: folds, Train: train}
		if err := d.check("test"); err != nil {
			t.Error(err)
		}
		before = train
	}
	for _, share := range []float64{0, -1, 1.01, math.NaN()} {
		if _, _, err := Fractions(groups, folds, share, 5); err == nil {
			t.Errorf("share %v is taken", share)
		}
	}
}

func TestControlOrder(t *testing.T) {
	t.Parallel()
	for _, groups := range [][]int{slices.Repeat([]int{0}, 50), {3, 3, 3, 1, 1, 1, 1, 2, 2, 2, 2, 2, 0, 0, 0, 0}, {5}} {
		order := ControlOrder(groups, 4)
		if !slices.Equal(slices.Sorted(slices.Values(order)), allRows(len(groups))) {
			t.Errorf("%v is no permutation", order)
		}
		follow := 0 // the target after a row's is mostly that of the next row
		for i := range len(order) - 1 {
			if groups[i] == groups[i+1] && order[i+1] == order[i]+1 {
				follow++
			}
			if len(groups) > 1 && order[i] == i && len(slices.Compact(slices.Clone(groups))) == 1 {
				t.Errorf("row %d keeps its target", i)
			}
		}
		if len(groups) > 1 && follow < len(groups)/3 {
			t.Errorf("%v does not keep the order in time", order)
		}
	}
}

func TestEntropy(t *testing.T) {
	t.Parallel()
	measuretest.Near(t, "of four equal classes", Entropy([]int{0, 1, 2, 3, 3, 2, 1, 0}, 5), 2, 1e-15)
	measuretest.Near(t, "of one class", Entropy([]int{2, 2}, 5), 0, 0)
	if !math.IsNaN(Entropy(nil, 2)) {
		t.Error("no rows have an entropy")
	}
}

// Coordinates that are the factors score 1, a rotation by 45° scores what its shares say.
func TestDisentanglement(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 3))
	const n = 4000
	data, factors, groups := make([]float64, 3*n), make([]float64, 3*n), make([]int, n)
	rotated := make([]float64, 3*n)
	for i := range n {
		a, b := float64(random.IntN(4)), float64(random.IntN(4))
		factors[3*i], factors[3*i+1], factors[3*i+2] = a, b, 8
		data[3*i], data[3*i+1], data[3*i+2] = 5*a, -b, 1e-3*random.NormFloat64()
		rotated[3*i], rotated[3*i+1], rotated[3*i+2] = a+b, a-b, 1e-3*random.NormFloat64()
		groups[i] = i / 400
	}
	folds, err := GroupFolds(groups, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data                        []float64
		disentanglement, complete   float64
		gap, tolerance, gapDistance float64
	}{
		{data, 1, 1, 1, 0.05, 0.02},
		// Both axes serve both factors: no disentanglement; each factor uses 2 of 3 coordinates.
		{rotated, 0, 1 - math.Log(2)/math.Log(3), 0, 0.05, 0.02},
	} {
		d := Data{X: points.Float64(c.data, 3), Groups: groups, Folds: folds}
		dci, err := DCIOf(t.Context(), d, points.Float64(factors, 3), RidgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, "disentanglement", dci.Disentanglement, c.disentanglement, c.tolerance)
		measuretest.Near(t, "completeness", dci.Completeness, c.complete, c.tolerance)
		measuretest.Near(t, "informativeness", dci.Informativeness, 1, 1e-6)
		if !math.IsNaN(dci.ByFactor[2]) {
			t.Error("a constant factor has R²")
		}
		mig, err := MIGOf(d.X, points.Float64(factors, 3), MIGBins)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, "gap", mig.Gap, c.gap, c.gapDistance)
		if !math.IsNaN(mig.ByFactor[2]) {
			t.Error("a constant factor has a gap")
		}
	}
}
