// Moments and similarities of bytes against their generic twins and the float64 versions.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestByteTwins: rows that slide over two images have the sums of the generic twin, and similarities the bits of those
// of the same images as doubles; the largest sums fit.
func TestByteTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for trial := range 60 {
			const rows = 9
			step, n := 1+r.IntN(4), Window*4+r.IntN(80)
			row := func() []uint8 {
				out := make([]uint8, n)
				for i := range out {
					out[i] = []uint8{uint8(r.IntN(256)), 255, 0}[max(0, trial%4-1)]
				}
				return out
			}
			got, want := NewByteMoments(n, step), NewByteMoments(n, step)
			up := (n - (Window-1)*step + Lanes - 1) / Lanes * Lanes
			dst, total := make([]float64, up), make([]float64, up)
			generic, other := make([]float64, up), make([]float64, up)
			var x, y [rows][]uint8
			for i := range rows {
				x[i], y[i] = row(), row()
				oldX, oldY := make([]uint8, n), make([]uint8, n)
				if i >= Window {
					oldX, oldY = x[i-Window], y[i-Window]
				}
				SlideBytes(got, x[i], y[i], oldX, oldY)
				slideBytesGeneric(want, 0, x[i], y[i], oldX, oldY)
				if !slices.Equal(got, want) {
					t.Fatalf("%d elements, row %d: the sums differ", n, i)
				}
				ByteSimilarities(dst, total, got, step, 650, 137600)
				byteSimilaritiesGeneric(generic, other, want, step, 650, 137600)
				if !slices.Equal(dst, generic) || !slices.Equal(total, other) {
					t.Fatalf("%d elements, step %d, row %d: similarities differ", n, step, i)
				}
			}
			for j := range n - (Window-1)*step {
				var sx, sy, squares, products float64
				for i := rows - Window; i < rows; i++ {
					for k := range Window {
						u, v := float64(x[i][j+k*step]), float64(y[i][j+k*step])
						sx, sy, squares, products = sx+u, sy+v, squares+u*u+v*v, products+2*u*v
					}
				}
				if v := Similarity(sx, sy, squares, products, Window*Window, 650, 137600); math.Float64bits(v) != math.Float64bits(dst[j]) {
					t.Fatalf("window %d of %d, step %d: %v, doubles %v", j, n, step, dst[j], v)
				}
			}
		}
	}
}

// TestMixBytes: the bytes equal the generic twin and sums in float64, also out of range.
func TestMixBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for range 200 {
			n, rows := 1+r.IntN(70), 1+r.IntN(12)
			stride := n + r.IntN(5)
			src, weights := make([]uint8, stride*rows), make([]int32, rows)
			for i := range src {
				src[i] = []uint8{uint8(r.IntN(256)), 255, 0}[r.IntN(3)]
			}
			scale, sum := r.NormFloat64(), 0.0
			for i := range weights {
				v := r.NormFloat64()
				sum += math.Abs(v)
				weights[i] = int32(v * 1e6)
			}
			for i, v := range weights {
				weights[i] = int32(math.Tanh(scale) * 2 * float64(v) / 1e6 / sum * (1 << FixedBits))
			}
			got, want := make([]uint8, n), make([]uint8, n)
			MixBytes(got, src, stride, weights)
			mixBytesGeneric(want, src, stride, weights)
			if !slices.Equal(got, want) {
				t.Fatalf("%d bytes of %d rows: %v, generic %v", n, rows, got, want)
			}
			for j, v := range got {
				sum := 0.5
				for k, w := range weights {
					sum += float64(w) * float64(src[k*stride+j]) / (1 << FixedBits)
				}
				if v != uint8(min(max(math.Floor(sum), 0), 255)) {
					t.Fatalf("byte %d of %d rows is %d, want %v", j, rows, v, sum)
				}
			}
		}
	}
}
