// Tests of reductions.

package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The assembly gives the twins' bits for any number of elements, and a plain loop about the same numbers.
func TestReductions(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for trial := range 2000 {
			r := Reduction(trial % 6)
			n, rows := 1+random.IntN(70), 1+random.IntN(5)
			stride := n + random.IntN(3)
			// No element behind the last one that is read.
			x := make([]float32, (rows-1)*stride+n)
			special := random.IntN(2)
			for i := range x {
				if x[i] = float32(random.NormFloat64()); special == 1 && random.IntN(n+5) == 0 {
					x[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[random.IntN(3)]
				} else if trial%7 == 0 {
					x[i] = float32(math.Copysign(0, random.NormFloat64()))
				}
			}
			got, want := make([]float64, rows), make([]float64, rows)
			r.Rows(got, x, n, rows, stride)
			r.rowsGeneric(want, x, n, rows, stride)
			for i, v := range got {
				if !sameFloat64(v, want[i]) {
					t.Fatalf("reduction %d, %d elements, row %d: %g, generic %g", r, n, i, v, want[i])
				}
				plain, size := r.Start(), 1.0
				for _, e := range x[i*stride:][:n] {
					plain = r.Join(plain, r.term(e))
					size += math.Abs(float64(e))
				}
				if d := math.Abs(v - plain); d > 1e-12*size*size && d == d {
					t.Fatalf("reduction %d, %d elements, row %d: %g, plain loop %g", r, n, i, v, plain)
				}
			}
			// The same memory as columns.
			offsets := make([]int, rows)
			for i := range offsets {
				offsets[i] = i * stride
			}
			room := (n + Lanes - 1) / Lanes * Lanes
			along, expected := make([]float64, room), make([]float64, room)
			for c := range along {
				along[c] = random.NormFloat64()
			}
			copy(expected, along)
			r.Columns(along, x, offsets, n)
			r.columnsGeneric(expected, x, offsets, n)
			for c, v := range along[:n] {
				if !sameFloat64(v, expected[c]) {
					t.Fatalf("reduction %d, %d columns, column %d: %g, generic %g", r, n, c, v, expected[c])
				}
			}
		}
	}
}

// Extremes, their places and deviations have the twins' bits.
func TestOvertake(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for trial := range 500 {
			n := random.IntN(70)
			x := make([]float32, n)
			top, index, expected, places := make([]float32, n), make([]int32, n), make([]float32, n), make([]int32, n)
			for value := range int32(5) {
				for i := range x {
					if x[i] = float32(random.IntN(4) - 2); random.IntN(9) == 0 {
						x[i] = float32(math.NaN())
					}
				}
				Order(trial%4).Overtake(top, x, index, value)
				Order(trial%4).overtakeGeneric(expected, x, places, value)
			}
			for i, v := range top {
				if v != expected[i] || index[i] != places[i] {
					t.Fatalf("order %d, element %d of %d: %g at %d, generic %g at %d", trial%4, i, n, v, index[i], expected[i], places[i])
				}
			}
			for i := range x {
				x[i] = float32(random.NormFloat64())
			}
			mean := random.NormFloat64()
			if got, k := wholeDeviation(x, mean); k > 0 {
				if want, _ := deviationGeneric(x, mean); !sameFloat64(got, want) {
					t.Fatalf("deviation of %d elements: %g, generic %g", n, got, want)
				}
			}
		}
	}
}

// sameFloat64 holds for the same bits, or two NaNs.
func sameFloat64(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

func BenchmarkReductions(b *testing.B) {
	const rows, cols = 64, 384
	sums, offsets := make([]float64, cols), make([]int, rows)
	for i := range offsets {
		offsets[i] = i * cols
	}
	for r, name := range []string{"sum", "absolutes", "squares", "product", "max", "min"} {
		r := Reduction(r)
		b.Run(name+"/rows/64x384", func(b *testing.B) {
			benchRows(b, rows, cols, func(x []float32) { r.Rows(sums, x, cols, rows, cols) })
		})
		b.Run(name+"/rowsGeneric/64x384", func(b *testing.B) {
			benchRows(b, rows, cols, func(x []float32) { r.rowsGeneric(sums, x, cols, rows, cols) })
		})
		b.Run(name+"/columns/64x384", func(b *testing.B) {
			benchRows(b, rows, cols, func(x []float32) { r.Columns(sums, x, offsets, cols) })
		})
	}
}
