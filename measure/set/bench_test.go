// How fast pairs are compared; benchmarks/peers/hamming.py runs SciPy in the same rounds.

package set

import (
	"context"
	"testing"
)

// BenchmarkHamming compares all pairs of 5,000 grids of 594 cells: distances,
// Jaccard similarities and the sums of every set.
func BenchmarkHamming(b *testing.B) {
	s := random(b, 5000, 594, 0.02, 1)
	pairs := float64(s.N) * float64(s.N-1) / 2
	for b.Loop() {
		if _, err := s.Pairwise(context.Background(), 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(pairs*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpairs/s")
}

func BenchmarkNearest(b *testing.B) {
	s, reference := random(b, 2000, 594, 0.02, 1), random(b, 5000, 594, 0.02, 2)
	for b.Loop() {
		if _, err := s.Nearest(context.Background(), reference, 0); err != nil {
			b.Fatal(err)
		}
	}
}
