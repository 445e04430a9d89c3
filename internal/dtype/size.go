// This file is for how many bytes an array takes.

package dtype

import (
	"fmt"
	"math"
	"math/bits"
)

// ArraySize returns the number of bytes of an array, or an error when a length is
// negative or the number does not fit.
func ArraySize(shape []int, t DType) (int64, error) {
	if len(shape) > 32 {
		return 0, fmt.Errorf("shape with %d axes, want at most 32", len(shape))
	}
	size, empty := uint64(t.Size()), false
	for _, n := range shape {
		if n < 0 {
			return 0, fmt.Errorf("shape %v has a negative length", shape)
		}
		if n == 0 {
			empty = true
			continue
		}
		high, low := bits.Mul64(size, uint64(n))
		if high != 0 || low > math.MaxInt {
			return 0, fmt.Errorf("shape %v of type %v does not fit in memory", shape, t)
		}
		size = low
	}
	if empty {
		return 0, nil
	}
	return int64(size), nil
}
