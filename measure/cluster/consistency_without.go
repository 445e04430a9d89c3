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

// spareNeighbors is by how many neighbors the lists are longer than what is asked for, so
// that few of them run out where a block is left out.
const spareNeighbors = 32

// Deleted are means of [Consistency] without each block: Correct[block], Purity[block].
// NaN where a point has fewer than K others left to choose from.
type Deleted struct {
	K               int
	Correct, Purity []float64
}

// LabelConsistencyWithout returns the means of [LabelConsistency] over the points outside
// block 0, 1, …, with the neighbors that each has among those. A list of neighbors that
// runs out is searched again among all points. The errors are those of
// LabelConsistency, and blocks of another number of points.
func LabelConsistencyWithout(ctx context.Context, pts points.Points, p Partition, ks []int, blocks *stat.Blocks, o neighbors.Options) ([]Deleted, error) {
	label := blocks.Labels()
	if len(label) != pts.N {
		return nil, fmt.Errorf("label consistency: blocks of %d points for %d points", len(label), pts.N)
	}
	largest := slices.Max(ks)
	longest := min(2*largest+spareNeighbors, FewestCandidates(pts.N, o.ExcludeWindow, o.Episode))
	nearest, err := neighbors.KNearest(ctx, pts, max(longest, largest), o)
	if err != nil {
		return nil, err
	}
	out := make([]Deleted, len(ks))
	for q, k := range ks {
		out[q] = Deleted{K: k, Correct: make([]float64, blocks.Count()), Purity: make([]float64, blocks.Count())}
	}
	d := &deletion{x: matrix.Of(pts), p: p, label: label, near: nearest, window: o.ExcludeWindow, episode: o.Episode}
	err = parallel.With(ctx, o.Threads, blocks.Count(), func() func(int) error {
		w := &deletedLists{deletion: d, vote: newVote(p)}
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
	near    *neighbors.Nearest
	window  int
	episode []int
}

// deletedLists is the memory of one goroutine.
type deletedLists struct {
	*deletion
	vote *vote
	list []int32
	all  []candidate
}

type candidate struct {
	square float64
	point  int32
}

// means fills in the means without block b.
func (w *deletedLists) means(b, largest int, out []Deleted) {
	count := 0
	for i, own := range w.label {
		if own == b {
			continue
		}
		count++
		w.list = w.list[:0]
		for _, j := range w.near.Index[i*w.near.K : (i+1)*w.near.K] {
			if w.label[j] != b {
				w.list = append(w.list, j)
			}
		}
		if len(w.list) < largest {
			w.search(i, b)
		}
		for q := range out {
			if out[q].K > len(w.list) {
				out[q].Correct[b], out[q].Purity[b] = math.NaN(), math.NaN()
				continue
			}
			correct, purity := w.vote.of(i, w.list, out[q].K)
			out[q].Correct[b] += correct
			out[q].Purity[b] += purity
		}
	}
	for q := range out {
		out[q].Correct[b] /= float64(count)
		out[q].Purity[b] /= float64(count)
	}
}

// search lists all points that point i may have as neighbors outside block b, nearest first,
// equal distances by index.
func (w *deletedLists) search(i, b int) {
	w.all = w.all[:0]
	for j, label := range w.label {
		apart := i - j
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
	w.list = w.list[:0]
	for _, c := range w.all {
		w.list = append(w.list, c.point)
	}
}
