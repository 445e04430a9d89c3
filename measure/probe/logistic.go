// Multinomial logistic regression with its penalty chosen by grouped cross-validation.

package probe

import (
	"context"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// LogisticOptions are the choices of a logistic regression; the zero value is the default.
type LogisticOptions struct {
	// Cs are inverse penalties to choose from, each above 0, as scikit-learn counts them; nil means
	// defaultCs. A single one is taken as it is.
	Cs []float64
	// Folds is the number of grouped folds that choose, 0 for [DefaultFolds]; with fewer groups than
	// that there are as many folds as groups.
	Folds int
	// Standardize is as in [RidgeOptions].
	Standardize bool
	Threads     int // ≤ 0: all processors; results do not depend on it
}

// defaultCs are 10⁻⁴, 10⁻³, …, 10⁴.
func defaultCs() []float64 { return []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4} }

// Logistic is a fitted classifier.
type Logistic struct {
	Dim, Classes int
	// Coefficients [K, D] and Intercept [K] give the logits, whose softmax are the probabilities. A class
	// that no row had has the intercept −Inf and is never predicted.
	Coefficients, Intercept []float64
	C                       float64
	// Losses is the mean over folds of the log loss for each C; nil where there was no choice.
	Losses []float64
	// Converged says that the minimum was reached up to rounding.
	Converged bool
}

const logisticName = "logistic regression"

// LogisticCrossFit holds the probabilities of classes by heads that were fitted without the fold of
// each row.
type LogisticCrossFit struct {
	// Predicted[e][i·K + k] is the probability of class k for row i from Data.X (e = 0) and from
	// Data.Others[e−1].
	Predicted [][]float64
	Heads     []*Logistic // the head of each fold

	problem *logisticProblem
	fits    []*logisticFit
	held    *held
}

// CrossFitLogistic fits for every fold, on the rows of the other folds, the multinomial logistic
// regression of classes 0 … classes−1 that minimizes
//
//	C·Σ −ln p(class) + ½·Σ_k ‖w_k‖²
//
// with intercepts that are not penalised; of two classes only the difference has weights, as in scikit-learn's
// LogisticRegression. Of several C it takes the one with the smallest mean over grouped folds of the log loss, the
// first such one. The minimum is found by L-BFGS in coordinates in which the curvature is about 1, up to 10⁻¹⁶ of the
// mean loss (10⁻¹¹ where C is chosen and in refits). A class without rows to fit on has probability 0; where all rows
// are of one class it has 1. Errors: shapes that do not match, features that are NaN or Inf, a class out of range, a
// C that is not above 0, one group to choose from ([stat.UndefinedError]), and the error of ctx.
func CrossFitLogistic(ctx context.Context, d Data, class []int, classes int,
	o LogisticOptions) (*LogisticCrossFit, error) {
	if err := d.check(logisticName); err != nil {
		return nil, err
	}
	p, err := newLogisticProblem(d.X, class, classes, d.Groups, o)
	if err != nil {
		return nil, err
	}
	c := &LogisticCrossFit{problem: p}
	if c.held, err = newHeld(logisticName, &d, p.frame, p.x, o.Threads); err != nil {
		return nil, err
	}
	c.Predicted = c.held.room(classes)
	c.fits = make([]*logisticFit, len(c.held.rows))
	if err := parallel.Try(ctx, o.Threads, len(c.fits), func(_, f int) (err error) {
		c.fits[f], err = p.fit(ctx, d.train(f))
		return err
	}); err != nil {
		return nil, err
	}
	for f, fit := range c.fits {
		c.Heads = append(c.Heads, p.head(fit))
		c.predict(f, fit, c.Predicted)
	}
	return c, nil
}

// predict writes the probabilities of the rows of a fold.
func (c *LogisticCrossFit) predict(f int, fit *logisticFit, dst [][]float64) {
	classes := c.problem.classes
	c.held.visit(f, fit.weights, func(e, row int, values []float64) {
		for k := range values {
			values[k] += fit.origin[k]
		}
		softmax(values)
		out := dst[e][row*classes : (row+1)*classes]
		clear(out)
		for k, p := range values {
			out[fit.present[k]] = p
		}
	})
}

