// The minimum of the penalized likelihood by L-BFGS.

package probe

import (
	"context"
	"math"
	"slices"

	"repscope/measure/internal/matrix"
)

// logisticSet are the rows that a head is fitted on.
type logisticSet struct {
	axes    *solver
	x       matrix.Matrix // rows about their mean, in the basis of axes
	label   []int         // of every row, its place among the classes that are present
	present []int
}

func (p *logisticProblem) newSet(index []int) *logisticSet {
	x := p.x.Select(index)
	axes := sumsOf(x, matrix.New(x.N, 1), 1).solver()
	for i := range x.N {
		row := x.Row(i)
		for k := range row {
			row[k] -= axes.xMean[k]
		}
	}
	s := &logisticSet{axes: axes, x: product(x, axes.basis, 1)}
	class := pick(p.class, index)
	s.present = slices.Compact(slices.Sorted(slices.Values(class)))
	s.label = make([]int, len(class))
	for i, k := range class {
		s.label[i], _ = slices.BinarySearch(s.present, k)
	}
	return s
}

// likelihood is the mean loss of the rows of a set plus the penalty, of parameters v: the weights
// [r, K] are L⁻ᵀ·v, the intercepts [K] the last row of v times 2.
type likelihood struct {
	*logisticSet
	ignore  []bool // rows that do not count; nil for none
	rows    float64
	penalty float64 // of ‖w‖²/2
	// scale is L·Lᵀ = C/4n + penalty, so that the second derivatives are about 1: those of the loss are
	// at most C/2n (Böhning 1992).
	scale   factored
	weights matrix.Matrix
}

func newLikelihood(s *logisticSet, c float64, ignore []bool) *likelihood {
	l := &likelihood{logisticSet: s, ignore: ignore}
	for i := range s.x.N {
		if ignore == nil || !ignore[i] {
			l.rows++
		}
	}
	if len(s.present) == 2 {
		c /= 2 // ‖w₁‖² + ‖w₂‖² = ‖w₁ − w₂‖²/2 at the minimum
	}
	l.penalty = 1 / (c * l.rows)
	l.scale = s.axes.factorize(1/(4*s.axes.n), l.penalty)
	l.weights = matrix.New(s.x.Dim, len(s.present))
	return l
}

// toWeights turns parameters into weights.
func (l *likelihood) toWeights(v []float64) {
	classes := len(l.present)
	copy(l.weights.Data, v)
	for c := range classes {
		l.scale.otherHalf(l.weights.Data[c:], classes)
	}
}

// toParameters turns weights into parameters v, v = Lᵀ·w.
func (l *likelihood) toParameters(w matrix.Matrix, v []float64) {
	classes := len(l.present)
	for k, inverse := range l.scale.inverse {
		for c := range classes {
			v[k*classes+c] = w.Data[k*classes+c] / inverse
			if k < len(l.scale.below) {
				v[k*classes+c] += float64(l.scale.below[k] * w.Data[(k+1)*classes+c])
			}
		}
	}
}

// at returns the value and writes the gradient.
func (l *likelihood) at(v, gradient []float64) float64 {
	classes := len(l.present)
	bias := v[l.x.Dim*classes:]
	l.toWeights(v)
	value := 0.5 * l.penalty * matrix.Dot(l.weights.Data, l.weights.Data)
	z := product(l.x, l.weights, 1)
	sums, losses := make([]float64, classes), 0.0
	for i := range z.N {
		row := z.Row(i)
		if l.ignore != nil && l.ignore[i] {
			clear(row)
			continue
		}
		for c := range row {
			row[c] += 2 * bias[c]
		}
		own := row[l.label[i]]
		losses -= own + softmax(row)
		row[l.label[i]]--
		matrix.AddTo(sums, row)
	}
	slope := transposed(l.x, z, 1)
	for at, w := range l.weights.Data {
		gradient[at] = slope.Data[at]/l.rows + float64(l.penalty*w)
	}
	for c := range classes {
		l.scale.half(gradient[c:l.x.Dim*classes], classes)
	}
	for c, g := range sums {
		gradient[l.x.Dim*classes+c] = 2 * g / l.rows
	}
	return value + losses/l.rows
}

const (
	// memory is the number of steps that L-BFGS remembers.
	memory = 10
	// smallGradient is the squared gradient, in coordinates of curvature about 1, at which the
	// minimum is reached, and longestSearch the number of steps after which it is not.
	smallGradient, longestSearch = 1e-20, 2000
	// cancelCheck is the number of steps between two looks at the context.
	cancelCheck = 16
)

