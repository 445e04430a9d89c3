// The row-block view of one space: blocks of distances from some points to all points, and queries of each row. The
// interface hides how a block of distances is computed.

package rows

import (
	"context"
	"sync/atomic"

	"repscope/points"
)

// Space computes blocks of distance rows and answers questions about them.
type Space interface {
	// Load computes rows lo … hi−1. Workers may then ask about them.
	Load(ctx context.Context, lo, hi int) error
	// Worker returns a new worker; each belongs to one goroutine at a time.
	Worker() Worker
	// RowBytes is the memory of one loaded row, the packed point included.
	RowBytes() int64
	// Keepable is the memory for the distances that later blocks need, for rows lo … hi−1 in blocks of step; 0 if keeping
	// does not pay.
	Keepable(lo, hi, step int) int64
	// Plan announces loads of blocks of step rows, ascending up to row end, and the memory for distances kept between
	// them; with a step of 0, loads of any rows.
	Plan(step, end int, budget int64)
	// Counts returns the counts known without any row.
	Counts() SpaceCounts
}

// Worker answers questions about loaded rows.
type Worker interface {
	// Nearest returns the count nearest candidates of point i in order, in
	// list's memory; fewer if there are fewer candidates.
	Nearest(i, count int, list []int32) []int32
	Ranker
	Placer
	// NearestTied is nearest with all ties of the last neighbor; group[q] is the
	// same number for all neighbors at one distance.
	NearestTied(i, count int, list, group []int32) (nearest, groups []int32)
	// RankLists sets rank[q] to the rank of l.list[q] among the candidates of its row. It is
	// the faster ranks for many points that lie anywhere. With l.Tied, rank[q] is 1 and the
	// candidates strictly nearer than l.list[q], and l.Tied[q] how many others are as near.
	RankLists(l *Lists, rank []int32)
	// Distances sets out[q] to the distance of list[q] from i.
	Distances(i int, list []int32, out []float64)
	// Redecided is the number of comparisons decided again so far.
	Redecided() int64
}

// Ranker returns the ranks of points in loaded rows.
type Ranker interface {
	// Ranks sets rank[q] to the rank of list[q] among the candidates of i,
	// 1 for the nearest. With blocks, closer[q·groups+g] is set to the number of
	// candidates of block g that come before list[q]; nil leaves it out. It returns the ties of
	// the first tied entries of the list: the other candidates at exactly the same distance.
	Ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64)
}

// Placer returns the positions of points in loaded rows, whatever the order of equal distances.
type Placer interface {
	// Place fills p for the points of list, with the counts of every block where grouped.
	Place(i int, list []int32, grouped bool, p *Places)
}

// base is the common part of all spaces.
type base struct {
	Candidates
	group   []int32 // block of each point, nil without blocks
	groups  int
	metric  Metric
	threads int
	// manyRanks is Options.ManyRanks.
	manyRanks bool
	direct    *Direct
	// first is the lowest index of a point equal to each point.
	first      []int32
	duplicates int
	method     string
	computed   *atomic.Int64
}

// Counts implements Space.
func (b *base) Counts() SpaceCounts {
	return SpaceCounts{Duplicates: b.duplicates, Method: b.method}
}

// Open returns the space of the distances from queries to points. With self they are the same points and each is left
// out of its own row. precise selects rows in which few comparisons stay open even if all are needed. equal are the
// duplicates among pts; nil if unknown.
func Open(ctx context.Context, queries, pts points.Points, self, precise bool, o *Options,
	equal *Duplicates) (Space, error) {
	b := base{
		Candidates: Candidates{N: pts.N, Self: self, Window: o.ExcludeWindow, Episode: o.Episode, Time: o.Time},
		group:      o.Group, groups: o.Groups, metric: o.Metric, threads: o.ThreadCount(), manyRanks: o.ManyRanks, computed: o.Computed,
	}
	if equal == nil {
		var err error
		if equal, err = FindDuplicates(ctx, pts, o.Metric, b.threads); err != nil {
			return nil, err
		}
	}
	b.first, b.duplicates = equal.First, equal.Count
	switch {
	case o.Metric == Precomputed:
		return openPrecomputed(b, queries, pts), nil
	case pts.U8 != nil:
		return openUint8(b, queries, pts), nil
	case pts.Dim <= directDim:
		return openDirect(b, queries, pts), nil
	case pts.F32 != nil && !precise:
		return openBounded[float32](ctx, b, queries, pts)
	}
	return openBounded[float64](ctx, b, queries, pts)
}
