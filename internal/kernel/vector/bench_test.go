// Benchmarks of the vector functions: the work size is in the name, the rate in elements per second.

package vector

import (
	"math/rand/v2"
	"testing"
)

// benchRows calls f with rows × cols random elements per iteration.
func benchRows(b *testing.B, rows, cols int, f func(x []float32)) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, rows*cols)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for b.Loop() {
		f(x)
	}
	b.ReportMetric(float64(len(x))*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gelement/s")
}

func BenchmarkFunctions(b *testing.B) {
	for _, f := range []struct {
		name string
		f    func(dst, src []float32)
	}{{"relu", Relu}, {"exp", Exp}, {"sigmoid", Sigmoid}, {"tanh", Tanh}, {"erf", Erf}, {"gelu", Gelu}, {"geluTanh", GeluTanh}} {
		b.Run(f.name+"/n=4096", func(b *testing.B) {
			dst := make([]float32, 4096)
			benchRows(b, 1, 4096, func(x []float32) { f.f(dst, x) })
		})
	}
	b.Run("add/n=4096", func(b *testing.B) {
		dst := make([]float32, 4096)
		benchRows(b, 1, 4096, func(x []float32) { AddRows(dst, x, x, 1, 1) })
	})
}

func BenchmarkRows(b *testing.B) {
	const rows, cols = 64, 384
	scale, bias, dst := make([]float32, cols), make([]float32, cols), make([]float32, rows*cols)
	b.Run("softmax/64x384", func(b *testing.B) {
		benchRows(b, rows, cols, func(x []float32) {
			copy(dst, x)
			for i := 0; i < len(x); i += cols {
				SoftmaxRow(dst[i:i+cols], 1)
			}
		})
	})
	b.Run("softmax/768x32", func(b *testing.B) {
		benchRows(b, 768, 32, func(x []float32) { SoftmaxRows(dst, x, 32) })
	})
	b.Run("logSoftmax/768x32", func(b *testing.B) {
		benchRows(b, 768, 32, func(x []float32) { LogSoftmaxRows(dst, x, 32) })
	})
	b.Run("normalize/64x384", func(b *testing.B) {
		benchRows(b, rows, cols, func(x []float32) { NormalizeRows(dst, x, scale, bias, cols, rows, 1e-5) })
	})
	b.Run("finish/64x384", func(b *testing.B) {
		benchRows(b, rows, cols, func(x []float32) { FinishRows(x, bias, nil, cols, cols, rows, true) })
	})
	b.Run("depthwise/64x384x9", func(b *testing.B) {
		d, taps := &Depthwise{Channels: cols, Each: 1, Weights: make([]float32, 9*cols), Bias: bias, Cut: true, High: 6}, make([]Tap, 9)
		for i := range taps {
			taps[i] = Tap{(i/3*8 + i%3) * cols, i * cols}
		}
		benchRows(b, rows, cols, func(x []float32) { d.Line(dst, cols, x, cols, rows-18, taps) })
	})
}
