// Ridge regression with its penalty chosen by grouped cross-validation.

package probe

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// RidgeOptions are the choices of a ridge regression; the zero value is the default.
type RidgeOptions struct {
	// Alphas are the penalties to choose from, each above 0; nil means [DefaultAlphas]. A single one is
	// taken as it is.
	Alphas []float64
	// Folds is the number of grouped folds that choose the penalty, 0 for [DefaultFolds]; with fewer
	// groups than that there are as many folds as groups.
	Folds int
	// PerTarget chooses a penalty for each target; otherwise one for the mean of their errors.
	PerTarget bool
	// Standardize divides every feature by its standard deviation over all rows that are given, so
	// that the penalty counts it in that unit. Folds and deletions keep the scale.
	Standardize bool
	Threads     int // ≤ 0: all processors; results do not depend on it
}

// DefaultAlphas are 64 penalties from 10⁻⁴ to 10⁴, equally spaced on the logarithmic scale.
func DefaultAlphas() []float64 {
	const count = 64
	out := make([]float64, count)
	for i := range out {
		out[i] = math.Pow(10, -4+8*float64(i)/(count-1))
	}
	return out
}

// Ridge is a fitted head for T targets: prediction t is Intercept[t] + Σ_k x_k·Coefficients[t·D + k].
type Ridge struct {
	Dim          int
	Coefficients []float64 // [T, D], in units of the features as given
	Intercept    []float64 // [T]
	Alpha        []float64 // the penalty of each target
	// Errors[a·T + t] is the mean over folds of the mean squared error of target t with penalty a; nil
	// where there was no choice.
	Errors []float64
	// Edge says of each target that the penalty is the smallest or the largest of several.
	Edge []bool
}

const ridgeName = "ridge regression"

// fitRidge minimizes Σ (y − b − x·w)² + α·‖w‖² for each column y of the targets [n, T], as
// scikit-learn's Ridge; the intercept b is not penalised. Of several penalties α it takes the one
// with the smallest mean over grouped folds of the mean squared error, the first such one, as
// GridSearchCV over [GroupFolds] does. Features may be more than rows, constant or
// linearly dependent; a penalty below 10⁻¹² of the largest eigenvalue of Σ (x − x̄)(x − x̄)ᵀ counts as that. A
// constant target has weights 0. Errors: shapes that do not match,
// NaN or Inf, a penalty that is not above 0, one group to choose from ([stat.UndefinedError]), and
// the error of ctx.
func fitRidge(ctx context.Context, x, y points.Points, groups []int, o RidgeOptions) (*Ridge, error) {
	if len(groups) != x.N {
		return nil, fmt.Errorf("%s: %d groups for %d rows", ridgeName, len(groups), x.N)
	}
	p, err := newRidgeProblem(x, y, groups, o)
	if err != nil {
		return nil, err
	}
	index := make([]int, x.N)
	for i := range index {
		index[i] = i
	}
	fit, err := p.fit(ctx, index)
	if err != nil {
		return nil, err
	}
	return p.ridge(fit), nil
}

// ridgeProblem is what all folds of a regression share.
type ridgeProblem struct {
	frame  *frame
	x, y   matrix.Matrix // coordinates; targets about yMean
	yMean  []float64
	groups []int
	alphas []float64
	o      RidgeOptions
	rows   matrix.Scratch // memory of rows that a head is fitted on
}

func newRidgeProblem(x, y points.Points, groups []int, o RidgeOptions) (*ridgeProblem, error) {
	if x.N == 0 || x.Dim == 0 || y.Dim == 0 {
		return nil, stat.Undefined(ridgeName, "features of shape [%d, %d] and targets of shape [%d, %d]",
			x.N, x.Dim, y.N, y.Dim)
	}
	if y.N != x.N {
		return nil, fmt.Errorf("%s: %d rows of targets for %d rows of features", ridgeName, y.N, x.N)
	}
	if err := checkFeatures("targets of "+ridgeName, y); err != nil {
		return nil, err
	}
	var err error
	if o.Alphas, o.Folds, err = choices(ridgeName, "penalty", "penalties", o.Alphas, DefaultAlphas, o.Folds); err != nil {
		return nil, err
	}
	p := &ridgeProblem{groups: groups, alphas: o.Alphas, o: o}
	if p.frame, p.x, err = newFrame(ridgeName, x, o.Standardize, o.Threads); err != nil {
		return nil, err
	}
	p.y, p.yMean = matrix.Centered(y)
	return p, checkSquares(ridgeName, p.y)
}

// ridgeFit is a head in coordinates, and what its refits need.
type ridgeFit struct {
	train   []int
	solver  *solver
	chosen  []int // the penalty of each target
	alpha   []float64
	errors  []float64
	weights matrix.Matrix // [r, T]
	origin  []float64
}

