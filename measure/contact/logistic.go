// Logistic regression of contacts on the heads, with an L1 or an L2 penalty.

package contact

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/stat"
)

// Penalty is the regularization of the weights.
type Penalty string

// The penalties: Σ |w| leaves most heads out, ½·Σ w² none.
const (
	L1 Penalty = "l1"
	L2 Penalty = "l2"
)

// LogisticOptions are the choices of a regression; the zero value is the default.
type LogisticOptions struct {
	Penalty Penalty // "" for L1
	C       float64 // the inverse penalty as scikit-learn counts it, 0 for DefaultC
	Least   int     // the least separation |i − j| of the pairs that it is fitted on
	Threads int     // ≤ 0: all processors; results do not depend on it
}

// DefaultC is the value of Rao et al. (2021).
const DefaultC = 0.15

// Logistic is a fitted regression: the probability of a contact is 1/(1 + e^−z), z = Intercept + x·Coefficients.
type Logistic struct {
	Coefficients []float64
	Intercept    float64
	Pairs        int  // it was fitted on
	Contacts     int  // among them
	Converged    bool // that the minimum was reached up to rounding
}

// Logit is z of a pair with the given scores.
func (l *Logistic) Logit(x []float32) float64 {
	z := l.Intercept
	for k, v := range x {
		z += float64(l.Coefficients[k] * float64(v))
	}
	return z
}

const regressionName = "regression of contacts"

// FitLogistic fits the weights w and the intercept b that minimize
//
//	penalty(w) + C·Σ ln(1 + e^(−y·z)),  z = b + x·w,  y = 1 for a contact, else −1
//
// over all pairs of some sequences, where the penalty is Σ |w| or ½·Σ w² and the intercept has
// none, as scikit-learn's LogisticRegression (with the solver saga; liblinear penalises the intercept too).
// Scores are taken as they are, not standardized. It is found by Newton's method with, for L1, coordinate
// descent on the second-order model (J. Friedman, T. Hastie and R. Tibshirani 2010, "Regularization paths for
// generalized linear models via coordinate descent"), up to rounding. Errors: other numbers of heads,
// scores that are NaN or Inf, an unknown penalty or a C that is not above 0; pairs that all touch or
// that none do ([stat.UndefinedError]); the error of ctx.
func FitLogistic(ctx context.Context, parts []*Pairs, o LogisticOptions) (*Logistic, error) {
	f, err := newFit(parts, o)
	if err != nil {
		return nil, err
	}
	w := make([]float64, f.dim)
	w[f.dim-1] = math.Log(float64(f.contacts) / float64(f.pairs-f.contacts))
	z := make([]float64, f.pairs)
	f.logits(w, z)
	value := f.loss(z) + f.penalty(w)
	l := &Logistic{Pairs: f.pairs, Contacts: f.contacts}
	for range 100 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		gradient, hessian := f.derivatives(z)
		step, err := f.direction(w, gradient, hessian)
		if err != nil {
			return nil, err
		}
		next, change, moved := f.search(w, step, gradient, z, value)
		w, value = next, value+change
		if !moved {
			l.Converged = true
			break
		}
	}
	l.Coefficients, l.Intercept = w[:f.dim-1], w[f.dim-1]
	return l, nil
}

// chunk is the number of pairs whose scores are float64 at a time.
const chunk = 2048

// fit is what one regression is fitted on. The last of dim weights is the intercept.
type fit struct {
	parts           []*Pairs
	least           int
	dim             int
	pairs, contacts int
	c               float64
	l1              bool
	threads         int
	x, weighted     []float64 // [chunk, dim]
	sign            []float64 // [chunk]: +1 for a contact
}

