// Groups without each block of points in turn, for delete-block jackknifes: clusters
// found again, silhouettes and dispersions of the remaining points.

package cluster

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Left is the group of every point without each block of points in turn, −1 for the
// points of the block: Left[block][point].
type Left [][]int

// Without returns the clusters of the points outside each block. They start from the centroids of all
// points and use the same iterations and single moves, so that clusters keep their numbers. They are
// the nearby local minimum; a jump to a distant one after new starts would reflect the search rather
// than the points. pts and o are the points and options of the clusters. If fewer points than clusters
// remain, all have −1. Errors: as for [KMeans], blocks for another number of points.
func (p Partition) Without(blocks *stat.Blocks) (Left, error) {
	labels := blocks.Labels()
	if len(labels) != len(p.Of) {
		return nil, fmt.Errorf("blocks of %d points for %d points", len(labels), len(p.Of))
	}
	out := make(Left, blocks.Count())
	for b := range out {
		out[b] = slices.Clone(p.Of)
		for i, label := range labels {
			if label == b {
				out[b][i] = -1
			}
		}
	}
	return out, nil
}

// Without finds the clusters of the points outside block 0, 1, … again: the same
// iterations and single moves, from the centroids of all points. It is the minimum
// that these fall into without the block, and its clusters keep their numbers; a jump to
// another one far away, which new starts could make, would say more about the search than
// about the points. pts and o are the points and options of the clusters. Where fewer points than
// clusters are left, all of them have −1. Errors: errors of [KMeans], blocks of another
// number of points.
func (r *KMeansResult) Without(ctx context.Context, pts points.Points, blocks *stat.Blocks,
	o KMeansOptions) (Left, error) {
	if err := neighbors.Check("k-means", pts, neighbors.Euclidean); err != nil {
		return nil, err
	}
	labels := blocks.Labels()
	if len(labels) != pts.N || len(r.Partition.Of) != pts.N {
		return nil, fmt.Errorf("k-means: blocks of %d points and clusters of %d for %d points",
			len(labels), len(r.Partition.Of), pts.N)
	}
	if o.Iterations <= 0 {
		o.Iterations = defaultIterations
	}
	space, mean, err := newLloydSpace(pts)
	if err != nil {
		return nil, err
	}
	k, out := r.Partition.Groups(), make(Left, blocks.Count())
	sizes := blocks.Sizes()
	err = parallel.With(ctx, o.Threads, len(out), func() func(int) error {
		return func(b int) error {
			if pts.N-sizes[b] < k {
				out[b] = slices.Repeat([]int{-1}, pts.N)
				return nil
			}
			l := &lloyd{lloydSpace: space, k: k, centroids: matrix.New(k, pts.Dim), without: make([]bool, pts.N)}
			for c := range k {
				copy(l.centroids.Row(c), r.Centroids[c*pts.Dim:])
				matrix.Axpy(l.centroids.Row(c), -1, mean)
			}
			for i, label := range labels {
				l.without[i] = label == b
			}
			err := l.run(ctx, o.Iterations)
			out[b] = l.of
			return err
		}
	})
	return out, err
}

// Without returns the mean silhouette of the points outside block 0, 1, … in the
// groups that rest gives them, which are numbered as the groups of all points. NaN where one
// group is left or every point is a group of its own. The sums of distances of all
// points change by the distances to the points that are gone or in another group, so
// that all deletions together cost about as much as two times all distances. More
// groups than their sums fit into memory for are a [stat.UndefinedError].
func (s *Silhouettes) Without(ctx context.Context, left Left, threads int) ([]float64, error) {
	all, _, err := s.WithoutByGroup(ctx, left, threads)
	return all, err
}

// WithoutByGroup is [Silhouettes.Without], with the mean silhouette of the points of each group: byGroup[b][g] of group
// g outside block b, NaN for a group without points.
func (s *Silhouettes) WithoutByGroup(
	ctx context.Context, rest Left, threads int,
) (all []float64, byGroup [][]float64, err error) {
	n := s.tiles.x.N
	if s.sums.N == 0 {
		return nil, nil, stat.Undefined("silhouette", "%d groups of %d points are too many to delete blocks", s.p.Groups(), n)
	}
	for b := range rest {
		if len(rest[b]) != n {
			return nil, nil, fmt.Errorf("silhouette: groups of %d points for %d points", len(rest[b]), n)
		}
	}
	all, byGroup = make([]float64, len(rest)), make([][]float64, len(rest))
	err = parallel.With(ctx, threads, len(rest), func() func(int) error {
		w := &regrouping{s: s, sums: matrix.New(s.sums.N, n), buffer: new(tileBuffer)}
		return func(b int) (err error) {
			all[b], byGroup[b], err = w.means(rest[b])
			return err
		}
	})
	return all, byGroup, err
}

// regrouping is the memory of one goroutine that moves points between groups.
type regrouping struct {
	s      *Silhouettes
	sums   matrix.Matrix // as they are after the moves
	moved  []int         // places of the points that change their group, or go
	rows   []float64     // of a batch of them
	buffer *tileBuffer
}

