// Tests of the size of arrays.

package dtype

import (
	"math"
	"slices"
	"testing"
)

func TestArraySize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shape []int
		kind  DType
		want  int64
	}{
		{nil, Float64, 8}, {[]int{3, 4}, Uint8, 12}, {[]int{3, 4}, BFloat16, 24}, {[]int{0, 5}, Float32, 0},
		{[]int{math.MaxInt}, Uint8, math.MaxInt}, {slices.Repeat([]int{1}, 32), Float32, 4},
	} {
		if got, err := ArraySize(c.shape, c.kind); err != nil || got != c.want {
			t.Errorf("%v of %v: %d, %v, want %d", c.shape, c.kind, got, err, c.want)
		}
	}
	for _, shape := range [][]int{{-1}, {0, -1}, {0, math.MaxInt, math.MaxInt}, {math.MaxInt, 2}, {1 << 31, 1 << 31, 2}, {1 << 62}, slices.Repeat([]int{1}, 33)} {
		if got, err := ArraySize(shape, Float32); err == nil {
			t.Errorf("%v: %d, want an error", shape, got)
		}
	}
}
