// Differences of two models: from the file's own comparison, from scores per sample,
// from several runs, or from two intervals.

package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/memory"
	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

// Source says where a difference comes from.
type Source string

// The sources of differences, the best first.
const (
	FromComparison Source = "comparison" // a comparison in the file that holds both models
	FromSamples    Source = "samples"    // paired scores per sample
	FromRuns       Source = "runs"       // one number of every run, by Welch's t test
	FromIntervals  Source = "intervals"  // the two intervals alone
	FromValues     Source = "values"     // two numbers without any error
)

// test is what ranks take of a difference: NaN where it is undefined.
type test struct {
	difference, p float64
	holm          float64 // p after Holm's correction
	q             float64 // of Benjamini and Yekutieli, of differences from the baseline
}

// pairs are the differences of all pairs of models of a row, whole ones of those with the baseline:
// of thousands of models there are millions.
type pairs struct {
	n     int
	tests []test  // a − b of the models a < b, ordered by a, then by b; NaN where one has no such number
	joint []bool  // they come from the samples of one run of each
	alike []bool  // they have no p value because neighboring samples are alike
	based []*pair // with the baseline, by the other model; the one that comes first minus the other
}

func newPairs(n int) pairs {
	count := n * (n - 1) / 2
	p := pairs{n: n, tests: make([]test, count), joint: make([]bool, count), alike: make([]bool, count),
		based: make([]*pair, n)}
	for i := range p.tests {
		p.tests[i] = test{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	}
	return p
}

// pairBytes is the memory of a pair in [pairs]: a test of four numbers, and whether it is joint and alike.
const pairBytes = 4*8 + 2

// available is how much memory the process may use; 0: not known.
var available = memory.Available

// roomForPairs is an error where the differences of all pairs of models, in all rows, need more than half of the
// memory that the process may use.
func (c *comparer) roomForPairs() error {
	var need float64
	models := 0
	for _, row := range c.result.Table {
		n := len(row.Cells)
		models = max(models, n)
		need += float64(n) * float64(n-1) / 2 * pairBytes
	}
	if free := available(); free > 0 && need > float64(free)/2 {
		return fmt.Errorf("the differences of all pairs of %d models, in %s, need %s; want at most half of the memory "+
			"that this process may use, %s: compare fewer models, or fewer metrics (--metrics)",
			models, text.Count(len(c.result.Table), "row"), text.Bytes(int64(min(need, math.MaxInt64/2))), text.Bytes(free/2))
	}
	return nil
}

// place is the index of the pair of models a < b.
func (p *pairs) place(a, b int) int { return a*(2*p.n-a-1)/2 + b - a - 1 }

// enter enters the difference of the models a < b.
func (p *pairs) enter(a, b int, entry *pair) {
	entry.test = test{entry.difference.Float(), entry.p.Float(), math.NaN(), math.NaN()}
	i := p.place(a, b)
	p.tests[i], p.alike[i] = entry.test, entry.alike
	p.joint[i] = entry.from == FromSamples && entry.p.Defined() && entry.runs.SeedsA == 1 && entry.runs.SeedsB == 1
}

// between is the pair of two models as x − y: sign is −1 where it is kept as y − x.
func (p *pairs) between(x, y int) (t *test, sign float64) {
	if x < y {
		return &p.tests[p.place(x, y)], 1
	}
	return &p.tests[p.place(y, x)], -1
}

// pair is the difference a − b of one metric.
type pair struct {
	difference report.Value
	ci         report.Interval
	p          report.Value
	test       test    // corrected over the pairs with the baseline
	stdError   float64 // NaN where unknown
	df         float64 // infinite for normal errors
	blocks     int     // 0 where unknown
	from       Source
	alike      bool // neighboring samples are alike, so that there is no p value
	notes      []string
	runs       *stat.SeedComparison // of FromSamples
}

// undefinedPair has no difference.
func undefinedPair(reason string) pair {
	return pair{difference: report.Undefined("%s", reason), ci: report.NoInterval("%s", reason), p: report.Undefined("%s", reason), stdError: math.NaN(), from: FromValues}
}

// compare finds the difference of two models of a row; what only the table shows may be missing
// unless whole is set.
func (c *comparer) compare(row *Row, a, b *estimate, whole bool) (pair, error) {
	for _, e := range []*estimate{a, b} {
		if !e.value.Defined() || e.notCompared != "" {
			return e.untested, nil
		}
	}
	if p, ok := ownComparison(row.Metric, a, b); ok {
		return p, nil
	}
	p, reason, err := c.fromSamples(row.Metric, a, b)
	if err != nil || reason == "" {
		return p, err
	}
	var notes []string
	if reason != noSamples {
		notes = append(notes, reason)
	}
	p, err = c.withoutSamples(a, b, whole)
	p.notes = append(notes, p.notes...)
	return p, err
}

// withoutSamples takes the runs' numbers where they have no intervals, else the two
// intervals.
func (c *comparer) withoutSamples(a, b *estimate, whole bool) (pair, error) {
	var p pair
	var err error
	if (len(a.runs) > 1 || len(b.runs) > 1) && (!a.ofRuns.Defined() || !b.ofRuns.Defined()) {
		p, err = c.fromRuns(a, b, whole)
	} else {
		p = c.fromIntervals(a, b)
	}
	for k, e := range []*estimate{a, b} {
		if other := []*estimate{b, a}[k]; c.borrows(e, other) {
			p.notes = append(p.notes, fmt.Sprintf("%s has only one run; its runs are assumed to vary like runs of %s; "+
				"add runs", e.name, other.name))
		}
	}
	return p, err
}

// borrows reports whether the single run of a model is taken to vary as the runs of another do.
func (c *comparer) borrows(e, other *estimate) bool {
	return len(e.runs) == 1 && len(other.runs) > 1 && !c.fixed(e.name)
}

// runDF are Welch's degrees of freedom of the variance that the choice of runs gives to the difference of two models;
// infinitely many where each has one run, or nothing varies.
func (c *comparer) runDF(a, b *estimate) float64 {
	variance, parts := 0.0, 0.0 // Σ v, Σ v²/df
	for k, e := range []*estimate{a, b} {
		n := float64(len(e.values))
		if n < 2 {
			continue
		}
		_, v := stat.MeanVariance(e.values)
		if c.borrows([]*estimate{b, a}[k], e) {
			v *= n + 1
		}
		v /= n
		variance += v
		parts += v * v / (n - 1)
	}
	if parts == 0 {
		return math.Inf(1)
	}
	return variance * variance / parts
}

// ownComparison is the comparison of the file that holds both models, each in one run.
func ownComparison(path string, a, b *estimate) (pair, bool) {
	if len(a.runs) > 1 || len(b.runs) > 1 {
		return pair{}, false
	}
	for _, x := range a.runs[0].everywhere() {
		for _, y := range b.runs[0].everywhere() {
			if x.file != y.file || x.file.compared == nil {
				continue
			}
			all := x.file.compared()
			if c, ok := all[[3]string{path, x.Given, y.Given}]; ok {
				return ofComparison(c, 1), true
			}
			if c, ok := all[[3]string{path, y.Given, x.Given}]; ok {
				return ofComparison(c, -1), true
			}
		}
	}
	return pair{}, false
}

// ofComparison is a comparison of a result file, or its negative.
func ofComparison(c report.Comparison, sign float64) pair {
	p := pair{difference: c.Difference, ci: c.CI, p: c.P, stdError: math.NaN(), df: math.Inf(1), from: FromComparison}
	if c.Difference.Defined() {
		p.difference.V *= sign
	}
	if c.CI.Defined() && sign < 0 {
		p.ci = report.Between(-c.CI.High, -c.CI.Low)
	}
	if c.Blocks != nil {
		p.blocks = *c.Blocks
	}
	if c.DF != nil && c.DF.Defined() {
		p.df = c.DF.V
	} else if p.blocks > 1 {
		p.df = float64(p.blocks - 1)
	}
	if p.ci.Defined() {
		p.stdError = (p.ci.High - p.ci.Low) / 2 / quantile(p.df)
	}
	return p
}

// quantile is the two-sided 95 % quantile of Student's t, of the normal distribution
// for infinite degrees of freedom.
func quantile(df float64) float64 {
	if math.IsInf(df, 1) {
		return stat.NormalQuantile(0.975)
	}
	t, err := stat.StudentTQuantile(0.975, df)
	if err != nil {
		return math.NaN()
	}
	return t
}

// noSamples is why most results are not paired.
const noSamples = "no scores per sample"

// fromSamples compares paired scores of all runs of both models; the reason says why
// that cannot be done.
func (c *comparer) fromSamples(path string, a, b *estimate) (p pair, reason string, err error) {
	if c.o.AllowDifferent && differ(a, b) {
		return p, "measured on other data: not paired", nil
	}
	var columns [2][]column
	for k, e := range []*estimate{a, b} {
		for _, m := range e.runs {
			col, reason, err := columnOf(m, path)
			if err != nil || reason != "" {
				return p, reason, err
			}
			columns[k] = append(columns[k], col)
		}
	}
	common, reason := inCommon(slices.Concat(columns[0], columns[1]))
	if reason != "" {
		return p, reason, nil
	}
	blocks, alone, err := c.blocks(common.groups, c.blockSpec(a, b), common.scores)
	if err != nil {
		return p, stat.Reason(err), nil
	}
	var jackknifed []*stat.Jackknifed
	for _, scores := range common.scores {
		j, err := stat.JackknifeMean(blocks, scores)
		if err != nil {
			return p, stat.Reason(err), nil
		}
		jackknifed = append(jackknifed, j)
	}
	compared, err := stat.CompareSeeds(jackknifed[:len(a.runs)], jackknifed[len(a.runs):],
		stat.CompareOptions{Seed: c.o.Seed, Fixed: [2]bool{c.fixed(a.name), c.fixed(b.name)}})
	if err != nil {
		return p, "", err
	}
	p = ofStat(compared, a.name, b.name, common.note)
	if rho := alikeNeighbors(jackknifed[:len(a.runs)], jackknifed[len(a.runs):]); alone && rho > 0 {
		what := columns[0][0].what
		p.alike = true
		p.p = report.Undefined("%s; give each episode, document or other unit one group, or --independent",
			text.Alike(fmt.Sprintf("differences of neighboring %ss", what), rho, what))
	}
	return p, "", nil
}

// alikeNeighbors is [stat.Alike] of the differences, a row each, of the means over the runs of two models.
func alikeNeighbors(a, b []*stat.Jackknifed) float64 {
	difference := make([]float64, len(a[0].PseudoValues))
	for k, runs := range [][]*stat.Jackknifed{a, b} {
		for _, run := range runs {
			for i, v := range run.PseudoValues {
				difference[i] += float64(1-2*k) * v / float64(len(runs))
			}
		}
	}
	return stat.Alike(difference)
}

// differ reports whether two models were measured on other data or in other ways.
func differ(a, b *estimate) bool {
	return slices.ContainsFunc(a.runs, func(x *FileModel) bool {
		return slices.ContainsFunc(b.runs, func(y *FileModel) bool { return x.file != y.file && len(differences(x.file, y.file)) > 0 })
	})
}

// ofStat is a comparison of package stat.
func ofStat(c stat.SeedComparison, a, b, note string) pair {
	reason := c.Reason
	if reason == "" {
		reason = "not defined for these blocks"
	}
	p := pair{difference: report.NumberOr(c.Difference, reason), ci: intervalOf(c.Interval), p: report.NumberOr(c.P, reason), stdError: c.StdError, df: c.DF,
		blocks: c.Blocks, from: FromSamples, runs: &c}
	names := strings.NewReplacer("the first model", a, "the second model", b)
	for _, w := range c.Warnings {
		if said := names.Replace(w); said == w || c.SeedsA > 1 || c.SeedsB > 1 { // of one run of each: both are what they are
			p.notes = append(p.notes, said)
		}
	}
	if note != "" {
		p.notes = append(p.notes, note)
	}
	return p
}

// intervalOf is an interval of package stat.
func intervalOf(i stat.Interval) report.Interval {
	if !i.Defined() {
		if i.Reason == "" {
			return report.NoInterval("the interval is not defined")
		}
		return report.NoInterval("%s", i.Reason)
	}
	return report.Between(i.Low, i.High)
}

// fromRuns compares one number of every run, without an interval unless whole is set.
func (c *comparer) fromRuns(a, b *estimate, whole bool) (pair, error) {
	sign := 1.0
	var d stat.MeanDifference
	var err error
	switch {
	case len(a.values) == 1:
		d, err = stat.WelchSingle(b.values, a.values[0], c.fixed(a.name), 0)
		sign = -1
	case len(b.values) == 1:
		d, err = stat.WelchSingle(a.values, b.values[0], c.fixed(b.name), 0)
	default:
		d, err = stat.CompareRuns(a.values, b.values, 0, whole)
	}
	if err != nil {
		return pair{}, err
	}
	reason := d.Reason
	if reason == "" {
		reason = "not defined for these runs"
	}
	if sign < 0 {
		d.Difference, d.Interval.Low, d.Interval.High = -d.Difference, -d.Interval.High, -d.Interval.Low
	}
	return pair{difference: report.NumberOr(d.Difference, reason), ci: intervalOf(d.Interval), p: report.NumberOr(d.P, reason), stdError: d.StdError, df: d.DF, from: FromRuns}, nil
}

// fromIntervals compares two estimates by their own intervals, as if their errors were
// independent: the ends of the difference's interval are as far from it as the root of
// the summed squares of the distances of the estimates' ends (Zou and Donner 2008,
// "Construction of confidence limits about effect measures: a general approach").
// Correlated errors, as of two models on the same states, make it too wide. The p value is below 0.05 exactly if the
// interval excludes 0, and falls with the distance as in Student's t with the degrees of freedom of the runs. A single
// run compared with several runs has their variance too.
func (c *comparer) fromIntervals(a, b *estimate) pair {
	d := a.value.V - b.value.V
	p := pair{difference: report.Number(d), stdError: math.NaN(), df: math.Inf(1), from: FromIntervals}
	for _, e := range []*estimate{a, b} {
		if e.untested.p.Reason != "" {
			p.ci, p.p, p.from = e.untested.ci, e.untested.p, FromValues
			return p
		}
	}
	below := math.Hypot(a.value.V-a.interval.Low, b.interval.High-b.value.V)
	above := math.Hypot(a.interval.High-a.value.V, b.value.V-b.interval.Low)
	p.df = c.runDF(a, b)
	for k, e := range []*estimate{b, a} {
		if c.borrows([]*estimate{a, b}[k], e) { // its variance once more, of one run
			_, v := stat.MeanVariance(e.values)
			once := quantile(float64(len(e.values)-1)) * math.Sqrt(v)
			below, above = math.Hypot(below, once), math.Hypot(above, once)
		}
	}
	p.ci = report.Between(d-below, d+above)
	side := below // the one that looks at 0
	if d < 0 {
		side = above
	}
	p.stdError = side / quantile(p.df)
	if p.stdError > 0 {
		p.p = report.Number(stat.TTestP(d/p.stdError, p.df))
	} else {
		p.p = report.Undefined("both intervals have no width: nothing shows the error of the difference")
	}
	return p
}

func why(v report.Value) string {
	if v.Reason != "" {
		return v.Reason
	}
	return "not defined"
}

func whyNot(i report.Interval) string {
	switch {
	case i.Reason != "":
		return i.Reason
	case i.Defined():
		return "it has no end"
	}
	return "none was computed"
}
