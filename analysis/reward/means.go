// Means of scores over the targets of a category, and over all.

package reward

import (
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// The means over the categories. They differ where categories have
// unequal numbers of targets, and both are published as the mean of a benchmark.
const (
	MeanOfTargets    = "mean_of_targets"
	MeanOfCategories = "mean_of_categories"
)

// averagedMetrics are the scores that are averaged over targets: those without a unit.
var averagedMetrics = []string{"r2", "balanced_accuracy", "f1"}

// categories averages the scores of every probe over the states' own targets.
func (a *analyzer) categories(out *Measured) error {
	category := map[string]string{}
	var names []string
	for _, c := range a.scorers {
		if c.Target.OfTransition {
			continue
		}
		category[c.Target.Name] = c.Target.Category
		if c.Target.Category != "" && !slices.Contains(names, c.Target.Category) {
			names = append(names, c.Target.Category)
		}
	}
	if len(category) < 2 {
		return nil
	}
	type group struct{ probe, fitted, evaluated string }
	var groups []group
	rows := map[group][]*Row{}
	for i := range out.Rows {
		r := &out.Rows[i]
		if _, ok := category[r.Target]; !ok {
			continue
		}
		g := group{r.Probe, r.FittedOn, r.EvaluatedOn}
		if rows[g] == nil {
			groups = append(groups, g)
		}
		rows[g] = append(rows[g], r)
	}
	for _, g := range groups {
		var means []Mean
		for _, name := range names {
			kept := slices.DeleteFunc(slices.Clone(rows[g]), func(r *Row) bool { return category[r.Target] != name })
			if len(kept) == 0 {
				continue
			}
			scores, err := meanOf(scoresOf(kept))
			if err != nil {
				return err
			}
			means = append(means, Mean{Category: name, Targets: len(kept), Scores: scores})
		}
		flat, err := meanOf(scoresOf(rows[g]))
		if err != nil {
			return err
		}
		if len(means) > 0 {
			var parts [][]Score
			for _, m := range means {
				parts = append(parts, m.Scores)
			}
			scores, err := meanOf(parts)
			if err != nil {
				return err
			}
			means = append(means, Mean{Category: MeanOfCategories, Targets: len(rows[g]), Scores: scores})
		}
		means = append(means, Mean{Category: MeanOfTargets, Targets: len(rows[g]), Scores: flat})
		for _, m := range means {
			m.Probe, m.FittedOn, m.EvaluatedOn = g.probe, g.fitted, g.evaluated
			out.Means = append(out.Means, m)
		}
	}
	return nil
}

func scoresOf(rows []*Row) [][]Score {
	out := make([][]Score, len(rows))
	for i, r := range rows {
		out[i] = r.Scores
	}
	return out
}

// meanOf averages every metric over the parts that have it. One that is undefined leaves
// the mean so.
func meanOf(parts [][]Score) ([]Score, error) {
	var out []Score
	for _, metric := range averagedMetrics {
		var group []Score
		for _, scores := range parts {
			if i := slices.IndexFunc(scores, func(s Score) bool { return s.Metric == metric }); i >= 0 {
				group = append(group, scores[i])
			}
		}
		if len(group) == 0 {
			continue
		}
		m := Score{Metric: metric, SD: report.Undefined("not a mean over samples")}
		sum, defined := 0.0, true
		var jackknifes []*stat.Jackknifed
		for _, s := range group {
			sum += s.Value.Float()
			defined = defined && s.Jackknife != nil
			jackknifes = append(jackknifes, s.Jackknife)
			if !s.Value.Defined() {
				m.Value = s.Value
			}
		}
		m.CI = report.NoInterval(intervalsOff)
		if !math.IsNaN(sum) {
			m.Value = report.Number(sum / float64(len(group)))
		} else {
			m.CI = report.NoInterval("%s", m.Value.Reason)
		}
		if defined {
			j, err := stat.Combine(stat.Mean, jackknifes...)
			if err != nil {
				return nil, err
			}
			low := 0.0
			if metric == "r2" {
				low = math.Inf(-1)
			}
			shaped := *j
			m.Jackknife, m.CI = j, results.IntervalOf(shaped.Within(low, 1))
		}
		out = append(out, m)
	}
	return out, nil
}
