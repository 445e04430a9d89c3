// Decisions: Holm's correction, better and worse, ranks with ties, and a sentence.

package compare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/measure/study"
	"repscope/report"
	"repscope/stat"
)

// differences computes the differences of all pairs of models of a row.
func (c *comparer) differences(ctx context.Context, row *Row) error {
	row.base = slices.Index(c.result.Models, c.result.Baseline)
	row.pairs = newPairs(len(row.Cells))
	return parallel.Try(ctx, c.o.Threads, len(row.Cells), func(_, a int) error {
		for b := a + 1; b < len(row.Cells); b++ {
			if row.Cells[a] == nil || row.Cells[b] == nil {
				continue
			}
			whole := a == row.base || b == row.base
			p, err := c.compare(row, row.Cells[a].of, row.Cells[b].of, whole)
			if err != nil {
				return err
			}
			row.pairs.enter(a, b, &p)
			if whole {
				row.pairs.based[a+b-row.base] = &p
			}
		}
		return nil
	})
}

// The families of tests over which p values are corrected.
const (
	FamilyMetric = "metric" // all rows of a metric, in all tasks
	FamilyTask   = "task"   // all rows of a metric in one task
	FamilyRun    = "run"    // the whole table
)

// Families lists the values of --family.
func Families() []string { return []string{FamilyMetric, FamilyTask, FamilyRun} }

// familyOf names the tests that a row is corrected with.
func (c *comparer) familyOf(row *Row) string {
	metric := row.Analysis + "\x00" + report.Family(row.Metric)
	switch c.o.Family {
	case FamilyRun:
		return ""
	case FamilyTask:
		return metric + "\x00" + row.Task
	}
	return metric
}

// correct applies Holm's correction twice: over the differences from the baseline, and
// over all pairs, which the ranks rest on.
func (c *comparer) correct(ctx context.Context) error {
	families := map[string][]*Row{}
	var order []string
	for _, row := range c.result.Table {
		family := c.familyOf(row)
		if _, ok := families[family]; !ok {
			order = append(order, family)
		}
		families[family] = append(families[family], row)
	}
	p := make([][]float64, len(order)) // of the tests that decide
	err := parallel.For(ctx, c.o.Threads, len(order), func(_, i int) {
		rows := families[order[i]]
		var all, based []*test
		for _, row := range rows {
			for i := range row.pairs.tests {
				all = append(all, &row.pairs.tests[i])
			}
			for _, p := range row.pairs.based {
				if p != nil {
					based = append(based, &p.test)
				}
			}
		}
		tests := Tests{Pairs: holm(all), Baseline: holm(based)}
		for _, row := range rows {
			row.Tests = tests
		}
		if c.result.Baseline != "" {
			all = based
		}
		for _, t := range all {
			p[i] = append(p[i], t.p)
		}
	})
	c.result.Decisions = report.Decisions(stat.CountDecisions(p, alpha))
	c.warnOfNeighbors()
	c.screen()
	return err
}

// warnOfNeighbors warns of differences that are not tested because neighboring samples are alike.
func (c *comparer) warnOfNeighbors() {
	count := 0
	for _, row := range c.result.Table {
		for _, alike := range row.pairs.alike {
			if alike {
				count++
			}
		}
	}
	if count > 0 {
		c.warn("%s of models have no p value and wider intervals, because neighboring samples are alike; give each episode, "+
			"document or other unit one group, or say that they are independent (--independent)", text.Count(count, "difference"))
	}
}

// screen fills in the q values of the differences from the baseline, over the whole table.
func (c *comparer) screen() {
	var based []*test
	for _, row := range c.result.Table {
		for _, p := range row.pairs.based {
			if p != nil {
				based = append(based, &p.test)
			}
		}
	}
	p := make([]float64, len(based))
	for i, t := range based {
		p[i] = t.p
	}
	for i, q := range stat.BenjaminiYekutieli(p) {
		based[i].q = q
	}
}

