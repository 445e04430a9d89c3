// Tests of the exact distances against the definition.

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestSquaredDistances(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		t.Run("float32", testSquaredDistances[float32])
		t.Run("float64", testSquaredDistances[float64])
		t.Run("uint8", testSquaredDistancesUint8)
	})
}

func testSquaredDistances[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 100, 1003} {
		const rows = 21
		stride := n + r.IntN(3)
		x, y := fill(r, make([]T, n)), fill(r, make([]T, rows*stride+n))
		if n > 0 {
			x[n-1] = T(math.Ldexp(1, -140)) // subnormal in float32
			y[n-1] = T(math.Inf(1))
			y[stride+n-1] = T(math.NaN())
		}
		for _, count := range []int{0, 1, 5, 8, 13, 16, rows} {
			index, got, want := make([]int32, count), make([]float64, count), make([]float64, count)
			for i := range index {
				index[i] = int32(r.IntN(rows))
				want[i] = SquaredDistance(x, y[int(index[i])*stride:][:n])
			}
			SquaredDistances(got, x, y, stride, index)
			sameBits(t, fmt.Sprintf("n %d count %d", n, count), got, want)
		}
	}
}

func testSquaredDistancesUint8(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	const rows, n, stride = 21, 37, 40
	x, y := make([]uint8, n), make([]uint8, rows*stride)
	for i := range x {
		x[i] = uint8(r.Uint32())
	}
	for i := range y {
		y[i] = uint8(r.Uint32())
	}
	for count := range 2 * rows {
		index, got, want := make([]int32, count), make([]float64, count), make([]float64, count)
		for i := range index {
			index[i] = int32(r.IntN(rows))
			want[i] = float64(naiveUint8(x, y[int(index[i])*stride:][:n], true))
		}
		SquaredDistances(got, x, y, stride, index)
		sameBits(t, fmt.Sprintf("count %d", count), got, want)
	}
}
