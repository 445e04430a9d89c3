// What choosing by a number costs, next to rules that need none.

package validate

import (
	"math"
	"slices"

	"repscope/measure/selection"
	"repscope/report"
	"repscope/stat"
)

// refer computes what rules without a number have: the oracle, the last checkpoint, a random one, the validation loss.
func (a *analyzer) refer() {
	add := func(name string, outcomes []float64, reason string) {
		ref := &Standard{name: name, outcomes: outcomes}
		ref.Outcome, ref.Regret = report.NoEstimate("%s", reason), report.NoEstimate("%s", reason)
		if outcomes != nil {
			ref.Outcome = a.meanOf(outcomes, a.sign, plainScale)
			ref.Regret = a.regretOf(a.regrets(outcomes))
		}
		a.result.References = append(a.result.References, ref)
	}
	add("oracle", a.best, "")
	a.result.References[0].Regret = report.NoEstimate("the oracle has no regret")
	var last []float64
	if a.groups.Ordered() {
		last = a.each(func(rows []int) float64 { return a.y[rows[len(rows)-1]] })
	}
	add("last", last, "rows of a run have no order; name the column of steps with --after")
	add("random", a.each(func(rows []int) float64 {
		return selection.Choice{Rows: rows}.Outcome(a.y)
	}), "")
	var loss []float64
	if k := a.named(a.in.ValidationLoss); k >= 0 {
		loss, _ = a.chosen(a.result.Numbers[k])
	}
	add("validation_loss", loss, "no column is named with --validation-loss")
}

// named is the index of a number; −1 if there is none of this name.
func (a *analyzer) named(name string) int {
	return slices.IndexFunc(a.result.Numbers, func(n *Number) bool { return n.Name == name })
}

// each is a function of every choice's rows.
func (a *analyzer) each(f func(rows []int) float64) []float64 {
	out := make([]float64, len(a.choices))
	for k, rows := range a.choices {
		out[k] = f(rows)
	}
	return out
}

// regrets are the oracle's outcomes less others.
func (a *analyzer) regrets(outcomes []float64) []float64 {
	out := make([]float64, len(outcomes))
	for k, v := range outcomes {
		out[k] = a.best[k] - v
	}
	return out
}

// meanOf is the mean over runs of signed values, in the unit of the outcome.
func (a *analyzer) meanOf(values []float64, sign float64, scale meanScale) report.Estimate {
	var kept []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			kept = append(kept, sign*v)
		}
	}
	return report.Estimate{Value: report.NumberOr(stat.Mean(kept), "the number chooses no row"),
		CI: a.meanInterval(kept, scale)}
}

// regretOf is the mean regret.
func (a *analyzer) regretOf(regrets []float64) report.Estimate {
	return a.meanOf(regrets, 1, skewScale)
}

// chosen are the outcomes that a number's choices have, NaN where it chooses none, and the choices. Where the direction
// of a number is not known, other runs choose it: the sign of their mean correlation.
func (a *analyzer) chosen(n *Number) ([]float64, []selection.Choice) {
	sign := sense(n.Direction)
	signs := make([]float64, len(a.choices))
	for k := range signs {
		signs[k] = sign
	}
	if sign == 0 {
		signs = a.learned(n.values)
	}
	outcomes, choices := make([]float64, len(a.choices)), make([]selection.Choice, len(a.choices))
	for k, rows := range a.choices {
		outcomes[k] = math.NaN()
		if signs[k] != 0 {
			choices[k] = selection.Choose(rows, n.values, signs[k])
			outcomes[k] = choices[k].Outcome(a.y)
		}
	}
	return outcomes, choices
}

// learned are the directions of a number in each choice by the correlations in the others; 0 where there is none.
func (a *analyzer) learned(values []float64) []float64 {
	rho, sum := make([]float64, len(a.choices)), 0.0
	for k, rows := range a.choices {
		if c, err := stat.Spearman(selection.Complete(rows, values, a.y)); err == nil && c.Reason == "" {
			rho[k] = c.Coefficient
			sum += c.Coefficient
		}
	}
	for k, v := range rho {
		rho[k] = 0
		if rest := sum - v; len(a.choices) > 1 && rest != 0 {
			rho[k] = math.Copysign(1, rest)
		}
	}
	return rho
}

// choose fills in the regret of a number.
func (a *analyzer) choose(n *Number) {
	outcomes, choices := a.chosen(n)
	regrets := a.regrets(outcomes)
	n.regrets = regrets
	n.Regret = a.regretOf(regrets)
	reason := "the number chooses no row"
	if sense(n.Direction) == 0 && len(a.choices) == 1 {
		reason = "the direction is not known, and there is no other run to learn it from; give --higher or --lower"
	}
	if !n.Regret.Defined() {
		n.Regret = report.NoEstimate("%s", reason)
	}
	n.RegretScaled = report.NumberOr(n.Regret.V/a.result.WithinSD.V, n.Regret.Reason)
	n.RegretOverall = report.Undefined("the direction is not known")
	if sign := sense(n.Direction); sign != 0 {
		all := slices.Concat(a.groups.Runs()...)
		n.RegretOverall = report.NumberOr(a.bestOverall()-selection.Choose(all, n.values, sign).Outcome(a.y), reason)
	}
	for _, over := range []struct {
		reference string
		estimate  *report.Estimate
	}{{"last", &n.OverLast}, {"random", &n.OverRandom}, {"validation_loss", &n.OverValidationLoss}} {
		ref := a.result.reference(over.reference)
		if ref.outcomes == nil {
			*over.estimate = report.NoEstimate("%s", ref.Outcome.Reason)
			continue
		}
		difference := make([]float64, len(outcomes))
		for k := range difference {
			difference[k] = outcomes[k] - ref.outcomes[k]
		}
		*over.estimate = a.meanOf(difference, 1, plainScale)
		if !over.estimate.Defined() {
			*over.estimate = report.NoEstimate("%s", reason)
		}
	}
	n.Chosen = []Chosen{}
	for k, c := range choices {
		one := Chosen{Run: a.names[k], Ties: len(c.Rows), Outcome: report.NumberOr(a.sign*outcomes[k], reason),
			Regret: report.NumberOr(regrets[k], reason)}
		if len(c.Rows) > 0 {
			one.Row = a.in.Labels[c.Rows[0]]
		}
		n.Chosen = append(n.Chosen, one)
	}
}

// bestOverall is the outcome of the oracle's choice among all rows.
func (a *analyzer) bestOverall() float64 {
	if a.overall == nil {
		a.overall = new(a.oracle.Of(slices.Concat(a.groups.Runs()...)))
	}
	return *a.overall
}

// reference is the reference of a name.
func (r *Result) reference(name string) *Standard {
	return r.References[slices.IndexFunc(r.References, func(ref *Standard) bool { return ref.name == name })]
}
