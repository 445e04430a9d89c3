// Benchmarks of the pass on data like the peers' scripts: a smooth 8-dimensional manifold rendered into D pixels with a
// little noise, and a 64-dimensional embedding of it.

package neighbors

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"repscope/points"
)

// rendered returns n frames of dim pixels in [0,1] and their embedding.
func rendered(n, dim int) (pixels, embedding points.Points) {
	r := random(20240)
	const hidden, width = 8, 64
	z := gaussian64(r, n, hidden).F64
	a, b := gaussian64(r, hidden, width).F64, gaussian64(r, hidden, dim).F64
	phase := make([]float64, dim)
	for k := range phase {
		phase[k] = 6.28 * r.Float64()
	}
	x, y := make([]float32, n*dim), make([]float32, n*width)
	noise := make([]float64, 1<<16)
	for i := range noise {
		noise[i] = r.NormFloat64()
	}
	for i := range n {
		for k := range dim {
			s := phase[k]
			for h := range hidden {
				s += 0.6 * z[i*hidden+h] * b[h*dim+k]
			}
			v := 0.5 + 0.35*math.Sin(s) + 0.02*noise[(i*7919+k)%len(noise)]
			x[i*dim+k] = float32(min(1, max(0, v)))
		}
		for k := range width {
			s := 0.0
			for h := range hidden {
				s += z[i*hidden+h] * a[h*width+k]
			}
			y[i*width+k] = float32(math.Tanh(0.3*s) + 0.05*r.NormFloat64())
		}
	}
	return points.Float32(x, dim), points.Float32(y, width)
}

// quantized is p in 256 levels.
func quantised(p points.Points) points.Points {
	data := make([]uint8, len(p.F32))
	for i, v := range p.F32 {
		data[i] = uint8(math.Round(255 * float64(v)))
	}
	return points.Uint8(data, p.Dim)
}

// sizes are the work of the benchmarks; REPSCOPE_BENCH_LARGE=1 adds the large one.
func sizes() [][2]int {
	s := [][2]int{{2000, 4096}}
	if large, _ := strconv.ParseBool(os.Getenv("REPSCOPE_BENCH_LARGE")); large {
		s = append(s, [2]int{10000, 7056})
	}
	return s
}

func reportWork(b *testing.B, n, dim int) {
	pairs := float64(n) * float64(n) * float64(b.N)
	b.ReportMetric(2*pairs*float64(dim)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	b.ReportMetric(pairs/b.Elapsed().Seconds()/1e6, "Mpairs/s")
}

// BenchmarkTrustworthinessContinuity is T and C for k = 5, 10, 20: with the default budget, with a small one (a process
// of 450 MB with an input of 282 MB), with intervals and with the permutation null.
func BenchmarkTrustworthinessContinuity(b *testing.B) {
	for _, size := range sizes() {
		n, dim := size[0], size[1]
		pixels, embedding := rendered(n, dim)
		for _, original := range []points.Points{quantised(pixels), pixels} {
			for _, c := range []struct {
				name string
				set  func(o *Options)
			}{
				{"", func(*Options) {}},
				{"/memory=150MB", func(o *Options) { o.Memory = 150e6 }},
				{"/blocks=40", func(o *Options) {
					o.Blocks = make([]int, n)
					for i := range n {
						o.Blocks[i] = i * 40 / n
					}
				}},
				{"/permutations=10", func(o *Options) { o.Permutations = permutations(1, n, 10) }},
			} {
				o := Options{CoRanking: CoRankingOff}
				c.set(&o)
				b.Run(fmt.Sprintf("n=%d/D=%d/%s%s", n, dim, original.Type(), c.name), func(b *testing.B) {
					for b.Loop() {
						if _, err := Compare(context.Background(), original, []points.Points{embedding}, o); err != nil {
							b.Fatal(err)
						}
					}
					reportWork(b, n, dim)
				})
			}
		}
	}
}

// BenchmarkGrowth is T and C for k = 5, 10, 20 of the points that REPSCOPE_BENCH_GROWTH names, as in
// "uint8 10000 4096 2": type, n, D and threads. benchmarks/peers/growth.py goes through many.
func BenchmarkGrowth(b *testing.B) {
	var kind string
	var n, dim, threads int
	if _, err := fmt.Sscan(os.Getenv("REPSCOPE_BENCH_GROWTH"), &kind, &n, &dim, &threads); err != nil {
		b.Skip("REPSCOPE_BENCH_GROWTH is not set")
	}
	pixels, embedding := rendered(n, dim)
	if kind == "uint8" {
		pixels = quantised(pixels)
	}
	for b.Loop() {
		if _, err := Compare(context.Background(), pixels, []points.Points{embedding}, Options{CoRanking: CoRankingOff, Threads: threads}); err != nil {
			b.Fatal(err)
		}
	}
	reportWork(b, n, dim)
}

func BenchmarkCoRanking(b *testing.B) {
	n, dim := 2000, 4096
	pixels, embedding := rendered(n, dim)
	for _, original := range []points.Points{quantised(pixels), pixels} {
		b.Run(fmt.Sprintf("n=%d/D=%d/%s", n, dim, original.Type()), func(b *testing.B) {
			for b.Loop() {
				if _, err := Compare(context.Background(), original, []points.Points{embedding}, Options{CoRanking: CoRankingFull}); err != nil {
					b.Fatal(err)
				}
			}
			reportWork(b, n, dim)
		})
	}
}

// BenchmarkTwoNNGride is the neighbor search of the dimension estimators: r1, r2 for
// Two-NN, and 64 neighbors for Gride.
func BenchmarkTwoNNGride(b *testing.B) {
	for _, size := range append(sizes(), [2]int{20000, 64}) {
		n, dim := size[0], size[1]
		var pts points.Points
		if dim == 64 {
			_, pts = rendered(n, 1)
		} else {
			pts, _ = rendered(n, dim)
		}
		for _, k := range []int{2, 64} {
			b.Run(fmt.Sprintf("n=%d/D=%d/float32/k=%d", n, dim, k), func(b *testing.B) {
				for b.Loop() {
					if _, err := KNearest(context.Background(), pts, k, Options{}); err != nil {
						b.Fatal(err)
					}
				}
				reportWork(b, n, dim)
			})
		}
	}
}

// BenchmarkTrustworthiness is one score of one k.
func BenchmarkTrustworthiness(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		for _, dim := range []int{64, 784} {
			x, z := rendered(n, dim)
			wide := points.Float64(make([]float64, n*dim), dim)
			for i := range n {
				x.Row(i, wide.F64[i*dim:(i+1)*dim])
			}
			for _, pts := range []points.Points{x, wide} {
				b.Run(fmt.Sprintf("%dx%d/%s", n, dim, pts.Type()), func(b *testing.B) {
					original, _ := NewSpace("X", pts, Euclidean)
					embedded, _ := NewSpace("Z", z, Euclidean)
					for b.Loop() {
						if _, err := Trustworthiness(context.Background(), original, embedded, []int{5}, Options{}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
