// Benchmarks of the measures, by the parts that benchmarks/peers/geometry.py times.

package geometry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"repscope/measure/cluster"
	"repscope/measure/similarity"
	"repscope/measure/sphere"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// benchN latents of benchDim dimensions are what benchmarks/peers/geometry.py gives to
// the peers; the labels are the signs of two coordinates.
const benchN, benchDim = 20000, 64

func benchLabels(x []float64, n int) cluster.Partition {
	labels := make([]int64, n)
	for i := range labels {
		for k := range 2 {
			if x[i*benchDim+k] > 0 {
				labels[i] |= 1 << k
			}
		}
	}
	return cluster.NewPartition(labels)
}

// benchSpaces are points as spaces.
func benchSpaces(b *testing.B, blocks *stat.Blocks, pts ...points.Points) []*similarity.Space {
	b.Helper()
	var spaces []*similarity.Space
	for _, p := range pts {
		s, err := similarity.NewSpace(p, blocks)
		if err != nil {
			b.Fatal(err)
		}
		spaces = append(spaces, s)
	}
	return spaces
}

func BenchmarkSilhouette(b *testing.B) {
	for _, n := range []int{5000, benchN} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/d=%d/threads=%d", n, benchDim, threads), func(b *testing.B) {
				x := randomPoints(rand.New(rand.NewPCG(1, 1)), n, benchDim)
				p := benchLabels(x.F64, n)
				for b.Loop() {
					if _, err := cluster.Silhouette(b.Context(), x, p, threads); err != nil {
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
	q := cluster.NewPartition(other)
	spaces := benchSpaces(b, nil, x, y)
	pairs, err := similarity.DrawPairs(benchN, 2_000_000, 0)
	if err != nil {
		b.Fatal(err)
	}
	dispersion := func(of func(*cluster.Dispersion) (float64, error)) error {
		d, err := cluster.NewDispersion(x, p)
		if err == nil {
			_, err = of(d)
		}
		return err
	}
	agreement := func(of func(*cluster.Contingency) float64) error {
		c, err := cluster.NewContingency(p, q)
		if err == nil {
			of(c)
		}
		return err
	}
	for _, part := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"uniformity", func(ctx context.Context) error {
			u, err := sphere.NewDirections(x)
			if err == nil {
				_, _, err = u.Uniformity(ctx, nil, 0)
			}
			return err
		}},
		{"kmeans/k=10/starts=10", func(ctx context.Context) error {
			_, err := cluster.KMeans(ctx, x, 10, cluster.KMeansOptions{})
			return err
		}},
		{"davies_bouldin", func(context.Context) error { return dispersion((*cluster.Dispersion).DaviesBouldin) }},
		{"calinski_harabasz", func(context.Context) error { return dispersion((*cluster.Dispersion).CalinskiHarabasz) }},
		{"nmi", func(context.Context) error { return agreement((*cluster.Contingency).NMI) }},
		{"ami", func(context.Context) error { return agreement((*cluster.Contingency).AMI) }},
		{"ari", func(context.Context) error { return agreement((*cluster.Contingency).ARI) }},
		{"label_consistency/k=20", func(ctx context.Context) error {
			_, _, err := cluster.LabelConsistency(ctx, x, p, []int{20}, neighbors.Options{})
			return err
		}},
		{"cka_and_procrustes", func(context.Context) error {
			z := benchSpaces(b, nil, x, y)
			_, err := similarity.Compare(z[0], z[1])
			return err
		}},
		{"rsa/pairs=2000000", func(ctx context.Context) error {
			_, err := similarity.RSA(ctx, spaces, pairs, 0)
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
	blocks, err := stat.NewBlocks(2000, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 40})
	if err != nil {
		b.Fatal(err)
	}
	spaces := benchSpaces(b, blocks, randomPoints(random, 2000, benchDim), randomPoints(random, 2000, benchDim))
	pairs, err := similarity.DrawPairs(2000, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("n=2000/d=%d/blocks=50", benchDim), func(b *testing.B) {
		for b.Loop() {
			if _, err := similarity.RSA(b.Context(), spaces, pairs, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
