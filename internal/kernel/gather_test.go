// Tests of products whose left operand is read where it lies.

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestGathered compares gathered products with products of the same rows copied
// together, bit by bit, on every implementation.
func TestGathered(t *testing.T) {
	withEach(t, func(t *testing.T, impl *implementation) {
		r := rand.New(rand.NewPCG(1, 2))
		for trial := range 200 {
			m, n := 1+r.IntN(40), 1+r.IntN(100)
			var runs []Run
			depth := 0
			for range 1 + r.IntN(6) {
				length := 1 + r.IntN(9)
				if r.IntN(3) == 0 {
					length = 1 + r.IntN(400)
				}
				runs = append(runs, Run{Offset: r.IntN(700) - 100, Length: length})
				depth += length
			}
			base := make([]int, m)
			for i := range base {
				base[i] = 100 + r.IntN(300)
			}
			data := fill(r, make([]float32, 1500))
			if trial%5 == 0 {
				data[r.IntN(len(data))] = float32(math.Inf(1))
			}
			first := 0
			if n > 64 {
				first = 32
			}
			packed, err := PackRight(Rows(fill(r, make([]float32, n*depth)), depth), n, depth)
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]float32, 0, m*depth)
			for _, b := range base {
				for _, run := range runs {
					rows = append(rows, data[b+run.Offset:b+run.Offset+run.Length]...)
				}
			}
			stride := n + r.IntN(5)
			got := fill(r, make([]float32, m*stride))
			want := append([]float32{}, got...)
			accumulate := trial%2 == 0
			// Product wants a multiple of Align, so it computes all columns into a copy.
			whole := Product[float32]{M: m, N: n, K: depth, A: Rows(rows, depth), B: packed.Operand(0), C: want,
				Stride: stride, Accumulate: accumulate, Threads: 1}
			if err := whole.Run(); err != nil {
				t.Fatal(err)
			}
			g := Gathered{M: m, N: n, Data: data, Base: base, Runs: runs, B: packed, C: got, Stride: stride, Accumulate: accumulate}
			if r.IntN(3) > 0 {
				g.Bias = fill(r, make([]float32, n))
			}
			itself := depth <= KC && !accumulate && r.IntN(2) > 0
			if itself {
				g.Other = got
			} else if r.IntN(2) > 0 {
				g.Other = fill(r, make([]float32, m*stride))
			}
			g.Cut, g.Low, g.High = r.IntN(2) > 0, -0.5, 0.5
			if r.IntN(2) > 0 {
				g.Low, g.High = 0, float32(math.Inf(1))
			}
			finishLiterally(&g, want)
			if r.IntN(2) > 0 {
				want, got = scatter(r, &g, want)
			}
			if itself {
				g.Other = got
			}
			if first > 0 {
				g.N = first
				if err := g.Run(); err != nil {
					t.Fatal(err)
				}
				g.First, g.N, g.C = first, n-first, got[first:]
				if g.Bias != nil {
					g.Bias = g.Bias[first:]
				}
				if g.Other != nil {
					g.Other = g.Other[first:]
				}
			}
			if err := g.Run(); err != nil {
				t.Fatal(err)
			}
			sameBits(t, fmt.Sprintf("trial %d: %d×%d×%d", trial, m, n, depth), got, want)
		}
	})
}

// finishLiterally does to complete sums what g asks for.
func finishLiterally(g *Gathered, c []float32) {
	for i := range g.M {
		for j := range g.N {
			offset := i*g.Stride + j
			v := c[offset]
			if g.Bias != nil {
				v += g.Bias[j]
			}
			if g.Other != nil {
				v += g.Other[offset]
			}
			if g.Cut && v < g.Low {
				v = g.Low
			}
			if g.Cut && v > g.High {
				v = g.High
			}
			c[offset] = v
		}
	}
}

// scatter gives the rows of C places of their own; it returns the expected values there, and C.
func scatter(r *rand.Rand, g *Gathered, want []float32) ([]float32, []float32) {
	stride := g.Stride
	offset := r.IntN(5)
	for range g.M {
		g.Places = append(g.Places, offset)
		offset += stride
		if r.IntN(5) == 0 {
			offset += r.IntN(9) - min(4, stride-g.N)
		}
	}
	spread := func(rows []float32) []float32 {
		if rows == nil {
			return nil
		}
		to := make([]float32, offset+stride)
		for i, p := range g.Places {
			copy(to[p:p+g.N], rows[i*stride:])
		}
		return to
	}
	g.C, g.Other = spread(g.C), spread(g.Other)
	return spread(want), g.C
}