// Without refits every head without the rows of block 0, 1, …, each from where it was, with a C that moves as the
// penalty of [RidgeCrossFit.Without] does, and calls visit as that does.
func (c *LogisticCrossFit) Without(ctx context.Context, blocks *stat.Blocks,
	visit func(block int, predicted [][]float64) error) error {
	r := refits{logisticName, c.problem.o.Threads, c.held, c.Predicted}
	if err := r.check(blocks); err != nil {
		return err
	}
	inverses := make([][]float64, len(c.fits))
	for f, fit := range c.fits {
		inverses[f] = c.problem.inverses(fit, blocks)
	}
	return r.each(ctx, blocks, visit, func(j int, gone []int, dst [][]float64) error {
		for f, fit := range c.fits {
			out := common(gone, fit.train)
			if len(out) == 0 {
				continue
			}
			strength := fit.c
			if inverses[f] != nil {
				strength = inverses[f][j]
			}
			refit, err := c.problem.without(ctx, fit, strength, out)
			if err != nil {
				return err
			}
			if refit == nil {
				for e := range dst {
					for _, i := range c.held.rows[f] {
						for k := range c.problem.classes {
							dst[e][i*c.problem.classes+k] = math.NaN()
						}
					}
				}
				continue
			}
			c.predict(f, refit, dst)
		}
		return nil
	})
}

