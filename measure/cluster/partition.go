// Partitions of points into groups.

package cluster

import (
	"fmt"
	"slices"

	"repscope/stat"
)

// Partition assigns every point to one of the groups 0 … Groups−1. Each group
// has at least one point.
type Partition struct {
	Of     []int   // the group of each point
	Labels []int64 // the label of each group, ascending
	Sizes  []int
}

// NewPartition groups points by equal labels [n]. Groups are numbered by ascending label. No labels give no groups.
func NewPartition(labels []int64) Partition {
	p := Partition{Of: make([]int, len(labels)), Labels: slices.Compact(slices.Sorted(slices.Values(labels)))}
	p.Sizes = make([]int, len(p.Labels))
	for i, v := range labels {
		p.Of[i], _ = slices.BinarySearch(p.Labels, v)
		p.Sizes[p.Of[i]]++
	}
	return p
}

// Groups is the number of groups.
func (p Partition) Groups() int { return len(p.Labels) }

// check returns an error unless there are n points in 2 … n−1 groups.
func (p Partition) check(quantity string, n int) error {
	if len(p.Of) != n {
		return fmt.Errorf("%s: %d labels for %d points", quantity, len(p.Of), n)
	}
	switch g := p.Groups(); {
	case g < 2:
		return stat.Undefined(quantity, "all %d points are in one group", n)
	case g >= n:
		return stat.Undefined(quantity, "each of the %d points is its own group", n)
	}
	return nil
}

// order lists the points group by group, and where each group starts.
func (p Partition) order() (order, start []int) {
	start = make([]int, p.Groups()+1)
	for g, size := range p.Sizes {
		start[g+1] = start[g] + size
	}
	order = make([]int, len(p.Of))
	next := slices.Clone(start)
	for i, g := range p.Of {
		order[next[g]] = i
		next[g]++
	}
	return order, start
}

// Chance returns the expectation for random neighbors: for the accuracy of a majority vote, the share
// of the largest group; for the purity, the probability that another point has the same label; see
// [Consistency]. A single point has a purity of NaN.
func (p Partition) Chance() (accuracy, purity float64) {
	n := float64(len(p.Of))
	for _, size := range p.Sizes {
		accuracy = max(accuracy, float64(size)/n)
		purity += float64(size) / n * float64(size-1) / (n - 1)
	}
	return accuracy, purity
}
