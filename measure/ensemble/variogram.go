// Variogram score.

package ensemble

import (
	"context"
	"errors"
	"fmt"
	"math"

	"repscope/internal/kernel/vector"
	"repscope/internal/parallel"
)

// VariogramOptions say which pairs of cells are compared, and how.
type VariogramOptions struct {
	// P is the power of differences, 0.5 if 0.
	P float64
	// MaxDistance leaves out pairs of cells that lie further apart, in cells; 0: none.
	MaxDistance float64
	// Wrap measures distances along rows the shorter way round: the last column is next to the first.
	Wrap bool
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
// a_i·a_j/(d_ij + 10⁻⁶), so that a mask leaves pairs out. Errors: fewer than two cells, a power
// or a distance that is negative or no number, a distance below 1.
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
		return nil, fmt.Errorf("variogram up to distance %g: want 0 (all pairs) or at least 1", o.MaxDistance)
	}
	if o.Documented {
		o.P = 2
	}
	return &Variogram{height, width, o}, nil
}

// VariogramScore returns the variogram score of a field, in units of the cells to the power 2p (2 for
// the documented one), for the empirical distribution of the members. For S members it is larger by
// the variance of |x_i − x_j|^p divided by S, so compare ensembles of equal size. It ignores constant
// errors and depends only on means of |x_i − x_j|^p.
//
// Offsets are processed one after the other, each with all pairs of cells of two rows at this offset,
// so that memory does not grow with the number of pairs. The number of pairs is quadratic in the
// number of cells, or linear with a largest distance. One copy of the sample is made. Differences and
// roots of float32 values, in arrays of either type, are rounded to float32, which changes a score by
// a relative error of about 10⁻⁷; sums are in float64. The bits are the same for any number of
// threads. Errors: another number of cells, [ErrNoPairs], the error of the context.
func VariogramScore[T Float](ctx context.Context, threads int, v *Variogram, s Sample[T]) (float64, error) {
	mean, err := variogramOf(ctx, threads, v, s)
	if err == nil && mean.Weight == 0 {
		err = ErrNoPairs
	}
	if err != nil {
		return math.NaN(), err
	}
	return mean.Value(), nil
}

// ErrNoPairs says that no two cells, within the largest distance, have a weight.
var ErrNoPairs = errors.New("variogram: fewer than two cells have weight")

// variogramOf is the score as a sum over pairs, whose weight may be 0.
func variogramOf[T Float](ctx context.Context, threads int, v *Variogram, s Sample[T]) (Mean, error) {
	if s.Cells() != v.height*v.width {
		return Mean{}, fmt.Errorf("variogram of %d × %d cells for a field of %d", v.height, v.width, s.Cells())
	}
	switch {
	case v.options.Documented:
		return scoreRows(ctx, threads, v, newRows[float64](v, s.mean()))
	case v.options.P == 0.5 && s.single():
		return scoreRows(ctx, threads, v, newRows[float32](v, s))
	}
	return scoreRows(ctx, threads, v, newRows[T](v, s))
}

// single says whether all cells that have a weight are float32 numbers.
func (s Sample[T]) single() bool {
	check := func(field []T) bool {
		for c, v := range field {
			if T(float32(v)) != v && s.weight(c) != 0 {
				return false
			}
		}
		return true
	}
	for k := range s.count {
		if !check(s.member(k)) {
			return false
		}
	}
	return check(s.truth)
}

// mean is the sample of one member, the mean of all.
func (s Sample[T]) mean() Sample[float64] {
	m := Sample[float64]{truth: make([]float64, len(s.truth)), members: make([]float64, len(s.truth)), stride: len(s.truth), count: 1, weights: s.weights}
	for c, y := range s.truth {
		m.truth[c] = float64(y)
	}
	for k := range s.count {
		for c, v := range s.member(k) {
			m.members[c] += float64(v)
		}
	}
	for c := range m.members {
		m.members[c] /= float64(s.count)
	}
	return m
}

// fieldRows is a field row by row: of the members a row of each, then the next row. What lies
// between the width and the stride is 0.
type fieldRows[T Float] struct {
	count, stride  int
	members, truth []T       // [height][count][stride], [height][stride]
	weights        []float64 // [height][width] or nil
}

func newRows[To, T Float](v *Variogram, s Sample[T]) fieldRows[To] {
	stride := v.width + vector.Lanes // functions of rows read a few elements more
	f := fieldRows[To]{s.count, stride, make([]To, (v.height*s.count+1)*stride), make([]To, (v.height+1)*stride), s.weights}
	for y := range v.height {
		convert(f.truth[y*stride:], s.truth[y*v.width:][:v.width])
		for k := range s.count {
			convert(f.members[(y*s.count+k)*stride:], s.member(k)[y*v.width:][:v.width])
		}
	}
	return f
}

