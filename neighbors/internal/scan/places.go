// Sorting the thresholds of a row and saying where they were.

package scan

import (
	"math"
	"slices"
)

// PlaceSorter sorts entries and returns their original indices. The zero value is ready; it keeps memory between calls
// and serves one goroutine at a time.
type PlaceSorter[K Key] struct {
	place  []int32
	sorted []placedEntry[K]
	steps  []int32 // the step of each entry
	start  []int32 // where the entries of each step begin
}

// placedEntry is an entry and where it was.
type placedEntry[K Key] struct {
	Entry[K]
	at int32
}

// crowded is the number of entries within one step from which on they are not sorted by insertion.
const crowded = 32

// Sort sorts the entries in the order of neighbors; place[p] is the original index of the entry now at p, valid until
// the next call. Equal steps of the keys, more than there are entries, bring them nearly in order.
func (s *PlaceSorter[K]) Sort(entries []Entry[K]) (place []int32) {
	s.place, s.sorted = Grown(s.place, len(entries)), Grown(s.sorted, len(entries))
	switch {
	case len(entries) <= crowded:
		s.take(entries)
		s.insert()
	case s.scatter(entries):
		s.insert()
	default:
		s.take(entries)
		slices.SortFunc(s.sorted, func(a, b placedEntry[K]) int { return CompareEntries(a.Entry, b.Entry) })
	}
	for p, e := range s.sorted {
		entries[p], s.place[p] = e.Entry, e.at
	}
	return s.place
}

// take takes the entries as they are.
func (s *PlaceSorter[K]) take(entries []Entry[K]) {
	for q, e := range entries {
		s.sorted[q] = placedEntry[K]{e, int32(q)}
	}
}

// scatter takes the entries in the order of the steps of their keys. It reports whether no step is crowded.
func (s *PlaceSorter[K]) scatter(entries []Entry[K]) bool {
	low, high := entries[0].Key, entries[0].Key
	for _, e := range entries {
		low, high = min(low, e.Key), max(high, e.Key)
	}
	first := float64(low)
	scale := float64(2*len(entries)) / (float64(high) - first)
	if !(scale > 0) || math.IsInf(scale, 1) {
		return false
	}
	s.steps, s.start = Grown(s.steps, len(entries)), Zeroed(s.start, 2*len(entries)+2)
	for q, e := range entries {
		step := int32((float64(e.Key) - first) * scale)
		s.steps[q] = step
		s.start[step+1]++
	}
	sum := int32(0)
	for b, count := range s.start {
		if count > crowded {
			return false
		}
		sum += count
		s.start[b] = sum
	}
	for q, e := range entries {
		at := &s.start[s.steps[q]]
		s.sorted[*at] = placedEntry[K]{e, int32(q)}
		*at++
	}
	return true
}

// insert sorts by insertion.
func (s *PlaceSorter[K]) insert() {
	for i := 1; i < len(s.sorted); i++ {
		e, j := s.sorted[i], i
		for j > 0 && e.Before(s.sorted[j-1].Entry) {
			s.sorted[j] = s.sorted[j-1]
			j--
		}
		s.sorted[j] = e
	}
}
