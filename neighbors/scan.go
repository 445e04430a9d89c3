package neighbors

// This file holds the scans over one row of distances: selecting the nearest
// entries and placing every entry among a few sorted thresholds.

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"repscope/internal/kernel"
)

// key is what a row of distances is held in. Integer and float64 rows of an exact space order
// like the distances themselves; float32 and float64 rows of a banded space
// are approximations with a bound.
type key interface {
	int32 | int64 | float32 | float64
}

// entry is one distance of a row with the index of its point.
type entry[K key] struct {
	key   K
	index int32
}

// before is the order of neighbours: by key, then by index.
func (e entry[K]) before(f entry[K]) bool {
	return e.key < f.key || e.key == f.key && e.index < f.index
}

func compareEntries[K key](a, b entry[K]) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.index, b.index)
}

// excluded is the key of pairs that are no candidates: larger than any distance.
func excluded[K key]() K {
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

// selectNearest returns the count first entries of row in the order of
// neighbours, sorted, in buf's memory. Excluded entries are left out; the
// result is shorter where there are fewer candidates. It looks around entry at first.
func selectNearest[K key](row []K, count, at int, buf []entry[K], found *[segment]int32) []entry[K] {
	size := 4*count + 64
	if size >= len(row) {
		buf = buf[:0]
		limit := excluded[K]()
		for l, v := range row {
			if v < limit {
				buf = append(buf, entry[K]{v, int32(l)})
			}
		}
		return finishSelection(buf, count)
	}
	limit, buf := limitAround(row, count, at, buf)
	scan := atMost[K]
	if limit == excluded[K]() {
		scan = below[K]
	}
	buf = grown(buf, size+segment)
	filled := 0
	for start := 0; start < len(row); start += segment {
		part := row[start:min(start+segment, len(row))]
		for _, l := range found[:scan(found[:], part, limit)] {
			buf[filled] = entry[K]{part[l], int32(start) + l}
			filled++
		}
		if filled >= size {
			partition(buf[:filled], count)
			limit = slices.MaxFunc(buf[:count], compareEntries[K]).key
			filled = count
			// Later entries have higher indices, so that at equal keys the ones
			// already held come first.
			scan = below[K]
		}
	}
	return finishSelection(buf[:filled], count)
}

// limitAround returns the count-th smallest key among the entries around at, which the
// count-th smallest of the row is not above: in a recording nearly that. Without so many candidates
// there it is the key of excluded entries. buf is used for the entries.
func limitAround[K key](row []K, count, at int, buf []entry[K]) (K, []entry[K]) {
	width := min(4*count+64, len(row))
	lo := max(0, min(at-width/2, len(row)-width))
	buf = buf[:0]
	limit := excluded[K]()
	for l, v := range row[lo : lo+width] {
		if v < limit {
			buf = append(buf, entry[K]{v, int32(lo + l)})
		}
	}
	if len(buf) < count {
		return limit, buf
	}
	partition(buf, count)
	return slices.MaxFunc(buf[:count], compareEntries[K]).key, buf
}

// segment is the number of entries scanned at a time.
const segment = 512

// below sets the first elements of found to the ascending indices l with row[l] < limit
// and returns their number.
func below[K key](found []int32, row []K, limit K) int {
	switch row := any(row).(type) {
	case []float32:
		return kernel.AtMost(found, row, nextDown(any(limit).(float32)))
	case []int32:
		return kernel.Below(found, row, any(limit).(int32))
	}
	n := 0
	for l, v := range row {
		if v < limit {
			found[n] = int32(l)
			n++
		}
	}
	return n
}

// atMost is below with row[l] ≤ limit, for limits of candidates.
func atMost[K key](found []int32, row []K, limit K) int {
	switch row := any(row).(type) {
	case []float32:
		return kernel.AtMost(found, row, any(limit).(float32))
	case []int32:
		return kernel.Below(found, row, any(limit).(int32)+1)
	}
	n := 0
	for l, v := range row {
		if v <= limit {
			found[n] = int32(l)
			n++
		}
	}
	return n
}

func finishSelection[K key](found []entry[K], count int) []entry[K] {
	if count < len(found)/4 {
		partition(found, count)
		found = found[:count]
	}
	sortEntries(found)
	return found[:min(count, len(found))]
}

// partition moves the count first entries to the front (quickselect, Hoare).
func partition[K key](a []entry[K], count int) {
	lo, hi := 0, len(a)-1
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if a[mid].before(a[lo]) {
			a[mid], a[lo] = a[lo], a[mid]
		}
		if a[hi].before(a[mid]) {
			a[hi], a[mid] = a[mid], a[hi]
			if a[mid].before(a[lo]) {
				a[mid], a[lo] = a[lo], a[mid]
			}
		}
		pivot, i, j := a[mid], lo, hi
		for i <= j {
			for a[i].before(pivot) {
				i++
			}
			for pivot.before(a[j]) {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		switch {
		case count <= j:
			hi = j
		case count >= i:
			lo = i
		default:
			return
		}
	}
}

// sortEntries sorts by key and index: insertion for short lists, a radix sort
// on linearly quantised keys for long ones.
func sortEntries[K key](a []entry[K]) {
	switch {
	case len(a) <= 48:
		insertionSort(a)
	case len(a) < 1024:
		slices.SortFunc(a, compareEntries[K])
	default:
		radixSort(a)
	}
}

func insertionSort[K key](a []entry[K]) {
	for i := 1; i < len(a); i++ {
		e, j := a[i], i
		for j > 0 && e.before(a[j-1]) {
			a[j] = a[j-1]
			j--
		}
		a[j] = e
	}
}

// radixSort sorts by the key's place between the smallest and the largest in
// 2^22 steps, which rounding keeps monotone, and then sorts each run of equal
// steps exactly.
func radixSort[K key](a []entry[K]) {
	const digit, steps = 11, 1 << 22
	low, high := a[0].key, a[0].key
	for _, e := range a {
		low, high = min(low, e.key), max(high, e.key)
	}
	scale := (steps - 1) / float64(high-low)
	if !(scale > 0) || math.IsInf(scale, 1) {
		slices.SortFunc(a, compareEntries[K])
		return
	}
	step := func(e entry[K]) uint32 { return uint32(float64(e.key-low) * scale) }
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
	b := make([]entry[K], len(a))
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
			slices.SortFunc(a[lo:hi], compareEntries[K])
		}
		lo = hi
	}
}

