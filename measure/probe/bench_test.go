// How long probes take; benchmarks/peers/probe.py compares them with scikit-learn.

package probe

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"repscope/points"
	"repscope/stat"
)

// linear are rows of float32 features with a linear target, in episodes of 1,000 rows.
func linear(n, dim int) (x, y points.Points, groups []int) {
	random := rand.New(rand.NewPCG(1, 2))
	xs, ys, groups := make([]float32, n*dim), make([]float64, n), make([]int, n)
	for i := range n {
		groups[i] = i / 1000
		for k := range dim {
			xs[i*dim+k] = float32(random.NormFloat64())
			if k < 10 {
				ys[i] += float64(xs[i*dim+k])
			}
		}
		ys[i] += random.NormFloat64()
	}
	return points.Float32(xs, dim), points.Float64(ys, 1), groups
}

func BenchmarkFitRidge(b *testing.B) {
	for _, c := range []struct{ n, dim int }{{5000, 128}, {50000, 512}} {
		b.Run(fmt.Sprintf("n=%d,D=%d,alphas=64,folds=5", c.n, c.dim), func(b *testing.B) {
			x, y, groups := linear(c.n, c.dim)
			for b.Loop() {
				if _, err := fitRidge(b.Context(), x, y, groups, RidgeOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRidgeWithout(b *testing.B) {
	const n, dim = 6000, 256
	x, y, groups := linear(n, dim)
	for i := range groups {
		groups[i] = i / 100
	}
	folds, err := GroupFolds(groups, 5)
	if err != nil {
		b.Fatal(err)
	}
	fit, err := CrossFitRidge(b.Context(), Data{X: x, Groups: groups, Folds: folds}, y, RidgeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	blocks, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("n=%d,D=%d,blocks=60,folds=5", n, dim), func(b *testing.B) {
		for b.Loop() {
			if err := fit.Without(b.Context(), blocks, func(int, [][]float64) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCrossFitMLP(b *testing.B) {
	const n, dim = 5000, 256
	x, y, groups := linear(n, dim)
	folds, err := GroupFolds(groups, 5)
	if err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("n=%d,D=%d,hidden=128,epochs=10,folds=5", n, dim), func(b *testing.B) {
		for b.Loop() {
			d := Data{X: x, Groups: groups, Folds: folds}
			if _, err := CrossFitMLP(b.Context(), d, y, MLPOptions{Epochs: 10}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCrossFitLogistic(b *testing.B) {
	const n, dim, classes = 6000, 128, 5
	x, y, groups := linear(n, dim)
	class := make([]int, n)
	for i := range class {
		groups[i] = i / 100
		class[i] = min(max(int(y.F64[i]+2.5), 0), classes-1)
	}
	folds, err := GroupFolds(groups, 5)
	if err != nil {
		b.Fatal(err)
	}
	blocks, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		b.Fatal(err)
	}
	var fit *LogisticCrossFit
	b.Run(fmt.Sprintf("n=%d,D=%d,K=%d,Cs=9,folds=5", n, dim, classes), func(b *testing.B) {
		for b.Loop() {
			if fit, err = CrossFitLogistic(b.Context(), Data{X: x, Groups: groups, Folds: folds}, class, classes, LogisticOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(fmt.Sprintf("without,n=%d,D=%d,K=%d,blocks=60,folds=5", n, dim, classes), func(b *testing.B) {
		for b.Loop() {
			if err := fit.Without(b.Context(), blocks, func(int, [][]float64) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCrossFitFixed is a probe of many rows: 5 folds, with what the scores owe to single rows.
func BenchmarkCrossFitFixed(b *testing.B) {
	for _, c := range []struct{ n, dim, classes int }{{100_000, 512, 2}, {100_000, 512, 4}, {1_000_000, 512, 2}, {1_000_000, 512, 4}} {
		b.Run(fmt.Sprintf("n=%d,D=%d,K=%d,folds=5", c.n, c.dim, c.classes), func(b *testing.B) {
			d := classifiedLinear(c.n, c.dim, c.classes)
			var err error
			if d.Folds, err = GroupFolds(d.Groups, 5); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := CrossFitFixed(b.Context(), d, FixedOptions{C: 1, Effects: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFitLogistic is one head; benchmarks/peers/probe_logistic.py compares it with scikit-learn.
func BenchmarkFitLogistic(b *testing.B) {
	for _, c := range []struct{ n, dim, classes int }{{200_000, 512, 2}, {200_000, 512, 4}, {1_000_000, 512, 2}, {1_000_000, 512, 4}} {
		b.Run(fmt.Sprintf("n=%d,D=%d,K=%d", c.n, c.dim, c.classes), func(b *testing.B) {
			d := classifiedLinear(c.n, c.dim, c.classes)
			for b.Loop() {
				if h, err := fitLogistic(b.Context(), d, FixedOptions{C: 1}); err != nil || !h.Converged {
					b.Fatal(h, err)
				}
			}
		})
	}
}

// classifiedLinear are rows whose class is the rounded sum of ten features and noise.
func classifiedLinear(n, dim, classes int) FixedData {
	x, y, groups := linear(n, dim)
	d := FixedData{Rows: rowsOf(x), Class: make([]int, n), Classes: classes, Groups: groups}
	for i := range d.Class {
		d.Class[i] = min(max(int(y.F64[i]+float64(classes)/2), 0), classes-1)
	}
	return d
}
