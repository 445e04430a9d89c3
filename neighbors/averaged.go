// Expectations over random orders of equal distances.
//
// Let the order of equal distances be uniformly random, in every row and in both spaces independently. A point j whose
// distance t candidates share, itself included, with A strictly nearer ones, has a rank r that is uniform on A+1 … A+t;
// the same with hats in the other space. Every score is a sum over j of terms in r and r̂ of that point alone. As r and
// r̂ are independent, expectations are products:
//
// 	E[(r−k)·1{r̂ ≤ k, r > k}] = P(r̂ ≤ k)·E[max(r−k, 0)],  P(r̂ ≤ k) = min(max(k−Â, 0), t̂)/t̂
// 	E[1{r ≤ k, r̂ ≤ k}]       = P(r ≤ k)·P(r̂ ≤ k)
// 	E[|r−r̂|/r̂·1{r̂ ≤ k}]     = Σ_{l ≤ k} P(r̂ = l)·E|r−l|/l
//
// With t = t̂ = 1 each equals its value without ties. Deleting a block removes its points from A, t, Â and t̂: a random
// order of ties, restricted to a subset, is a random order of the subset.

package neighbors

import (
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
)

// position is the position of a point in a row: the number of candidates strictly nearer, and the number at its
// distance, itself included.
type position struct{ below, tied int }

// within is t times the probability of a rank up to k.
func (a position) within(k int) int { return min(max(k-a.below, 0), a.tied) }

// beyond is t times the expectation of max(r−k, 0).
func (a position) beyond(k int) int {
	low, high := max(a.below, k), a.below+a.tied
	if low >= high {
		return 0
	}
	return (high - low) * (high + low + 1 - 2*k) / 2
}

// apart is t times the expectation of |r−l|.
func (a position) apart(l int) int {
	// Ranks above l, and the ranks below mirrored.
	above := a.beyond(l)
	low, high := a.below+1, min(a.below+a.tied, l)
	if low > high {
		return above
	}
	return above + (high-low+1)*(2*l-low-high)/2
}

// expect adds a neighbor with its positions in both spaces.
func (p *Pass) expect(here, other position, penalty, common, errors, point []Fixed) {
	if here.tied == 1 && other.tied == 1 {
		p.expectCertain(here.below+1, other.below+1, penalty, common, errors, point)
		return
	}
	den := uint64(here.tied) * uint64(other.tied)
	for q, k := range p.sorted {
		in := here.within(k)
		if in == 0 {
			continue
		}
		if excess := other.beyond(k); excess > 0 {
			penalty[q].addRatio(uint64(in), uint64(excess), den)
			if point != nil {
				point[q].addRatio(uint64(in), uint64(excess), den)
			}
		}
		if common != nil {
			if inside := other.within(k); inside > 0 {
				common[q].addRatio(uint64(in), uint64(inside), den)
			}
		}
	}
	if errors == nil {
		return
	}
	for l := here.below + 1; l <= min(here.below+here.tied, p.kmax); l++ {
		errors[l-1].addRatio(1, uint64(other.apart(l)), den)
	}
}

// expectCertain is expect of a point of rank l in the one space and r in the other.
func (p *Pass) expectCertain(l, r int, penalty, common, errors, point []Fixed) {
	if l > p.kmax {
		return
	}
	if errors != nil {
		errors[l-1].Whole += int64(max(r-l, l-r))
	}
	for q := len(p.sorted) - 1; q >= 0 && p.sorted[q] >= l; q-- {
		if excess := r - p.sorted[q]; excess > 0 {
			penalty[q].Whole += int64(excess)
			if point != nil {
				point[q].Whole += int64(excess)
			}
		} else if common != nil {
			common[q].Whole++
		}
	}
}

// expectAll adds the neighbors of a list, with their positions in the other space.
func (p *Pass) expectAll(list rows.Listed, pos *rows.Places, penalty, common, errors, point []Fixed) {
	for lo := 0; lo < len(list.Index); {
		hi := rows.RunEnd(list.Run, lo)
		for q := lo; q < hi; q++ {
			p.expect(position{lo, hi - lo}, position{int(pos.Below[q]), int(pos.Tied[q])}, penalty, common, errors, point)
		}
		lo = hi
	}
}

// average adds the neighbors of point i in one space by their positions in the other, w.places. It does so for all
// points, and for each deleted block except the point's own.
func (w *rowCounter) average(i int, list rows.Listed, sums *PartialSpace, point []Fixed, trust bool) {
	p := w.pass
	penalty, common, errors := sums.side(trust)
	p.expectAll(list, &w.places, penalty, common, errors, point)
	clear(w.ahead)
	for lo := 0; p.group != nil && lo < len(list.Index); {
		hi := rows.RunEnd(list.Run, lo)
		w.averageWithout(i, list.Index, lo, hi, sums.Deleted, trust)
		lo = hi
	}
}

