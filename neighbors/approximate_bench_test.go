package neighbors

// This file holds the benchmarks of the approximate mode.

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/stat"
)

// manifoldPoints lie on a smooth surface of the given dimension, bent into dim
// dimensions, with a little noise.
func manifoldPoints(n, surface, dim int, seed uint64) dataset.Points {
	r := stat.NewRandom(stat.NewKey(seed))
	weights := make([]float64, dim*surface)
	for i := range weights {
		weights[i] = 2 * r.Normal()
	}
	data, at := make([]float32, n*dim), make([]float64, surface)
	for i := range n {
		for k := range at {
			at[k] = r.Float64()
		}
		for d := range dim {
			angle := 0.0
			for k, v := range at {
				angle += weights[d*surface+k] * v
			}
			// One turn of a parabola each, smooth enough and the same on every machine.
			angle -= float64(int(angle))
			data[i*dim+d] = float32(angle*(1-angle) + 0.001*r.Normal())
		}
	}
	return dataset.Float32Points(data, dim)
}

// clusteredPoints are clusters of normal points, of different sizes.
func clusteredPoints(n, clusters, dim int, seed uint64) dataset.Points {
	r := stat.NewRandom(stat.NewKey(seed))
	centres := make([]float64, clusters*dim)
	for i := range centres {
		centres[i] = 3 * r.Normal()
	}
	data := make([]float32, n*dim)
	for i := range n {
		c := r.Intn(1 + r.Intn(clusters))
		for d := range dim {
			data[i*dim+d] = float32(centres[c*dim+d] + r.Normal())
		}
	}
	return dataset.Float32Points(data, dim)
}

func BenchmarkKNearestApproximate(b *testing.B) {
	cases := []struct {
		name   string
		k      int
		points func() dataset.Points
	}{
		{"clusters/n=100000/d=64/k=10", 10, func() dataset.Points { return clusteredPoints(100000, 200, 64, 1) }},
		{"clusters/n=100000/d=64/k=64", 64, func() dataset.Points { return clusteredPoints(100000, 200, 64, 1) }},
		{"manifold/n=100000/d=64/k=10", 10, func() dataset.Points { return manifoldPoints(100000, 6, 64, 1) }},
		{"manifold/n=100000/d=64/k=64", 64, func() dataset.Points { return manifoldPoints(100000, 6, 64, 1) }},
	}
	// A million points take minutes.
	if os.Getenv("REPSCOPE_BENCH_MILLION") != "" {
		cases = append(cases, cases[0], cases[0])
		cases[4].name, cases[4].points = "clusters/n=1000000/d=32/k=10", func() dataset.Points { return clusteredPoints(1000000, 500, 32, 1) }
		cases[5] = cases[4]
		cases[5].name, cases[5].k = "clusters/n=1000000/d=32/k=64", 64
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			points := c.points()
			runtime.GC()
			b.ResetTimer()
			for range b.N {
				found, err := KNearestApproximate(b.Context(), points, c.k, Options{}, Approximation{Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(found.Recall.Value, "recall")
				b.ReportMetric(float64(found.Rounds), "rounds")
				if kib, ok := peakMemory(); ok {
					b.ReportMetric(float64(kib)/1024, "peak-MiB")
				}
			}
			b.ReportMetric(float64(points.N)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
		})
	}
}

func BenchmarkCompareSampled(b *testing.B) {
	original, embedded := clusteredPoints(100000, 200, 256, 1), manifoldPoints(100000, 6, 64, 1)
	for _, references := range []int{500, 2000} {
		b.Run(fmt.Sprintf("n=100000/D=256/d=64/references=%d", references), func(b *testing.B) {
			for range b.N {
				if _, err := CompareSampled(b.Context(), original, []dataset.Points{embedded}, Options{}, Approximation{Seed: 1, References: references}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(references)*float64(b.N)/b.Elapsed().Seconds(), "references/s")
		})
	}
}

// peakMemory is the largest resident set of the process so far, in KiB.
func peakMemory() (kib int64, ok bool) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib, true
		}
	}
	return 0, false
}