// holm corrects p values and returns the number of tests.
func holm(family []*test) (tests int) {
	p := make([]float64, len(family))
	for i, t := range family {
		if p[i] = t.p; !math.IsNaN(t.p) {
			tests++
		}
	}
	for i, v := range stat.Holm(p) {
		family[i].holm = v
	}
	return tests
}

// differs reports whether two models were found to differ, over all pairs.
func (row *Row) differs(x, y int) bool {
	t, _ := row.pairs.between(x, y)
	return t.holm < alpha
}

// tested reports whether there is a p value for two models.
func (row *Row) tested(x, y int) bool {
	t, _ := row.pairs.between(x, y)
	return !math.IsNaN(t.p)
}

// sense is 1 where higher is better, −1 where lower is, else 0.
func (row *Row) sense() float64 {
	switch row.Direction {
	case report.Higher:
		return 1
	case report.Lower:
		return -1
	}
	return 0
}

// better reports whether x was found better than y.
func (row *Row) better(x, y int) bool {
	t, sign := row.pairs.between(x, y)
	return t.holm < alpha && row.sense()*sign*t.difference > 0
}

// decide fills in what follows from the differences.
func (c *comparer) decide(row *Row) error {
	base := row.base
	if base >= 0 && row.Cells[base] != nil {
		for x, cell := range row.Cells {
			if cell != nil && x != base {
				row.against(base, x)
			}
		}
	}
	if row.sense() != 0 {
		if err := c.rank(row); err != nil {
			return err
		}
	}
	row.Sentence = row.sentence(c.result.Models, base)
	return nil
}

// against fills in how a model differs from the baseline.
func (row *Row) against(base, x int) {
	cell, baseline := row.Cells[x], row.Cells[base]
	p, sign := row.pairs.based[x], 1.0
	if x > base {
		sign = -1 // it is kept as base − x
	}
	difference, ci := p.difference, p.ci
	if difference.Defined() {
		difference.V *= sign
	}
	if ci.Defined() && sign < 0 {
		ci = report.Between(-ci.High, -ci.Low)
	}
	corrected, q := p.p, p.p
	if p.p.Defined() {
		corrected, q = report.Number(p.test.holm), report.Number(p.test.q)
	}
	improvement := row.improvement(difference, baseline.Value)
	cell.Difference, cell.DifferenceCI, cell.P, cell.PHolm, cell.Q = &difference, &ci, new(p.p), &corrected, &q
	cell.From, cell.Blocks, cell.Notes, cell.Improvement = p.from, p.blocks, p.notes, &improvement
	decided := corrected.Defined() && corrected.V < alpha
	switch {
	case !decided:
		cell.Decision = "~"
		cell.Detectable, cell.Needed = p.power()
	case row.sense() == 0:
		cell.Decision = "differs"
	case row.sense()*difference.V > 0:
		cell.Decision = "better"
	default:
		cell.Decision = "worse"
	}
}

// improvement is the difference in percent of the baseline.
func (row *Row) improvement(difference, baseline report.Value) report.Value {
	switch {
	case !difference.Defined():
		return report.Undefined("%s", why(difference))
	case row.sense() == 0 && row.Direction == Unknown:
		return report.Undefined("which way the metric is better is not known")
	case row.sense() == 0:
		return report.Undefined("neither direction of the metric is better")
	case baseline.V == 0:
		return report.Undefined("the baseline is 0: there is no percentage of it")
	case baseline.V < 0:
		return report.Undefined("the baseline is negative: a percentage of it would mislead")
	}
	return report.NumberOr(row.sense()*difference.V/baseline.V*100, "the difference is too large for a percentage")
}

