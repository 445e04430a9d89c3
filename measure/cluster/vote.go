// The vote of nearest neighbors where distances tie.

package cluster

import (
	"math"
	"slices"
)

// contender is a label among the neighbors of a point.
type contender struct {
	label int
	votes int // of neighbors that belong to the k nearest in any order
	// first is the place of the run of equal distances in which its nearest such neighbor lies,
	// and inFirst how many it has there.
	first, inFirst int
	open           int // neighbors in the run where only some belong to the k nearest
}

// voter votes for one point after the other.
type voter struct {
	of     []int // the label of each point
	logs   logFactorials
	seen   []*contender // by label
	list   []contender
	ways   []float64 // at [drawn·(k+1) + rivals]
	beyond []float64
}

func newVoter(p Partition, logs logFactorials) *voter {
	return &voter{of: p.Of, logs: logs, seen: make([]*contender, p.Groups())}
}

// vote is the probability that the label own gets most votes of the k nearest, and the mean
// share of the votes that it gets. run is as [neighbors.Space.VisitTied] has it: of the run that
// holds the k-th neighbor, all members are listed, and any of them may be among the k.
//
// Of t members m are drawn; how many of each label is hypergeometric. Among labels with equal votes
// the one with the nearest member wins. Where these lie at one distance, each member there is the
// first of them with the same probability.
func (v *voter) vote(label int, index, run []int32, k int) (correct, purity float64) {
	lo := int(run[k-1])
	hi := lo + 1
	for hi < len(run) && int(run[hi]) == lo {
		hi++
	}
	if hi == k {
		lo = k // nothing is open
	}
	v.count(index[:hi], run, lo)
	draws, members := k-lo, hi-lo
	mine := contender{label: label}
	if c := v.seen[label]; c != nil {
		mine = *c
	}
	purity = float64(mine.votes)
	if draws > 0 {
		purity += float64(draws) * float64(mine.open) / float64(members)
	}
	for drawn := max(0, draws-(members-mine.open)); drawn <= min(draws, mine.open); drawn++ {
		if mine.votes+drawn == 0 {
			continue
		}
		p := v.logs.drawn(mine.open, drawn, members, draws)
		correct += p * v.wins(mine, drawn, lo, members-mine.open, draws-drawn, k)
	}
	for _, c := range v.list {
		v.seen[c.label] = nil
	}
	return correct, purity / float64(k)
}

// count lists the labels of the neighbors; those from place lo on are open.
func (v *voter) count(index, run []int32, lo int) {
	v.list = slices.Grow(v.list[:0], len(index)) // so that pointers stay
	for rank, j := range index {
		label := v.of[j]
		c := v.seen[label]
		if c == nil {
			v.list = append(v.list, contender{label: label})
			c = &v.list[len(v.list)-1]
			v.seen[label] = c
		}
		switch {
		case rank >= lo:
			c.open++
			continue
		case c.votes == 0:
			c.first, c.inFirst = int(run[rank]), 1
		case int(run[rank]) == c.first:
			c.inFirst++
		}
		c.votes++
	}
}

// wins is the probability that label mine wins with drawn of its open members drawn, given that
// draws of the other members, from place lo on, are drawn.
func (v *voter) wins(mine contender, drawn, lo, members, draws, k int) float64 {
	votes, first, weight := mine.votes+drawn, mine.first, mine.inFirst
	if mine.votes == 0 {
		first, weight = lo, drawn
	}
	// Known for any draw: rivals are members of labels with as many votes at the
	// distance of mine's nearest.
	rivals := 0
	for _, c := range v.list {
		if c.label == mine.label || c.votes < votes {
			continue
		}
		if c.votes > votes || c.first < first && (c.open == 0 || draws == 0) {
			return 0
		}
		if c.open == 0 && c.first == first {
			rivals += c.inFirst
		}
	}
	if draws == 0 {
		for _, c := range v.list {
			if c.label != mine.label && c.open > 0 && c.votes == votes && c.first == first {
				rivals += c.inFirst
			}
		}
		return float64(weight) / float64(weight+rivals)
	}
	width := k + 1
	v.ways = zeros(v.ways, (draws+1)*width)
	v.ways[rivals] = 1
	for _, c := range v.list {
		if c.label == mine.label || c.open == 0 {
			continue
		}
		v.drawFrom(c, votes, first, lo, members, draws, width)
		members -= c.open
	}
	sum := 0.0
	for s, p := range v.ways[draws*width:] {
		sum += p * float64(weight) / float64(weight+s)
	}
	return sum
}

// drawFrom goes on from the probabilities of v.ways by the draws of one label's open members.
// members and draws are the numbers that remain.
func (v *voter) drawFrom(c contender, votes, first, lo, members, draws, width int) {
	v.beyond = zeros(v.beyond, len(v.ways))
	for before := 0; before <= draws; before++ {
		rest := draws - before
		for d := max(0, rest-(members-c.open)); d <= min(rest, c.open, votes-c.votes); d++ {
			rivals := 0
			if c.votes+d == votes {
				place, there := c.first, c.inFirst
				if c.votes == 0 {
					place, there = lo, d
				}
				if place < first {
					continue // it wins
				}
				if place == first {
					rivals = there
				}
			}
			p := v.logs.drawn(c.open, d, members, rest)
			for s, q := range v.ways[before*width : (before+1)*width-rivals] {
				if q != 0 {
					v.beyond[(before+d)*width+s+rivals] += q * p
				}
			}
		}
	}
	v.ways, v.beyond = v.beyond, v.ways
}

func zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	x = x[:n]
	clear(x)
	return x
}

// logFactorials are ln 0!, ln 1!, …
type logFactorials []float64

func newLogFactorials(n int) logFactorials {
	out := make(logFactorials, n+1)
	for i := range out {
		out[i], _ = math.Lgamma(float64(i) + 1)
	}
	return out
}

// choose is the logarithm of the binomial coefficient.
func (l logFactorials) choose(n, k int) float64 { return l[n] - l[k] - l[n-k] }

// drawn is the probability that draws from members, some of them special, without
// replacement take k special ones.
func (l logFactorials) drawn(special, k, members, draws int) float64 {
	if special == 0 || draws == 0 || special == members {
		return 1 // k is what it must be
	}
	return math.Exp(l.choose(special, k) + l.choose(members-special, draws-k) - l.choose(members, draws))
}
