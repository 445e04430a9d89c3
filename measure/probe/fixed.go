// Logistic regression with a given penalty for many rows, which stay in the type they came in.

package probe

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/points"
	"repscope/stat"
)

// FixedOptions are the choices of a logistic regression whose penalty is given.
type FixedOptions struct {
	// C is the inverse penalty as scikit-learn counts it, above 0.
	C float64
	// Effects asks [CrossFitFixed] for what the scores owe to single rows.
	Effects bool
	Threads int // ≤ 0: all processors; results do not depend on it
}

func (o FixedOptions) check() error {
	return checkPenalties(logisticName, "inverse penalty", []float64{o.C})
}

// FitLogistic fits the multinomial logistic regression of [CrossFitLogistic] with one C to all rows of
// features of unit variance: every feature is divided by its standard deviation (ddof 0), by 1 where
// it is constant, as scikit-learn's StandardScaler and LogisticRegression do. The coefficients are
// those of features as given, and at the minimum to about 10⁻⁸ of what they are; those of all classes
// add up to 0, and so do the intercepts. Besides the features it takes memory for some thousands of
// rows. Errors as for [CrossFitLogistic].
func FitLogistic(ctx context.Context, x points.Points, class []int, classes int, o FixedOptions) (*Logistic, error) {
	p, err := newFixedProblem(x, class, classes, o)
	if err != nil {
		return nil, err
	}
	fit, err := p.fit(ctx, allRows(x.N))
	if err != nil {
		return nil, err
	}
	return fit.head(), nil
}

// FixedCrossFit holds what heads say that were fitted without the fold of each row.
type FixedCrossFit struct {
	Predicted []int       // the most probable class of every row, the first such one
	Heads     []*Logistic // of each fold
	// AccuracyEffect and BalancedEffect say, of every row, by how much the accuracy and the
	// balanced accuracy of Predicted would change, to first order, had no head been fitted on
	// it; nil unless asked for. See [FixedCrossFit.Jackknife].
	AccuracyEffect, BalancedEffect []float64
}

