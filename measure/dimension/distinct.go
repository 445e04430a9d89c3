// Points without duplicates, and their nearest neighbors.

package dimension

import (
	"context"
	"math"
	"slices"

	"repscope/neighbors"
	"repscope/stat"
)

// Distinct is a set of points with duplicates removed, and its neighbors.
type Distinct struct {
	Index      []int                   // of the points that are kept, ascending
	Nearest    *neighbors.Nearest      // of the kept points, by their place in Index
	Recall     *neighbors.SearchRecall // of Nearest; nil where the search was exact
	Duplicates int                     // points that are left out

	all    neighbors.Space // the duplicates among them
	set    []int           // of every kept point, within which neighbors are looked for; nil: one
	search Search
}

// Within is a tolerance that is known before.
func Within(tolerance float64) func() (float64, error) {
	return func() (float64, error) { return tolerance, nil }
}

// NewDistinct removes every point of a space [N, D] within tolerance (Euclidean, in units of z) of a
// kept point of lower index. It then finds the k nearest neighbors among the remaining points (or all,
// if fewer), outside the exclusion window. Duplicates must be removed because they make r1 zero and
// ln(r2/r1) infinite. tolerance is called once, when the first neighbors are found, so that it may be
// computed concurrently. Fewer than 3 distinct points are a [stat.UndefinedError], returned together
// with the kept points and the number of duplicates; other errors as for [neighbors.Space.KNearest].
func NewDistinct(
	ctx context.Context, z neighbors.Space, k int, tolerance func() (float64, error), s Search,
) (*Distinct, error) {
	n := z.Points().N
	if err := s.Window.check(n); err != nil {
		return nil, err
	}
	d := &Distinct{Index: make([]int, n), all: z, search: s}
	for i := range d.Index {
		d.Index[i] = i
	}
	// Duplicates may be near in time, so they are looked for without the window.
	everywhere, length := s, k
	if everywhere.Window.Frames = 0; s.Window.Frames > 0 {
		length = min(k, duplicateNeighbors)
	}
	current, limit := z, math.NaN()
	for {
		if len(d.Index) < 3 {
			d.Duplicates = n - len(d.Index)
			return d, stat.Undefined("intrinsic dimension", "%d of %d latents are distinct, want at least 3", len(d.Index), n)
		}
		nearest, recall, err := everywhere.nearest(ctx, current, d.Index, length, s.Window.Frames == 0)
		if err != nil {
			return nil, err
		}
		if math.IsNaN(limit) {
			if limit, err = tolerance(); err != nil {
				return nil, err
			}
		}
		dropped := dropDuplicates(nearest, limit)
		kept := d.Index[:0]
		for i, original := range d.Index {
			if !dropped[i] {
				kept = append(kept, original)
			}
		}
		if len(kept) == len(dropped) {
			d.Nearest, d.Recall, d.Duplicates = nearest, recall, n-len(kept)
			break
		}
		d.Index = kept
		current = z.Select(kept)
	}
	if s.Window.Frames == 0 {
		return d, nil
	}
	var err error
	d.set, _ = s.Window.sets(d.Index)
	d.Nearest, d.Recall, err = s.nearest(ctx, current, d.Index, k, true)
	return d, err
}

// duplicateNeighbors is the length of lists that are searched for duplicates alone.
const duplicateNeighbors = 8

// InTime returns the share of kept points whose nearest neighbor is at most the given number of frames
// away in the same episode.
func (d *Distinct) InTime(frames int) float64 {
	count := 0
	for i, original := range d.Index {
		if d.search.Window.near(original, d.Index[d.Nearest.Index[i*d.Nearest.K]], frames) {
			count++
		}
	}
	return float64(count) / float64(len(d.Index))
}

// dropDuplicates marks the points that have a neighbor of lower index, itself
// kept, within tolerance.
func dropDuplicates(nearest *neighbors.Nearest, tolerance float64) []bool {
	dropped := make([]bool, nearest.N)
	for i := range nearest.N {
		for m := i * nearest.K; m < (i+1)*nearest.K && nearest.Distance[m] <= tolerance; m++ {
			if j := int(nearest.Index[m]); j < i && !dropped[j] {
				dropped[i] = true
				break
			}
		}
	}
	return dropped
}

// comparedLatents is the most latents that [Distinct.SharedCoordinates] looks at.
const comparedLatents = 4096

// SharedCoordinates returns the share, 0 to 1, of coordinates that have the same value in a kept point and in its
// nearest neighbor. It is 0 for continuous distributions, and near 1 where points are on a lattice whose steps are as long as
// the distance of neighbors, so that ratios of distances have few values. Coordinates at the least or the largest value
// of their dimension do not count: saturated and rectified ones share them. At most 4,096 points, evenly spaced, are
// looked at. 0 where no coordinate counts.
func (d *Distinct) SharedCoordinates() float64 {
	z, step := d.all.Points(), (len(d.Index)-1)/comparedLatents+1
	low, high := slices.Repeat([]float64{math.Inf(1)}, z.Dim), slices.Repeat([]float64{math.Inf(-1)}, z.Dim)
	row, other := make([]float64, z.Dim), make([]float64, z.Dim)
	for i := 0; i < len(d.Index); i += step {
		for k, v := range z.Row(d.Index[i], row) {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	}
	shared, count := 0, 0
	for i := 0; i < len(d.Index); i += step {
		nearest := z.Row(d.Index[d.Nearest.Index[i*d.Nearest.K]], other)
		for k, v := range z.Row(d.Index[i], row) {
			if v <= low[k] || v >= high[k] {
				continue
			}
			if count++; v == nearest[k] {
				shared++
			}
		}
	}
	if count == 0 {
		return 0
	}
	return float64(shared) / float64(count)
}

// Ratios returns r_{n2}/r_{n1}, 1 ≤ n1 < n2 ≤ Nearest.K, of every kept point: at least 1.
func (d *Distinct) Ratios(n1, n2 int) []float64 {
	return ratios(d.Nearest, n1, n2)
}

func ratios(nearest *neighbors.Nearest, n1, n2 int) []float64 {
	out := make([]float64, nearest.N)
	for i := range out {
		row := nearest.Distance[i*nearest.K:]
		out[i] = row[n2-1] / row[n1-1]
	}
	return out
}