func newFit(parts []*Pairs, o LogisticOptions) (*fit, error) {
	if len(parts) == 0 {
		return nil, stat.Undefined(regressionName, "no training sequences")
	}
	if o.C == 0 {
		o.C = DefaultC
	}
	if !(o.C > 0) || math.IsInf(o.C, 1) {
		return nil, fmt.Errorf("%s: C %v, want a number above 0", regressionName, o.C)
	}
	if o.Penalty != "" && o.Penalty != L1 && o.Penalty != L2 {
		return nil, fmt.Errorf("%s: penalty %q, want l1 or l2", regressionName, o.Penalty)
	}
	f := &fit{parts: parts, least: o.Least, dim: parts[0].Heads + 1, c: o.C, l1: o.Penalty != L2, threads: o.Threads}
	for s, p := range parts {
		if p.Heads != f.dim-1 {
			return nil, fmt.Errorf(
				"%s: sequence %d has %d heads, but sequence 0 has %d", regressionName, s, p.Heads, f.dim-1)
		}
		for k := range p.I {
			if !f.has(p, k) {
				continue
			}
			f.pairs++
			if p.Touching[k] {
				f.contacts++
			}
			for h, v := range p.X[k*p.Heads : (k+1)*p.Heads] {
				if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, fmt.Errorf("%s: sequence %d, residues %d and %d: the score of head %d is %v",
						regressionName, s, p.I[k], p.J[k], h, v)
				}
			}
		}
	}
	switch {
	case f.contacts == 0:
		return nil, stat.Undefined(regressionName, "no pair of the training sequences is in contact")
	case f.contacts == f.pairs:
		return nil, stat.Undefined(regressionName, "all pairs of the training sequences are in contact")
	}
	f.x, f.weighted, f.sign = make([]float64, chunk*f.dim), make([]float64, chunk*f.dim), make([]float64, chunk)
	return f, nil
}

func (f *fit) has(p *Pairs, k int) bool { return int(p.J[k]-p.I[k]) >= f.least }

// each visits all pairs in order, at most a chunk at a time: the first of them, and how many.
func (f *fit) each(visit func(first, n int)) {
	first, n := 0, 0
	for _, p := range f.parts {
		for k := range p.I {
			if !f.has(p, k) {
				continue
			}
			row := f.x[n*f.dim : (n+1)*f.dim]
			for h, v := range p.X[k*p.Heads : (k+1)*p.Heads] {
				row[h] = float64(v)
			}
			row[f.dim-1], f.sign[n] = 1, -1
			if p.Touching[k] {
				f.sign[n] = 1
			}
			if n++; n == chunk {
				visit(first, n)
				first, n = first+n, 0
			}
		}
	}
	if n > 0 {
		visit(first, n)
	}
}

// run computes a product, which fits by construction.
func (f *fit) run(p kernel.Product[float64]) {
	p.Threads = f.threads
	if err := p.Run(); err != nil {
		panic("contact: " + err.Error())
	}
}

// logits fills z = x·w of all pairs.
func (f *fit) logits(w, z []float64) {
	f.each(func(first, n int) {
		f.run(kernel.Product[float64]{M: n, N: 1, K: f.dim, A: kernel.Rows(f.x, f.dim), B: kernel.Rows(w, f.dim),
			C: z[first : first+n], Stride: 1})
	})
}

// loss is C·Σ ln(1 + e^(−y·z)).
func (f *fit) loss(z []float64) float64 {
	sum, offset := 0.0, 0
	for _, p := range f.parts {
		for k := range p.I {
			if !f.has(p, k) {
				continue
			}
			v := z[offset]
			if p.Touching[k] {
				v = -v
			}
			sum += max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))
			offset++
		}
	}
	return f.c * sum
}

// penalty is the penalty of the weights.
func (f *fit) penalty(w []float64) float64 {
	sum := 0.0
	for _, v := range w[:f.dim-1] {
		if f.l1 {
			sum += math.Abs(v)
		} else {
			sum += v * v / 2
		}
	}
	return sum
}

