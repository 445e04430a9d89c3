// The best checkpoint by one metric, and those that do not differ from it.

package compare

import (
	"fmt"
	"slices"

	"repscope/internal/text"
	"repscope/report"
)

// Selected is the best checkpoint by one metric.
type Selected struct {
	Task     string `json:"task,omitempty"`
	Analysis string `json:"analysis,omitempty"`
	Metric   string `json:"metric"`
	// Leader has the best value, Value. Best are the models that may be the best: the
	// 95 % confidence set; it is empty where nothing is tested. Untested have no test.
	Leader   string       `json:"leader"`
	Value    report.Value `json:"value"`
	Best     []string     `json:"best"`
	Untested []string     `json:"untested"`
	Sentence string       `json:"sentence"`
}

// Select finds the best model by the metrics that a pattern names, and the best epoch of
// losses of that name. Errors: nothing has that name; which way it is better is not
// known.
func Select(r *Result, losses []*Losses, pattern string) ([]Selected, error) {
	var out []Selected
	words := &vocabulary{}
	if r != nil {
		words = r.vocabulary()
		for _, row := range r.Table {
			if !words.names(pattern, row.Analysis, row.Metric) {
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
			words.add("", c.Column)
			if !text.Wildcard(pattern, c.Column) || !c.Best.Defined() {
				continue
			}
			which := "lowest"
			if c.Direction == report.Higher {
				which = "highest"
			}
			out = append(out, Selected{Metric: c.Column, Leader: l.Name, Value: c.Best, Best: []string{}, Untested: []string{},
				Sentence: fmt.Sprintf("%s: %s is %s at %s %s (%s); nothing tests it", l.Name, c.Column, which, l.X, shown(c.BestAt), shown(c.Best))})
		}
	}
	if len(out) == 0 {
		if slices.ContainsFunc(words.known, func(k [2]string) bool { return words.names(pattern, k[0], k[1]) }) {
			return nil, fmt.Errorf("--select %s: no model has a number", pattern)
		}
		return nil, fmt.Errorf("--select: %w", unknownMetric(pattern, words.paths()))
	}
	return out, nil
}

// selected is the choice of a row; ok is false where no model has a number.
func (row *Row) selected(models []string) (s Selected, ok bool) {
	leader := -1
	s = Selected{Task: row.Task, Analysis: row.Analysis, Metric: row.Metric, Best: []string{}, Untested: []string{}}
	for x, cell := range row.Cells {
		if cell == nil || !cell.Value.Defined() || cell.of.notCompared != "" {
			continue
		}
		if leader < 0 || row.sense()*(cell.Value.V-row.Cells[leader].Value.V) > 0 {
			leader = x
		}
		switch {
		case cell.BestP == nil:
			s.Untested = append(s.Untested, models[x])
		case cell.mayBeBest:
			s.Best = append(s.Best, models[x])
		}
	}
	if leader < 0 {
		return s, false
	}
	s.Leader, s.Value = models[leader], row.Cells[leader].Value
	s.Sentence = fmt.Sprintf("%s has the best %s (%s); %s", s.Leader, row.Title(), shown(s.Value), row.bestSentence(models))
	return s, true
}

// shown is a number for a sentence.
func shown(v report.Value) string { return report.FormatEstimate(v.Float(), report.Interval{}) }
