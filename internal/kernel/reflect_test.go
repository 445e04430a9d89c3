// Tests of the products and sums of rows and of the reflections of blocks against literal loops.

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDotAndAddScaled(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(51, 52))
		for n := range 200 {
			x, y := fill(r, make([]float64, n)), fill(r, make([]float64, n+3))
			want, f := slices.Clone(y), r.NormFloat64()
			for k, v := range x {
				want[k] = math.FMA(f, v, want[k])
			}
			if n%PairDepth == 0 {
				lanes := make([]float64, 32)
				for k, v := range x {
					lanes[k%32] = math.FMA(v, y[k], lanes[k%32])
				}
				sameBits(t, fmt.Sprintf("product of %d", n), []float64{Dot(x, y)}, []float64{halved(lanes)})
			}
			AddScaled(y, x, f)
			sameBits(t, fmt.Sprintf("sum of %d", n), y, want)
		}
	})
}

func TestBlocks(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(53, 54))
		for _, columns := range []int{BandStep, MaxBand} {
			for _, rows := range []int{1, 2, 31, columns} {
				stride := columns + r.IntN(9)
				a := fill(r, make([]float64, rows*stride))
				f, w, u := fill(r, make([]float64, rows)), fill(r, make([]float64, columns)), fill(r, make([]float64, columns))
				label := fmt.Sprintf("%d rows of %d", rows, columns)

				sums, wantSums := fill(r, make([]float64, columns)), make([]float64, columns)
				for i := range rows {
					for c := range columns {
						wantSums[c] = math.FMA(f[i], a[i*stride+c], wantSums[c])
					}
				}
				WeighRows(sums, f, a, stride)
				sameBits(t, label+": sums", sums, wantSums)

				want, tau := slices.Clone(a), r.Float64()
				for i := range rows {
					lanes := make([]float64, 16)
					for c := range columns {
						x := math.FMA(-f[i], w[c], want[i*stride+c])
						want[i*stride+c] = x
						lanes[c%16] = math.FMA(x, u[c], lanes[c%16])
					}
					s := tau * halved(lanes)
					for c := range columns {
						want[i*stride+c] = math.FMA(-s, u[c], want[i*stride+c])
					}
				}
				ReflectRows(a, stride, f, w, u, tau)
				sameBits(t, label+": reflected", a, want)
				if rows < columns {
					continue
				}
				for i := range rows {
					for c := range columns {
						want[i*stride+c] = math.FMA(-w[i], u[c], math.FMA(-u[i], w[c], want[i*stride+c]))
					}
				}
				SubtractOuter(a, stride, u, w)
				sameBits(t, label+": outer product", a, want)
			}
		}
	})
}

func TestBlocksOfOtherShapes(t *testing.T) {
	t.Parallel()
	x := make([]float64, 64*64)
	for name, f := range map[string]func(){
		"product of another length": func() { Dot(x[:33], x) },
		"short product":             func() { Dot(x[:64], x[:63:63]) },
		"short sum":                 func() { AddScaled(x[:63:63], x[:64], 1) },
		"columns":                   func() { WeighRows(x[:48], x[:3], x, 64) },
		"stride":                    func() { WeighRows(x[:64], x[:3], x, 63) },
		"rows":                      func() { WeighRows(x[:64], nil, x, 64) },
		"short block":               func() { WeighRows(x[:64], x[:64], x[:64*64-1:64*64-1], 64) },
		"unequal vectors":           func() { SubtractOuter(x, 64, x[:32], x[:64]) },
		"unequal rows":              func() { ReflectRows(x, 64, x[:3], x[:32], x[:64], 1) },
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

func BenchmarkReflectRows(b *testing.B) {
	benchEach(b, func(b *testing.B) {
		for _, n := range []int{BandStep, MaxBand} {
			b.Run(fmt.Sprint(n), func(b *testing.B) {
				stride := 3*n + 8
				a, f, w, u := make([]float64, n*stride), make([]float64, n), make([]float64, n), make([]float64, n)
				for b.Loop() {
					WeighRows(w, f, a[1:], stride)
					SubtractOuter(a[1:], stride, u, w)
					WeighRows(w, f, a[n+1:], stride)
					ReflectRows(a[n+1:], stride, f, w, u, 1)
				}
				rate(b, "GFLOP/s", 14*float64(n*n))
			})
		}
	})
}
