// The silhouette of every point.

package cluster

import (
	"context"

	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
)

// Silhouette returns the silhouette s = (b − a)/max(a, b) of every point (Rousseeuw 1987), with a the
// mean distance to the other points of its group and b the smallest mean distance to the points of
// another group. s lies in [−1, 1]; 1 is a point deep inside a group far from the others. The only
// point of a group has 0, as does a point with a = b = 0 (duplicates in two groups). Distances are
// Euclidean, in float64, without a distance matrix. threads ≤ 0 means all; results do not depend on
// it. All points in one group, or each point in a separate group, are a [stat.UndefinedError]. Errors:
// NaN and Inf.
func Silhouette(ctx context.Context, pts points.Points, p Partition, threads int) ([]float64, error) {
	s, err := NewSilhouettes(ctx, pts, p, threads)
	if err != nil {
		return nil, err
	}
	return s.Widths, nil
}

// Silhouettes holds the silhouette of every point, see [Silhouette], and the sums of
// distances from which the silhouettes of fewer points follow.
type Silhouettes struct {
	Widths []float64

	p     Partition
	tiles *tiles
	place []int         // of every point in tiles
	sums  matrix.Matrix // [groups × n] distances to each group; none where that is too large
}

// NewSilhouettes computes the silhouettes of points. Errors as for [Silhouette].
func NewSilhouettes(ctx context.Context, pts points.Points, p Partition, threads int) (*Silhouettes, error) {
	const quantity = "silhouette"
	if err := neighbors.Check(quantity, pts, neighbors.Euclidean); err != nil {
		return nil, err
	}
	if err := p.check(quantity, pts.N); err != nil {
		return nil, err
	}
	x, _ := matrix.Centered(pts)
	order, start := p.order()
	t, err := newTiles(x.Select(order), start)
	if err != nil {
		return nil, err
	}
	s := &Silhouettes{Widths: make([]float64, pts.N), p: p, tiles: t, place: make([]int, pts.N)}
	inside, other, sums, err := t.nearestGroups(ctx, threads)
	if err != nil {
		return nil, err
	}
	s.sums = sums
	for position, i := range order {
		s.place[i] = position
		if p.Sizes[p.Of[i]] > 1 {
			s.Widths[i] = width(inside[position], other[position])
		}
	}
	return s, nil
}

// width is the silhouette of a point with mean distances a to its own group and b to
// the nearest other one.
func width(a, b float64) float64 {
	if largest := max(a, b); largest > 0 {
		return (b - a) / largest
	}
	return 0
}
