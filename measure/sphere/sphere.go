// Package sphere measures directions: points divided by their lengths. Uniformity
// says how evenly they cover the unit sphere, alignment how near pairs of them are.
//
//	u, err := sphere.NewDirections(z) // z: points.Points, [N, D]
//	uniformity, _, err := u.Uniformity(ctx, nil, 0)
//	alignment := stat.Mean(u.Alignment(pairs))
//
// Both are the losses of Wang & Isola 2020, "Understanding contrastive
// representation learning through alignment and uniformity on the hypersphere".
package sphere

import (
	"math"

	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Directions are points on the unit sphere.
type Directions struct{ unit matrix.Matrix }

// NewDirections divides points [N, D] by their Euclidean lengths, in float64; they are
// taken as they are, not centered. NaN and Inf are errors. Points of length zero have
// no direction: a [stat.UndefinedError] with their number.
func NewDirections(pts points.Points) (*Directions, error) {
	if err := neighbors.Check("directions", pts, neighbors.Euclidean); err != nil {
		return nil, err
	}
	u := matrix.Of(pts)
	zero := 0
	for i := range u.N {
		if !normalize(u.Row(i)) {
			zero++
		}
	}
	if zero > 0 {
		return nil, stat.Undefined("direction", "%d of %d latents are zero and have no direction", zero, u.N)
	}
	return &Directions{unit: u}, nil
}

// normalize divides a vector by its length; it returns false for one of length zero.
func normalize(v []float64) bool {
	// Scaled by the largest coordinate, so that no square over- or underflows.
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return false
	}
	for k := range v {
		v[k] /= largest
	}
	length := math.Sqrt(matrix.Dot(v, v))
	for k := range v {
		v[k] /= length
	}
	return true
}

// Select copies the directions with the given indices.
func (d *Directions) Select(index []int) *Directions {
	return &Directions{unit: d.unit.Select(index)}
}

// Alignment returns ‖u − v‖² of every pair of directions, from 0 where they agree
// to 4 where they are opposite.
func (d *Directions) Alignment(pairs []points.Pair) []float64 {
	out := make([]float64, len(pairs))
	for i, p := range pairs {
		out[i] = matrix.SquaredDistance(d.unit.Row(p.Now), d.unit.Row(p.Next))
	}
	return out
}