// derivatives are the derivatives of the loss at the logits z.
func (f *fit) derivatives(z []float64) (gradient []float64, hessian matrix.Matrix) {
	gradient, hessian = make([]float64, f.dim), matrix.New(f.dim, f.dim)
	f.each(func(first, n int) {
		for k := range n {
			v := z[first+k]
			p := 1 / (1 + math.Exp(-v))
			slope, curvature := f.c*p, f.c*p*(1-p)
			if f.sign[k] > 0 {
				slope = -f.c / (1 + math.Exp(v))
			}
			for d, x := range f.x[k*f.dim : (k+1)*f.dim] {
				gradient[d] += float64(slope * x)
				f.weighted[k*f.dim+d] = curvature * x
			}
		}
		f.run(kernel.Product[float64]{M: f.dim, N: f.dim, K: n, A: kernel.Columns(f.weighted, f.dim), B: kernel.Columns(f.x, f.dim),
			C: hessian.Data, Stride: f.dim, Accumulate: true})
	})
	return gradient, hessian
}

// direction is the step to the minimum of the second-order model of the loss, and the penalty.
func (f *fit) direction(w, gradient []float64, hessian matrix.Matrix) ([]float64, error) {
	if f.l1 {
		return f.descend(w, gradient, hessian), nil
	}
	h, g := mat.NewSymDense(f.dim, nil), mat.NewVecDense(f.dim, nil)
	for i := range f.dim {
		g.SetVec(i, -gradient[i])
		for j := i; j < f.dim; j++ {
			h.SetSym(i, j, hessian.Data[i*f.dim+j])
		}
		if i < f.dim-1 {
			h.SetSym(i, i, h.At(i, i)+1)
			g.SetVec(i, -gradient[i]-w[i])
		}
	}
	var factored mat.Cholesky
	if !factored.Factorize(h) {
		return nil, stat.Undefined(regressionName, "the scores are too large for the penalty")
	}
	step := mat.NewVecDense(f.dim, nil)
	if err := factored.SolveVecTo(step, g); err != nil && !conditioned(err) {
		return nil, stat.Undefined(regressionName, "%v", err)
	}
	return step.RawVector().Data, nil
}

// conditioned reports whether an error only says that digits are lost, which further steps mend.
func conditioned(err error) bool {
	_, is := err.(mat.Condition)
	return is
}

// descend is the step of coordinate descent: it minimizes g·d + ½·d·H·d + Σ |w + d|.
func (f *fit) descend(w, gradient []float64, hessian matrix.Matrix) []float64 {
	step := make([]float64, f.dim)
	slope := append([]float64(nil), gradient...) // g + H·d
	for range 100_000 {
		largest := 0.0
		for k := range step {
			curvature := hessian.Data[k*f.dim+k]
			if !(curvature > 0) {
				continue
			}
			weight := w[k] + step[k]
			to := weight - slope[k]/curvature
			if k < f.dim-1 {
				to = math.Copysign(max(math.Abs(to)-1/curvature, 0), to)
			}
			if d := to - weight; d != 0 {
				step[k] += d
				for j, h := range hessian.Row(k) {
					slope[j] += float64(d * h)
				}
				largest = max(largest, d*d*curvature)
			}
		}
		if largest < 1e-24 {
			break
		}
	}
	return step
}

// search goes along a step as far as the value falls as it should, and fills z with the logits
// there. It has not moved where the model expects no more than rounding.
func (f *fit) search(w, step, gradient, z []float64, value float64) (next []float64, change float64, moved bool) {
	next = make([]float64, f.dim)
	expected, old := 0.0, f.penalty(w)
	for k := range step {
		expected += float64(gradient[k] * step[k])
		next[k] = w[k] + step[k]
	}
	expected += f.penalty(next) - old
	if -expected <= 1e-13*math.Abs(value) { // as near as numbers tell
		return next, 0, false
	}
	along, trial := make([]float64, f.pairs), make([]float64, f.pairs)
	f.logits(step, along)
	for share := 1.0; share > 1e-10; share /= 2 {
		for k := range next {
			next[k] = w[k] + share*step[k]
		}
		for i := range z {
			trial[i] = z[i] + share*along[i]
		}
		change = f.loss(trial) + f.penalty(next) - value
		if change <= 0.01*share*expected {
			copy(z, trial)
			return next, change, true
		}
	}
	return w, 0, false
}
