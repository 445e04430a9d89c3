// Labels: their names, and the samples of each.

package generation

import (
	"slices"
)

// DistinctLabels are the labels that occur, ascending.
func DistinctLabels(lists ...[]int) []int {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// members are the indices of the samples of each of the labels, which are ascending;
// samples of others are left out.
func members(labels []int, all []int) [][]int {
	out := make([][]int, len(labels))
	for i, label := range all {
		if k, ok := slices.BinarySearch(labels, label); ok {
			out[k] = append(out[k], i)
		}
	}
	return out
}

// SkippedLabel is a label that has too few samples, and why it is left out.
type SkippedLabel struct {
	Label  int
	Reason string
}

// chosen are the values at the indices; nil of nil.
func chosen[T any](values []T, keep []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(keep))
	for i, k := range keep {
		out[i] = values[k]
	}
	return out
}