// softmax replaces logits by probabilities and returns −ln Σ e^logit.
func softmax(z []float64) float64 {
	largest := slices.Max(z)
	sum := 0.0
	for k, v := range z {
		z[k] = 1 // of the largest: half of the exponentials of two classes
		if v -= largest; v != 0 {
			z[k] = math.Exp(v)
		}
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
	return -largest - math.Log(sum)
}

// logisticProblem is what all folds share.
type logisticProblem struct {
	frame   *frame
	x       matrix.Matrix
	class   []int
	classes int
	groups  []int
	cs      []float64
	o       LogisticOptions
}

func newLogisticProblem(x points.Points, class []int, classes int, groups []int,
	o LogisticOptions) (*logisticProblem, error) {
	if err := checkClasses(class, classes, x.N); err != nil {
		return nil, err
	}
	var err error
	if o.Cs, o.Folds, err = choices(logisticName, "inverse penalty", "inverse penalties", o.Cs, defaultCs, o.Folds); err != nil {
		return nil, err
	}
	p := &logisticProblem{class: class, classes: classes, groups: groups, cs: o.Cs, o: o}
	p.frame, p.x, err = newFrame(logisticName, x, o.Standardize, o.Threads)
	return p, err
}

// logisticFit is a head in coordinates: logits of the classes that are present.
type logisticFit struct {
	train     []int
	set       *logisticSet
	c         float64
	losses    []float64
	tested    []tested  // by fold of the choice; nil where there was none
	at        []float64 // weights [K, r] in the basis of set, and half the intercepts [K]
	present   []int     // the classes
	weights   matrix.Matrix
	origin    []float64
	converged bool
}

// fit chooses C by grouped folds of the rows and fits all of them.
func (p *logisticProblem) fit(ctx context.Context, index []int) (*logisticFit, error) {
	fit := &logisticFit{train: index, c: p.cs[0]}
	set := p.newSet(index)
	if len(p.cs) > 1 && len(set.present) > 1 {
		if err := p.choose(ctx, fit); err != nil {
			return nil, err
		}
	}
	if err := p.solve(ctx, fit, set, nil, nil, smallGradient); err != nil {
		return nil, err
	}
	return fit, nil
}

func (p *logisticProblem) choose(ctx context.Context, fit *logisticFit) error {
	rows, err := choosingFolds(logisticName, points.Pick(p.groups, fit.train), p.o.Folds, len(p.cs))
	if err != nil {
		return err
	}
	fit.tested = make([]tested, len(rows))
	if err := parallel.Try(ctx, p.o.Threads, len(rows), func(_, f int) (err error) {
		t := &fit.tested[f]
		t.rows = points.Pick(fit.train, rows[f])
		t.losses, err = p.pathLosses(ctx, outside(fit.train, t.rows), t.rows)
		return err
	}); err != nil {
		return err
	}
	fit.losses = make([]float64, len(p.cs))
	best := 0
	for c := range p.cs {
		for _, t := range fit.tested {
			sum := 0.0
			for i := range t.rows {
				sum += t.losses[i*len(p.cs)+c]
			}
			fit.losses[c] += sum / float64(len(t.rows))
		}
		fit.losses[c] /= float64(len(fit.tested))
		if fit.losses[c] < fit.losses[best] {
			best = c
		}
	}
	fit.c = p.cs[best]
	return nil
}

// leastProbability bounds the loss of a row whose class has probability 0, as in package score.
const leastProbability = 0x1p-52

// tested are the rows of one of the folds that choose C, and their log losses [n, A] by each.
type tested struct {
	rows   []int
	losses []float64
}

// inverses are the C without each of J blocks, by [totals.moved]; nil where there was no choice.
func (p *logisticProblem) inverses(fit *logisticFit, blocks *stat.Blocks) []float64 {
	if fit.tested == nil {
		return nil
	}
	count, label := len(p.cs), blocks.Labels()
	trials := make([]trial, len(fit.tested))
	for f, t := range fit.tested {
		trials[f] = trial{make([]float64, blocks.Count()*count), make([]float64, blocks.Count())}
		for i, row := range t.rows {
			j := label[row]
			trials[f].rows[j]++
			for c := range count {
				trials[f].sums[j*count+c] += t.losses[i*count+c]
			}
		}
	}
	all := newTotals(trials)
	return all.moved(p.cs, fit.c, all.without)
}

// pathLosses fits rows with every C and returns the log losses [n, A] of others.
func (p *logisticProblem) pathLosses(ctx context.Context, train, test []int) ([]float64, error) {
	set := p.newSet(train)
	out, x := make([]float64, len(test)*len(p.cs)), p.x.Select(test)
	var before *logisticFit
	for a, c := range p.cs {
		fit := &logisticFit{train: train, c: c}
		if err := p.solve(ctx, fit, set, nil, before, roughGradient); err != nil {
			return nil, err
		}
		before = fit
		logits := product(x, fit.weights, 1)
		for i, row := range test {
			z := logits.Row(i)
			for k := range z {
				z[k] += fit.origin[k]
			}
			softmax(z)
			q := leastProbability
			if k, found := slices.BinarySearch(fit.present, p.class[row]); found {
				q = max(q, z[k])
			}
			out[i*len(p.cs)+a] = -math.Log(q)
		}
	}
	return out, nil
}

// head turns a fit into a head for features as given.
func (p *logisticProblem) head(fit *logisticFit) *Logistic {
	dim := len(p.frame.mean)
	h := &Logistic{Dim: dim, Classes: p.classes, Coefficients: make([]float64, p.classes*dim), Intercept: make([]float64, p.classes),
		C: fit.c, Losses: fit.losses, Converged: fit.converged}
	for k := range h.Intercept {
		h.Intercept[k] = math.Inf(-1)
	}
	coefficients, intercept := p.frame.head(fit.weights, fit.origin)
	for at, k := range fit.present {
		copy(h.Coefficients[k*dim:(k+1)*dim], coefficients[at*dim:(at+1)*dim])
		h.Intercept[k] = intercept[at]
	}
	return h
}

// without refits a head without some of its rows, with another C; nil if there are no others.
func (p *logisticProblem) without(ctx context.Context, fit *logisticFit, c float64, gone []int) (*logisticFit, error) {
	keep := outside(fit.train, gone)
	if len(keep) == 0 {
		return nil, nil
	}
	refit := &logisticFit{train: keep, c: c}
	remaining := slices.Compact(slices.Sorted(slices.Values(points.Pick(p.class, keep))))
	if len(remaining) < len(fit.present) {
		return refit, p.solve(ctx, refit, p.newSet(keep), nil, nil, roughGradient)
	}
	ignore := make([]bool, len(fit.train))
	for _, i := range gone {
		at, _ := slices.BinarySearch(fit.train, i)
		ignore[at] = true
	}
	return refit, p.solve(ctx, refit, fit.set, ignore, fit, roughGradient)
}