func TestGatheredErrors(t *testing.T) {
	packed, err := PackRight(Rows(make([]float32, 12), 3), 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	good := func() *Gathered {
		return &Gathered{M: 2, N: 4, Data: make([]float32, 6), Base: []int{0, 3}, Runs: []Run{{0, 3}}, B: packed,
			C: make([]float32, 8), Stride: 4}
	}
	if err := good().Run(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(g *Gathered){
		"negative shape": func(g *Gathered) { g.M = -1 },
		"short C":        func(g *Gathered) { g.C = g.C[:7] },
		"no B":           func(g *Gathered) { g.B = nil },
		"columns":        func(g *Gathered) { g.First = 32 },
		"alignment":      func(g *Gathered) { g.First, g.N = 1, 3 },
		"bases":          func(g *Gathered) { g.Base = g.Base[:1] },
		"depth":          func(g *Gathered) { g.Runs = []Run{{0, 2}} },
		"empty run":      func(g *Gathered) { g.Runs = []Run{{0, 3}, {0, 0}} },
		"outside":        func(g *Gathered) { g.Base = []int{0, 4} },
		"before":         func(g *Gathered) { g.Base = []int{-1, 0} },
		"overlap":        func(g *Gathered) { g.C = g.Data },
		"short bias":     func(g *Gathered) { g.Bias = make([]float32, 3) },
		"few places":     func(g *Gathered) { g.Places = []int{0} },
		"close places":   func(g *Gathered) { g.Places = []int{0, 3} },
		"far places":     func(g *Gathered) { g.Places = []int{0, 5} },
		"short other":    func(g *Gathered) { g.Other = make([]float32, 7) },
		"shifted other":  func(g *Gathered) { g.C = make([]float32, 9); g.Other = g.C[1:] },
		"both itself":    func(g *Gathered) { g.Other, g.Accumulate = g.C, true },
	} {
		g := good()
		spoil(g)
		if g.Run() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// BenchmarkGathered has matrix products, of one run, and convolutions, whose patches have three.
func BenchmarkGathered(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][4]int{{24, 32, 128, 1}, {48, 32, 128, 1}, {192, 32, 128, 1}, {24, 32, 256, 1}, {12, 32, 64, 1}, {192, 32, 256, 1}, {192, 64, 512, 1}, {192, 512, 128, 1}, {192, 128, 512, 1}, {148, 145, 32, 1},
		{192, 96, 16, 1}, {192, 144, 24, 1}, {192, 16, 32, 1}, {192, 24, 144, 1},
		{192, 32, 27, 3}, {192, 16, 36, 3}, {192, 16, 144, 3}, {192, 64, 576, 3}} {
		m, n, k, count := s[0], s[1], s[2], s[3]
		packed, err := PackRight(Rows(fill(r, make([]float32, n*k)), k), n, k)
		if err != nil {
			b.Fatal(err)
		}
		data, c := fill(r, make([]float32, m*k)), make([]float32, m*n)
		base := make([]int, m)
		for i := range base {
			base[i] = i * k
		}
		var runs []Run
		for i := range count {
			runs = append(runs, Run{i * k / count, k / count})
		}
		report := func(b *testing.B) {
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		}
		b.Run(fmt.Sprintf("%dx%dx%d/%d/gathered", m, n, k, count), func(b *testing.B) {
			g := Gathered{M: m, N: n, Data: data, Base: base, Runs: runs, B: packed, C: c, Stride: n}
			for b.Loop() {
				if err := g.Run(); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
		b.Run(fmt.Sprintf("%dx%dx%d/%d/packed", m, n, k, count), func(b *testing.B) {
			var w Workspace[float32]
			p := Product[float32]{M: m, N: n, K: k, A: Rows(data, k), B: packed.Operand(0), C: c, Stride: n, Threads: 1, Workspace: &w}
			for b.Loop() {
				if err := p.Run(); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}
}

// BenchmarkGatheredLayers has whole layers of convolution networks, 32 images per layer, with or without another matrix
// to add, that do not fit into a cache: two goroutines take parts of images in turn.
func BenchmarkGatheredLayers(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const images, threads = 32, 2
	for _, s := range [][4]int{{56 * 56, 256, 64, 1}, {28 * 28, 512, 128, 1}, {14 * 14, 1024, 256, 1}, {28 * 28, 32, 192, 1}, {56 * 56, 24, 144}, {56 * 56, 24, 96}, {28 * 28, 32, 192}, {28 * 28, 24, 88}, {112 * 112, 16, 32}, {55 * 55, 16, 128},
		{112 * 112, 96, 16}, {56 * 56, 72, 16}, {28 * 28, 88, 24}, {56 * 56, 144, 24}, {28 * 28, 192, 32},
		{14 * 14, 576, 96}, {14 * 14, 96, 576}, {7 * 7, 1280, 320}, {13 * 13, 1000, 512}, {56 * 56, 64, 256}, {56 * 56, 256, 64}, {28 * 28, 128, 512}} {
		pixels, n, k := s[0], s[1], s[2]
		packed, err := PackRight(Rows(fill(r, make([]float32, n*k)), k), n, k)
		if err != nil {
			b.Fatal(err)
		}
		data, c := fill(r, make([]float32, images*pixels*k)), make([]float32, images*pixels*n)
		var other []float32
		if s[3] > 0 {
			other = fill(r, make([]float32, len(c)))
		}
		parts := max(1, pixels/784)
		rows := (pixels + parts - 1) / parts
		base := make([]int, rows)
		for i := range base {
			base[i] = i * k
		}
		b.Run(fmt.Sprintf("%dx%dx%d/%d", pixels, n, k, s[3]), func(b *testing.B) {
			best := math.Inf(1)
			for b.Loop() {
				start := time.Now()
				var next atomic.Int64
				var wait sync.WaitGroup
				for range threads {
					wait.Go(func() {
						g := Gathered{N: n, Base: base, Runs: []Run{{0, k}}, B: packed, Stride: n}
						for {
							t := int(next.Add(1)) - 1
							if t >= images*parts {
								return
							}
							offset := t/parts*pixels + t%parts*rows
							g.M = min(rows, (t/parts+1)*pixels-offset)
							g.Data, g.C = data[offset*k:], c[offset*n:]
							if other != nil {
								g.Other = other[offset*n:]
							}
							if err := g.Run(); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wait.Wait()
				best = min(best, time.Since(start).Seconds())
			}
			b.ReportMetric(1000*best, "ms/best")
			b.ReportMetric(2*float64(images*pixels*n*k)/best/1e9, "GFLOP/s")
			b.ReportMetric(float64(images*pixels*(n+k+s[3]*n)*4)/best/1e9, "GB/s")
		})
	}
}
