// Scores under a null, as result files hold them.

package results

import (
	"repscope/report"
	"repscope/stat"
)

// Chance is what a score is under a null.
type Chance struct {
	Mean      report.Value `json:"mean"`
	SD        report.Value `json:"sd"`
	Threshold report.Value `json:"threshold"`
	P         report.Value `json:"p"`
}

// ChanceOf is c as the result file holds it.
func ChanceOf(c stat.Chance) Chance {
	const one = "the spread needs at least two permutations"
	reason := c.Reason
	if reason == "" {
		reason = "not defined for these states"
	}
	return Chance{Mean: report.NumberOr(c.Mean, reason), SD: report.NumberOr(c.SD, one),
		Threshold: report.NumberOr(c.Threshold, reason), P: report.NumberOr(c.P, reason)}
}

// NearChance puts the interval of the null in the place of a jackknife's, where the number does not differ from
// chance: a jackknife of degenerate statistics is inconsistent there. df are its degrees of freedom, 0 in a run without
// intervals. The upper end is not below the jackknife's.
// The interval ends at low and high. Where the number differs from chance, and without df, e stays.
func NearChance(e *report.Estimate, c stat.Chance, df, low, high float64) {
	if i, ok := c.Interval(e.V, df); ok && e.Defined() {
		top := i.High
		if e.CI.Defined() { // a score that the test misses has the error of the jackknife, too
			top = max(top, e.CI.High)
		}
		e.CI = report.Between(min(max(i.Low, low), high), max(min(top, high), low))
	}
}
