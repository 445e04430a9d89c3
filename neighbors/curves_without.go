// Co-ranking curves without each block: counts of max(r, r̂) at some ranks, between which R_NX is interpolated.

package neighbors

import (
	"maps"
	"math"
	"slices"

	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
)

// Every rank up to exactEdges has a count of its own; from there ranks are counted together up to edges that are
// edgeGrowth apart.
const (
	exactEdges = 64
	edgeGrowth = 1.02
)

// curveEdges are the ranks up to which pairs are counted, the last of them n.
func curveEdges(n int) []int {
	var out []int
	for edge := 1; edge < n; {
		out = append(out, edge)
		if edge++; edge > exactEdges {
			edge = max(edge, int(edgeGrowth*float64(edge-1)))
		}
	}
	return append(out, n)
}

// edgeOf is the index of the edge that each rank is counted up to; entry 0 belongs to rank 1.
func edgeOf(edges []int) []int32 {
	out := make([]int32, edges[len(edges)-1])
	e := int32(0)
	for r := range out {
		for edges[e] < r+1 {
			e++
		}
		out[r] = e
	}
	return out
}

// withoutCounter adds rows to the counts of the curves without each block.
type withoutCounter struct {
	edges  []int
	edge   []int32
	places [2][]position // of each point in the two spaces, without a block
	order  []int32
}

// newWithoutCounter returns nil without curves or blocks.
func (p *Pass) newWithoutCounter() *withoutCounter {
	if !p.curves || p.group == nil {
		return nil
	}
	edges := curveEdges(p.n)
	return &withoutCounter{edges: edges, edge: edgeOf(edges)}
}

// add adds the row of a point of a block, whose candidates in both spaces are listed in full. Runs of equal distances
// are nil where the lists are in order.
func (c *withoutCounter) add(group []int32, block int32, first, second rows.Listed, without [][]Fixed) {
	tied := first.Run != nil && first.Tied() || second.Run != nil && second.Tied()
	for s := range c.places {
		c.places[s] = slices.Grow(c.places[s][:0], len(group))[:len(group)]
	}
	for g := range without {
		if int32(g) == block {
			continue
		}
		if !tied {
			c.certain(group, int32(g), first.Index, second.Index, without[g])
			continue
		}
		c.place(0, group, int32(g), first)
		c.place(1, group, int32(g), second)
		for _, j := range second.Index {
			if group[j] != int32(g) {
				c.pair(c.places[0][j], c.places[1][j], without[g])
			}
		}
	}
}

// certain adds the pairs of a row without ties.
func (c *withoutCounter) certain(group []int32, g int32, first, second []int32, counts []Fixed) {
	c.order = scan.Grown(c.order, len(group))
	rank := int32(0)
	for _, j := range first {
		if group[j] != g {
			c.order[j] = rank
			rank++
		}
	}
	rank = 0
	for _, j := range second {
		if group[j] != g {
			counts[c.edge[max(rank, c.order[j])]].Whole++
			rank++
		}
	}
}

// place finds where the points outside a block lie in a row with ties.
func (c *withoutCounter) place(space int, group []int32, g int32, l rows.Listed) {
	below := 0
	for lo := 0; lo < len(l.Index); {
		hi, tied := rows.RunEnd(l.Run, lo), 0
		for _, j := range l.Index[lo:hi] {
			if group[j] != g {
				tied++
			}
		}
		for _, j := range l.Index[lo:hi] {
			c.places[space][j] = position{below, tied}
		}
		below += tied
		lo = hi
	}
}

// pair adds the probability that max(r, r̂) of a pair is up to each edge, and beyond the one before.
func (c *withoutCounter) pair(a, b position, counts []Fixed) {
	from := c.edge[max(a.below, b.below)]
	if a.tied == 1 && b.tied == 1 {
		counts[from].Whole++
		return
	}
	den, before := uint64(a.tied)*uint64(b.tied), 0
	for e := int(from); before < int(den); e++ {
		now := a.within(c.edges[e]) * b.within(c.edges[e])
		counts[e].addRatio(1, uint64(now-before), den)
		before = now
	}
}

// curveScores are the numbers of a curve.
type curveScores struct {
	area           float64
	star           int
	local, global  float64
	sameLo, sameHi float64 // local and global with the K* of all points
}

// curvesWithout are the curves' numbers without each block, less what interpolation alone changes.
func (p *Pass) curvesWithout(c *Curves, best []Fixed, without [][]Fixed) []CurveReplicate {
	edges := curveEdges(p.n)
	edge, all := edgeOf(edges), make([]Fixed, len(edges))
	for r, v := range best {
		all[edge[r]].add(v)
	}
	whole := curveOf(edges, all, p.candidates, c.KStar)
	out := make([]CurveReplicate, len(without))
	for g := range without {
		v := curveOf(edges, without[g], p.deleted[g], c.KStar)
		out[g] = CurveReplicate{
			AUCRNX:  c.AUCRNX + v.area - whole.area,
			QLocal:  c.QLocal + farther(v.local-whole.local, v.sameLo-whole.sameLo),
			QGlobal: c.QGlobal + farther(v.global-whole.global, v.sameHi-whole.sameHi),
		}
	}
	return out
}

// farther is the one that is farther from 0.
func farther(a, b float64) float64 {
	if math.Abs(b) > math.Abs(a) {
		return b
	}
	return a
}

// curveOf computes a curve from counts up to edges; between them R_NX is linear in K. Where the curve is shorter than
// star, this is its last K.
func curveOf(edges []int, counts []Fixed, candidates map[int]int64, star int) curveScores {
	sizes, points := slices.Sorted(maps.Keys(candidates)), int64(0)
	inverse := 0.0 // Σ_i 1/m_i
	for _, m := range sizes {
		points += candidates[m]
		inverse += float64(candidates[m]) / float64(m)
	}
	n := float64(points)
	last := min(int(points)-2, sizes[0]-1)
	share := func(k int) float64 { return float64(k) * inverse / n }
	atEdges, common := make([]float64, len(edges)), 0.0 // R_NX
	for e, k := range edges {
		if common += counts[e].Float(); k <= last {
			atEdges[e] = (common/(n*float64(k)) - share(k)) / (1 - share(k))
		} else {
			atEdges[e] = atEdges[e-1] // the end of the curve
		}
	}
	var out curveScores
	var area, weight float64
	peak, q, e := math.Inf(-1), make([]float64, last), 0
	for k := 1; k <= last; k++ {
		for edges[e] < k {
			e++
		}
		r := atEdges[e]
		if edges[e] > k {
			r += (atEdges[e-1] - r) * float64(edges[e]-k) / float64(edges[e]-edges[e-1])
		}
		lcmc := r * (1 - share(k))
		q[k-1] = lcmc + share(k)
		area += r / float64(k)
		weight += 1 / float64(k)
		if lcmc > peak {
			peak, out.star = lcmc, k
		}
	}
	star = min(star, last)
	out.area = area / weight
	out.local, out.global = mean(q[:out.star]), mean(q[out.star-1:])
	out.sameLo, out.sameHi = mean(q[:star]), mean(q[star-1:])
	return out
}
