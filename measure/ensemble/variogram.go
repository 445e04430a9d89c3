// Variogram score.

package ensemble

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/parallel"
)

// VariogramOptions say which pairs of cells are compared, and how.
type VariogramOptions struct {
	// P is the power of differences, 0.5 if 0.
	P float64
	// MaxDistance leaves out pairs of cells that lie further apart, in cells; 0: none.
	MaxDistance float64
	// Documented asks for Σ w_ij |(m_i − m_j)² − (y_i − y_j)²| with the mean m of the members, which is not
	// proper: it does not see how members differ. P is not used.
	Documented bool
}

// Variogram is the weights of pairs of cells of a field of height × width.
type Variogram struct {
	height, width int
	options       VariogramOptions
}

// variogramEpsilon keeps the weight of a distance of 0 finite, as published.
const variogramEpsilon = 1e-6

// NewVariogram prepares the variogram score of Scheuerer & Hamill (2015) of fields of height ×
// width cells,
//
//	Σ_{i≠j} w_ij·(|y_i − y_j|^p − mean_k |x_ki − x_kj|^p)²,   w_ij ∝ 1/(d_ij + 10⁻⁶), Σ w_ij = 1
//
// with the distance d_ij of cells i and j of the grid. With weights a of cells, w_ij ∝
// a_i·a_j/(d_ij + 10⁻⁶), so that a mask leaves pairs out. Errors: fewer than two cells, a power or a
// distance that is negative or no number, no pair within the distance.
func NewVariogram(height, width int, o VariogramOptions) (*Variogram, error) {
	if o.P == 0 {
		o.P = 0.5
	}
	switch {
	case height < 1 || width < 1 || height*width < 2:
		return nil, fmt.Errorf("variogram of %d × %d cells: want at least two", height, width)
	case !(o.P > 0) || math.IsInf(o.P, 0):
		return nil, fmt.Errorf("variogram with power %g: want a positive number", o.P)
	case !(o.MaxDistance >= 0) || o.MaxDistance != 0 && o.MaxDistance < 1:
		return nil, fmt.Errorf("variogram up to distance %g: want 0, for all, or at least 1", o.MaxDistance)
	}
	return &Variogram{height, width, o}, nil
}

// VariogramScore returns the variogram score of a field, in units of the cells to the power
// 2p (4 for the documented one). Offsets are treated one after the other, with all pairs of
// cells that lie so apart: memory does not grow with the number of pairs, which is that of
// cells squared or, with a largest distance, linear in it. The bits are the same for any
// number of threads. Errors: another number of cells, all pairs without weight, the
// context's.
func VariogramScore[T Float](ctx context.Context, threads int, v *Variogram, s Sample[T]) (float64, error) {
	if s.Cells() != v.height*v.width {
		return math.NaN(), fmt.Errorf("variogram of %d × %d cells for a field of %d", v.height, v.width, s.Cells())
	}
	sums := make([]Mean, v.height)
	err := parallel.For(ctx, threads, v.height, func(_, dy int) { sums[dy] = variogramRows(v, s, dy) })
	if err != nil {
		return math.NaN(), err
	}
	var total Mean
	for _, part := range sums {
		total.Add(part)
	}
	if total.Weight == 0 {
		return math.NaN(), fmt.Errorf("variogram: no two cells that have a weight")
	}
	return total.Value(), nil
}

// variogramRows sums the pairs whose rows lie dy apart, each once.
func variogramRows[T Float](v *Variogram, s Sample[T], dy int) Mean {
	var sum Mean
	for dx := -v.width + 1; dx < v.width; dx++ {
		if dy == 0 && dx <= 0 {
			continue
		}
		distance := math.Sqrt(float64(dy*dy) + float64(dx*dx))
		if v.options.MaxDistance > 0 && distance > v.options.MaxDistance {
			continue
		}
		var at Mean
		for y := 0; y+dy < v.height; y++ {
			for x := max(0, -dx); x < v.width && x+dx < v.width; x++ {
				a, b := y*v.width+x, (y+dy)*v.width+x+dx
				if w := s.weight(a) * s.weight(b); w != 0 {
					at.put(w, v.pair(differences(s, a, b)))
				}
			}
		}
		weight := 1 / (distance + variogramEpsilon)
		sum.Sum += float64(weight * at.Sum)
		sum.Weight += float64(weight * at.Weight)
	}
	return sum
}

// differences are those of two cells, of the members and of the truth.
func differences[T Float](s Sample[T], a, b int) (members []float64, truth float64) {
	members = make([]float64, s.count)
	for k := range members {
		members[k] = float64(s.members[k*s.stride+a]) - float64(s.members[k*s.stride+b])
	}
	return members, float64(s.truth[a]) - float64(s.truth[b])
}

// pair is the term of a pair of cells.
func (v *Variogram) pair(members []float64, truth float64) float64 {
	sum := 0.0
	if v.options.Documented {
		for _, d := range members {
			sum += d
		}
		mean := sum / float64(len(members))
		return math.Abs(float64(mean*mean) - float64(truth*truth))
	}
	for _, d := range members {
		sum += math.Pow(math.Abs(d), v.options.P)
	}
	e := math.Pow(math.Abs(truth), v.options.P) - sum/float64(len(members))
	return e * e
}