func convert[To, T Float](dst []To, src []T) {
	for i, v := range src {
		dst[i] = To(v)
	}
}

// variogramWork is scratch memory of one goroutine: sums of a row of pairs.
type variogramWork struct{ members, truth []float64 }

func scoreRows[T Float](ctx context.Context, threads int, v *Variogram, f fieldRows[T]) (Mean, error) {
	sums := make([]Mean, v.height)
	err := parallel.With(ctx, threads, v.height, func() func(y int) error {
		work := variogramWork{make([]float64, f.stride), make([]float64, f.stride)}
		return func(y int) error {
			sums[y] = f.pairsBelow(v, work, y)
			return nil
		}
	})
	var total Mean
	for _, part := range sums {
		total.Add(part)
	}
	return total, err
}

// pairsBelow sums the pairs of the cells of row y with those right of them and in the rows below.
func (f fieldRows[T]) pairsBelow(v *Variogram, work variogramWork, y int) Mean {
	var sum Mean
	for dy := range v.height - y {
		reach := v.reach(dy)
		last := reach
		if v.options.Wrap { // far ones may be near the other way round
			last = v.width - 1
		}
		first := -last
		if dy == 0 {
			first = 1
		}
		for dx := first; dx <= last; dx++ {
			apart := v.apart(dx)
			if apart > reach {
				continue
			}
			pairs := f.pairs(v, work, y, dy, dx)
			weight := 1 / (math.Sqrt(float64(dy*dy)+float64(apart*apart)) + variogramEpsilon)
			sum.Sum += float64(weight * pairs.Sum)
			sum.Weight += float64(weight * pairs.Weight)
		}
	}
	return sum
}

// reach is how far apart along a row pairs are at most whose rows lie dy apart; −1: there are none.
func (v *Variogram) reach(dy int) int {
	limit := v.options.MaxDistance
	switch {
	case limit == 0:
		return v.width - 1
	case float64(dy) > limit:
		return -1
	}
	limit = min(limit, float64(v.width+dy)) // so that squares do not overflow: all columns of the row are within
	return min(v.width-1, int(math.Sqrt(limit*limit-float64(dy*dy))))
}

// apart is the distance along a row of two columns whose numbers differ by dx.
func (v *Variogram) apart(dx int) int {
	dx = max(dx, -dx)
	if v.options.Wrap {
		return min(dx, v.width-dx)
	}
	return dx
}

// pairs sums the pairs of the cells of row y with those dy below and dx to the right.
func (f fieldRows[T]) pairs(v *Variogram, work variogramWork, y, dy, dx int) Mean {
	n := v.width - max(dx, -dx)
	a, b := max(0, -dx), max(0, dx) // the first cell of either row
	members, truth := work.members[:n], work.truth[:n]
	powerSums(members, f.members[y*f.count*f.stride+a:], f.members[(y+dy)*f.count*f.stride+b:], f.count, f.stride,
		v.options.P)
	powerSums(truth, f.truth[y*f.stride+a:], f.truth[(y+dy)*f.stride+b:], 1, f.stride, v.options.P)
	share := 1 / float64(f.count)
	for i, m := range members {
		d := truth[i] - float64(share*m)
		if v.options.Documented {
			members[i] = math.Abs(d)
		} else {
			members[i] = d * d
		}
	}
	if f.weights == nil {
		return Mean{Sum: vector.Sum64(members), Weight: float64(n)}
	}
	var sum Mean
	top, bottom := f.weights[y*v.width+a:], f.weights[(y+dy)*v.width+b:]
	for i, term := range members {
		if w := top[i] * bottom[i]; w != 0 {
			sum.put(w, term)
		}
	}
	return sum
}

// powerSums sets dst[i] = Σ_k |a[k·stride+i] − b[k·stride+i]|^p over rows k, as vector.RootSums does.
func powerSums[T Float](dst []float64, a, b []T, rows, stride int, p float64) {
	switch p {
	case 0.5:
		vector.RootSums(dst, a, b, rows, stride, stride)
	case 1:
		vector.AbsoluteSums(dst, a, b, rows, stride, stride)
	case 2:
		clear(dst)
		for k := range rows {
			vector.AddSquares(dst, a[k*stride:][:len(dst)], b[k*stride:][:len(dst)])
		}
	default:
		clear(dst)
		for k := range rows {
			for i, v := range a[k*stride:][:len(dst)] {
				dst[i] += math.Pow(math.Abs(float64(v)-float64(b[k*stride+i])), p)
			}
		}
	}
}