// power says what the test could have found, and how many blocks it would take.
func (p *pair) power() (detectable, needed *report.Value) {
	if math.IsNaN(p.stdError) || p.stdError <= 0 {
		v := report.Undefined("the error of the difference is not known")
		return &v, new(v)
	}
	df := p.df
	if math.IsInf(df, 1) || math.IsNaN(df) {
		df = 1e6 // normal
	}
	effect, err := stat.MinimumDetectableEffect(p.stdError, df, stat.PowerOptions{})
	detectable = new(report.NumberOr(effect, stat.Reason(err)))
	switch {
	case p.runs != nil:
		n, err := p.runs.BlocksNeeded(stat.PowerOptions{})
		needed = new(report.Number(float64(n)))
		if err != nil {
			needed = new(report.Undefined("%s", stat.Reason(err)))
		}
	case p.blocks < 2:
		needed = new(report.Undefined("the number of blocks is not known"))
	default:
		n, err := stat.BlocksNeeded(p.difference.Float(), p.stdError*math.Sqrt(float64(p.blocks)), stat.PowerOptions{})
		needed = new(report.Number(float64(n)))
		if err != nil {
			needed = new(report.Undefined("%s", stat.Reason(err)))
		}
	}
	return detectable, needed
}

// rank gives every model its place, and finds those that may be the best.
func (c *comparer) rank(row *Row) error {
	var present []int
	for x, cell := range row.Cells {
		if cell != nil && cell.Value.Defined() && cell.of.notCompared == "" {
			present = append(present, x)
		}
	}
	if len(present) == 0 {
		return nil
	}
	if len(present) > 1 {
		if err := c.markBest(row, present); err != nil {
			return err
		}
	}
	better := func(i, j int) bool { return row.better(present[i], present[j]) }
	places := study.PositionIntervals(len(present), better)
	positions := make([]float64, len(present))
	for i, x := range present {
		cell := row.Cells[x]
		cell.Places = []int{places[i].Best, places[i].Worst}
		cell.Rank = places[i].Best
		positions[i] = -row.sense() * cell.Value.V
	}
	groups, err := study.Groups(positions, func(i, j int) bool { return row.differs(present[i], present[j]) || !row.tested(present[i], present[j]) })
	if err != nil {
		return nil // too many to list: the places say as much
	}
	for _, g := range groups {
		var members []int
		for _, i := range g.Members {
			members = append(members, present[i])
		}
		row.groups = append(row.groups, members)
	}
	return nil
}

// sentence says in words which differences are decided.
func (row *Row) sentence(models []string, base int) string {
	if why := row.notCompared(); why != "" {
		return "not compared: " + why
	}
	if base >= 0 && row.Cells[base] != nil {
		return row.againstSentence(models, base)
	}
	present := 0
	for _, cell := range row.Cells {
		if cell != nil && cell.Value.Defined() {
			present++
		}
	}
	switch {
	case present == 0:
		return "no model has a number"
	case present == 1:
		return "one model: nothing to compare"
	case row.sense() == 0:
		return row.spreadSentence()
	}
	return row.bestSentence(models)
}

// notCompared is why the models of a row are not compared, empty if they are.
func (row *Row) notCompared() string {
	for _, cell := range row.Cells {
		if cell != nil && cell.of.notCompared != "" {
			return cell.of.notCompared
		}
	}
	return ""
}

// spreadSentence is for metrics without a direction.
func (row *Row) spreadSentence() string {
	decided, all := row.decided()
	if all == 0 {
		return "neither direction is better, and nothing is tested"
	}
	return fmt.Sprintf("%d of %d pairs of models differ; neither direction is better", decided, all)
}

