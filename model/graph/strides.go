// How arrays lie in memory: strides, in elements, by axis.

package graph

// RowMajor is the strides of a dense array of the shape, in elements.
func RowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= shape[i]
	}
	return strides
}

// BroadcastStrides is the strides of a dense array of the shape as it is broadcast to another one: 0 along axes that
// repeat it.
func BroadcastStrides(to, shape []int) []int {
	strides := make([]int, len(to))
	dense := RowMajor(shape)
	for i, d := range shape {
		if d != 1 {
			strides[len(to)-len(shape)+i] = dense[i]
		}
	}
	return strides
}

// Merge joins axes of a shape that several arrays traverse evenly, each with its own strides, and drops axes of length
// 1. The returned strides are by axis and array.
func Merge(shape []int, strides ...[]int) (merged []int, apart [][]int) {
	for i, d := range shape {
		if d == 1 {
			continue
		}
		steps := make([]int, len(strides))
		k := len(merged) - 1
		even := k >= 0
		for o := range strides {
			steps[o] = strides[o][i]
			even = even && apart[k][o] == steps[o]*d
		}
		if even {
			merged[k] *= d
			apart[k] = steps
			continue
		}
		merged, apart = append(merged, d), append(apart, steps)
	}
	return merged, apart
}

// Around views an array as [outer, length, inner] around an axis.
func Around(shape []int, axis int) (outer, length, inner int) {
	return Count(shape[:axis]), shape[axis], Count(shape[axis+1:])
}
