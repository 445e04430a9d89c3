// The labels of nearest neighbors.

package cluster

import (
	"context"
	"slices"
	"sync"

	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Consistency is how the labels of the K nearest neighbors agree with a point's own.
type Consistency struct {
	K       int
	Correct []float64 // per point: 1 where the majority vote is its own label, else 0; see LabelConsistency for ties
	Purity  []float64 // per point: share of the neighbors with its own label
}

// FewestCandidates returns the smallest number of possible neighbors of a point outside the exclusion
// window of o: the largest k of [LabelConsistency].
func FewestCandidates(n int, o neighbors.Options) int {
	places := map[int][]int{} // of the points of each episode
	for i := range n {
		e := 0
		if o.Episode != nil {
			e = o.Episode[i]
		}
		places[e] = append(places[e], i)
	}
	fewest := n - 1
	for _, list := range places {
		lo, hi := 0, 0
		for _, i := range list {
			for timeOf(o.Time, list[lo]) < timeOf(o.Time, i)-o.ExcludeWindow {
				lo++
			}
			for hi < len(list) && timeOf(o.Time, list[hi]) <= timeOf(o.Time, i)+o.ExcludeWindow {
				hi++
			}
			fewest = min(fewest, n-(hi-lo))
		}
	}
	return fewest
}

// timeOf is what an exclusion window counts: the time of a point, its position where
// times are nil.
func timeOf(time []int, i int) int {
	if time == nil {
		return i
	}
	return time[i]
}

// LabelConsistency returns, for every k of ks, the agreement of the label of each point with the
// labels of its k nearest neighbors (leave one out). The mean of Correct is the accuracy of a majority
// vote, with a tied vote decided by the label whose nearest member is nearest. Purity is the share of
// neighbors with the same label. For points at equal distances, Correct is the probability of the
// point's label and Purity its mean share, over all orders. Neighbors are searched once, with the
// options o. duplicates is the number of points equal to an earlier point. All points equal is a
// [stat.UndefinedError]; other errors are the errors of [neighbors.KNearest]; k is at most
// [FewestCandidates].
func LabelConsistency(ctx context.Context, pts points.Points, p Partition, ks []int,
	o neighbors.Options) (consistency []Consistency, duplicates int, err error) {
	space, err := neighbors.NewSpace("points", pts, o.Metric)
	if err != nil {
		return nil, 0, err
	}
	if space.Collapsed() {
		return nil, pts.N - 1, &stat.UndefinedError{Quantity: "the neighbors", Reason: "all points are equal"}
	}
	consistency = make([]Consistency, len(ks))
	for q, k := range ks {
		consistency[q] = Consistency{K: k, Correct: make([]float64, pts.N), Purity: make([]float64, pts.N)}
	}
	logs := newLogFactorials(pts.N)
	voters := sync.Pool{New: func() any { return newVoter(p, logs) }}
	counts, err := space.VisitTied(ctx, slices.Max(ks), o, func(i int, index, run []int32) {
		v := voters.Get().(*voter)
		for q, k := range ks {
			consistency[q].Correct[i], consistency[q].Purity[i] = v.vote(p.Of[i], index, run, k)
		}
		voters.Put(v)
	})
	return consistency, counts.Duplicates, err
}
