// The labels of nearest neighbors.

package cluster

import (
	"context"

	"repscope/neighbors"
	"repscope/points"
)

// Consistency is how the labels of the K nearest neighbors agree with a point's own.
type Consistency struct {
	K       int
	Correct []float64 // per point: 1 where the majority vote is its own label, else 0
	Purity  []float64 // per point: share of the neighbors with its own label
}

// FewestCandidates is the smallest number of other points that a point can have as
// neighbors where those at most window places apart in its episode are none: the
// largest k of [LabelConsistency]. nil episodes mean one.
func FewestCandidates(n, window int, episode []int) int {
	places := map[int][]int{} // of the points of each episode
	for i := range n {
		e := 0
		if episode != nil {
			e = episode[i]
		}
		places[e] = append(places[e], i)
	}
	fewest := n - 1
	for _, list := range places {
		lo, hi := 0, 0
		for _, i := range list {
			for list[lo] < i-window {
				lo++
			}
			for hi < len(list) && list[hi] <= i+window {
				hi++
			}
			fewest = min(fewest, n-(hi-lo))
		}
	}
	return fewest
}

// LabelConsistency looks at the k nearest neighbors of every point, for every k of ks,
// the point itself left out: the accuracy of a majority vote (leave one out) is the
// mean of Correct. The neighbors are searched once, as o says. A tied vote goes to
// the label whose nearest member is nearest, equal distances to the lower index.
// Errors are those of [neighbors.KNearest]; k at most [FewestCandidates].
func LabelConsistency(ctx context.Context, pts points.Points, p Partition, ks []int, o neighbors.Options) ([]Consistency, error) {
	largest := 0
	for _, k := range ks {
		largest = max(largest, k)
	}
	nearest, err := neighbors.KNearest(ctx, pts, largest, o)
	if err != nil {
		return nil, err
	}
	vote := newVote(p)
	out := make([]Consistency, len(ks))
	for q, k := range ks {
		c := Consistency{K: k, Correct: make([]float64, pts.N), Purity: make([]float64, pts.N)}
		for i := range pts.N {
			c.Correct[i], c.Purity[i] = vote.of(i, nearest.Index[i*nearest.K:(i+1)*nearest.K], k)
		}
		out[q] = c
	}
	return out, nil
}

// vote counts the labels of neighbors.
type vote struct {
	p     Partition
	votes []int // of each group, 0 between two counts
}

func newVote(p Partition) *vote { return &vote{p: p, votes: make([]int, p.Groups())} }

// of returns whether the majority of the first k of a list has the label of point i,
// and the share of them that have it. The list may be longer.
func (v *vote) of(i int, list []int32, k int) (correct, purity float64) {
	list = list[:k]
	for _, j := range list {
		v.votes[v.p.Of[j]]++
	}
	winner := v.p.Of[list[0]]
	for _, j := range list { // nearest first, so that a tie keeps the earlier label
		if v.votes[v.p.Of[j]] > v.votes[winner] {
			winner = v.p.Of[j]
		}
	}
	if winner == v.p.Of[i] {
		correct = 1
	}
	purity = float64(v.votes[v.p.Of[i]]) / float64(k)
	for _, j := range list {
		v.votes[v.p.Of[j]] = 0
	}
	return correct, purity
}