// averageWithout adds entries lo … hi−1 of a list, all at one distance, to the sums of every block except their own and
// the block of point i. w.ahead holds the blocks of the points before lo.
func (w *rowCounter) averageWithout(i int, list []int32, lo, hi int, deleted []Sums, trust bool) {
	p, positions, groups := w.pass, &w.places, len(deleted)
	clear(w.same)
	for _, j := range list[lo:hi] {
		w.same[p.group[j]]++
	}
	for q := lo; q < hi; q++ {
		mine := p.group[list[q]]
		belowOf := positions.BelowOf[q*groups : (q+1)*groups]
		for g := range deleted {
			without := position{lo - int(w.ahead[g]), hi - lo - int(w.same[g])}
			if g == int(mine) || g == int(p.group[i]) || without.below >= p.kmax {
				continue
			}
			other := position{int(positions.Below[q] - belowOf[g]), int(positions.Tied[q])}
			if positions.Ties {
				other.tied -= int(positions.TiedOf[q*groups+g])
			}
			penalty, common, errors := deleted[g].side(trust)
			p.expect(without, other, penalty, common, errors, nil)
		}
	}
	for g, c := range w.same {
		w.ahead[g] += c
	}
}

// curveCounter adds rows to the co-ranking curves: the expected numbers of pairs with
// max(r, r̂) = x for every x. For one pair P(max ≤ x) = P(r ≤ x)·P(r̂ ≤ x). Where x is beyond all
// ranks that r can have, P(max = x) is 1/t̂ for every x that r̂ can have, and the other way round:
// such stretches are counted in whole numbers for all pairs of a run and divided once.
type curveCounter struct {
	first, second rows.Listed // whole rows
	place         []int32
	size          [2][]int32 // of the runs, at their first index
	steps         [2][]int64 // changes of the number of pairs with weight 1/size at each x
}

// add adds the row of point i.
func (c *curveCounter) add(i int, first, second rows.Worker, best []Fixed) {
	n := len(best)
	c.first.Index, c.first.Run = first.NearestTied(i, n, c.first.Index, c.first.Run)
	c.second.Index, c.second.Run = second.NearestTied(i, n, c.second.Index, c.second.Run)
	c.place = scan.Grown(c.place, n)
	for at, j := range c.first.Index {
		c.place[j] = int32(at)
	}
	if !c.first.Tied() && !c.second.Tied() {
		for at, j := range c.second.Index {
			best[max(int32(at), c.place[j])].Whole++
		}
		return
	}
	for s, l := range []rows.Listed{c.first, c.second} {
		c.size[s] = scan.Grown(c.size[s], n)
		for at, lo := range l.Run {
			c.size[s][lo] = int32(at) - lo + 1
		}
		c.steps[s] = scan.Zeroed(c.steps[s], n+1)
	}
	for at, j := range c.second.Index {
		a, b := c.first.Run[c.place[j]], c.second.Run[at]
		c.pair(position{int(a), int(c.size[0][a])}, position{int(b), int(c.size[1][b])}, best)
	}
	for s, l := range []rows.Listed{c.first, c.second} {
		c.spread(l.Run, c.size[s], c.steps[s], best)
	}
}

// pair adds one pair at a in the first space and at b in the second. Entry x of best belongs to
// rank x+1.
func (c *curveCounter) pair(a, b position, best []Fixed) {
	if a.tied == 1 && b.tied == 1 {
		best[max(a.below, b.below)].Whole++
		return
	}
	endA, endB := a.below+a.tied, b.below+b.tied
	low, high := max(a.below, b.below), min(endA, endB)
	den := uint64(a.tied) * uint64(b.tied)
	before := 0
	for x := low; x < high; x++ {
		now := a.within(x+1) * b.within(x+1)
		best[x].addRatio(1, uint64(now-before), den)
		before = now
	}
	if from := max(endA, b.below); from < endB {
		c.steps[1][from]++
		c.steps[1][endB]--
	}
	if from := max(endB, a.below); from < endA {
		c.steps[0][from]++
		c.steps[0][endA]--
	}
}

// spread divides the counts of the runs of one space.
func (c *curveCounter) spread(run, size []int32, steps []int64, best []Fixed) {
	pairs := int64(0)
	for x, lo := range run {
		if pairs += steps[x]; pairs > 0 {
			best[x].addRatio(1, uint64(pairs), uint64(size[lo]))
		}
	}
}