// means are the mean silhouettes of all points that have a group, and of each group.
func (w *regrouping) means(groupOf []int) (all float64, byGroup []float64, err error) {
	s := w.s
	copy(w.sums.Data, s.sums.Data)
	sizes, groups, count := make([]int, s.sums.N), 0, 0
	point := make([]int, len(groupOf)) // at each place
	w.moved = w.moved[:0]
	for i, at := range s.place {
		point[at] = i
	}
	for position, i := range point {
		if groupOf[i] != s.p.Of[i] {
			w.moved = append(w.moved, position)
		}
		if g := groupOf[i]; g >= 0 {
			sizes[g]++
			count++
		}
	}
	for _, size := range sizes {
		if size > 0 {
			groups++
		}
	}
	byGroup = make([]float64, len(sizes))
	if groups < 2 || groups == count {
		for g := range byGroup {
			byGroup[g] = math.NaN()
		}
		return math.NaN(), byGroup, nil
	}
	for lo := 0; lo < len(w.moved); lo += tileSize {
		if err := w.move(w.moved[lo:min(lo+tileSize, len(w.moved))], point, groupOf); err != nil {
			return 0, nil, err
		}
	}
	total := 0.0
	for position, i := range point {
		g := groupOf[i]
		if g < 0 || sizes[g] < 2 {
			continue
		}
		a, b := w.at(g, position)/float64(sizes[g]-1), math.Inf(1)
		for h, size := range sizes {
			if h != g && size > 0 {
				b = min(b, w.at(h, position)/float64(size))
			}
		}
		v := width(a, b)
		total += v
		byGroup[g] += v
	}
	for g, size := range sizes {
		byGroup[g] /= float64(size)
	}
	return total / float64(count), byGroup, nil
}

// at is the sum of the distances of the point at a place to a group, 0 where
// subtraction has left but rounding errors.
func (w *regrouping) at(group, place int) float64 {
	const rounding = 1e-13
	sum := w.sums.Row(group)[place]
	if sum < rounding*w.s.sums.Row(group)[place] {
		return 0
	}
	return sum
}

// move takes the distances to a batch of points away from the sums of their groups
// and adds them to the sums of their new groups.
func (w *regrouping) move(batch, point, group []int) error {
	t, dim := w.s.tiles, w.s.tiles.x.Dim
	w.rows = w.rows[:0]
	for _, at := range batch {
		w.rows = append(w.rows, t.x.Row(at)...)
	}
	var distance [tileSize]float64
	for j0 := 0; j0 < t.x.N; j0 += tileSize {
		j1 := min(j0+tileSize, t.x.N)
		p := kernel.Product[float64]{
			M: len(batch), N: j1 - j0, K: dim, A: kernel.Rows(w.rows, dim), B: t.right.Operand(j0),
			C: w.buffer.product[:], Stride: tileSize, Threads: 1, Workspace: &w.buffer.workspace,
		}
		if err := p.Run(); err != nil {
			return err
		}
		for r, position := range batch {
			clear(distance[:j1-j0])
			t.addRow(position, j0, j1, w.buffer.product[r*tileSize:][:j1-j0], distance[:j1-j0], w.buffer)
			i := point[position]
			matrix.Axpy(w.sums.Row(w.s.p.Of[i])[j0:j1], -1, distance[:j1-j0])
			if group[i] >= 0 {
				matrix.AddTo(w.sums.Row(group[i])[j0:j1], distance[:j1-j0])
			}
		}
	}
	return nil
}

// DispersionsWithout returns [Dispersion.DaviesBouldin] and
// [Dispersion.CalinskiHarabasz] of the points outside block 0, 1, …, in the groups that
// left gives them; NaN where they are undefined.
func DispersionsWithout(ctx context.Context, pts points.Points, rest Left,
	threads int) (daviesBouldin, calinskiHarabasz []float64, err error) {
	if err := neighbors.Check("dispersion", pts, neighbors.Euclidean); err != nil {
		return nil, nil, err
	}
	for b := range rest {
		if len(rest[b]) != pts.N {
			return nil, nil, fmt.Errorf("dispersion: groups of %d points for %d points", len(rest[b]), pts.N)
		}
	}
	x, _ := matrix.Centered(pts)
	daviesBouldin, calinskiHarabasz = make([]float64, len(rest)), make([]float64, len(rest))
	orNaN := func(v float64, err error) float64 {
		if err != nil {
			return math.NaN()
		}
		return v
	}
	err = parallel.For(ctx, threads, len(rest), func(_, b int) {
		d := dispersionOf(x, rest[b])
		if groups := d.centroids.N; groups < 2 || groups >= d.points {
			daviesBouldin[b], calinskiHarabasz[b] = math.NaN(), math.NaN()
			return
		}
		daviesBouldin[b], calinskiHarabasz[b] = orNaN(d.DaviesBouldin()), orNaN(d.CalinskiHarabasz())
	})
	return daviesBouldin, calinskiHarabasz, err
}
