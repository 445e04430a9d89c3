// Package radix sorts by integers.
package radix

// Entry is a value and what it is sorted by.
type Entry[V any] struct {
	Key   uint64
	Value V
}

// Sort returns the entries, at most 2³¹ − 1 of them, in the order of their keys, and keeps the order of equal ones:
// digit by digit from the lowest, each time by counting. It may return other memory than entries, which is
// lost.
func Sort[V any](entries []Entry[V]) []Entry[V] {
	const bits, digits = 11, 6
	var places [digits][1 << bits]int32
	for _, e := range entries {
		for d := range places {
			places[d][e.Key>>(bits*d)&(1<<bits-1)]++
		}
	}
	other := make([]Entry[V], len(entries))
	for d := range places {
		place, whole := int32(0), false
		for k, count := range places[d] {
			whole = whole || int(count) == len(entries)
			places[d][k], place = place, place+count
		}
		if whole {
			continue // one digit for all
		}
		for _, e := range entries {
			at := &places[d][e.Key>>(bits*d)&(1<<bits-1)]
			other[*at] = e
			*at++
		}
		entries, other = other, entries
	}
	return entries
}
