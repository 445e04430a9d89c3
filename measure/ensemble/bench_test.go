// Speeds; benchmarks/peers/ensemble.py compares them with peers.

package ensemble

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"repscope/internal/parallel"
)

func randomSample[T Float](members, cells int) Sample[T] {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]T, (members+1)*cells)
	for i := range values {
		values[i] = T(r.NormFloat64())
	}
	return must(NewSample(values[:cells], values[cells:]))
}

// BenchmarkCells scores each cell of a field of 256 × 256 with 50 members; divide by 65,536.
func BenchmarkCells(b *testing.B) {
	s := randomSample[float32](50, 256*256)
	levels := []float64{0.1, 0.5, 0.9}
	counts := make([]int64, s.Members()+1)
	for name, f := range map[string]func(){
		"crps":      func() { CRPS(s) },
		"threshold": func() { must(ThresholdCRPS(s, -0.3, 1)) },
		"moments":   func() { MomentsOf(s) },
		"quantiles": func() { must(Quantiles(s, levels)) },
		"dss":       func() { DawidSebastiani(s) },
		"ranks":     func() { must(0, AddRanks(counts, s)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
	double := randomSample[float64](50, 256*256)
	b.Run("crps, float64", func(b *testing.B) {
		for b.Loop() {
			CRPS(double)
		}
	})
}

// BenchmarkEnergy scores one sample of 64 × 64 cells and 100 members.
func BenchmarkEnergy(b *testing.B) {
	s, g := randomSample[float32](100, 64*64), Grid{Variables: 1, Height: 64, Width: 64}
	for name, f := range map[string]func(){
		"energy":   func() { Energy(s) },
		"pooled":   func() { must(PooledEnergy(s, g, 4)) },
		"tiled":    func() { must(TiledEnergy(s, g, 4)) },
		"pairwise": func() { must(PairwiseEnergy(s, g, nil)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}

// BenchmarkVariogram scores one field with 50 members, all pairs or those up to 8 cells apart.
func BenchmarkVariogram(b *testing.B) {
	for _, c := range []struct {
		size  int
		reach float64
	}{{48, 0}, {256, 0}, {128, 8}, {256, 8}, {512, 8}} {
		b.Run(fmt.Sprintf("%d/reach=%g", c.size, c.reach), func(b *testing.B) {
			s := randomSample[float32](50, c.size*c.size)
			v := must(NewVariogram(c.size, c.size, VariogramOptions{MaxDistance: c.reach}))
			for b.Loop() {
				must(VariogramScore(context.Background(), 0, v, s))
			}
		})
	}
}

// BenchmarkBatch scores the energy of 100 samples of 64 × 64 cells and 100 members, on as many
// goroutines as -test.cpu says.
func BenchmarkBatch(b *testing.B) {
	samples := make([]Sample[float32], 100)
	for i := range samples {
		samples[i] = randomSample[float32](100, 64*64)
	}
	for b.Loop() {
		must(0, parallel.For(context.Background(), 0, len(samples), func(_, i int) { Energy(samples[i]) }))
	}
}
