// Package results turns the intervals and comparisons of package stat into
// those of the result file, so that every analysis writes them alike.
package results

import (
	"math"

	"repscope/report"
	"repscope/stat"
)

// Interval is v as the result file holds it, with the reason where it is
// undefined.
func Interval(v stat.Interval) report.Interval {
	if !v.Defined() {
		reason := v.Reason
		if reason == "" {
			reason = "the interval is not defined"
		}
		return report.NoInterval("%s", reason)
	}
	return report.Between(v.Low, v.High)
}

// Undefined is the number and the interval that err leaves.
func Undefined(err error) (report.Value, report.Interval) {
	reason := stat.Reason(err)
	return report.Undefined("%s", reason), report.NoInterval("%s", reason)
}

// Estimate is a bootstrapped statistic and its interval as the result file
// holds them; a nil b is undefined for the reason given.
func Estimate(b *stat.Bootstrapped, reason string) (report.Value, report.Interval) {
	if b == nil {
		return report.Undefined("%s", reason), report.NoInterval("%s", reason)
	}
	return report.NumberOr(b.Estimate, b.Interval.Reason), Interval(b.Interval)
}

// Pairwise compares all pairs of models on one bootstrapped metric, with Holm's
// correction over the pairs. Models whose estimate is nil or NaN are left out:
// there is nothing to compare.
func Pairwise(metric string, names []string, estimates []*stat.Bootstrapped, seed uint64) ([]report.Comparison, error) {
	names, estimates = defined(names, estimates, func(b *stat.Bootstrapped) float64 { return b.Estimate })
	compared, err := stat.CompareAll(names, estimates, stat.CompareOptions{Seed: seed})
	return Comparisons(metric, compared), err
}

// PairwiseJackknifed is Pairwise for delete-block jackknifes.
func PairwiseJackknifed(metric string, names []string, estimates []*stat.Jackknifed, seed uint64) ([]report.Comparison, error) {
	names, estimates = defined(names, estimates, func(j *stat.Jackknifed) float64 { return j.Estimate })
	compared, err := stat.CompareAllJackknifed(names, estimates, stat.CompareOptions{Seed: seed})
	return Comparisons(metric, compared), err
}

// defined keeps the models that have an estimate.
func defined[T any](names []string, estimates []*T, value func(*T) float64) (keptNames []string, kept []*T) {
	for i, e := range estimates {
		if e != nil && !math.IsNaN(value(e)) {
			keptNames, kept = append(keptNames, names[i]), append(kept, e)
		}
	}
	return keptNames, kept
}

// Comparisons are those of one metric as the result file holds them.
func Comparisons(metric string, compared []stat.Comparison) []report.Comparison {
	out := make([]report.Comparison, len(compared))
	for i, c := range compared {
		reason := c.Reason
		if reason == "" {
			reason = "not defined for these blocks"
		}
		out[i] = report.Comparison{
			A: c.A, B: c.B, Metric: metric,
			Difference: report.NumberOr(c.Difference, reason),
			CI:         Interval(c.Interval),
			P:          report.NumberOr(c.P, reason),
			PHolm:      report.NumberOr(c.PHolm, reason),
			Effect:     report.NumberOr(c.Effect, reason),
		}
	}
	return out
}

// Table lists comparisons for the console.
func Table(comparisons []report.Comparison) *report.Table {
	t := report.NewTable("", "Metric", "A", "B", "A − B", "p", "p (Holm)", "Effect")
	for _, c := range comparisons {
		t.Row(c.Metric, c.A, c.B, report.WithInterval(c.Difference, c.CI), c.P, c.PHolm, c.Effect)
	}
	t.Note("p: two-sided, sign flips of blocks; p (Holm): corrected over the pairs of a metric; effect: mean block difference / its standard deviation")
	return t
}
