// Tests of the sums of single rows against their portable twins.

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestRows(t *testing.T) {
	withEach(t, func(t *testing.T, impl *implementation) {
		r := rand.New(rand.NewPCG(13, 14))
		for _, n := range []int{0, 1, 7, 8, 9, 31, 63, 64, 65, 100, 127, 128, 129, 1000, 40003} {
			x := make([]uint8, n)
			for i := range x {
				x[i] = uint8(r.Uint32())
			}
			if n > 1000 {
				for i := range x {
					x[i] = 255
				}
			}
			if got, want := SumUint8(x), sumUint8Generic(x); got != want {
				t.Errorf("sum of %d: %d, want %d", n, got, want)
			}
			if got, want := SumSquaresUint8(x), sumSquaresUint8Generic(x); got != want {
				t.Errorf("sum of squares of %d: %d, want %d", n, got, want)
			}
			c, squares := make([]int32, n), make([]int32, n)
			for i := range c {
				c[i], squares[i] = int32(r.Uint32()), int32(r.Uint32())
			}
			want := append([]int32(nil), c...)
			finishRowGeneric(want, squares, -12345)
			impl.rows.finishRow(c, squares, -12345)
			for i := range c {
				if c[i] != want[i] {
					t.Fatalf("finishRow: element %d of %d is %d, want %d", i, n, c[i], want[i])
				}
			}
		}
	})
}

func TestWiden(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(45, 46))
		for _, n := range []int{0, 1, 15, 16, 17, 50} {
			src, dst, want := make([]float32, n), make([]float64, n), make([]float64, n)
			for k := range src {
				src[k] = float32(r.NormFloat64())
				want[k] = float64(src[k])
			}
			Widen(dst, src)
			sameBits(t, fmt.Sprintf("%d values", n), dst, want)
		}
	})
}
