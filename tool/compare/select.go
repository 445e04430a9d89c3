// The best checkpoint by one metric, and those that do not differ from it.

package compare

import (
	"fmt"
	"slices"
	"strings"

	"repscope/report"
)

// Selected is the best checkpoint by one metric.
type Selected struct {
	Task     string       `json:"task,omitempty"`
	Analysis string       `json:"analysis,omitempty"`
	Metric   string       `json:"metric"`
	Best     string       `json:"best"`
	Value    report.Value `json:"value"`
	// NotDifferent do not differ from the best, Untested have no test against it.
	NotDifferent []string `json:"not_different"`
	Untested     []string `json:"untested"`
	Sentence     string   `json:"sentence"`
}

// Select finds the best model by the metrics that a pattern names, and the best epoch of
// losses of that name. Errors: nothing has that name; which way it is better is not
// known.
func Select(r *Result, losses []*Losses, pattern string) ([]Selected, error) {
	var out []Selected
	var known []string
	if r != nil {
		for _, row := range r.Table {
			known = append(known, row.Metric)
			if !matches(pattern, row.Analysis, row.Metric) {
				continue
			}
			if row.sense() == 0 {
				return nil, fmt.Errorf("--select %s: which way %s is better is not known; say it with --higher or --lower", pattern, row.Metric)
			}
			if s, ok := row.selected(r.Models); ok {
				out = append(out, s)
			}
		}
	}
	for _, l := range losses {
		for _, c := range l.Curves {
			known = append(known, c.Column)
			if !wildcard(pattern, c.Column) || !c.Best.Defined() {
				continue
			}
			out = append(out, Selected{Metric: c.Column, Best: l.Name, Value: c.Best, NotDifferent: []string{}, Untested: []string{},
				Sentence: fmt.Sprintf("%s: %s is best at %s %s (%s)", l.Name, c.Column, l.X, shown(c.BestAt), shown(c.Best))})
		}
	}
	if len(out) == 0 {
		if slices.ContainsFunc(known, func(name string) bool { return matches(pattern, "", name) }) {
			return nil, fmt.Errorf("--select %s: no model has a number", pattern)
		}
		return nil, fmt.Errorf("--select: %w", unknownMetric(pattern, known))
	}
	return out, nil
}

// selected is the best model of a row; ok is false where none has a number.
func (row *Row) selected(models []string) (s Selected, ok bool) {
	best := slices.IndexFunc(row.Cells, func(c *Cell) bool { return c != nil && c.Best })
	if best < 0 {
		return s, false
	}
	s = Selected{Task: row.Task, Analysis: row.Analysis, Metric: row.Metric, Best: models[best], Value: row.Cells[best].Value, NotDifferent: []string{}, Untested: []string{}}
	for x, cell := range row.Cells {
		switch {
		case x == best || cell == nil || !cell.Value.Defined():
		case cell.LikeBest || cell.Best:
			s.NotDifferent = append(s.NotDifferent, models[x])
		case !row.tested(x, best):
			s.Untested = append(s.Untested, models[x])
		}
	}
	parts := []string{fmt.Sprintf("%s is best by %s (%s)", s.Best, row.Title(), shown(s.Value))}
	if len(s.NotDifferent) > 0 {
		parts = append(parts, listed(s.NotDifferent)+plural(s.NotDifferent, " does", " do")+" not differ from it")
	}
	if len(s.Untested) > 0 {
		parts = append(parts, listed(s.Untested)+plural(s.Untested, " is", " are")+" not tested against it")
	}
	s.Sentence = strings.Join(parts, "; ")
	return s, true
}

// shown is a number for a sentence.
func shown(v report.Value) string { return report.FormatEstimate(v.Float(), report.Interval{}) }
