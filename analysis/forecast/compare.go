// Models against each other, and against the baseline.

package forecast

import (
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// baseline is the model that skill scores are against: persistence, else climatology; −1
// without.
func (s *summary) baseline() int {
	for _, name := range Baselines() {
		if i := slices.IndexFunc(s.models, func(m source) bool { return m.name == name }); i >= 0 {
			return i
		}
	}
	return -1
}

// skillScores adds 1 − score/score of the baseline, of scores that are 0 at best.
func (s *summary) skillScores(r *Result) error {
	base := s.baseline()
	if base < 0 {
		return nil
	}
	for m := range r.Models {
		if m == base {
			continue
		}
		model := &r.Models[m]
		model.SkillScores.Set("against", s.models[base].name)
		for f, t := range s.tallies[m] {
			if t == nil {
				continue
			}
			for _, formula := range s.families[f].scores(s.setting, t.members) {
				if !formula.Perfect || !s.wanted(t.family, &formula) {
					continue
				}
				if err := s.skillScore(r, m, base, &formula); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// skillScore adds the skill of one score.
func (s *summary) skillScore(r *Result, m, base int, formula *Formula) error {
	path := formula.Name
	if row := formula.row(); row != "" {
		path = row + "." + formula.Name
	}
	score, ok := r.Models[m].Score(path)
	against, present := r.Models[base].Score(path)
	if !ok || !present {
		return nil
	}
	value, ci := report.Value{}, report.Interval{}
	switch {
	case !score.Value.Defined():
		value, ci = score.Value, report.NoInterval("%s", score.Value.Reason)
	case !against.Value.Defined() || against.Value.V == 0:
		reason := "the score of " + s.models[base].name + " is 0 or undefined"
		value, ci = report.Undefined("%s", reason), report.NoInterval("%s", reason)
	default:
		value, ci = report.Number(1-score.Value.V/against.Value.V), results.IntervalOf(nil)
		a, b := s.jackknifes[m][path], s.jackknifes[base][path]
		if a != nil && b != nil {
			j, err := stat.Combine(func(v []float64) float64 { return 1 - v[0]/v[1] }, a, b)
			if err != nil {
				return err
			}
			if low, _ := formula.within(); low >= 0 { // and so is the ratio of two
				j.Within(math.Inf(-1), 1)
			}
			ci = results.IntervalOf(j)
		}
	}
	r.Models[m].SkillScores.Set(path, report.WithInterval(value, ci))
	return nil
}

// compare compares all models with each other, of all scores that say which is better,
// over all samples and at every lead.
func (s *summary) compare(r *Result) error {
	names := make([]string, len(s.models))
	var paths []string
	byLead := map[string]bool{}
	for m, model := range s.models {
		names[m] = model.name
		for f, t := range s.tallies[m] {
			if t == nil {
				continue
			}
			for _, formula := range s.families[f].scores(s.setting, t.members) {
				path := formula.Name
				if row := formula.row(); row != "" {
					path = row + "." + formula.Name
				}
				if formula.compared && s.wanted(t.family, &formula) && !slices.Contains(paths, path) {
					paths = append(paths, path)
					byLead[path] = formula.leads
				}
			}
		}
	}
	for _, path := range paths {
		if err := s.comparePath(r, names, results.Metric{Name: path, Family: path}, path); err != nil {
			return err
		}
		if !byLead[path] {
			continue
		}
		for _, lead := range s.distinctLeads() {
			full := leadPath(lead) + path
			if err := s.comparePath(r, names, results.Metric{Name: path + " at lead " + number(lead), Family: path, Path: full}, full); err != nil {
				return err
			}
		}
	}
	results.Correct(r.Comparisons, s.o.Family)
	return nil
}

// comparePath compares all models on one number.
func (s *summary) comparePath(r *Result, names []string, metric results.Metric, path string) error {
	estimates := make([]*stat.Jackknifed, len(names))
	for m := range names {
		estimates[m] = s.jackknifes[m][path]
	}
	rows, err := results.Pairwise(metric, names, estimates, s.o.Seed)
	if err != nil {
		return err
	}
	// Which baseline is better is no question about models, and where no deletion changes
	// either model nothing shows the error of their difference.
	constant := func(name string) bool { return estimates[slices.Index(names, name)].StdError == 0 }
	kept := slices.DeleteFunc(rows, func(c report.Comparison) bool {
		return s.isBaseline(c.A) && s.isBaseline(c.B) || constant(c.A) && constant(c.B)
	})
	r.Comparisons = append(r.Comparisons, kept...)
	return nil
}

// isBaseline reports whether a baseline of this run.
func (s *summary) isBaseline(name string) bool {
	return slices.ContainsFunc(s.models, func(m source) bool { return m.name == name && m.kind == "baseline" })
}
