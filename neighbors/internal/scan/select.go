// Selecting the nearest entries of a row.

package scan

import (
	"slices"

	"repscope/internal/kernel"
)

// SelectNearest returns the count first entries of row in the order of
// neighbors, sorted, in buf's memory. Excluded entries are left out; the
// result is shorter where there are fewer candidates. It looks around entry at first.
func SelectNearest[K Key](row []K, count, center int, buf []Entry[K], matches *[Segment]int32) []Entry[K] {
	size := 4*count + 64
	if size >= len(row) {
		buf = buf[:0]
		limit := Excluded[K]()
		for l, v := range row {
			if v < limit {
				buf = append(buf, Entry[K]{v, int32(l)})
			}
		}
		return finishSelection(buf, count)
	}
	limit, buf := LimitAround(row, count, center, buf)
	scan := AtMost[K]
	if limit == Excluded[K]() {
		scan = Below[K]
	}
	buf = Grown(buf, size+Segment)
	filled := 0
	for start := 0; start < len(row); start += Segment {
		part := row[start:min(start+Segment, len(row))]
		for _, l := range matches[:scan(matches[:], part, limit)] {
			buf[filled] = Entry[K]{part[l], int32(start) + l}
			filled++
		}
		if filled >= size {
			Partition(buf[:filled], count)
			limit = slices.MaxFunc(buf[:count], CompareEntries[K]).Key
			filled = count
			// Later entries have higher indices, so that at equal keys the ones
			// already held come first.
			scan = Below[K]
		}
	}
	return finishSelection(buf[:filled], count)
}

// LimitAround returns the count-th smallest key among the entries around an index. It is an upper bound of the count-th
// smallest of the row, and nearly that in a recording. Without enough candidates it is the key of excluded entries. buf
// is used for the entries.
func LimitAround[K Key](row []K, count, center int, buf []Entry[K]) (K, []Entry[K]) {
	width := min(4*count+64, len(row))
	lo := max(0, min(center-width/2, len(row)-width))
	buf = buf[:0]
	limit := Excluded[K]()
	for l, v := range row[lo : lo+width] {
		if v < limit {
			buf = append(buf, Entry[K]{v, int32(lo + l)})
		}
	}
	if len(buf) < count {
		return limit, buf
	}
	Partition(buf, count)
	return slices.MaxFunc(buf[:count], CompareEntries[K]).Key, buf
}

// Segment is the number of entries scanned at a time.
const Segment = 512

// Below sets the first elements of found to the ascending indices l with row[l] < limit
// and returns their number.
func Below[K Key](indices []int32, row []K, limit K) int {
	switch row := any(row).(type) {
	case []float32:
		return kernel.AtMost(indices, row, NextDown(any(limit).(float32)))
	case []int32:
		return kernel.Below(indices, row, any(limit).(int32))
	}
	n := 0
	for l, v := range row {
		if v < limit {
			indices[n] = int32(l)
			n++
		}
	}
	return n
}

// AtMost is below with row[l] ≤ limit, for limits of candidates.
func AtMost[K Key](indices []int32, row []K, limit K) int {
	switch row := any(row).(type) {
	case []float32:
		return kernel.AtMost(indices, row, any(limit).(float32))
	case []int32:
		return kernel.Below(indices, row, any(limit).(int32)+1)
	}
	n := 0
	for l, v := range row {
		if v <= limit {
			indices[n] = int32(l)
			n++
		}
	}
	return n
}

func finishSelection[K Key](entries []Entry[K], count int) []Entry[K] {
	if count < len(entries)/4 {
		Partition(entries, count)
		entries = entries[:count]
	}
	SortEntries(entries)
	return entries[:min(count, len(entries))]
}

// Partition moves the count first entries to the front (quickselect, Hoare).
func Partition[K Key](a []Entry[K], count int) {
	lo, hi := 0, len(a)-1
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if a[mid].Before(a[lo]) {
			a[mid], a[lo] = a[lo], a[mid]
		}
		if a[hi].Before(a[mid]) {
			a[hi], a[mid] = a[mid], a[hi]
			if a[mid].Before(a[lo]) {
				a[mid], a[lo] = a[lo], a[mid]
			}
		}
		pivot, i, j := a[mid], lo, hi
		for i <= j {
			for a[i].Before(pivot) {
				i++
			}
			for pivot.Before(a[j]) {
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
