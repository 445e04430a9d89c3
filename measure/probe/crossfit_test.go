// Refits without blocks against fits of what is left.

package probe

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// Every refit equals a fit of the rows that are left with the penalty that moved, by the normal equations: blocks that are
// episodes, pieces that lie in several folds, fewer rows than features, many rows in a block.
func TestWithoutEqualsRefits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, dim, targets, episodes, block int }{
		{60, 4, 2, 6, 0}, {60, 4, 1, 6, 13}, {40, 60, 2, 5, 0}, {90, 12, 1, 5, 3},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(c.n+c.dim)))
			x, y, groups := simulated(random, c.n, c.dim, c.targets, c.episodes)
			other, _, _ := simulated(random, c.n, c.dim, c.targets, c.episodes)
			folds, err := GroupFolds(groups, 3)
			if err != nil {
				t.Fatal(err)
			}
			d := Data{X: x, Others: []points.Points{other}, Groups: groups, Folds: folds}
			o := RidgeOptions{Alphas: refitAlphas, PerTarget: true}
			fit, err := CrossFitRidge(t.Context(), d, y, o)
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := stat.NewBlocks(c.n, groups, stat.BlockSpec{Kind: kindOf(c.block), Length: c.block})
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			err = fit.Without(t.Context(), blocks, func(j int, predicted [][]float64) error {
				if j != calls {
					t.Errorf("block %d at call %d", j, calls)
				}
				calls++
				checkRefit(t, fit, d, y, blocks.Labels(), j, predicted)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if calls != blocks.Count() {
				t.Errorf("%d calls for %d blocks", calls, blocks.Count())
			}
		})
	}
}

// refitAlphas are the penalties of the test of refits.
var refitAlphas = []float64{0.01, 1, 100}

func kindOf(length int) stat.BlockKind {
	if length > 0 {
		return stat.MovingBlocks
	}
	return stat.EpisodeBlocks
}

func checkRefit(t *testing.T, fit *RidgeCrossFit, d Data, y points.Points, labels []int, block int, predicted [][]float64) {
	t.Helper()
	for f := range fit.held.rows {
		var keep []int
		for i := range labels {
			if labels[i] != block && d.Folds[i] != f {
				keep = append(keep, i)
			}
		}
		for target := range y.Dim {
			c := choice{d, refitAlphas, func(fitted, tested []int, a int) (out []float64) {
				w, b := direct(d.X, y, target, fitted, refitAlphas[a])
				for _, row := range tested {
					e := y.Row(row, nil)[target] - b
					for k, v := range d.X.Row(row, nil) {
						e -= v * w[k]
					}
					out = append(out, e*e)
				}
				return out
			}}
			w, b := direct(d.X, y, target, keep, c.without(t, f, func(row int) bool { return labels[row] == block }))
			for e, features := range d.all() {
				for _, i := range fit.held.rows[f] {
					want := b
					for k, v := range features.Row(i, nil) {
						want += v * w[k]
					}
					if got := predicted[e][i*y.Dim+target]; !(math.Abs(got-want) <= 1e-6*max(1, math.Abs(want))) {
						t.Fatalf("block %d, features %d, row %d, target %d: %v, want %v", block, e, i, target, got, want)
					}
				}
			}
		}
	}
}

// Threads change no bit of predictions and refits, and neither does what else is predicted.
func TestThreadsChangeNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 22))
	const n, classes = 160, 3
	x, class, groups := classified(random, n, 20, classes, 8)
	y := points.Float64(x.F64[:n], 1)
	folds, err := GroupFolds(groups, 4)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	all := func(threads int, others []points.Points) (out []float64) {
		d := Data{X: x, Others: others, Groups: groups, Folds: folds}
		ridge, err := CrossFitRidge(t.Context(), d, y, RidgeOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		logistic, err := CrossFitLogistic(t.Context(), d, class, classes, LogisticOptions{Threads: threads, Cs: []float64{0.1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		near, err := CrossFitNeighbors(t.Context(), d, y, NeighborOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		visit := func(_ int, predicted [][]float64) error {
			out = append(out, predicted[0]...)
			return nil
		}
		for _, without := range []func(context.Context, *stat.Blocks, func(int, [][]float64) error) error{ridge.Without, logistic.Without, near.Without} {
			if err := without(t.Context(), blocks, visit); err != nil {
				t.Fatal(err)
			}
		}
		return slices.Concat(out, ridge.Predicted[0], logistic.Predicted[0], near.Predicted[0])
	}
	one := all(1, nil)
	if !slices.Equal(one, all(5, []points.Points{x})) {
		t.Error("five threads give other bits")
	}
}

// Ridge and logistic regression do not depend on where the origin lies, nor on the axes.
func TestRotationsChangeNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(23, 24))
	const n, dim = 60, 4
	x, class, groups := classified(random, n, dim, 3, 6)
	y := points.Float64(x.F64[:n], 1)
	var rotation mat.QR
	rotation.Factorize(mat.NewDense(dim, dim, measuretest.Normal(random, dim, dim).F64))
	var q, turned mat.Dense
	rotation.QTo(&q)
	turned.Mul(mat.NewDense(n, dim, x.F64), &q)
	moved := slices.Clone(turned.RawMatrix().Data)
	for i := range moved {
		moved[i] += float64(3 * (i%dim - 1))
	}
	folds, err := GroupFolds(groups, 3)
	if err != nil {
		t.Fatal(err)
	}
	var ridge, logistic [2][]float64
	for k, features := range []points.Points{x, points.Float64(moved, dim)} {
		d := Data{X: features, Groups: groups, Folds: folds}
		r, err := CrossFitRidge(t.Context(), d, y, RidgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := CrossFitLogistic(t.Context(), d, class, 3, LogisticOptions{Cs: []float64{0.1, 1, 10}})
		if err != nil {
			t.Fatal(err)
		}
		ridge[k], logistic[k] = r.Predicted[0], l.Predicted[0]
	}
	near(t, "ridge", ridge[1], ridge[0], 1e-8)
	near(t, "logistic", logistic[1], logistic[0], 1e-6)
}
