// Tests of the copies that change the layout.

package kernel

import (
	"math/rand/v2"
	"testing"
)

// Every implementation packs shifted rows as ScaleShift and PackRows one after the other do.
func TestPackShifted(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, width := range []int{4, 6, 12, 16, 32} {
			for _, s := range []shape{{m: 1, k: 1}, {m: 3, k: 9}, {m: 4, k: 8}, {m: 13, k: 31}, {m: 64, k: 100}, {m: 70, k: 7}} {
				count, depth, stride := s.m, s.k, s.k+3
				src, shift, scales := fill(r, make([]float32, count*stride)), fill(r, make([]float32, depth)), fill(r, make([]float32, count))
				shifted := make([]float32, count*depth)
				for i := range count {
					scaleShiftGeneric(shifted[i*depth:(i+1)*depth], src[i*stride:i*stride+depth], shift, scales[i])
				}
				size := roundUp(count, width) * depth
				want, got := make([]float32, size), fill(r, make([]float32, size))
				packRowsGeneric(want, width, shifted, depth, count, depth)
				PackShifted(got, width, src[:(count-1)*stride+depth], stride, count, depth, scales, shift)
				sameBits(t, "panels", got, want)
			}
		}
	})
}

func testTranspose[T int32 | int64 | float32 | float64](t *testing.T) {
	t.Helper()
	withEach(t, func(t *testing.T, _ *implementation) {
		for _, s := range []shape{{m: 1, n: 1}, {m: 3, n: 9}, {m: 4, n: 8}, {m: 17, n: 65}, {m: 100, n: 131}, {m: 0, n: 5}, {m: 5, n: 0}} {
			srcStride, dstStride := s.n+2, s.m+3
			src, dst := make([]T, s.m*srcStride), make([]T, s.n*dstStride)
			for i := range src {
				src[i] = T(i + 1)
			}
			Transpose(dst, dstStride, src, srcStride, s.m, s.n)
			for c := range s.n {
				for r := range dstStride {
					want := T(0)
					if r < s.m {
						want = src[r*srcStride+c]
					}
					if got := dst[c*dstStride+r]; got != want {
						t.Fatalf("%v: element %d, %d is %v, want %v", s, c, r, got, want)
					}
				}
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	testTranspose[int32](t)
	testTranspose[int64](t)
	testTranspose[float32](t)
	testTranspose[float64](t)
}

func BenchmarkTranspose(b *testing.B) {
	const rows, cols, stride = 960, 1024, 10000
	src, dst := make([]float32, rows*stride), make([]float32, cols*rows)
	benchEach(b, func(b *testing.B) {
		for b.Loop() {
			Transpose(dst, rows, src, stride, rows, cols)
		}
		b.SetBytes(4 * rows * cols)
	})
}