// fit fits the rows of an index.
func (p *ridgeProblem) fit(ctx context.Context, index []int) (*ridgeFit, error) {
	fit := &ridgeFit{train: index, chosen: make([]int, p.y.Dim)}
	if len(p.alphas) > 1 {
		if err := p.choose(ctx, fit); err != nil {
			return nil, err
		}
	}
	for _, a := range fit.chosen {
		fit.alpha = append(fit.alpha, p.alphas[a])
	}
	fit.solver = sumsOf(p.x.Select(index), p.y.Select(index), p.o.Threads).solver()
	fit.weights = fit.solver.weights(fit.alpha)
	fit.origin = fit.solver.origin(fit.weights)
	return fit, ctx.Err()
}

// choose chooses penalties by grouped folds of the rows to be fitted.
func (p *ridgeProblem) choose(ctx context.Context, fit *ridgeFit) error {
	tried, err := p.try(ctx, fit.train, nil, 1)
	if err != nil {
		return err
	}
	fit.errors = make([]float64, len(p.alphas)*p.y.Dim)
	for i := range fit.errors {
		for _, f := range tried {
			fit.errors[i] += f.sums[i] / f.rows[0]
		}
		fit.errors[i] /= float64(len(tried))
	}
	p.smallest(fit)
	return nil
}

// try tries every penalty by grouped folds of the rows of train. part has the part of each row, nil for one part.
func (p *ridgeProblem) try(ctx context.Context, train, part []int, parts int) ([]trial, error) {
	rows, err := choosingFolds(ridgeName, points.Pick(p.groups, train), p.o.Folds, len(p.alphas))
	if err != nil {
		return nil, err
	}
	index, sums := make([][]int, len(rows)), make([]*sums, len(rows))
	xs, ys := make([]matrix.Matrix, len(rows)), make([]matrix.Matrix, len(rows))
	for f, r := range rows {
		index[f] = points.Pick(train, r)
		xs[f], ys[f] = p.x.Select(index[f]), p.y.Select(index[f])
		sums[f] = sumsOf(xs[f], ys[f], p.o.Threads)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	out := make([]trial, len(rows))
	err = parallel.For(ctx, p.o.Threads, len(rows), func(_, f int) {
		t := trial{make([]float64, parts*len(p.alphas)*p.y.Dim), make([]float64, parts)}
		place := func(int) int { return 0 }
		if part != nil {
			place = func(i int) int { return part[index[f][i]] }
		}
		for i := range index[f] {
			t.rows[place(i)]++
		}
		p.addErrors(allBut(sums, f).solver(), xs[f], ys[f], place, t.sums)
		out[f] = t
	})
	return out, err
}

// addErrors adds the squared errors of rows that were left out to sums [parts, A, T].
func (p *ridgeProblem) addErrors(solver *solver, x, y matrix.Matrix, part func(row int) int, sums []float64) {
	count, targets := len(p.alphas), y.Dim
	for t := range targets {
		weights := solver.path(t, p.alphas)
		origin := originOf(solver.xMean, slices.Repeat(solver.yMean[t:t+1], count), weights)
		predicted := product(x, weights, 1)
		for i := range x.N {
			truth, first := y.Data[i*targets+t], part(i)*count*targets+t
			for a, v := range predicted.Row(i) {
				e := truth - (origin[a] + v)
				sums[first+a*targets] += float64(e * e)
			}
		}
	}
}

// smallest chooses the first penalty with the smallest error, of each target or of their mean.
func (p *ridgeProblem) smallest(fit *ridgeFit) {
	targets := p.y.Dim
	choose := func(first, last int) int {
		best, lowest := 0, math.Inf(1)
		for a := range p.alphas {
			sum := 0.0
			for t := first; t < last; t++ {
				sum += fit.errors[a*targets+t]
			}
			if sum < lowest {
				best, lowest = a, sum
			}
		}
		return best
	}
	for t := range targets {
		if p.o.PerTarget {
			fit.chosen[t] = choose(t, t+1)
		} else {
			fit.chosen[t] = choose(0, targets)
		}
	}
}

// ridge turns a fit into a head for features as given.
func (p *ridgeProblem) ridge(fit *ridgeFit) *Ridge {
	origin := make([]float64, len(fit.origin))
	for t := range origin {
		origin[t] = fit.origin[t] + p.yMean[t]
	}
	r := &Ridge{Dim: len(p.frame.mean), Alpha: fit.alpha, Errors: fit.errors, Edge: make([]bool, len(origin))}
	r.Coefficients, r.Intercept = p.frame.head(fit.weights, origin)
	for t, a := range fit.chosen {
		r.Edge[t] = len(p.alphas) > 1 && (a == 0 || a == len(p.alphas)-1)
	}
	return r
}