// solve finds the minimum for fit.c on the rows of a set that are not ignored, from start or from 0.
func (p *logisticProblem) solve(ctx context.Context, fit *logisticFit, set *logisticSet, ignore []bool, start []float64) error {
	fit.set, fit.present = set, set.present
	l := newLikelihood(set, fit.c, ignore)
	classes := len(set.present)
	if fit.at = slices.Clone(start); start == nil {
		fit.at = make([]float64, (set.x.Dim+1)*classes)
	} else {
		before := newLikelihood(set, fit.c, nil) // start is in the scale of all rows
		before.toWeights(start[:set.x.Dim*classes])
		l.toParameters(before.weights, fit.at)
	}
	fit.converged = true
	if classes > 1 {
		var err error
		if fit.converged, err = minimize(ctx, l.at, fit.at); err != nil {
			return err
		}
	}
	l.toWeights(fit.at[:set.x.Dim*classes])
	fit.weights = product(set.axes.basis, l.weights, 1)
	intercept := make([]float64, classes)
	for c := range intercept {
		intercept[c] = 2 * fit.at[set.x.Dim*classes+c]
	}
	fit.origin = originOf(set.axes.xMean, intercept, fit.weights)
	return nil
}

// minimize moves x to the minimum of a convex function by L-BFGS (Liu and Nocedal 1989) with steps
// halved until they decrease it enough.
func minimize(ctx context.Context, f func(x, gradient []float64) float64, x []float64) (bool, error) {
	gradient, next, nextGradient := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	value := f(x, gradient)
	var history curvature
	for step := range longestSearch {
		if step%cancelCheck == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if matrix.Dot(gradient, gradient) <= smallGradient {
			return true, nil
		}
		direction := history.direction(gradient)
		slope := matrix.Dot(direction, gradient)
		if !(slope < 0) {
			history = curvature{}
			direction = history.direction(gradient)
			slope = matrix.Dot(direction, gradient)
		}
		length, nextValue := 1.0, 0.0
		for {
			for k := range x {
				next[k] = x[k] + float64(length*direction[k])
			}
			nextValue = f(next, nextGradient)
			// Within rounding of the value the gradient decides.
			if nextValue <= value+1e-4*length*slope ||
				nextValue <= value+1e-14*math.Abs(value) && matrix.Dot(nextGradient, nextGradient) < matrix.Dot(gradient, gradient) {
				break
			}
			if length /= 2; length < 1e-12 {
				return matrix.Dot(gradient, gradient) <= 1e-12, nil // nothing is left but rounding
			}
		}
		history.add(x, next, gradient, nextGradient)
		copy(x, next)
		copy(gradient, nextGradient)
		value = nextValue
	}
	return false, nil
}

// curvature is the memory of L-BFGS: steps, and how the gradient changed over them.
type curvature struct{ steps, changes [][]float64 }

func (h *curvature) add(x, next, gradient, nextGradient []float64) {
	s, y := make([]float64, len(x)), make([]float64, len(x))
	for k := range x {
		s[k], y[k] = next[k]-x[k], nextGradient[k]-gradient[k]
	}
	if !(matrix.Dot(s, y) > 0) {
		return
	}
	h.steps, h.changes = append(h.steps, s), append(h.changes, y)
	if len(h.steps) > memory {
		h.steps, h.changes = h.steps[1:], h.changes[1:]
	}
}

// direction is minus the approximate inverse of the second derivatives times the gradient.
func (h *curvature) direction(gradient []float64) []float64 {
	d := make([]float64, len(gradient))
	for k, g := range gradient {
		d[k] = -g
	}
	share := make([]float64, len(h.steps))
	for m := len(h.steps) - 1; m >= 0; m-- {
		share[m] = matrix.Dot(h.steps[m], d) / matrix.Dot(h.steps[m], h.changes[m])
		matrix.Axpy(d, -share[m], h.changes[m])
	}
	if last := len(h.steps) - 1; last >= 0 {
		scale := matrix.Dot(h.steps[last], h.changes[last]) / matrix.Dot(h.changes[last], h.changes[last])
		for k := range d {
			d[k] *= scale
		}
	}
	for m := range h.steps {
		back := matrix.Dot(h.changes[m], d) / matrix.Dot(h.steps[m], h.changes[m])
		matrix.Axpy(d, share[m]-back, h.steps[m])
	}
	return d
}
