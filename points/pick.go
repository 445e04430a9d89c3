// Elements of a list at an index.

package points

// Pick returns the values at an index, which may name one several times; nil for no values.
func Pick[T any](values []T, index []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(index))
	for i, j := range index {
		out[i] = values[j]
	}
	return out
}
