// Package results turns the intervals and comparisons of package stat into
// the forms of the result file, so that every analysis writes them alike.
package results

import (
	"maps"
	"math"
	"slices"

	"repscope/internal/text"
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

// IntervalOf is the interval of a jackknifed statistic. A nil j stands for a run
// without intervals. An estimate that no deletion changes has none: zero width would
// claim that it is known.
func IntervalOf(j *stat.Jackknifed) report.Interval {
	switch {
	case j == nil:
		return report.NoInterval("intervals are off (--bootstrap 0)")
	case j.StdError == 0 && j.Interval.Low == j.Interval.High:
		return report.NoInterval("all blocks have the same value, so the error cannot be estimated")
	}
	return Interval(j.Interval)
}

// Undefined is the estimate that err leaves.
func Undefined(err error) report.Estimate { return report.NoEstimate("%s", stat.Reason(err)) }

// Estimate is a jackknifed statistic and its interval as the result file holds
// them; a nil j is undefined for the reason given.
func Estimate(j *stat.Jackknifed, reason string) report.Estimate {
	if j == nil {
		return report.NoEstimate("%s", reason)
	}
	return report.WithInterval(report.NumberOr(j.Estimate, j.Interval.Reason), Interval(j.Interval))
}

// The families of tests over which p values are corrected.
const (
	FamilyMetric = "metric" // all rows of one metric: pairs of models, k, levels, horizons
	FamilyRun    = "run"    // all rows of a run
)

// Metric names a row of comparisons. Rows of one Family, which is the metric without
// its parameter, are one question asked several times. Path is the path of the number in the
// part of a model ([report.Object.Number]), empty where Name is.
type Metric struct{ Name, Family, Path string }

// Pairwise compares all pairs of models on one metric. Models whose estimate is nil
// or NaN are left out: there is nothing to compare. p values are corrected over
// these pairs only, until [Correct].
func Pairwise(metric Metric, names []string, estimates []*stat.Jackknifed, seed uint64) ([]report.Comparison, error) {
	var keptNames []string
	var kept []*stat.Jackknifed
	for i, e := range estimates {
		if e != nil && !math.IsNaN(e.Estimate) {
			keptNames, kept = append(keptNames, names[i]), append(kept, e)
		}
	}
	compared, err := stat.CompareAll(keptNames, kept, stat.CompareOptions{Seed: seed})
	if err != nil {
		return nil, err
	}
	rows := comparisons(metric, compared)
	if e := extremes(metric, keptNames, stat.JointExtremes(kept, compared, stat.CompareOptions{Seed: seed})); e != nil {
		for i := range rows {
			rows[i].Extremes = e
		}
	}
	return rows, nil
}

// extremes are the p values of models' being the best as the result file holds them; nil
// where they say no more than the p values of pairs.
func extremes(metric Metric, names []string, e stat.Extremes) *report.Extremes {
	if !e.Joint {
		return nil
	}
	out := &report.Extremes{Metric: metric.Name, Path: metric.Path}
	for i, name := range names {
		if !math.IsNaN(e.Highest[i]) {
			out.Highest.Set(name, e.Highest[i])
			out.Lowest.Set(name, e.Lowest[i])
		}
	}
	if out.Highest.Len() == 0 {
		return nil
	}
	return out
}

// PairwiseSharing is [Pairwise] for models where only the last blocks of a pair may be of
// the same observations, as many as shared says ([stat.CompareSharing]); the others are of
// each alone.
func PairwiseSharing(metric Metric, names []string, estimates []*stat.Jackknifed, shared func(i, j int) int,
	seed uint64) ([]report.Comparison, error) {
	var compared []stat.Comparison
	for i, a := range estimates {
		for j := i + 1; j < len(estimates); j++ {
			b := estimates[j]
			if a == nil || b == nil || math.IsNaN(a.Estimate) || math.IsNaN(b.Estimate) {
				continue
			}
			c, err := stat.CompareSharing(a, b, shared(i, j), stat.CompareOptions{Seed: seed})
			if err != nil {
				return nil, err
			}
			c.A, c.B = names[i], names[j]
			compared = append(compared, c)
		}
	}
	return comparisons(metric, compared), nil
}

// Withdraw takes the p values of a comparison back: its difference stays, and nothing is called
// better by it.
func Withdraw(c *report.Comparison, format string, args ...any) {
	none := report.Undefined(format, args...)
	c.P, c.PHolm = none, none
	if c.SignFlipP != nil {
		c.SignFlipP = new(none)
	}
	if c.Q != nil {
		c.Q = new(none)
	}
}

// Correct applies Holm's correction over the families of a run, and fills in the q values over all comparisons; family
// is [FamilyMetric] or [FamilyRun].
func Correct(all []report.Comparison, family string) {
	members := map[string][]int{}
	p := make([]float64, len(all))
	for i := range all {
		p[i] = all[i].P.Float()
	}
	for i, q := range stat.BenjaminiYekutieli(p) {
		all[i].Q = new(all[i].P)
		if all[i].P.Defined() {
			all[i].Q.V = q
		}
	}
	for i := range all {
		if family == FamilyRun {
			all[i].Family = FamilyRun
		}
		members[all[i].Family] = append(members[all[i].Family], i)
	}
	for _, rows := range members {
		p := make([]float64, len(rows))
		for k, i := range rows {
			p[k] = all[i].P.Float()
		}
		for k, v := range stat.Holm(p) {
			if all[rows[k]].P.Defined() {
				all[rows[k]].PHolm = report.Number(v)
			}
		}
	}
}

// Decisions are the numbers of families, tests and decisions of comparisons.
func Decisions(all []report.Comparison) report.Decisions {
	families := map[string][]float64{}
	for _, c := range all {
		families[c.Family] = append(families[c.Family], c.P.Float())
	}
	return report.Decisions(stat.CountDecisions(slices.Collect(maps.Values(families)), Level))
}

// Level is the level of decisions.
const Level = 0.05

// comparisons are the comparisons of one metric as the result file holds them.
func comparisons(metric Metric, compared []stat.Comparison) []report.Comparison {
	out := make([]report.Comparison, len(compared))
	for i, c := range compared {
		reason := c.Reason
		if reason == "" {
			reason = "not defined for these blocks"
		}
		effect := "the influence of single observations is not computed for this metric"
		if c.Interval.Low == c.Interval.High || c.Reason == stat.SameEverywhere {
			effect = "the difference is the same for all observations"
		}
		out[i] = report.Comparison{
			A: c.A, B: c.B, Metric: metric.Name, Path: metric.Path, Family: metric.Family,
			Difference: report.NumberOr(c.Difference, reason),
			CI:         Interval(c.Interval),
			P:          report.NumberOr(c.P, reason),
			PHolm:      report.NumberOr(c.PHolm, reason),
			T:          new(report.NumberOr(c.T, reason)),
			DF:         new(report.NumberOr(c.DF, reason)),
			SignFlipP:  new(report.NumberOr(c.SignFlip, reason)),
			Exact:      &c.Exact,
			Blocks:     &c.Blocks,
			EffectSD:   new(report.NumberOr(c.EffectSD, effect)),
			Warnings:   new(append([]string{}, c.Warnings...)),
		}
	}
	return out
}

// NoTest is why comparisons have no p values, for a caption; empty if they have.
func NoTest(comparisons []report.Comparison) string {
	for _, c := range comparisons {
		if c.P.Defined() {
			return ""
		}
	}
	if len(comparisons) == 0 {
		return ""
	}
	return comparisons[0].P.Reason
}

// Deleted names the blocks that are deleted in turn, after "each of": "12 episodes",
// "7 blocks (moving blocks of 18 in 2 episodes)".
func Deleted(blocks *stat.Blocks) string {
	name := blocks.String()
	if count := text.Count(blocks.Count(), "episode"); name == count {
		return name
	}
	return text.Count(blocks.Count(), "block") + " (" + name + ")"
}

// Ranged makes the interval of a jackknife the interval of a number that lies between low and high (±Inf where
// it has no end): on the scale of the logarithm for positive numbers whose error is a factor, and never
// beyond what the number can be. Cutting leaves out no value that the number can have, so that the
// interval holds as often as before.
func Ranged(j *stat.Jackknifed, low, high float64, logarithm bool) *stat.Jackknifed {
	if logarithm {
		j.OnLogScale()
	}
	return j.Within(low, high)
}

// Ends are the ends of an interval; NaN where it is undefined.
func Ends(ci report.Interval) (low, high float64) {
	if !ci.Defined() {
		return math.NaN(), math.NaN()
	}
	return ci.Low, ci.High
}
