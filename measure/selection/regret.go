// What a choice costs: the outcome of the best row less the outcome of the chosen one.

package selection

import (
	"math"

	"repscope/stat"
)

// Choice is the rows with the best value of a number; several are tied.
type Choice struct{ Rows []int }

// Choose returns the choice among rows by values: more is better if sign is positive, less if it is negative.
// Rows without a value are not chosen; there is no row where none has one.
func Choose(rows []int, values []float64, sign float64) Choice {
	var c Choice
	best := math.Inf(-1)
	for _, i := range rows {
		switch v := sign * values[i]; {
		case math.IsNaN(v) || v < best:
		case v > best:
			best, c.Rows = v, append(c.Rows[:0], i)
		default:
			c.Rows = append(c.Rows, i)
		}
	}
	return c
}

// Outcome is the mean outcome of the chosen rows, as if one of tied rows were drawn; NaN without a row.
func (c Choice) Outcome(outcome []float64) float64 {
	if len(c.Rows) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, i := range c.Rows {
		sum += outcome[i]
	}
	return sum / float64(len(c.Rows))
}

// Oracle knows the outcome; more is better. The best of several noisy outcomes is better than its true outcome:
// with Halves, two halves of the evaluation, the oracle chooses by one half and has the outcome of the other, both ways
// round. With Errors, the standard errors of Outcome, halves are drawn: y + s·z and y − s·z are independent and have
// the errors of halves, if errors are normal. Without both the oracle has the largest outcome.
type Oracle struct {
	Outcome []float64
	Halves  *[2][]float64
	Errors  []float64
	Seed    uint64
}

// thinnings is the number of halves that are drawn.
const thinnings = 64

// Of is the outcome of the oracle's choice among rows.
func (o *Oracle) Of(rows []int) float64 {
	switch {
	case o.Halves != nil:
		return (Choose(rows, o.Halves[0], 1).Outcome(o.Halves[1]) + Choose(rows, o.Halves[1], 1).Outcome(o.Halves[0])) / 2
	case o.Errors == nil:
		return Choose(rows, o.Outcome, 1).Outcome(o.Outcome)
	}
	sum := 0.0
	for draw := range thinnings {
		best, held := math.Inf(-1), math.NaN()
		for _, i := range rows {
			z := stat.NewRandom(stat.StreamValidateThinning.Key(o.Seed, uint64(draw), uint64(i))).Normal()
			half := o.Outcome[i] + o.Errors[i]*z
			if half > best {
				best, held = half, o.Outcome[i]-o.Errors[i]*z
			}
		}
		sum += held
	}
	return sum / thinnings
}

// Reliability is the share of the variance of outcomes that is no error: from their standard errors
//
//	1 − mean(s²)/var(y)
//
// or, with halves, by Spearman and Brown from their correlation, 2r/(1 + r). NaN without both, and where y is constant;
// negative where errors are larger than differences.
func (o *Oracle) Reliability() float64 {
	switch {
	case o.Halves != nil:
		r, err := stat.Regression(o.Halves[0], o.Halves[1])
		if err != nil {
			return math.NaN()
		}
		return 2 * r.R / (1 + r.R)
	case o.Errors == nil:
		return math.NaN()
	}
	squares := 0.0
	for _, s := range o.Errors {
		squares += s * s
	}
	_, variance := stat.MeanVariance(o.Outcome)
	return 1 - squares/float64(len(o.Errors))/variance
}

// SkewInterval is an interval of the mean of skewed values (Hall 1992): with the mean m, the standard deviation s of n
// values and their skewness γ,
//
//	m − s·3/γ·((1 + γ·(±t/√n − γ/(6n)))^⅓ − 1),
//
// which is m ± s·t/√n for γ = 0. A negative γ counts as 0: regrets have their long tail above. t is the quantile, such
// as one of Student's t with n − 1 degrees of freedom.
func SkewInterval(values []float64, t float64) stat.Interval {
	n := float64(len(values))
	mean, variance := stat.MeanVariance(values)
	squares, cubes := 0.0, 0.0
	for _, v := range values {
		d := v - mean
		squares, cubes = squares+d*d, cubes+d*d*d
	}
	skew := max(0, cubes/n/math.Pow(squares/n, 1.5))
	end := func(t float64) float64 {
		x := t / math.Sqrt(n)
		if skew > 1e-6 {
			x = 3 / skew * (math.Cbrt(1+skew*(x-skew/(6*n))) - 1)
		}
		return mean - math.Sqrt(variance)*x
	}
	return stat.Interval{Low: end(t), High: end(-t), Level: 0.95}
}
