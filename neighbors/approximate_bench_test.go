// This file holds the benchmarks of the approximate mode.

package neighbors

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"repscope/points"
	"repscope/stat"
)

// manifoldPoints lie on a smooth surface of the given dimension, bent into dim
// dimensions, with a little noise.
func manifoldPoints(n, surface, dim int, seed uint64) points.Points {
	r := stat.NewRandom(stat.NewKey(seed))
	weights := make([]float64, dim*surface)
	for i := range weights {
		weights[i] = 2 * r.Normal()
	}
	data, offset := make([]float32, n*dim), make([]float64, surface)
	for i := range n {
		for k := range offset {
			offset[k] = r.Float64()
		}
		for d := range dim {
			angle := 0.0
			for k, v := range offset {
				angle += weights[d*surface+k] * v
			}
			// One turn of a parabola each, smooth enough and the same on every machine.
			angle -= float64(int(angle))
			data[i*dim+d] = float32(angle*(1-angle) + 0.001*r.Normal())
		}
	}
	return points.Float32(data, dim)
}

// clusteredPoints are clusters of normal points, of different sizes.
func clusteredPoints(n, clusters, dim int, seed uint64) points.Points {
	r := stat.NewRandom(stat.NewKey(seed))
	centers := make([]float64, clusters*dim)
	for i := range centers {
		centers[i] = 3 * r.Normal()
	}
	data := make([]float32, n*dim)
	for i := range n {
		c := r.Intn(1 + r.Intn(clusters))
		for d := range dim {
			data[i*dim+d] = float32(centers[c*dim+d] + r.Normal())
		}
	}
	return points.Float32(data, dim)
}

// trajectoryPoints are episodes of 1,000 steps through six hidden dimensions, drawn back to the
// middle, seen through tanh in dim dimensions with a little noise.
func trajectoryPoints(n, dim int, seed uint64) points.Points {
	const hidden, steps, keep = 6, 1000, 0.98
	r := stat.NewRandom(stat.NewKey(seed))
	turn := make([]float64, hidden*dim)
	for i := range turn {
		turn[i] = 0.4 * r.Normal()
	}
	data, offset := make([]float32, n*dim), make([]float64, hidden)
	for i := range n {
		for k := range offset {
			if i%steps == 0 {
				offset[k] = r.Normal()
			} else {
				offset[k] = keep*offset[k] + math.Sqrt(1-keep*keep)*r.Normal()
			}
		}
		for d := range dim {
			v := 0.0
			for k, h := range offset {
				v += h * turn[k*dim+d]
			}
			data[i*dim+d] = float32(math.Tanh(v) + 0.02*r.Normal())
		}
	}
	return points.Float32(data, dim)
}

// Lists of all points, exact and approximate.
func BenchmarkKNearestApproximate(b *testing.B) {
	sizes := []int{25000, 100000}
	// A million points take minutes.
	if os.Getenv("REPSCOPE_BENCH_MILLION") != "" {
		sizes = append(sizes, 1000000)
	}
	for _, set := range []struct {
		name   string
		points func(n int) points.Points
	}{
		{"trajectory", func(n int) points.Points { return trajectoryPoints(n, 64, 1) }},
		{"clusters", func(n int) points.Points { return clusteredPoints(n, 200, 64, 1) }},
		{"wound", func(n int) points.Points { return manifoldPoints(n, 6, 64, 1) }},
	} {
		for _, n := range sizes {
			for _, k := range []int{10, 64} {
				name := fmt.Sprintf("%s/n=%d/d=64/k=%d", set.name, n, k)
				b.Run(name+"/exact", func(b *testing.B) {
					pts := set.points(n)
					measure(b, func() {
						if _, err := KNearest(b.Context(), pts, k, Options{}); err != nil {
							b.Fatal(err)
						}
					})
				})
				b.Run(name+"/approximate", func(b *testing.B) {
					pts := set.points(n)
					var matches *ApproximateNearest
					measure(b, func() {
						var err error
						if matches, err = KNearestApproximate(b.Context(), pts, k, Options{}, Approximation{Seed: 1, ExactPoints: 1000}); err != nil {
							b.Fatal(err)
						}
					})
					b.ReportMetric(matches.Recall.Value, "recall")
					b.ReportMetric(100*float64(matches.Probes)/float64(max(1, matches.Cells)), "cells-%")
				})
			}
		}
	}
}

// measure runs work b.N times and reports its processor time, where the system tells it, and the peak memory.
func measure(b *testing.B, work func()) {
	runtime.GC()
	before, ok := processorSeconds()
	b.ResetTimer()
	for range b.N {
		work()
	}
	b.StopTimer()
	if after, _ := processorSeconds(); ok {
		b.ReportMetric((after-before)/float64(b.N), "cpu-s")
	}
	if kib, ok := peakMemory(); ok {
		b.ReportMetric(float64(kib)/1024, "peak-MiB")
	}
}

// processorSeconds is the processor time of the process so far.
func processorSeconds() (seconds float64, ok bool) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, false
	}
	// The command's name, in parentheses, may hold spaces; the 12th and 13th fields after it count hundredths.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var user, system float64
	if len(fields) < 13 {
		return 0, false
	}
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	return (user + system) / 100, err == nil
}

func BenchmarkCompareSampled(b *testing.B) {
	original, embedded := clusteredPoints(100000, 200, 256, 1), manifoldPoints(100000, 6, 64, 1)
	for _, references := range []int{500, 2000} {
		b.Run(fmt.Sprintf("n=100000/D=256/d=64/references=%d", references), func(b *testing.B) {
			for range b.N {
				if _, err := compareSampled(b.Context(), original, []points.Points{embedded}, Options{}, Approximation{Seed: 1, References: references}); err != nil {
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
