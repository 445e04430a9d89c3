// The labels of nearest neighbors without each block of points in turn.

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// spareNeighbors is by how many neighbors the lists are longer than requested, so
// that few of them run out where a block is left out.
const spareNeighbors = 32

// Deleted has the means of [Consistency] without each block: Correct[block], Purity[block]. NaN if a
// point has fewer than K other points left.
//
// CorrectPairs[a][b] and PurityPairs[a][b] are the change of the means over all points due to points
// of block b that lose neighbors in block a: the joint effect of two blocks, see
// [stat.Jackknifed.WithoutPairTerms].
type Deleted struct {
	K                         int
	Correct, Purity           []float64
	CorrectPairs, PurityPairs [][]float64
}

// LabelConsistencyWithout returns the means of [LabelConsistency] over the points outside each block,
// with neighbors restricted to these points. An exhausted neighbor list is searched again among all
// points. Errors as for LabelConsistency, and blocks for another number of points.
func LabelConsistencyWithout(ctx context.Context, pts points.Points, p Partition, ks []int, blocks *stat.Blocks,
	o neighbors.Options) ([]Deleted, error) {
	label := blocks.Labels()
	if len(label) != pts.N {
		return nil, fmt.Errorf("label consistency: blocks of %d points for %d points", len(label), pts.N)
	}
	largest := slices.Max(ks)
	longest := min(2*largest+spareNeighbors, FewestCandidates(pts.N, o))
	space, err := neighbors.NewSpace("points", pts, o.Metric)
	if err != nil {
		return nil, err
	}
	near := make([]tiedList, pts.N)
	if _, err := space.VisitTied(ctx, max(longest, largest), o, func(i int, index, run []int32) {
		near[i] = tiedList{index: slices.Clone(index), run: slices.Clone(run)}
	}); err != nil {
		return nil, err
	}
	logs := newLogFactorials(pts.N)
	err = parallel.With(ctx, o.Threads, pts.N, func() func(int) error {
		v := newVoter(p, logs)
		return func(i int) error {
			for _, k := range ks {
				near[i].full = append(near[i].full, near[i].voteOf(v, p.Of[i], k))
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]Deleted, len(ks))
	for q, k := range ks {
		out[q] = Deleted{K: k, Correct: make([]float64, blocks.Count()), Purity: make([]float64, blocks.Count())}
		for range blocks.Count() {
			out[q].CorrectPairs = append(out[q].CorrectPairs, make([]float64, blocks.Count()))
			out[q].PurityPairs = append(out[q].PurityPairs, make([]float64, blocks.Count()))
		}
	}
	d := &deletion{x: matrix.Of(pts), p: p, label: label, near: near, window: o.ExcludeWindow, episode: o.Episode, time: o.Time}
	err = parallel.With(ctx, o.Threads, blocks.Count(), func() func(int) error {
		w := &deletedLists{deletion: d, voter: newVoter(p, logs)}
		return func(b int) error {
			w.means(b, largest, out)
			return ctx.Err()
		}
	})
	return out, err
}

// deletion is what all goroutines read.
type deletion struct {
	x       matrix.Matrix
	p       Partition
	label   []int // the block of every point
	near    []tiedList
	window  int
	episode []int
	time    []int // nil: positions
}

// tiedList is a list of neighbors with their runs of equal distances, the last whole; see
// [neighbors.Space.VisitTied].
type tiedList struct {
	index, run []int32
	full       []fullVote // for each k, of all points
}

// fullVote is a vote without a deletion; no neighbor from place end on counts in it.
type fullVote struct {
	correct, purity float64
	end             int
}

// voteOf votes with the whole list.
func (l tiedList) voteOf(v *voter, label, k int) fullVote {
	end := k
	for end < len(l.run) && l.run[end] == l.run[k-1] {
		end++
	}
	correct, purity := v.vote(label, l.index, l.run, k)
	return fullVote{correct, purity, end}
}

// deletedLists is the memory of one goroutine.
type deletedLists struct {
	*deletion
	voter *voter
	list  tiedList
	all   []candidate
}

type candidate struct {
	square float64
	point  int32
}

// means fills in the means without block b.
func (w *deletedLists) means(b, largest int, out []Deleted) {
	count := 0
	for i, label := range w.label {
		if label == b {
			continue
		}
		count++
		w.list.index, w.list.run = w.list.index[:0], w.list.run[:0]
		near, before := w.near[i], int32(-1) // the run of the one before
		gone := len(near.index)              // the first place of a neighbor in the block
		for rank, j := range near.index {
			if w.label[j] == b {
				gone = min(gone, rank)
				continue
			}
			w.append(j, near.run[rank] == before)
			before = near.run[rank]
		}
		if gone < len(near.index) && len(w.list.index) < largest {
			w.search(i, b)
		}
		for q := range out {
			full := near.full[q]
			correct, purity := full.correct, full.purity
			switch {
			case gone >= full.end:
			case out[q].K > len(w.list.index):
				correct, purity = math.NaN(), math.NaN()
			default:
				correct, purity = w.voter.vote(w.p.Of[i], w.list.index, w.list.run, out[q].K)
			}
			out[q].Correct[b] += correct
			out[q].Purity[b] += purity
			out[q].CorrectPairs[b][label] += (correct - full.correct) / float64(len(w.label))
			out[q].PurityPairs[b][label] += (purity - full.purity) / float64(len(w.label))
		}
	}
	for q := range out {
		out[q].Correct[b] /= float64(count)
		out[q].Purity[b] /= float64(count)
	}
}

// append appends a point to the list, at the distance of the one before or not.
func (w *deletedLists) append(j int32, tied bool) {
	run := int32(len(w.list.index))
	if tied {
		run = w.list.run[run-1]
	}
	w.list.index, w.list.run = append(w.list.index, j), append(w.list.run, run)
}

// search lists all points that point i may have as neighbors outside block b, nearest first,
// equal distances by index.
func (w *deletedLists) search(i, b int) {
	w.all = w.all[:0]
	for j, label := range w.label {
		apart := timeOf(w.time, i) - timeOf(w.time, j)
		if apart < 0 {
			apart = -apart
		}
		if label == b || j == i || apart <= w.window && (w.episode == nil || w.episode[i] == w.episode[j]) {
			continue
		}
		w.all = append(w.all, candidate{matrix.SquaredDistance(w.x.Row(i), w.x.Row(j)), int32(j)})
	}
	slices.SortFunc(w.all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.square, b.square), cmp.Compare(a.point, b.point))
	})
	w.list.index, w.list.run = w.list.index[:0], w.list.run[:0]
	for at, c := range w.all {
		w.append(c.point, at > 0 && c.square == w.all[at-1].square)
	}
}
