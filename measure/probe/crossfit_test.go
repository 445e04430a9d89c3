// Refits without blocks against fits of what is left.

package probe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"repscope/points"
	"repscope/stat"
)

// Every refit equals a fit of the rows that are left, by the normal equations: blocks that are
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
			o := RidgeOptions{Alphas: []float64{0.01, 1, 100}, PerTarget: true}
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
			w, b := direct(d.X, y, target, keep, fit.Heads[f].Alpha[target])
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
