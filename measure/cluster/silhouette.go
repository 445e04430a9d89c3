// The silhouette of every point.

package cluster

import (
	"context"

	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
)

// Silhouette returns the silhouette s = (b − a)/max(a, b) of every point
// (Rousseeuw 1987): a is the mean distance to the other points of its group, b
// the smallest mean distance to the points of another group; s lies in [−1, 1],
// 1 for a point deep inside a group far from the others. A point that is alone
// in its group has 0, and so has one with a = b = 0 (duplicates in two groups).
// Distances are Euclidean, in float64, never held as a matrix. NaN and Inf are
// errors; points in one group, or each in its own, are a [stat.UndefinedError].
// threads ≤ 0 means all; results do not depend on it.
func Silhouette(ctx context.Context, pts points.Points, p Partition, threads int) ([]float64, error) {
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
	own, other, err := t.nearestGroups(ctx, threads)
	if err != nil {
		return nil, err
	}
	out := make([]float64, pts.N)
	for at, i := range order {
		a, b := own[at], other[at]
		if p.Sizes[p.Of[i]] > 1 && max(a, b) > 0 {
			out[i] = (b - a) / max(a, b)
		}
	}
	return out, nil
}
