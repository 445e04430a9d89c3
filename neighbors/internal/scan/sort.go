// Sorting entries by key and index.

package scan

import (
	"math"
	"slices"
)

// SortEntries sorts by key and index: insertion for short lists, a radix sort
// on linearly quantized keys for long ones.
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

// radixSort sorts by the key's position between the smallest and the largest in 2^22 steps, which rounding keeps
// monotone, and then sorts each run of equal steps exactly.
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
		hi, bin := lo+1, step(a[lo])
		for hi < len(a) && step(a[hi]) == bin {
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
