// Scores of predictions of a real target.

package score

import (
	"math"

	"repscope/stat"
)

// Regression holds the scores of n predictions p of a real target y.
type Regression struct {
	N int
	// MSE is Σ (y − p)²/n, in squared units of the target.
	MSE float64
	// R2 is 1 − Σ (y − p)²/Σ (y − ȳ)² with the mean ȳ of these targets, at most 1; negative
	// where the mean would have been the better prediction.
	R2 float64
	// NMSE is the mean squared error in units of the variance of the target, 1 − R2.
	NMSE float64
	// ExplainedVariance is 1 − Var(y − p)/Var(y): R2 that forgives a constant error.
	ExplainedVariance float64
	// Reason is why R2, NMSE and ExplainedVariance are NaN, empty if they are not.
	Reason string
}

// R2Of returns r.R2; like the following, it names a score to [Values].
func (r Regression) R2Of() float64 { return r.R2 }

// MSEOf returns r.MSE.
func (r Regression) MSEOf() float64 { return r.MSE }

// NMSEOf returns r.NMSE.
func (r Regression) NMSEOf() float64 { return r.NMSE }

// ExplainedVarianceOf returns r.ExplainedVariance.
func (r Regression) ExplainedVarianceOf() float64 { return r.ExplainedVariance }

// Values returns one score of each element, for example of each deletion.
func Values[T any](list []T, score func(T) float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = score(v)
	}
	return out
}

// Outside returns the values of the observations outside a block.
func Outside[T any](blocks *stat.Blocks, block int, values []T) []T {
	out := make([]T, 0, len(values))
	for i, label := range blocks.Labels() {
		if label != block {
			out = append(out, values[i])
		}
	}
	return out
}

// Regress scores predictions. A constant target has no R2, and says so in Reason. Errors: no
// values, different lengths, NaN or Inf; the scores are NaN then.
func Regress(truth, predicted []float64) (Regression, error) {
	if err := checkTargets("regression score", truth, predicted); err != nil {
		nothing := residuals{noMoments(), noMoments()}.scores()
		nothing.Reason = stat.Reason(err)
		return nothing, err
	}
	return residualsOf(truth, predicted, nil).scores(), nil
}

// RegressionWithout scores all predictions, and the predictions outside each block. Errors as for
// [Regress], and blocks for another number of observations.
func RegressionWithout(blocks *stat.Blocks,
	truth, predicted []float64) (all Regression, without []Regression, err error) {
	const quantity = "regression score"
	if err := checkTargets(quantity, truth, predicted); err != nil {
		return Regression{}, nil, err
	}
	if err := checkBlocks(quantity, blocks, len(truth)); err != nil {
		return Regression{}, nil, err
	}
	parts := make([]residuals, blocks.Count())
	for j := range parts {
		parts[j] = residualsOf(truth, predicted, blocks.Block(j))
	}
	_, rests := withoutEach(parts, residuals{noMoments(), noMoments()}, residuals.join)
	for _, r := range rests {
		without = append(without, r.scores())
	}
	return residualsOf(truth, predicted, nil).scores(), without, nil
}

// residuals are the moments of target and error.
type residuals struct{ target, errors moments }

// residualsOf takes the observations of an index, nil for all.
func residualsOf(truth, predicted []float64, index []int) residuals {
	n, row := len(index), func(k int) int { return index[k] }
	if index == nil {
		n, row = len(truth), func(k int) int { return k }
	}
	return residuals{
		target: momentsOf(n, func(k int) float64 { return truth[row(k)] }),
		errors: momentsOf(n, func(k int) float64 { return truth[row(k)] - predicted[row(k)] }),
	}
}

func (r residuals) join(o residuals) residuals {
	return residuals{r.target.join(o.target), r.errors.join(o.errors)}
}

