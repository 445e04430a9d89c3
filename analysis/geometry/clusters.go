// Cluster quality: silhouette, Davies–Bouldin, Calinski–Harabasz.

package geometry

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Partition assigns every point to one of the groups 0 … Groups−1, each of which
// has at least one point.
type Partition struct {
	Of     []int   // the group of each point
	Labels []int64 // the label of each group, ascending
	Sizes  []int
}

// NewPartition groups points by equal labels.
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
		return &stat.UndefinedError{Quantity: quantity, Reason: fmt.Sprintf("all %d points are in one group", n)}
	case g >= n:
		return &stat.UndefinedError{Quantity: quantity, Reason: fmt.Sprintf("every one of the %d points is a group of its own", n)}
	}
	return nil
}

// Silhouette returns the silhouette s = (b − a)/max(a, b) of every point
// (Rousseeuw 1987): a is the mean distance to the other points of its group, b
// the smallest mean distance to the points of another group; s lies in [−1, 1],
// 1 for a point deep inside a group far from the others. A point that is alone
// in its group has 0, and so has one with a = b = 0 (duplicates in two groups).
// Distances are Euclidean, in float64, never held as a matrix. Points in one
// group, or each in its own, are an UndefinedError. threads ≤ 0 means all;
// results do not depend on it.
func Silhouette(ctx context.Context, pts points.Points, p Partition, threads int) ([]float64, error) {
	if err := neighbors.Check("silhouette", pts, neighbors.Euclidean); err != nil {
		return nil, err
	}
	return silhouette(ctx, widened(pts).centred(), p, threads)
}

func silhouette(ctx context.Context, x matrix, p Partition, threads int) ([]float64, error) {
	if err := p.check("silhouette", x.n); err != nil {
		return nil, err
	}
	order, start := p.order()
	t, err := newTiles(x.sel(order), start)
	if err != nil {
		return nil, err
	}
	own, other, err := t.nearestGroups(ctx, threads)
	if err != nil {
		return nil, err
	}
	out := make([]float64, x.n)
	for at, i := range order {
		a, b := own[at], other[at]
		if p.Sizes[p.Of[i]] > 1 && max(a, b) > 0 {
			out[i] = (b - a) / max(a, b)
		}
	}
	return out, nil
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

// dispersion is what Davies–Bouldin and Calinski–Harabasz are made of.
type dispersion struct {
	centroids matrix
	mean      []float64 // of all points
	scatter   []float64 // mean distance of a group's points to its centroid
	within    float64   // Σ ‖x − centroid‖²
	between   float64   // Σ size·‖centroid − mean‖²
}

func disperse(x matrix, p Partition) dispersion {
	d := dispersion{centroids: newMatrix(p.Groups(), x.dim), mean: x.mean(), scatter: make([]float64, p.Groups())}
	for i, g := range p.Of {
		addTo(d.centroids.row(g), x.row(i))
	}
	for g, size := range p.Sizes {
		row := d.centroids.row(g)
		for k := range row {
			row[k] /= float64(size)
		}
		d.between += float64(size) * squaredDistance(row, d.mean)
	}
	for i, g := range p.Of {
		square := squaredDistance(x.row(i), d.centroids.row(g))
		d.within += square
		d.scatter[g] += math.Sqrt(square) / float64(p.Sizes[g])
	}
	return d
}

func squaredDistance(a, b []float64) float64 {
	s := 0.0
	for k, v := range a {
		d := v - b[k]
		s += float64(d * d)
	}
	return s
}

// DaviesBouldin returns the mean over groups of the largest (S_i + S_j)/M_ij
// (Davies & Bouldin 1979), with S the mean distance to the centroid and M the
// distance of centroids; 0 is best. Groups with the same centroid make it infinite:
// an UndefinedError, as one group is and groups of one point each.
func DaviesBouldin(pts points.Points, p Partition) (float64, error) {
	if err := neighbors.Check("Davies–Bouldin", pts, neighbors.Euclidean); err != nil {
		return 0, err
	}
	if err := p.check("Davies–Bouldin", pts.N); err != nil {
		return 0, err
	}
	return disperse(widened(pts).centred(), p).daviesBouldin()
}

func (d dispersion) daviesBouldin() (float64, error) {
	total := 0.0
	for a := range d.centroids.n {
		worst := 0.0
		for b := range d.centroids.n {
			if a == b {
				continue
			}
			apart := math.Sqrt(squaredDistance(d.centroids.row(a), d.centroids.row(b)))
			if apart == 0 {
				return 0, &stat.UndefinedError{Quantity: "Davies–Bouldin", Reason: "two groups have the same centroid"}
			}
			worst = max(worst, (d.scatter[a]+d.scatter[b])/apart)
		}
		total += worst
	}
	return total / float64(d.centroids.n), nil
}

// CalinskiHarabasz returns (B/(g − 1)) / (W/(n − g)), the ratio of the dispersion
// between g groups to that within them (Caliński & Harabasz 1974); larger is
// better. Groups without any spread are an UndefinedError, as one group is and
// groups of one point each.
func CalinskiHarabasz(pts points.Points, p Partition) (float64, error) {
	if err := neighbors.Check("Calinski–Harabasz", pts, neighbors.Euclidean); err != nil {
		return 0, err
	}
	if err := p.check("Calinski–Harabasz", pts.N); err != nil {
		return 0, err
	}
	return disperse(widened(pts).centred(), p).calinskiHarabasz(pts.N)
}

func (d dispersion) calinskiHarabasz(n int) (float64, error) {
	g := d.centroids.n
	if d.within == 0 {
		return 0, &stat.UndefinedError{Quantity: "Calinski–Harabasz", Reason: "the groups have no spread"}
	}
	return d.between * float64(n-g) / (d.within * float64(g-1)), nil
}
