// Nearest neighbors and means against direct ones.

package probe

import (
	"math/rand/v2"
	"testing"

	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// naiveNeighbors is the mean target of the k nearest of some rows.
func naiveNeighbors(x, queries, y points.Points, i int, keep []int, k int) float64 {
	type near struct {
		square float64
		row    int
	}
	var all []near
	for _, j := range keep {
		all = append(all, near{matrix.SquaredDistance(queries.Row(i, nil), x.Row(j, nil)), j})
	}
	sum := 0.0
	k = min(k, len(all))
	for range k {
		best := 0
		for at, c := range all {
			if c.square < all[best].square {
				best = at
			}
		}
		sum += y.F64[all[best].row]
		all = append(all[:best], all[best+1:]...)
	}
	return sum / float64(k)
}

func TestNeighborsAndMeans(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	const n = 120
	x, y, groups := simulated(random, n, 3, 1, 6)
	other, _, _ := simulated(random, n, 3, 1, 6)
	folds, err := GroupFolds(groups, 3)
	if err != nil {
		t.Fatal(err)
	}
	d := Data{X: x, Others: []points.Points{other}, Groups: groups, Folds: folds}
	fit, err := CrossFitNeighbors(t.Context(), d, y, NeighborOptions{K: 30})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		keep := d.train(folds[i])
		near(t, "prediction", []float64{fit.Predicted[0][i], fit.Predicted[1][i]},
			[]float64{naiveNeighbors(x, x, y, i, keep, 30), naiveNeighbors(x, other, y, i, keep, 30)}, 1e-12)
	}
	// Blocks of an episode each take so many neighbors that some lists run out.
	blocks, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{30, 1} {
		if fit, err = CrossFitNeighbors(t.Context(), d, y, NeighborOptions{K: k}); err != nil {
			t.Fatal(err)
		}
		err = fit.Without(t.Context(), blocks, func(j int, predicted [][]float64) error {
			for i := range n {
				want := naiveNeighbors(x, other, y, i, outside(d.train(folds[i]), blocks.Block(j)), k)
				near(t, "prediction without a block", predicted[1][i:i+1], []float64{want}, 1e-12)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = MeanWithout(t.Context(), d, y, blocks, func(j int, predicted [][]float64) error {
		for i := range n {
			kept := outside(d.train(folds[i]), blocks.Block(j))
			near(t, "mean", predicted[0][i:i+1], []float64{stat.Mean(points.Pick(y.F64, kept))}, 1e-12)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