func (r residuals) scores() Regression {
	out := Regression{N: int(r.target.n), MSE: math.NaN(), R2: math.NaN(), NMSE: math.NaN(), ExplainedVariance: math.NaN()}
	if out.N == 0 {
		out.Reason = "no values"
		return out
	}
	out.MSE = r.errors.meanSquare()
	if out.Reason = r.undefined(); out.Reason == "" {
		out.NMSE = out.MSE / r.target.variance()
		out.R2, out.ExplainedVariance = 1-out.NMSE, 1-r.errors.variance()/r.target.variance()
	}
	return out
}

// undefined says why the variance of the target is nothing to divide by, empty if it is.
func (r residuals) undefined() string {
	switch v := r.target.variance(); {
	case r.target.constant():
		return "the target is constant"
	case v == 0 || math.IsInf(v, 1) || math.IsInf(r.errors.meanSquare(), 1):
		return "squares overflow or underflow; rescale the target"
	}
	return ""
}

// R2 returns the coefficient of determination 1 − Σ(y − ŷ)²/Σ(y − ȳ)² of targets [n] and predictions [n]: 1 for exact
// predictions, 0 for the mean of the targets, negative for worse ones. A constant target is a [stat.UndefinedError].
// Other errors as for [Regress].
func R2(truth, predicted []float64) (float64, error) {
	return orUndefined("R²", truth, predicted, Regression.R2Of)
}

func orUndefined(quantity string, truth, predicted []float64, score func(Regression) float64) (float64, error) {
	r, err := Regress(truth, predicted)
	if err == nil && r.Reason != "" {
		err = stat.Undefined(quantity, "%s", r.Reason)
	}
	if err != nil {
		return math.NaN(), err
	}
	return score(r), nil
}

// Influences are the first-order share of every observation in the scores of [Regression],
// with mean 0: the series whose dependence decides the length of blocks. The influences of R2 (and NMSE,
// which is its negative) and ExplainedVariance are nil where the score is undefined.
type Influences struct{ MSE, R2, NMSE, ExplainedVariance []float64 }

// RegressionInfluence returns the influence of every observation: e² − MSE for MSE, and
// −(e² − MSE)/V + MSE/V²·((y − ȳ)² − V) for R2 with the variance V of the target. Errors as
// for [Regress].
func RegressionInfluence(truth, predicted []float64) (Influences, error) {
	if err := checkTargets("regression score", truth, predicted); err != nil {
		return Influences{}, err
	}
	r := residualsOf(truth, predicted, nil)
	scores, n := r.scores(), len(truth)
	out := Influences{MSE: make([]float64, n)}
	if scores.Reason == "" {
		out.R2, out.NMSE, out.ExplainedVariance = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	v := r.target.variance()
	for i, y := range truth {
		e, d := y-predicted[i], y-r.target.mean
		around := e - r.errors.mean
		out.MSE[i] = float64(e*e) - scores.MSE
		if out.R2 == nil {
			continue
		}
		target := (float64(d*d) - v) / v
		out.NMSE[i] = out.MSE[i]/v - float64(scores.NMSE*target)
		out.R2[i] = -out.NMSE[i]
		unexplained := r.errors.variance() / v
		out.ExplainedVariance[i] = float64(unexplained*target) - (float64(around*around)-r.errors.variance())/v
	}
	return out, nil
}

func checkTargets(quantity string, truth, predicted []float64) error {
	if len(truth) != len(predicted) {
		return stat.Undefined(quantity, "%d targets and %d predictions, want the same number", len(truth), len(predicted))
	}
	if len(truth) == 0 {
		return stat.Undefined(quantity, "no values")
	}
	for i, y := range truth {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return stat.Undefined(quantity, "target %d is %v, want finite numbers", i, y)
		}
		if p := predicted[i]; math.IsNaN(p) || math.IsInf(p, 0) {
			return stat.Undefined(quantity, "prediction %d is %v, want finite numbers", i, p)
		}
	}
	return nil
}

func checkBlocks(quantity string, blocks *stat.Blocks, n int) error {
	if got := len(blocks.Labels()); got != n {
		return stat.Undefined(quantity, "blocks of %d observations for %d predictions", got, n)
	}
	return nil
}
