// Positions of points in a row, with the number of points at equal distance: averages over the orders of ties need them
// instead of ranks.

package rows

import (
	"math"

	"repscope/neighbors/internal/scan"
)

// Places holds the positions of points in a row.
type Places struct {
	// Below[q] is the number of candidates strictly nearer than point q of the list, and Tied[q] the number at its
	// distance, itself included.
	Below, Tied []int32
	// BelowOf and TiedOf count the candidates of each block, at [q·groups+g]. TiedOf is
	// filled only where Ties.
	BelowOf, TiedOf []int32
	// Ties reports that some point of the list has another at its distance.
	Ties bool
}

// tie is a candidate at the distance of a threshold.
type tie struct{ threshold, point int32 }

// Reset allocates count points and groups blocks, 0 if blocks are not counted.
func (p *Places) Reset(count, groups int) {
	p.Below, p.Tied = scan.Grown(p.Below, count), scan.Grown(p.Tied, count)
	p.BelowOf = scan.Grown(p.BelowOf, count*groups)
	p.Ties = false
}

// blocks is whose blocks are counted and how many there are, at least 1.
func (b *base) blocks(grouped bool) ([]int32, int) {
	if !grouped || b.group == nil {
		return nil, 1
	}
	return b.group, b.groups
}

// Place implements Placer.
func (w *exactWorker[K]) Place(i int, list []int32, grouped bool, p *Places) {
	group, groups := w.space.blocks(grouped)
	counted := 0
	if group != nil {
		counted = groups
	}
	p.Reset(len(list), counted)
	if len(list) == 0 {
		return
	}
	row := w.space.row(i)
	w.thresholds = w.thresholds[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, scan.Entry[K]{Key: row[j], Index: j})
	}
	w.place = w.sorter.Sort(w.thresholds)
	w.hist, w.ties = scan.Zeroed(w.hist, (len(list)+1)*groups), scan.Zeroed(w.ties, len(list))
	w.keys = w.keys[:0] // each once
	for index, e := range w.thresholds {
		if index == 0 || e.Key != w.keys[len(w.keys)-1] {
			w.keys = append(w.keys, e.Key)
		}
	}
	w.steps.Reset(w.keys, 4, math.MaxInt)
	low, high := w.steps.Low, w.steps.High
	w.hits = w.hits[:0]
	for start := 0; start < len(row); start += scan.Segment {
		part := row[start:min(start+scan.Segment, len(row))]
		for _, l := range w.found[:scan.AtMost(w.found[:], part, high)] {
			v, key := part[l], 0
			l += int32(start)
			if v >= low {
				if key = w.steps.Below(v); w.keys[key] == v {
					w.hits = append(w.hits, tie{int32(key), l})
					w.ties[key]++
					continue
				}
			}
			if group != nil {
				key = key*groups + int(group[l])
			}
			w.hist[key]++
		}
	}
	w.settlePlaces(p, group, groups)
}

// settlePlaces adds up the counts of Place below and at the different keys of the list.
func (w *exactWorker[K]) settlePlaces(p *Places, group []int32, groups int) {
	p.Ties = len(w.hits) > len(w.place)
	if w.run = scan.Grown(w.run, len(w.place)); len(w.place) > len(w.keys) {
		p.Ties = true // points of the list at one distance
	}
	for index, e := range w.thresholds {
		switch {
		case index == 0:
			w.run[index] = 0
		case e.Key == w.thresholds[index-1].Key:
			w.run[index] = w.run[index-1]
		default:
			w.run[index] = w.run[index-1] + 1
		}
	}
	// Equal points of one key come before the next.
	if group != nil {
		if p.Ties {
			w.tiedOf = scan.Zeroed(w.tiedOf, len(w.keys)*groups)
		}
		for _, h := range w.hits {
			w.hist[(int(h.threshold)+1)*groups+int(group[h.point])]++
			if p.Ties {
				w.tiedOf[int(h.threshold)*groups+int(group[h.point])]++
			}
		}
		if p.Ties {
			p.TiedOf = scan.Grown(p.TiedOf, len(w.place)*groups)
		}
	} else {
		for at := range w.keys {
			w.hist[at+1] += w.ties[at]
		}
	}
	for key := 1; key < len(w.keys); key++ {
		before, counts := w.hist[(key-1)*groups:key*groups], w.hist[key*groups:(key+1)*groups]
		for g, c := range before {
			counts[g] += c
		}
	}
	for index, q := range w.place {
		run := int(w.run[index])
		counts := w.hist[run*groups : (run+1)*groups]
		sum := int32(0)
		for _, c := range counts {
			sum += c
		}
		p.Below[q], p.Tied[q] = sum, w.ties[run]
		if group == nil {
			continue
		}
		copy(p.BelowOf[int(q)*groups:], counts)
		if p.Ties {
			copy(p.TiedOf[int(q)*groups:int(q+1)*groups], w.tiedOf[run*groups:])
		}
	}
}

