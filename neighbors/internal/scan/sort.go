// Sorting entries by key and index.

package scan

import (
	"math"
	"slices"
)

// SortEntries sorts by key and index: insertion for short lists, a radix sort
// on linearly quantised keys for long ones.
func SortEntries[K Key](a []Entry[K]) {
	switch {
	case len(a) <= 48:
		insertionSort(a)
	case len(a) < 1024:
		slices.SortFunc(a, CompareEntries[K])
	default:
		radixSort(a)
	}
}

func insertionSort[K Key](a []Entry[K]) {
	for i := 1; i < len(a); i++ {
		e, j := a[i], i
		for j > 0 && e.Before(a[j-1]) {
			a[j] = a[j-1]
			j--
		}
		a[j] = e
	}
}

// radixSort sorts by the key's place between the smallest and the largest in
// 2^22 steps, which rounding keeps monotone, and then sorts each run of equal
// steps exactly.
func radixSort[K Key](a []Entry[K]) {
	const digit, steps = 11, 1 << 22
	low, high := a[0].Key, a[0].Key
	for _, e := range a {
		low, high = min(low, e.Key), max(high, e.Key)
	}
	scale := (steps - 1) / float64(high-low)
	if !(scale > 0) || math.IsInf(scale, 1) {
		slices.SortFunc(a, CompareEntries[K])
		return
	}
	step := func(e Entry[K]) uint32 { return uint32(float64(e.Key-low) * scale) }
	var first, second [1 << digit]int32
	for _, e := range a {
		s := step(e)
		first[s&(1<<digit-1)]++
		second[s>>digit]++
	}
	var f, s int32
	for d := range first {
		first[d], f = f, f+first[d]
		second[d], s = s, s+second[d]
	}
	b := make([]Entry[K], len(a))
	for _, e := range a {
		d := step(e) & (1<<digit - 1)
		b[first[d]] = e
		first[d]++
	}
	for _, e := range b {
		d := step(e) >> digit
		a[second[d]] = e
		second[d]++
	}
	for lo := 0; lo < len(a); {
		hi, at := lo+1, step(a[lo])
		for hi < len(a) && step(a[hi]) == at {
			hi++
		}
		if hi-lo <= 16 {
			insertionSort(a[lo:hi])
		} else {
			slices.SortFunc(a[lo:hi], CompareEntries[K])
		}
		lo = hi
	}
}

// SortPlaces sorts the entries in the order of neighbours; place[p] is where
// the entry now at p was before.
func SortPlaces[K Key](entries []Entry[K], place []int32) []int32 {
	place = slices.Grow(place[:0], len(entries))[:len(entries)]
	for q := range place {
		place[q] = int32(q)
	}
	if len(entries) <= 64 {
		for i := 1; i < len(entries); i++ {
			e, at, j := entries[i], place[i], i
			for j > 0 && e.Before(entries[j-1]) {
				entries[j], place[j] = entries[j-1], place[j-1]
				j--
			}
			entries[j], place[j] = e, at
		}
		return place
	}
	old := slices.Clone(entries)
	compare := func(a, b int32) int { return CompareEntries(old[a], old[b]) }
	if packed := make([]uint64, len(entries)); packKeys(packed, entries) {
		slices.Sort(packed)
		for p, v := range packed {
			place[p] = int32(uint32(v))
		}
		for lo := 0; lo < len(packed); {
			hi := lo + 1
			for hi < len(packed) && old[place[hi]].Key == old[place[lo]].Key {
				hi++
			}
			slices.SortFunc(place[lo:hi], compare)
			lo = hi
		}
	} else {
		slices.SortFunc(place, compare)
	}
	for p, q := range place {
		entries[p] = old[q]
	}
	return place
}

// packKeys sets dst[q] to a number that orders like the key of entry q and holds q in its low half,
// which sorts several times as fast. It reports whether keys are narrow enough.
func packKeys[K Key](dst []uint64, entries []Entry[K]) bool {
	switch entries := any(entries).(type) {
	case []Entry[float32]:
		for q, e := range entries {
			b := math.Float32bits(e.Key)
			dst[q] = uint64(b^(uint32(int32(b)>>31)|1<<31))<<32 | uint64(q)
		}
	case []Entry[int32]:
		for q, e := range entries {
			dst[q] = uint64(uint32(e.Key)^1<<31)<<32 | uint64(q)
		}
	default:
		return false
	}
	return true
}