// againstSentence is for a row with a baseline.
func (row *Row) againstSentence(models []string, base int) string {
	decided := map[string][]string{}
	allAcross := true
	var largest float64
	for x, cell := range row.Cells {
		if cell == nil || x == base {
			continue
		}
		decision := cell.Decision
		if decision == "~" && !cell.P.Defined() {
			decision = "?"
		}
		decided[decision] = append(decided[decision], models[x])
		if ci := cell.DifferenceCI; !ci.Defined() || ci.Low > 0 || ci.High < 0 {
			allAcross = false
		}
		if cell.Detectable != nil {
			largest = max(largest, cell.Detectable.Float())
		}
	}
	name := models[base]
	if len(decided["better"])+len(decided["worse"])+len(decided["differs"]) == 0 {
		switch {
		case len(decided["~"]) == 0 && len(decided["?"]) == 0:
			return "one model: nothing to compare"
		case len(decided["~"]) == 0:
			return "nothing tests a difference from " + name
		case allAcross:
			s := "all intervals contain 0: not decisive"
			if largest > 0 && !math.IsNaN(largest) {
				s += fmt.Sprintf(" (differences of %s would have been found)", report.FormatEstimate(largest, report.Interval{}))
			}
			return s
		}
		return "no difference from " + name + " is significant after correction: not decisive"
	}
	var parts []string
	for _, kind := range []struct{ decision, one, several string }{
		{"better", " is better than " + name, " are better than " + name}, {"worse", " is worse", " are worse"},
		{"differs", " differs from " + name, " differ from " + name}, {"~", " is not decided", " are not decided"}, {"?", " is not tested", " are not tested"},
	} {
		if names := decided[kind.decision]; len(names) > 0 {
			parts = append(parts, listed(names)+plural(names, kind.one, kind.several))
		}
	}
	if len(decided["better"]) == 0 && len(decided["worse"]) > 0 {
		parts[0] += " than " + name
	}
	return strings.Join(parts, "; ")
}

// listed joins names as a sentence does.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func plural(names []string, one, several string) string {
	if len(names) == 1 {
		return one
	}
	return several
}

// Broken is a bound of --fail-if-worse that does not hold.
type Broken struct {
	Row             *Row
	Model, Baseline string
	Value, Base     float64
	Percent, Bound  float64 // worse by, allowed
}

// Worse finds models that are worse than the baseline by more than a percentage of it, in the metrics that a pattern
// names. Errors: no metric of that name has a direction; no baseline; a baseline that is not positive.
func (r *Result) Worse(pattern string, percent float64) ([]Broken, error) {
	words := r.vocabulary()
	base := slices.Index(r.Models, r.Baseline)
	if base < 0 {
		return nil, fmt.Errorf("--fail-if-worse %s: there is no baseline to be worse than; name one with --baseline", pattern)
	}
	var broken []Broken
	present, compared := false, 0
	for _, row := range r.Table {
		if !words.names(pattern, row.Analysis, row.Metric) {
			continue
		}
		present = true
		if row.sense() == 0 {
			return nil, fmt.Errorf("--fail-if-worse %s: which way %s is better is not known; say it with --higher or --lower", pattern, row.Metric)
		}
		for x, cell := range row.Cells {
			if cell == nil || x == base || cell.Improvement == nil {
				continue
			}
			if !cell.Improvement.Defined() {
				return nil, fmt.Errorf("--fail-if-worse %s: %s of %s against %s: %s", pattern, row.Metric, r.Models[x], r.Baseline, why(*cell.Improvement))
			}
			compared++
			if worse := -cell.Improvement.V; worse > percent {
				broken = append(broken, Broken{row, r.Models[x], r.Baseline, cell.Value.V, row.Cells[base].Value.V, worse, percent})
			}
		}
	}
	switch {
	case !present:
		return nil, unknownMetric(pattern, words.paths())
	case compared == 0:
		return nil, fmt.Errorf("--fail-if-worse %s: no model other than %s has this metric", pattern, r.Baseline)
	}
	return broken, nil
}

// vocabulary are the metrics of the table.
func (r *Result) vocabulary() *vocabulary {
	v := &vocabulary{}
	for _, row := range r.Table {
		v.add(row.Analysis, row.Metric)
	}
	return v
}

// String names the bound and the numbers that break it.
func (b Broken) String() string {
	return fmt.Sprintf("%s of %s is %s, %s of %s: worse by %.3g %%, allowed are %g %%", b.Row.Title(), b.Model,
		report.FormatEstimate(b.Value, report.Interval{}), report.FormatEstimate(b.Base, report.Interval{}), b.Baseline, b.Percent, b.Bound)
}

// Title names a row among the rows of all tasks and analyses.
func (row *Row) Title() string {
	parts := slices.DeleteFunc([]string{row.Task, row.Analysis, row.Metric}, func(part string) bool { return part == "" })
	return strings.Join(parts, " ")
}
