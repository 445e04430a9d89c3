package geometry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"repscope/neighbors"
)

// benchN latents of benchDim dimensions are what docs/benchmarks/geometry.py gives to
// the peers; the labels are the signs of two coordinates.
const benchN, benchDim = 20000, 64

func benchLabels(x []float64, n int) Partition {
	labels := make([]int64, n)
	for i := range labels {
		for k := range 2 {
			if x[i*benchDim+k] > 0 {
				labels[i] |= 1 << k
			}
		}
	}
	return NewPartition(labels)
}

func BenchmarkSilhouette(b *testing.B) {
	for _, n := range []int{5000, benchN} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/d=%d/threads=%d", n, benchDim, threads), func(b *testing.B) {
				x := randomPoints(rand.New(rand.NewPCG(1, 1)), n, benchDim)
				p := benchLabels(x.F64, n)
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

// The other parts, each on all processors.
func BenchmarkParts(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	x, y := randomPoints(random, benchN, benchDim), randomPoints(random, benchN, benchDim)
	p := benchLabels(x.F64, benchN)
	other := make([]int64, benchN)
	for i := range other {
		other[i] = random.Int64N(10)
	}
	q := NewPartition(other)
	spaces := []matrix{widened(x), widened(y)}
	pairs, err := drawPairs(benchN, 2_000_000, 0)
	if err != nil {
		b.Fatal(err)
	}
	value := func(_ float64, err error) error { return err }
	for _, part := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"uniformity", func(ctx context.Context) error { return value(Uniformity(ctx, x, 0)) }},
		{"kmeans/k=10/starts=10", func(ctx context.Context) error {
			_, err := KMeans(ctx, x, 10, KMeansOptions{})
			return err
		}},
		{"davies_bouldin", func(context.Context) error { return value(DaviesBouldin(x, p)) }},
		{"calinski_harabasz", func(context.Context) error { return value(CalinskiHarabasz(x, p)) }},
		{"nmi", func(context.Context) error { return value(NMI(p, q)) }},
		{"ami", func(context.Context) error { return value(AMI(p, q)) }},
		{"ari", func(context.Context) error { return value(ARI(p, q)) }},
		{"label_consistency/k=20", func(ctx context.Context) error {
			_, err := labelConsistency(ctx, x, p, []int{20}, neighbors.Options{})
			return err
		}},
		{"cka_and_procrustes", func(context.Context) error {
			_, err := Compare(x, y)
			return err
		}},
		{"rsa/pairs=2000000", func(ctx context.Context) error {
			_, err := rsa(ctx, spaces, pairs, nil, 0, 0)
			return err
		}},
	} {
		b.Run(fmt.Sprintf("%s/n=%d/d=%d", part.name, benchN, benchDim), func(b *testing.B) {
			for b.Loop() {
				if err := part.run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Without each of 50 blocks in turn, which intervals take.
func BenchmarkRSABlocks(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	spaces := []matrix{widened(randomPoints(random, 2000, benchDim)), widened(randomPoints(random, 2000, benchDim))}
	block := make([]int, 2000)
	for i := range block {
		block[i] = i / 40
	}
	pairs, err := drawPairs(2000, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("n=2000/d=%d/blocks=50", benchDim), func(b *testing.B) {
		for b.Loop() {
			if _, err := rsa(b.Context(), spaces, pairs, block, 50, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
