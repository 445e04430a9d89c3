// One distance of a row with the index of its point, and the order of neighbors.

package scan

import (
	"cmp"
	"math"
)

// Key is the type of a row of distances. Integer and float64 rows of an exact space order like the distances
// themselves; float32 and float64 rows of a banded space are approximations with a bound.
type Key interface {
	int32 | int64 | float32 | float64
}

// Entry is one distance of a row with the index of its point.
type Entry[K Key] struct {
	Key   K
	Index int32
}

// Before is the order of neighbors: by key, then by index.
func (e Entry[K]) Before(f Entry[K]) bool {
	return e.Key < f.Key || e.Key == f.Key && e.Index < f.Index
}

// CompareEntries is the order of neighbors for sorting.
func CompareEntries[K Key](a, b Entry[K]) int {
	if c := cmp.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return cmp.Compare(a.Index, b.Index)
}

// Excluded is the key of pairs that are no candidates: larger than any distance.
func Excluded[K Key]() K {
	var zero K
	switch any(zero).(type) {
	case int32:
		return any(int32(math.MaxInt32)).(K)
	case int64:
		return any(int64(math.MaxInt64)).(K)
	case float32:
		return any(float32(math.Inf(1))).(K)
	}
	return any(math.Inf(1)).(K)
}
