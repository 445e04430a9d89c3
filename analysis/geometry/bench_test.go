package geometry

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The labels are those of the peer's script: the signs of two coordinates.
func BenchmarkSilhouette(b *testing.B) {
	for _, n := range []int{5000, 20000} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/d=64/threads=%d", n, threads), func(b *testing.B) {
				x := randomPoints(rand.New(rand.NewPCG(1, 1)), n, 64)
				labels := make([]int64, n)
				for i := range labels {
					for k := range 2 {
						if x.F64[i*64+k] > 0 {
							labels[i] |= 1 << k
						}
					}
				}
				p := NewPartition(labels)
				for b.Loop() {
					if _, err := Silhouette(b.Context(), x, p, threads); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpairs/s")
			})
		}
	}
}

func BenchmarkUniformity(b *testing.B) {
	x := randomPoints(rand.New(rand.NewPCG(1, 1)), 20000, 64)
	b.Run("n=20000/d=64", func(b *testing.B) {
		for b.Loop() {
			if _, err := Uniformity(b.Context(), x, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkKMeans(b *testing.B) {
	x := randomPoints(rand.New(rand.NewPCG(1, 1)), 20000, 64)
	b.Run("n=20000/d=64/k=10/starts=10", func(b *testing.B) {
		for b.Loop() {
			if _, err := KMeans(b.Context(), x, 10, KMeansOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkRSA(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	spaces := []matrix{widened(randomPoints(random, 2000, 64)), widened(randomPoints(random, 2000, 64))}
	block := make([]int, 2000)
	for i := range block {
		block[i] = i / 40
	}
	b.Run("n=2000/d=64/blocks=50", func(b *testing.B) {
		pairs, err := drawPairs(2000, 0, 0)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := rsa(b.Context(), spaces, pairs, block, 50, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