// ladder finds the place of a value among sorted thresholds in constant
// expected time: a table over equal steps between the smallest and the largest
// threshold says where to start.
type ladder[K key] struct {
	keys  []K
	low   K
	high  K
	scale float64
	start []int32
}

// reset takes the thresholds, sorted in ascending order, at least one, and makes at least
// perKey steps for each but no more than most.
func (t *ladder[K]) reset(keys []K, perKey, most int) {
	t.keys, t.low, t.high = keys, keys[0], keys[len(keys)-1]
	bins := 64
	for bins < min(perKey*len(keys), most) {
		bins *= 2
	}
	t.start = slices.Grow(t.start[:0], bins)[:bins]
	t.scale = float64(bins-1) / float64(t.high-t.low)
	if !(t.scale > 0) || math.IsInf(t.scale, 1) {
		t.scale = 0
	}
	q := int32(0)
	for b := range t.start {
		for int(q) < len(keys) && t.bin(keys[q]) < b {
			q++
		}
		t.start[b] = q
	}
}

// bin is monotone in v, for low ≤ v ≤ high.
func (t *ladder[K]) bin(v K) int { return int(float64(v-t.low) * t.scale) }

// below returns the number of thresholds smaller than v ≤ high.
func (t *ladder[K]) below(v K) int {
	if v <= t.low {
		return 0
	}
	p := int(t.start[t.bin(v)])
	for t.keys[p] < v {
		p++
	}
	return p
}

// closerThan counts, for thresholds sorted in the order of neighbours, the
// entries of a row that come before each of them. The counts go to
// hist[q·groups+group], where adding up from the first threshold to q gives the
// entries before threshold q; groups is 1 and group nil when no blocks are
// distinguished. ties[p] counts the entries with the key of threshold p, the
// first of its run of equal keys, the threshold itself included.
func closerThan[K key](row []K, thresholds []entry[K], t *ladder[K], keys []K, group []int32, groups int, hist, ties []int32, found *[segment]int32) []K {
	keys = keys[:0]
	for _, e := range thresholds {
		keys = append(keys, e.key)
	}
	t.reset(keys, 4, math.MaxInt)
	low, high := t.low, t.high
	for start := 0; start < len(row); start += segment {
		part := row[start:min(start+segment, len(row))]
		for _, l := range found[:atMost(found[:], part, high)] {
			v, p := part[l], 0
			l += int32(start)
			if v >= low {
				p = t.below(v)
				if keys[p] == v {
					ties[p]++
					p = afterTies(thresholds, p, l)
				}
			}
			if group != nil {
				p = p*groups + int(group[l])
			}
			hist[p]++
		}
	}
	return keys
}

// afterTies returns the first threshold from p on, the first of a run of equal
// keys, that comes after the entry with the same key and index l.
func afterTies[K key](thresholds []entry[K], p int, l int32) int {
	v := thresholds[p].key
	return p + sort.Search(len(thresholds)-p, func(q int) bool {
		e := thresholds[p+q]
		return e.key > v || e.index > l
	})
}
