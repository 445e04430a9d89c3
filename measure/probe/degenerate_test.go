// What probes say where there is little or nothing to fit.

package probe

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// small are 24 rows in 4 episodes.
func small(dim int) (x points.Points, groups, folds []int) {
	x, groups = measuretest.Normal(rand.New(rand.NewPCG(4, uint64(dim))), 24, dim), make([]int, 24)
	for i := range groups {
		groups[i] = i / 6
	}
	folds, err := GroupFolds(groups, 4)
	if err != nil {
		panic(err)
	}
	return x, groups, folds
}

func TestConstantTargets(t *testing.T) {
	t.Parallel()
	x, groups, folds := small(3)
	data := make([]float64, 48)
	for i := range 24 {
		data[2*i] = 0.1 // constant
		if groups[i] == 2 {
			data[2*i+1] = float64(i) // constant, 0, in the other episodes
		}
	}
	d := Data{X: x, Groups: groups, Folds: folds}
	fit, err := CrossFitRidge(t.Context(), d, points.Float64(data, 2), RidgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := stat.NewBlocks(24, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	check := func(predicted []float64, first, last int) {
		t.Helper()
		for i := first; i < last; i++ {
			if math.Abs(predicted[2*i]-0.1) > 1e-15 || predicted[2*i] != predicted[0] {
				t.Errorf("row %d: %v of a constant target 0.1", i, predicted[2*i])
			}
		}
	}
	check(fit.Predicted[0], 0, 24)
	for i := range 24 {
		if p := fit.Predicted[0][2*i+1]; groups[i] == 2 && p != fit.Predicted[0][2*12+1] {
			t.Errorf("row %d: %v where the target did not vary", i, p)
		}
	}
	err = fit.Without(t.Context(), blocks, func(j int, predicted [][]float64) error {
		check(predicted[0], 0, 24)
		for i := range 24 {
			if j == 2 && predicted[0][2*i+1] != predicted[0][1] {
				t.Errorf("row %d: %v where the target does not vary without the block", i, predicted[0][2*i+1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A block of all that a head is fitted on leaves no head.
func TestNothingLeft(t *testing.T) {
	t.Parallel()
	x, _, _ := small(2)
	groups := make([]int, 24)
	for i := range groups {
		groups[i] = i / 12
	}
	d := Data{X: x, Groups: groups, Folds: groups}
	blocks, err := stat.NewBlocks(24, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	class := make([]int, 24)
	y := make([]float64, 24)
	for i := range y {
		y[i], class[i] = x.F64[2*i], i%2
	}
	target := points.Float64(y, 1)
	ridge, err := CrossFitRidge(t.Context(), d, target, RidgeOptions{Alphas: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	logistic, err := CrossFitLogistic(t.Context(), d, class, 2, LogisticOptions{Cs: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	near, err := CrossFitNeighbors(t.Context(), d, target, NeighborOptions{K: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, fit := range []interface {
		Without(context.Context, *stat.Blocks, func(int, [][]float64) error) error
	}{ridge, logistic, near} {
		err := fit.Without(t.Context(), blocks, func(j int, predicted [][]float64) error {
			width := len(predicted[0]) / 24
			for i := range 24 {
				if gone := groups[i] != j; math.IsNaN(predicted[0][i*width]) != gone {
					t.Errorf("%T, without block %d, row %d: %v", fit, j, i, predicted[0][i*width])
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%T: %v", fit, err)
		}
	}
	stop := errors.New("enough")
	if err := ridge.Without(t.Context(), blocks, func(int, [][]float64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of visit: %v", err)
	}
}

func TestProbeErrors(t *testing.T) {
	t.Parallel()
	x, groups, folds := small(3)
	y := measuretest.Normal(rand.New(rand.NewPCG(8, 8)), 24, 1)
	class := make([]int, 24)
	hole := points.Float64(append([]float64{math.NaN()}, x.F64[1:]...), 3)
	split := append([]int{3}, folds[1:]...)
	split[1] = 0
	good := Data{X: x, Groups: groups, Folds: folds}
	one := make([]int, 24)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		want string
		run  func() error
	}{
		{"one group to choose among 64 penalties", func() error { _, err := fitRidge(t.Context(), x, y, one, RidgeOptions{}); return err }},
		{"feature 0 of row 0 is NaN", func() error { _, err := fitRidge(t.Context(), hole, y, groups, RidgeOptions{}); return err }},
		{"targets of ridge regression: feature", func() error {
			_, err := fitRidge(t.Context(), x, points.Float64(append([]float64{math.Inf(1)}, y.F64[1:]...), 1), groups, RidgeOptions{})
			return err
		}},
		{"squares overflow", func() error {
			_, err := fitRidge(t.Context(), points.Float64(append([]float64{1e200}, x.F64[1:]...), 3), y, groups, RidgeOptions{})
			return err
		}},
		{"penalty 0, want a finite number above 0", func() error {
			_, err := fitRidge(t.Context(), x, y, groups, RidgeOptions{Alphas: []float64{1, 0}})
			return err
		}},
		{"23 rows of targets for 24", func() error {
			_, err := fitRidge(t.Context(), x, points.Float64(y.F64[:23], 1), groups, RidgeOptions{})
			return err
		}},
		{"group 0 lies in folds", func() error {
			_, err := CrossFitRidge(t.Context(), Data{X: x, Groups: groups, Folds: split}, y, RidgeOptions{})
			return err
		}},
		{"one fold", func() error {
			_, err := CrossFitRidge(t.Context(), Data{X: x, Groups: groups, Folds: one}, y, RidgeOptions{})
			return err
		}},
		{"features of shape [24, 2] and", func() error {
			_, err := CrossFitRidge(t.Context(), Data{X: x, Others: []points.Points{measuretest.Normal(rand.New(rand.NewPCG(1, 1)), 24, 2)}, Groups: groups, Folds: folds}, y, RidgeOptions{})
			return err
		}},
		{"feature 0 of row 0 is NaN", func() error {
			_, err := CrossFitRidge(t.Context(), Data{X: x, Others: []points.Points{hole}, Groups: groups, Folds: folds}, y, RidgeOptions{})
			return err
		}},
		{"row 3 has class 2, want 0 … 1", func() error {
			bad := append([]int{0, 0, 0, 2}, class[4:]...)
			_, err := CrossFitLogistic(t.Context(), good, bad, 2, LogisticOptions{})
			return err
		}},
		{"inverse penalty -1", func() error {
			_, err := CrossFitLogistic(t.Context(), good, class, 2, LogisticOptions{Cs: []float64{-1}})
			return err
		}},
		{"-1 neighbors", func() error { _, err := CrossFitNeighbors(t.Context(), good, y, NeighborOptions{K: -1}); return err }},
		{"4 group(s) for 5 folds", func() error { _, err := GroupFolds(groups, 5); return err }},
		{"1 folds, want at least 2", func() error { _, err := GroupFolds(groups, 1); return err }},
		{"1 bins, want at least 2", func() error { _, err := MIGOf(x, y, 1); return err }},
		{"want ascending rows of other folds", func() error {
			_, err := CrossFitRidge(t.Context(), Data{X: x, Groups: groups, Folds: folds, Train: [][]int{{0, 1}, {0, 1}, {0, 1}, {0, 1}}}, y, RidgeOptions{})
			return err
		}},
		{"context canceled", func() error { _, err := fitRidge(canceled, x, y, groups, RidgeOptions{}); return err }},
		{"context canceled", func() error {
			_, err := CrossFitLogistic(canceled, good, folds, 4, LogisticOptions{})
			return err
		}},
	} {
		if err := c.run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want one with %q", err, c.want)
		}
	}
}

// One class in all rows: it is predicted with certainty, by every probe of classes.
func TestOneClass(t *testing.T) {
	t.Parallel()
	x, groups, folds := small(2)
	class := make([]int, 24)
	for i := range class {
		class[i] = 1
	}
	fit, err := CrossFitLogistic(t.Context(), Data{X: x, Groups: groups, Folds: folds}, class, 3, LogisticOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		if p := fit.Predicted[0][3*i : 3*i+3]; p[0] != 0 || p[1] != 1 || p[2] != 0 {
			t.Errorf("row %d: %v", i, p)
		}
	}
	if h := fit.Heads[0]; !math.IsInf(h.Intercept[0], -1) || h.Losses != nil || !h.Converged {
		t.Errorf("head %+v", h)
	}
}

// Few rows, fewer than features or not, of any probe: predictions are finite, those without a block
// too as long as rows are left.
func TestFewRows(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 32))
	for range 40 {
		n, dim := 4+random.IntN(9), 1+random.IntN(14)
		x, y, groups := simulated(random, n, dim, 1+random.IntN(2), 4)
		class := make([]int, n)
		for i := range class {
			groups[i], class[i] = i%4, random.IntN(3)
			for k := range dim {
				if k%3 == 2 {
					x.F64[i*dim+k] = x.F64[i*dim+k-1] // repeated
				}
			}
		}
		folds, err := GroupFolds(groups, 2+random.IntN(3))
		if err != nil {
			t.Fatal(err)
		}
		d := Data{X: x, Groups: groups, Folds: folds}
		blocks, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		finite := func(_ int, predicted [][]float64) error {
			for i, p := range predicted[0] {
				if math.IsNaN(p) || math.IsInf(p, 0) {
					t.Errorf("%d rows of %d features: value %d is %v", n, dim, i, p)
				}
			}
			return nil
		}
		ridge, err := CrossFitRidge(t.Context(), d, y, RidgeOptions{Standardize: dim%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		logistic, err := CrossFitLogistic(t.Context(), d, class, 3, LogisticOptions{Cs: []float64{0.01, 1}, Standardize: dim%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		network, err := CrossFitMLP(t.Context(), d, y, MLPOptions{Epochs: 2, Hidden: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, predicted := range [][][]float64{ridge.Predicted, logistic.Predicted, network.Predicted} {
			if err := finite(0, predicted); err != nil {
				t.Fatal(err)
			}
		}
		if err := ridge.Without(t.Context(), blocks, finite); err != nil {
			t.Fatal(err)
		}
		if err := logistic.Without(t.Context(), blocks, finite); err != nil {
			t.Fatal(err)
		}
	}
}
