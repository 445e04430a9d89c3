// Placing every entry of a row among sorted thresholds.

package scan

import (
	"math"
	"slices"
	"sort"
)

// StepTable finds the position of a value among sorted thresholds in constant expected time: a table over equal steps
// between the smallest and the largest threshold holds the start of the search.
type StepTable[K Key] struct {
	keys  []K
	Low   K
	High  K
	scale float64
	start []int32
}

// Reset takes the thresholds, sorted in ascending order, at least one, and makes at least
// perKey steps for each but no more than most.
func (t *StepTable[K]) Reset(keys []K, perKey, limit int) {
	t.keys, t.Low, t.High = keys, keys[0], keys[len(keys)-1]
	bins := 64
	for bins < min(perKey*len(keys), limit) {
		bins *= 2
	}
	t.start = slices.Grow(t.start[:0], bins)[:bins]
	t.scale = float64(bins-1) / float64(t.High-t.Low)
	if !(t.scale > 0) || math.IsInf(t.scale, 1) {
		t.scale = 0
	}
	q := int32(0)
	for b := range t.start {
		for int(q) < len(keys) && t.step(keys[q]) < b {
			q++
		}
		t.start[b] = q
	}
}

// step is monotone in v, for low ≤ v ≤ high.
func (t *StepTable[K]) step(v K) int { return int(float64(v-t.Low) * t.scale) }

// Below returns the number of thresholds smaller than v ≤ high.
func (t *StepTable[K]) Below(v K) int {
	if v <= t.Low {
		return 0
	}
	p := int(t.start[t.step(v)])
	for t.keys[p] < v {
		p++
	}
	return p
}

// CountCloser counts, for thresholds sorted in the order of neighbors, the
// entries of a row that come before each of them. The counts go to
// hist[q·groups+group], where adding up from the first threshold to q gives the
// entries before threshold q; groups is 1 and group nil when no blocks are
// distinguished. ties[p] counts the entries with the key of threshold p, the
// first of its run of equal keys, the threshold itself included.
func CountCloser[K Key](row []K, thresholds []Entry[K], t *StepTable[K], keys []K, group []int32, groups int,
	hist, ties []int32, matches *[Segment]int32) []K {
	keys = keys[:0]
	for _, e := range thresholds {
		keys = append(keys, e.Key)
	}
	t.Reset(keys, 4, math.MaxInt)
	low, high := t.Low, t.High
	for start := 0; start < len(row); start += Segment {
		part := row[start:min(start+Segment, len(row))]
		for _, l := range matches[:AtMost(matches[:], part, high)] {
			v, p := part[l], 0
			l += int32(start)
			if v >= low {
				p = t.Below(v)
				if keys[p] == v {
					ties[p]++
					p = AfterTies(thresholds, p, l)
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

// AfterTies returns the first threshold from p on, the first of a run of equal
// keys, that comes after the entry with the same key and index l.
func AfterTies[K Key](thresholds []Entry[K], p int, l int32) int {
	v := thresholds[p].Key
	return p + sort.Search(len(thresholds)-p, func(q int) bool {
		e := thresholds[p+q]
		return e.Key > v || e.Index > l
	})
}

// AccumulateRanks adds the counts between thresholds up to ranks.
func AccumulateRanks(place []int32, grouped bool, groups int, hist, rank, closer []int32) {
	if !grouped {
		sum := int32(1)
		for p, q := range place {
			sum += hist[p]
			rank[q] = sum
		}
		return
	}
	for p, q := range place {
		counts := hist[p*groups : (p+1)*groups]
		if p > 0 {
			for g, c := range hist[(p-1)*groups : p*groups] {
				counts[g] += c
			}
		}
		total := int32(1)
		for _, c := range counts {
			total += c
		}
		rank[q] = total
		copy(closer[int(q)*groups:], counts)
	}
}
