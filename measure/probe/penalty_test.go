// Penalties without blocks against the choice written out.

package probe

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/points"
	"repscope/stat"
)

// choice is how the head of a fold chooses among penalties.
type choice struct {
	data      Data
	penalties []float64                                         // ascending
	errors    func(fitted, tested []int, a int) (out []float64) // of tested rows by a head of penalty a
}

// without is the penalty that is chosen, times the ratio of those with and without rows that are gone.
func (c choice) without(t *testing.T, fold int, gone func(row int) bool) float64 {
	t.Helper()
	train := c.data.train(fold)
	inner, err := GroupFolds(points.Pick(c.data.Groups, train), min(DefaultFolds, Groups(points.Pick(c.data.Groups, train))))
	if err != nil {
		t.Fatal(err)
	}
	all, rest := make([]float64, len(c.penalties)), make([]float64, len(c.penalties))
	for f := range Groups(inner) {
		var fitted, tested []int
		for k, row := range train {
			if inner[k] == f {
				tested = append(tested, row)
			} else {
				fitted = append(fitted, row)
			}
		}
		for a := range c.penalties {
			var kept []float64
			errors := c.errors(fitted, tested, a)
			for i, row := range tested {
				if !gone(row) {
					kept = append(kept, errors[i])
				}
			}
			all[a] += stat.Mean(errors)
			if len(kept) > 0 {
				rest[a] += stat.Mean(kept)
			}
		}
	}
	chosen := c.penalties[slices.Index(all, slices.Min(all))]
	moved := chosen * vertex(c.penalties, rest) / vertex(c.penalties, all)
	return min(max(moved, c.penalties[0]), c.penalties[len(c.penalties)-1])
}

// vertex is where the parabola through the smallest value and its neighbors, over the logarithm, is smallest.
func vertex(x, y []float64) float64 {
	best := 0
	for i := range y {
		if y[i] < y[best] {
			best = i
		}
	}
	if best == 0 || best == len(x)-1 {
		return x[best]
	}
	system, right := mat.NewDense(3, 3, nil), mat.NewVecDense(3, nil)
	for i := range 3 {
		l := math.Log(x[best-1+i])
		system.SetRow(i, []float64{1, l, l * l})
		right.SetVec(i, y[best-1+i])
	}
	var c mat.VecDense
	if err := c.SolveVec(system, right); err != nil || c.AtVec(2) <= 0 {
		return x[best]
	}
	return math.Exp(-c.AtVec(1) / (2 * c.AtVec(2)))
}

func TestLowest(t *testing.T) {
	t.Parallel()
	x := []float64{-3, -1, 0, 4}
	for _, want := range []float64{-1.4, -0.5, 0.9, 2} {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = 5 + 3*(v-want)*(v-want)
		}
		if got := lowest(x, y); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	for want, y := range map[float64][]float64{
		-3: {1, 2, 3, 4}, 4: {4, 3, 2, 1}, -0.5: {2, 1, 1, 2}, -1: {math.Inf(1), 1, math.Inf(1), 2},
	} {
		if got := lowest(x, y); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", y, got, want)
		}
	}
}

// One penalty for all targets moves by their mean error; a fold without rows outside the block has no say; the order of
// the penalties does not matter.
func TestPenalties(t *testing.T) {
	t.Parallel()
	x, y, groups := simulated(rand.New(rand.NewPCG(31, 32)), 60, 5, 2, 6)
	folds, err := GroupFolds(groups, 3)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := stat.NewBlocks(60, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	d := Data{X: x, Groups: groups, Folds: folds}
	var before []float64
	for _, alphas := range [][]float64{{0.1, 1, 10, 100, 1000}, {1000, 0.1, 10, 1, 100}} {
		fit, err := CrossFitRidge(t.Context(), d, y, RidgeOptions{Alphas: alphas})
		if err != nil {
			t.Fatal(err)
		}
		got, err := fit.problem.penalties(t.Context(), fit.fits[0], blocks)
		if err != nil {
			t.Fatal(err)
		}
		moves := false
		for j := range blocks.Count() {
			if got[2*j] != got[2*j+1] {
				t.Errorf("block %d: %v and %v, want one penalty", j, got[2*j], got[2*j+1])
			}
			moves = moves || got[2*j] != fit.fits[0].alpha[0]
		}
		if !moves {
			t.Error("no block moves the penalty")
		}
		if before != nil {
			near(t, "penalties in another order", got, before, 1e-9)
		}
		before = got
	}
	fit, err := CrossFitRidge(t.Context(), d, y, RidgeOptions{Alphas: []float64{2}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fit.problem.penalties(t.Context(), fit.fits[0], blocks); got != nil || err != nil {
		t.Errorf("%v (%v) with one penalty, want none", got, err)
	}
}