// CrossFitFixed fits the head of [FitLogistic] for every fold on the rows of the others (or those of
// Data.Train) and predicts the fold. Features are divided by their standard deviation over the rows
// that are fitted on. Data.Others are not used. Errors as for [CrossFitLogistic].
//
// 10⁶ rows of 512 float32 features, in 5 folds, take minutes on two processors and no more memory
// than the features do.
func CrossFitFixed(ctx context.Context, d Data, class []int, classes int, o FixedOptions) (*FixedCrossFit, error) {
	if err := d.check(logisticName); err != nil {
		return nil, err
	}
	p, err := newFixedProblem(d.X, class, classes, o)
	if err != nil {
		return nil, err
	}
	c := &FixedCrossFit{Predicted: make([]int, d.X.N)}
	if o.Effects {
		c.AccuracyEffect, c.BalancedEffect = make([]float64, d.X.N), make([]float64, d.X.N)
	}
	for f, test := range d.rowsOf() {
		fit, err := p.fit(ctx, d.train(f))
		if err != nil {
			return nil, err
		}
		c.Heads = append(c.Heads, fit.head())
		margins, err := fit.predict(ctx, test, c.Predicted)
		if err != nil {
			return nil, err
		}
		if o.Effects {
			if err := fit.effects(ctx, test, margins, c); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// fixedProblem is what all folds share.
type fixedProblem struct {
	x       points.Points
	class   []int
	classes int
	o       FixedOptions
}

func newFixedProblem(x points.Points, class []int, classes int, o FixedOptions) (*fixedProblem, error) {
	if x.N == 0 || x.Dim == 0 {
		return nil, stat.Undefined(logisticName, "features of shape [%d, %d]", x.N, x.Dim)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := checkClasses(class, classes, x.N); err != nil {
		return nil, err
	}
	return &fixedProblem{x, class, classes, o}, checkFeatures(logisticName, x)
}

// checkClasses says which row has no class or one out of range.
func checkClasses(class []int, classes, n int) error {
	if len(class) != n {
		return fmt.Errorf("%s: %d classes for %d rows", logisticName, len(class), n)
	}
	for i, k := range class {
		if k < 0 || k >= classes {
			return fmt.Errorf("%s: row %d has class %d, want 0 … %d", logisticName, i, k, classes-1)
		}
	}
	return nil
}

// checkPenalties says which is not a finite number above 0.
func checkPenalties(quantity, what string, values []float64) error {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s: %s %v, want a finite number above 0", quantity, what, v)
		}
	}
	return nil
}

// fixedFit is a head: z_k = x·weights_k + intercept_k for all classes that are present but the last one of
// present, which has 0: the commonest one, so that the other ones hang together as little as may be.
type fixedFit struct {
	*fixedProblem
	train     []int
	present   []int // classes
	count     []int // of the classes that are present
	scale     []float64
	penalty   float64   // of Σ (scale·w)²/2, for the mean loss
	weights   []float64 // [K−1, D], of features as given
	intercept []float64
	converged bool
}

// fit fits the rows of an index.
func (p *fixedProblem) fit(ctx context.Context, train []int) (*fixedFit, error) {
	f := &fixedFit{fixedProblem: p, train: train, converged: true}
	counts := make([]int, p.classes)
	for _, i := range train {
		counts[p.class[i]]++
	}
	commonest := 0
	for k, n := range counts {
		if n > 0 {
			f.present = append(f.present, k)
		}
		if n > counts[commonest] {
			commonest = k
		}
	}
	at := slices.Index(f.present, commonest)
	f.present = append(slices.Delete(f.present, at, at+1), commonest)
	f.count = pick(counts, f.present)
	f.weights, f.intercept = make([]float64, f.columns()*p.x.Dim), make([]float64, f.columns())
	if f.columns() == 0 {
		return f, nil
	}
	_, f.scale = columnScale(p.x, train)
	f.penalty = 1 / (p.o.C * float64(len(train)))
	for k := range f.intercept {
		f.intercept[k] = math.Log(float64(f.count[k]) / float64(f.count[f.columns()]))
	}
	return f, f.solve(ctx)
}

// columns is the number of classes that have weights.
func (f *fixedFit) columns() int { return len(f.present) - 1 }

// share is the part of ‖w_k‖² that is penalized. The weights of K > 2 classes that add up to 0 have
// Σ‖w_k‖² − ‖Σw_k‖²/K in terms of differences from those of one class; of two classes the difference itself
// is penalized.
func (f *fixedFit) share() float64 {
	if f.columns() == 1 {
		return 0
	}
	return 1 / float64(len(f.present))
}

// penalize adds the gradient of the penalty at weights v to g and returns the value.
func (f *fixedFit) penalize(v, g []float64) float64 {
	dim, value := f.x.Dim, 0.0
	for d, s := range f.scale {
		sum := 0.0
		for k := range f.columns() {
			sum += v[k*dim+d]
		}
		factor := f.penalty * s * s
		for k := range f.columns() {
			slope := factor * (v[k*dim+d] - f.share()*sum)
			g[k*dim+d] += slope
			value += float64(slope*v[k*dim+d]) / 2
		}
	}
	return value
}

// head turns a fit into weights that add up to 0 over classes.
func (f *fixedFit) head() *Logistic {
	dim := f.x.Dim
	h := &Logistic{Dim: dim, Classes: f.classes, Coefficients: make([]float64, f.classes*dim), Intercept: make([]float64, f.classes),
		C: f.o.C, Converged: f.converged}
	for k := range h.Intercept {
		h.Intercept[k] = math.Inf(-1)
	}
	center := func(of func(k int) float64, set func(class int, v float64)) {
		sum := 0.0
		for k := range f.columns() {
			sum += of(k)
		}
		mean := sum / float64(len(f.present))
		for k, class := range f.present {
			if k == f.columns() {
				set(class, -mean)
			} else {
				set(class, of(k)-mean)
			}
		}
	}
	center(func(k int) float64 { return f.intercept[k] }, func(class int, v float64) { h.Intercept[class] = v })
	for d := range dim {
		center(func(k int) float64 { return f.weights[k*dim+d] }, func(class int, v float64) { h.Coefficients[class*dim+d] = v })
	}
	return h
}

// predict writes the most probable class of rows and returns the logits of their own class less
// the largest of the others; NaN of a class that is not present.
func (f *fixedFit) predict(ctx context.Context, rows, dst []int) ([]float64, error) {
	margins := make([]float64, len(rows))
	z := func(b *rowBlock, k, r int) float64 {
		if k == f.columns() {
			return 0
		}
		return b.z[k*len(b.index)+r]
	}
	err := f.visit(ctx, rows, f.weights, f.intercept, func(_ int, b *rowBlock) {
		for r, i := range b.index {
			best, own, rival := 0, math.NaN(), math.Inf(-1)
			for k, class := range f.present {
				v := z(b, k, r)
				if top := z(b, best, r); v > top || v == top && class < f.present[best] {
					best = k
				}
				if class == f.class[i] {
					own = v
				} else {
					rival = max(rival, v)
				}
			}
			dst[i], margins[b.first+r] = f.present[best], own-rival
		}
	})
	return margins, err
}
