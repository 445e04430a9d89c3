// Benchmarks: the work size is in the name, the rate in GFLOP/s or Gop/s (a
// multiplication and an addition are two).

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchEach runs f for every implementation but the slow portable one.
func benchEach(b *testing.B, f func(b *testing.B)) {
	before := active.Load()
	defer active.Store(before)
	list := implementations()
	if len(list) > 1 {
		list = list[1:]
	}
	for _, impl := range list {
		active.Store(impl)
		b.Run(impl.name, f)
	}
}

func rate(b *testing.B, unit string, operations float64) {
	b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds()/1e9, unit)
}

func benchProduct[T Float](b *testing.B, m, n, k, threads int, packed bool) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y, c := fill(r, make([]T, m*k)), fill(r, make([]T, n*k)), make([]T, m*n)
	p := Product[T]{M: m, N: n, K: k, A: Rows(x, k), B: Rows(y, k), C: c, Stride: n, Threads: threads}
	if packed {
		right, err := PackRight(p.B, n, k)
		if err != nil {
			b.Fatal(err)
		}
		p.B = right.Operand(0)
	}
	if err := p.Run(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		if err := p.Run(); err != nil {
			b.Fatal(err)
		}
	}
	rate(b, "GFLOP/s", 2*float64(m)*float64(n)*float64(k))
}

func BenchmarkFloat32(b *testing.B) {
	benchEach(b, func(b *testing.B) {
		for _, n := range []int{512, 1024, 2048} {
			for threads := 1; threads <= 2; threads++ {
				b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
					benchProduct[float32](b, n, n, n, threads, false)
				})
			}
		}
	})
}

// Shapes of encoders: tokens × features, and a first convolution's patches.
func BenchmarkFloat32Packed(b *testing.B) {
	benchEach(b, func(b *testing.B) {
		for _, s := range []shape{{1, 512, 3136}, {64, 512, 3136}, {197, 1536, 384}, {400, 32, 256}, {1024, 32, 16}, {4096, 64, 64}} {
			for threads := 1; threads <= 2; threads++ {
				b.Run(fmt.Sprintf("%dx%dx%d/threads=%d", s.m, s.n, s.k, threads), func(b *testing.B) {
					benchProduct[float32](b, s.m, s.n, s.k, threads, true)
				})
			}
		}
	})
}

func BenchmarkFloat64(b *testing.B) {
	benchEach(b, func(b *testing.B) {
		b.Run("n=1024/threads=1", func(b *testing.B) { benchProduct[float64](b, 1024, 1024, 1024, 1, false) })
	})
}

func BenchmarkUint8(b *testing.B) {
	benchEach(b, func(b *testing.B) {
		for _, depth := range []int{4096, 7056} {
			for threads := 1; threads <= 2; threads++ {
				b.Run(fmt.Sprintf("1024x4096x%d/threads=%d", depth, threads), func(b *testing.B) {
					r := rand.New(rand.NewPCG(1, 2))
					const m, n = 1024, 4096
					x, y := make([]uint8, m*depth), make([]uint8, n*depth)
					for i := range x {
						x[i] = uint8(r.Uint32())
					}
					for i := range y {
						y[i] = uint8(r.Uint32())
					}
					squares := make([]int32, n)
					p := Uint8Product[int32]{M: m, N: n, K: depth, A: Uint8Rows(x, depth), B: Uint8Rows(y, depth),
						C: make([]int32, m*n), Stride: n, Squared: true, ASquares: squares[:m], BSquares: squares, Threads: threads}
					b.ResetTimer()
					for range b.N {
						if err := p.Run(); err != nil {
							b.Fatal(err)
						}
					}
					rate(b, "Gop/s", 2*float64(m)*float64(n)*float64(depth))
				})
			}
		}
	})
}

func BenchmarkSquaredDistances(b *testing.B) {
	before := active.Load()
	defer active.Store(before)
	for _, impl := range implementations() {
		active.Store(impl)
		b.Run(impl.name+"/64x7056", func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			const depth, count = 7056, 64
			y := fill(r, make([]float32, count*depth))
			index, dst := make([]int32, count), make([]float64, count)
			for i := range index {
				index[i] = int32(i)
			}
			for range b.N {
				SquaredDistances(dst, y[:depth], y, depth, index)
			}
			rate(b, "Gelement/s", depth*count)
		})
	}
}

// The sizes of the tiles of scores, packed before.
func BenchmarkInt16(b *testing.B) {
	benchEach(b, func(b *testing.B) {
		for _, depth := range []int{64, 784, 3000} {
			const m, n = 240, 2048
			r := rand.New(rand.NewPCG(1, 2))
			x := make([]int16, n*depth)
			for i := range x {
				x[i] = int16(r.IntN(4001) - 2000)
			}
			left, right := packInt16(x, depth, m, depth, false), packInt16(x, depth, n, depth, true)
			p := Int16Product{M: m, N: n, A: left, B: right, C: make([]float32, m*n), Stride: n, Workspace: new(Int16Workspace)}
			b.Run(fmt.Sprintf("%dx%dx%d", m, n, depth), func(b *testing.B) {
				for range b.N {
					if err := p.Run(); err != nil {
						b.Fatal(err)
					}
				}
				rate(b, "Gop/s", 2*float64(m)*float64(n)*float64(depth))
			})
			b.Run(fmt.Sprintf("%dx%dx%d/float32", m, n, depth), func(b *testing.B) { benchProduct[float32](b, m, n, depth, 1, true) })
		}
	})
}