// Place implements Placer. Equal points of the list are examined once.
func (w *boundedWorker[F]) Place(i int, list []int32, grouped bool, p *Places) {
	s := w.space
	group, groups := s.blocks(grouped)
	counted := 0
	if group != nil {
		counted = groups
	}
	p.Reset(len(list), counted)
	if len(list) == 0 {
		return
	}
	w.findUnique(list)
	if len(w.unique) >= s.N/4 {
		w.order, w.runs = w.NearestTied(i, s.N, w.order, w.runs)
		w.whole.places(list, w.order, w.runs, group, groups, s.N, p)
		return
	}
	w.enter(i)
	row := w.setThresholds(i, w.unique)
	w.hist = scan.Zeroed(w.hist, (len(w.unique)+1)*groups)
	w.steps.Reset(w.high, 4, math.MaxInt)
	w.pending, w.ties = w.pending[:0], w.ties[:0]
	w.reach = scan.Zeroed(w.reach, len(w.unique)*groups)
	last := w.steps.High
	for start := 0; start < len(row); start += scan.Segment {
		part := row[start:min(start+scan.Segment, len(row))]
		for _, l := range w.found[:scan.AtMost(w.found[:], part, last)] {
			v, key := part[l], 0
			l += int32(start)
			if v >= w.steps.Low {
				key = w.steps.Below(v)
			}
			if w.low[key] <= v {
				if len(w.pending) > maxPending {
					w.decidePlaces(group, groups)
				}
				key = w.compareNear(v, l, key, group, groups)
			}
			if group != nil {
				key = key*groups + int(group[l])
			}
			w.hist[key]++
		}
	}
	w.decidePlaces(group, groups)
	w.settlePlaces(list, p, group, groups)
}

// findUnique sets w.unique to the points of the list, one of equal ones.
func (w *boundedWorker[F]) findUnique(list []int32) {
	if w.slot == nil {
		w.slot = make([]int32, w.space.N)
		for j := range w.slot {
			w.slot[j] = -1
		}
	}
	for _, j := range w.unique {
		w.slot[w.space.first[j]] = -1
	}
	w.unique = w.unique[:0]
	for _, j := range list {
		if at := &w.slot[w.space.first[j]]; *at < 0 {
			*at = int32(len(w.unique))
			w.unique = append(w.unique, j)
		}
	}
}

// decidePlaces settles the pending comparisons and keeps the ties among them.
func (w *boundedWorker[F]) decidePlaces(group []int32, groups int) {
	s := w.space
	w.computePending()
	for _, c := range w.pending {
		t := w.thresholds[c.threshold].Index
		if s.first[t] != s.first[c.point] {
			a, b := w.key(c.point), w.key(t)
			if a < b {
				w.count(c, group, groups)
			}
			if a != b {
				continue
			}
		}
		w.ties = append(w.ties, tie(c))
	}
	w.pending = w.pending[:0]
}

// settlePlaces adds up the counts of Place below and at the unique points of the list.
func (w *boundedWorker[F]) settlePlaces(list []int32, p *Places, group []int32, groups int) {
	s, many := w.space, len(w.unique)
	w.below, w.tied = scan.Grown(w.below, many), scan.Grown(w.tied, many)
	var belowOf []int32
	if group != nil {
		w.belowOf = scan.Grown(w.belowOf, many*groups)
		belowOf = w.belowOf
	}
	scan.AccumulateRanks(w.place, group != nil, groups, w.hist, w.below, belowOf)
	p.Ties = len(w.ties) > 0
	if group != nil && p.Ties {
		w.tiedOf, p.TiedOf = scan.Zeroed(w.tiedOf, many*groups), scan.Grown(p.TiedOf, len(list)*groups)
	}
	for index, q := range w.place {
		w.below[q]-- // ranks begin at 1
		w.tied[q] = 1
		for g, c := range w.reach[index*groups : (index+1)*groups] {
			w.below[q] += c
			if group != nil {
				belowOf[int(q)*groups+g] += c
			}
		}
		if group != nil && p.Ties {
			w.tiedOf[int(q)*groups+int(group[w.unique[q]])]++
		}
	}
	for _, t := range w.ties {
		q := w.place[t.threshold]
		w.tied[q]++
		if group != nil {
			w.tiedOf[int(q)*groups+int(group[t.point])]++
		}
	}
	for q, j := range list {
		slot := int(w.slot[s.first[j]])
		p.Below[q], p.Tied[q] = w.below[slot], w.tied[slot]
		if group == nil {
			continue
		}
		copy(p.BelowOf[q*groups:], belowOf[slot*groups:(slot+1)*groups])
		if p.Ties {
			copy(p.TiedOf[q*groups:(q+1)*groups], w.tiedOf[slot*groups:])
		}
	}
}

// places is Place from a fully sorted row, with its runs of ties.
func (w *wholeRow) places(list, order, run, group []int32, groups, n int, p *Places) {
	w.at = scan.Grown(w.at, n)
	for at, j := range order {
		w.at[j] = int32(at)
	}
	w.measure(run)
	for q, j := range list {
		lo := run[w.at[j]]
		p.Below[q], p.Tied[q] = lo, w.size[lo]
		p.Ties = p.Ties || w.size[lo] > 1
	}
	if group == nil {
		return
	}
	// The blocks of all points before each run and of the run's own points.
	p.TiedOf = scan.Grown(p.TiedOf, len(list)*groups)
	w.members = w.members[:0]
	for q, j := range list {
		w.members = append(w.members, scan.Entry[int32]{Key: run[w.at[j]], Index: int32(q)})
	}
	scan.SortEntries(w.members)
	w.before, w.within = scan.Zeroed(w.before, groups), scan.Zeroed(w.within, groups)
	lo, hi := 0, 0 // the run that within counts
	for _, e := range w.members {
		for int(e.Key) >= hi {
			for g, c := range w.within {
				w.before[g] += c
			}
			clear(w.within)
			lo = hi
			for hi < len(order) && int(run[hi]) == lo {
				w.within[group[order[hi]]]++
				hi++
			}
		}
		copy(p.BelowOf[int(e.Index)*groups:], w.before)
		copy(p.TiedOf[int(e.Index)*groups:int(e.Index+1)*groups], w.within)
	}
}

// measure sets the sizes of the runs at their first index.
func (w *wholeRow) measure(run []int32) {
	w.size = scan.Grown(w.size, len(run))
	for at, lo := range run {
		w.size[lo] = int32(at) - lo + 1
	}
}
