// The minimum of the penalized likelihood by L-BFGS.

package probe

import (
	"context"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/points"
)

// logisticSet are the rows that a head is fitted on.
type logisticSet struct {
	axes *solver
	// rows about their mean in the basis of axes, packed for products with vectors of either kind
	rows, columns *kernel.Packed[float64]
	label         []int // of every row, its place among the classes that are present
	present       []int
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
	x = product(x, axes.basis, 1)
	s := &logisticSet{axes: axes, rows: new(kernel.Packed[float64]), columns: new(kernel.Packed[float64])}
	mustRun(s.rows.Right(kernel.Rows(x.Data, x.Dim), x.N, x.Dim))
	mustRun(s.columns.Right(kernel.Columns(x.Data, x.Dim), x.Dim, x.N))
	class := points.Pick(p.class, index)
	s.present = slices.Compact(slices.Sorted(slices.Values(class)))
	s.label = make([]int, len(class))
	for i, k := range class {
		s.label[i], _ = slices.BinarySearch(s.present, k)
	}
	return s
}

// likelihood is the mean loss of the rows of a set plus the penalty, of parameters v: the weights
// [K, r] in the basis of the set are L⁻ᵀ·v, and after them the intercepts [K] are 2·v.
type likelihood struct {
	*logisticSet
	ignore  []bool // rows that do not count; nil for none
	count   float64
	penalty float64 // of ‖w‖²/2
	// scale is L·Lᵀ = C/4n + penalty, so that the second derivatives are about 1: the derivatives of the loss are
	// at most C/2n (Böhning 1992).
	scale   factored
	weights matrix.Matrix // [K, r]
	logits  matrix.Matrix // [K, n]
}

func newLikelihood(s *logisticSet, c float64, ignore []bool) *likelihood {
	l := &likelihood{logisticSet: s, ignore: ignore}
	for i := range s.label {
		if ignore == nil || !ignore[i] {
			l.count++
		}
	}
	if len(s.present) == 2 {
		c /= 2 // ‖w₁‖² + ‖w₂‖² = ‖w₁ − w₂‖²/2 at the minimum
	}
	l.penalty = 1 / (c * l.count)
	l.scale = s.axes.factorize(1/(4*s.axes.n), l.penalty)
	l.weights, l.logits = matrix.New(len(s.present), len(l.scale.inverse)), matrix.New(len(s.present), len(s.label))
	return l
}

// toWeights takes the weights of parameters.
func (l *likelihood) toWeights(v []float64) {
	copy(l.weights.Data, v)
	for k := range l.weights.N {
		l.scale.otherHalf(l.weights.Row(k), 1)
	}
}

// toParameters replaces weights by parameters, v = Lᵀ·w.
func (l *likelihood) toParameters(v []float64) {
	for k := range l.weights.N {
		w := v[k*l.weights.Dim : (k+1)*l.weights.Dim]
		for a, inverse := range l.scale.inverse {
			w[a] /= inverse
			if a < len(l.scale.below) {
				w[a] += float64(l.scale.below[a] * w[a+1])
			}
		}
	}
}

// at returns the value and writes the gradient.
func (l *likelihood) at(v, gradient []float64) float64 {
	n, dim, classes := len(l.label), l.weights.Dim, l.weights.N
	bias := v[classes*dim:]
	l.toWeights(v)
	z := l.logits.Data
	forward := kernel.Product[float64]{M: classes, N: n, K: dim, A: kernel.Rows(l.weights.Data, dim), B: l.rows.Operand(0), C: z, Stride: n, Threads: 1}
	mustRun(forward.Run())
	sums, row, losses := make([]float64, classes), make([]float64, classes), 0.0
	for i, class := range l.label {
		if l.ignore != nil && l.ignore[i] {
			for k := range row {
				z[k*n+i] = 0
			}
			continue
		}
		for k := range row {
			row[k] = z[k*n+i] + 2*bias[k]
		}
		logit := row[class]
		losses -= logit + softmax(row)
		row[class]--
		for k, p := range row {
			z[k*n+i] = p
			sums[k] += p
		}
	}
	back := kernel.Product[float64]{M: classes, N: dim, K: n, A: kernel.Rows(z, n), B: l.columns.Operand(0), C: gradient, Stride: dim, Threads: 1}
	mustRun(back.Run())
	for at, w := range l.weights.Data {
		gradient[at] = gradient[at]/l.count + float64(l.penalty*w)
	}
	for k := range classes {
		l.scale.half(gradient[k*dim:(k+1)*dim], 1)
		gradient[classes*dim+k] = 2 * sums[k] / l.count
	}
	return 0.5*l.penalty*matrix.Dot(l.weights.Data, l.weights.Data) + losses/l.count
}

const (
	// memory is the number of steps that L-BFGS remembers.
	memory = 10
	// smallGradient is the squared gradient, in coordinates of curvature about 1, at which a minimum
	// is reached: the mean loss is about that far from the smallest. Where losses are only compared,
	// and where scores without blocks are, roughGradient will do.
	smallGradient, roughGradient = 1e-16, 1e-11
	// longestSearch is the number of steps after which there is no minimum.
	longestSearch = 2000
	// cancelCheck is the number of steps between two looks at the context.
	cancelCheck = 16
)

// solve finds the minimum for fit.c on the rows of a set that are not ignored, from the place of
// another fit of the set or from 0.
func (p *logisticProblem) solve(ctx context.Context, fit *logisticFit, set *logisticSet, ignore []bool,
	start *logisticFit, gradient float64) error {
	fit.set, fit.present, fit.converged = set, set.present, true
	l := newLikelihood(set, fit.c, ignore)
	classes, dim := l.weights.N, l.weights.Dim
	fit.at = make([]float64, classes*(dim+1))
	if start != nil {
		copy(fit.at, start.at)
		l.toParameters(fit.at)
	}
	if classes > 1 {
		var err error
		if fit.converged, err = minimize(ctx, l.at, fit.at, gradient, longestSearch); err != nil {
			return err
		}
	}
	l.toWeights(fit.at)
	copy(fit.at, l.weights.Data)
	along, intercept := matrix.New(dim, classes), make([]float64, classes)
	for k := range classes {
		intercept[k] = 2 * fit.at[classes*dim+k]
		for a, w := range l.weights.Row(k) {
			along.Data[a*classes+k] = w
		}
	}
	fit.weights = product(set.axes.basis, along, 1)
	fit.origin = originOf(set.axes.xMean, intercept, fit.weights)
	return nil
}

// minimize moves x to the minimum of a convex function by L-BFGS (Liu and Nocedal 1989) with steps
// halved until they decrease it enough, as many as given, and says whether the squared gradient is small.
func minimize(ctx context.Context, f func(x, gradient []float64) float64, x []float64, small float64,
	steps int) (bool, error) {
	gradient, next, nextGradient := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	value := f(x, gradient)
	var history curvature
	for step := range steps {
		if step%cancelCheck == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if matrix.Dot(gradient, gradient) <= small {
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
