// The dispersion within and between groups: Davies–Bouldin, Calinski–Harabasz.

package cluster

import (
	"math"
	"slices"

	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Dispersion is the spread of points within and between their groups, in Euclidean distances.
// Davies–Bouldin and Calinski–Harabasz are computed from it.
type Dispersion struct {
	points    int
	centroids matrix.Matrix
	mean      []float64 // of all points
	scatter   []float64 // mean distance of a group's points to its centroid
	within    float64   // Σ ‖x − centroid‖²
	between   float64   // Σ size·‖centroid − mean‖²
}

// NewDispersion measures the spread of points [N, D] in the groups of p, in float64. All points in one
// group, or each point in a separate group, are a [stat.UndefinedError]. Errors: NaN, Inf, a partition
// of another number of points.
func NewDispersion(pts points.Points, p Partition) (*Dispersion, error) {
	const quantity = "dispersion"
	if err := neighbors.Check(quantity, pts, neighbors.Euclidean); err != nil {
		return nil, err
	}
	if err := p.check(quantity, pts.N); err != nil {
		return nil, err
	}
	x, _ := matrix.Centered(pts)
	return dispersionOf(x, p.Of), nil
}

// dispersionOf is the dispersion of the points that have a group; groups are numbered
// from 0, and those without a point are left out.
func dispersionOf(x matrix.Matrix, group []int) *Dispersion {
	number, sizes := make([]int, slices.Max(group)+1), []int{} // of the groups with a point
	for _, g := range group {
		if g >= 0 {
			number[g]++
		}
	}
	for g, size := range number {
		if number[g] = len(sizes); size > 0 {
			sizes = append(sizes, size)
		}
	}
	d := &Dispersion{centroids: matrix.New(len(sizes), x.Dim), mean: make([]float64, x.Dim), scatter: make([]float64, len(sizes))}
	for i, g := range group {
		if g >= 0 {
			matrix.AddTo(d.centroids.Row(number[g]), x.Row(i))
			matrix.AddTo(d.mean, x.Row(i))
			d.points++
		}
	}
	for k := range d.mean {
		d.mean[k] /= float64(d.points)
	}
	for g, size := range sizes {
		row := d.centroids.Row(g)
		for k := range row {
			row[k] /= float64(size)
		}
		d.between += float64(size) * matrix.SquaredDistance(row, d.mean)
	}
	for i, label := range group {
		if label < 0 {
			continue
		}
		g := number[label]
		square := matrix.SquaredDistance(x.Row(i), d.centroids.Row(g))
		d.within += square
		d.scatter[g] += math.Sqrt(square) / float64(sizes[g])
	}
	return d
}

// DaviesBouldin returns the mean over groups of the largest (S_i + S_j)/M_ij
// (Davies & Bouldin 1979), with S the mean distance to the centroid and M the
// distance of centroids; 0 is best, there is no upper end. Groups with the same
// centroid make it infinite: a [stat.UndefinedError].
func (d *Dispersion) DaviesBouldin() (float64, error) {
	total := 0.0
	for a := range d.centroids.N {
		worst := 0.0
		for b := range d.centroids.N {
			if a == b {
				continue
			}
			apart := math.Sqrt(matrix.SquaredDistance(d.centroids.Row(a), d.centroids.Row(b)))
			if apart == 0 {
				return 0, stat.Undefined("Davies–Bouldin", "two groups have the same centroid")
			}
			worst = max(worst, (d.scatter[a]+d.scatter[b])/apart)
		}
		total += worst
	}
	return total / float64(d.centroids.N), nil
}

// CalinskiHarabasz returns (B/(g − 1)) / (W/(n − g)), the ratio of the dispersion
// between g groups to that within them (Caliński & Harabasz 1974); at least 0,
// larger is better. Groups without any spread are a [stat.UndefinedError].
func (d *Dispersion) CalinskiHarabasz() (float64, error) {
	g := d.centroids.N
	if d.within == 0 {
		return 0, stat.Undefined("Calinski–Harabasz", "the points within every group are equal")
	}
	return d.between * float64(d.points-g) / (d.within * float64(g-1)), nil
}
