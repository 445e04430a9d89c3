// Tests of the products of scattered pairs of rows.

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestAddProducts(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(41, 42))
		for _, depth := range []int{0, 32, 64, 480} {
			stride := depth + 3
			x, y := make([]float32, 7*stride), make([]float64, depth)
			for k := range x {
				x[k] = float32(r.NormFloat64())
			}
			for k := range y {
				y[k] = r.NormFloat64()
			}
			index := []int32{3, 0, 6, 6, 1}
			for count := range len(index) + 1 {
				sums := []float64{1, 2, 3, 4, 5}
				AddProducts(sums, y, x, stride, index[:count], make([]float32, 40*count))
				for q, got := range sums {
					lanes := make([]float64, 32)
					if q < count {
						for k, v := range y {
							lanes[k%32] = math.FMA(float64(x[int(index[q])*stride+k]), v, lanes[k%32])
						}
					}
					want := float64(q+1) + halved(lanes)
					sameBits(t, fmt.Sprintf("depth %d, row %d of %d", depth, q, count), []float64{got}, []float64{want})
				}
			}
		}
	})
	for name, f := range map[string]func(){
		"length": func() { AddProducts(make([]float64, 1), make([]float64, 33), make([]float32, 99), 33, []int32{1}, nil) },
		"sums":   func() { AddProducts(nil, make([]float64, 32), make([]float32, 99), 33, []int32{1}, nil) },
		"row":    func() { AddProducts(make([]float64, 1), make([]float64, 32), make([]float32, 99), 33, []int32{3}, nil) },
		"row before": func() {
			AddProducts(make([]float64, 1), make([]float64, 32), make([]float32, 99), 33, []int32{-1}, nil)
		},
		"widen": func() { Widen(make([]float64, 1), make([]float32, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestAddChains(t *testing.T) {
	const depth, stride = ChainDepth, ChainDepth + 3
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(45, 46))
		x, y := make([]float32, 7*stride), make([]float32, depth)
		for k := range x {
			x[k] = float32(r.NormFloat64())
		}
		for k := range y {
			y[k] = float32(r.NormFloat64())
		}
		index := []int32{3, 0, 6, 6, 1, 2, 5, 0, 4, 4, 1}
		for count := range len(index) + 1 {
			sums := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
			AddChains(sums, y, x, stride, index[:count], make([]float32, 40*count))
			for q, got := range sums {
				chains, exact, size := make([]float32, 64), 0.0, 0.0
				for k := 0; q < count && k < depth; k++ {
					a, b := x[int(index[q])*stride+k], y[k]
					chains[k%64] = fma32(a, b, chains[k%64])
					exact += float64(a) * float64(b)
					size += math.Abs(float64(a) * float64(b))
				}
				lanes := make([]float64, 8)
				for l := range lanes {
					wide := func(l int) float64 { return float64(chains[l] + chains[l+32]) }
					lanes[l] = (wide(l) + wide(l+16)) + (wide(l+8) + wide(l+24))
				}
				want := float64(q+1) + halved(lanes)
				sameBits(t, fmt.Sprintf("row %d of %d", q, count), []float64{got}, []float64{want})
				if limit := (ChainRoundings + 0.001) * 0x1p-24 * size; math.Abs(got-float64(q+1)-exact) > limit {
					t.Errorf("row %d: %v, want %v ± %g", q, got, exact, limit)
				}
			}
		}
	})
	y := make([]float32, depth)
	for name, f := range map[string]func(){
		"length":     func() { AddChains(make([]float64, 1), y[1:], make([]float32, 999), stride, []int32{1}, nil) },
		"sums":       func() { AddChains(nil, y, make([]float32, 999), stride, []int32{1}, nil) },
		"row":        func() { AddChains(make([]float64, 1), y, make([]float32, 999), stride, []int32{3}, nil) },
		"row before": func() { AddChains(make([]float64, 1), y, make([]float32, 999), stride, []int32{-1}, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// halved is the sum that is left when the upper half is added to the lower again and again.
func halved(x []float64) float64 {
	if len(x) == 1 {
		return x[0]
	}
	half := len(x) / 2
	sum := make([]float64, half)
	for l := range sum {
		sum[l] = x[l] + x[l+half]
	}
	return halved(sum)
}

// BenchmarkAddChains has rows that do not stay in the first-level cache.
func BenchmarkAddChains(b *testing.B) {
	const rows, stride, turns = 1536, ChainDepth, 1000
	x, y := make([]float32, stride*rows), make([]float32, ChainDepth)
	r := rand.New(rand.NewPCG(43, 44))
	for _, count := range []int{7, 28} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			sums, index := make([]float64, count), make([]int32, count*turns)
			for t := range index {
				index[t] = int32(r.IntN(rows))
			}
			for turn := 0; b.Loop(); turn++ {
				AddChains(sums, y, x, stride, index[turn%turns*count:][:count], nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count)/ChainDepth, "ns/depth")
		})
	}
}

func BenchmarkAddProducts(b *testing.B) {
	const depth, rows = 512, 256
	x, y := make([]float32, depth*rows), make([]float64, depth)
	sums, index := make([]float64, 13), make([]int32, 13)
	r := rand.New(rand.NewPCG(43, 44))
	for b.Loop() {
		for t := range index {
			index[t] = int32(r.IntN(rows))
		}
		AddProducts(sums, y, x, depth, index, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/13/depth, "ns/depth")
}
