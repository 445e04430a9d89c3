// Tests of equal points in different parts.

package points

import (
	"math"
	"testing"
)

func TestShared(t *testing.T) {
	t.Parallel()
	rows := []float64{1, 2, 3, 4, 1, 2, 0, 0, math.Copysign(0, -1), 0, 3, 4, 1, 2, 9, 9}
	part := []int{0, 0, 1, 0, 0, 0, 1, -1}
	// (1, 2) three times in parts 0 and 1; the zeros and (3, 4) in one part.
	if n := Shared(Float64(rows, 2), part); n != 3 {
		t.Errorf("%d, want 3", n)
	}
	if n := Shared(Uint8([]uint8{1, 1, 1, 2}, 1), []int{0, 1, 0, 2}); n != 3 {
		t.Errorf("%d bytes, want 3", n)
	}
	if n := Shared(Uint8([]uint8{1, 1}, 1), []int{0, -1}); n != 0 {
		t.Errorf("%d, want 0", n)
	}
}
