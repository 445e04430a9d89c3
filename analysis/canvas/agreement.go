// How metrics agree with what people think of designs.

package canvas

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/score"
	"repscope/report"
	"repscope/stat"
)

// Agreement is how metrics agree with people over the cases of all models that people have rated.
type Agreement struct {
	Ratings, Cases, Samples int
	// Raters is how many people have rated; 0 where the file does not say who.
	Raters int
	// Alpha is Krippendorff's alpha of people with each other: see [score.AlphaOf].
	Alpha report.Estimate
	// Rest is how far one person's ratings follow the mean of all others': the mean over people
	// of Spearman's correlation over the cases that they have rated. No metric need do better.
	Rest    report.Estimate
	Metrics []MetricAgreement
	Object  report.Object // the part of the result file
}

// MetricAgreement is the agreement of a metric with the mean rating of a case. Correlations have the sign
// of the numbers: where lower values are better, agreement is negative.
type MetricAgreement struct {
	Key Key
	N   int // cases
	// Intervals are over other samples and, where there are several models, other models: see [stat.TwoWay].
	Spearman, Kendall, PairAccuracy report.Estimate
	// SpearmanWithin is the mean over models of Spearman's correlation over the cases of each, with an interval over
	// other samples of these models.
	SpearmanWithin report.Estimate
	Pairs          int // of cases of one sample that people rate differently
}

// agree adds the agreement with ratings to a result.
func (p *plan) agree(ctx context.Context, r *Result) error {
	if p.in.Ratings == nil {
		return nil
	}
	cases, unknown := r.ratedCases(p.in.Ratings)
	if unknown > 0 {
		r.Warnings = append(r.Warnings, text.Count(unknown, "rating")+" left out: their designs are not in this run")
	}
	a := &Agreement{Cases: len(cases)}
	samples := make([]string, len(cases))
	means := make([]float64, len(cases))
	units := make([][]float64, len(cases))
	for i, c := range cases {
		samples[i], means[i], units[i] = r.Rows[c.row].Case.Sample, stat.RankMean(c.values), c.values
		a.Ratings += len(c.values)
	}
	distinct := slices.Clone(samples)
	slices.Sort(distinct)
	a.Samples = len(slices.Compact(distinct))
	if err := p.raters(ctx, a, cases, samples, units); err != nil {
		return err
	}
	a.Metrics = make([]MetricAgreement, len(p.keys()))
	err := p.eachKey(ctx, "ratings", func(i int, key *Key) error {
		a.Metrics[i].Key = *key
		return p.agreeOn(ctx, r, &a.Metrics[i], cases, means)
	})
	if err != nil {
		return err
	}
	a.enter()
	r.Agreement = a
	return nil
}

// agreeOn fills in the agreement of one key.
func (p *plan) agreeOn(ctx context.Context, r *Result, m *MetricAgreement, cases []rated, means []float64) error {
	by := &crossed{plan: p}
	var x, y []float64
	var none Number
	for i, c := range cases {
		v := r.Rows[c.row].Row.Values[m.Key.Name]
		if !v.Defined() {
			none.missing(v.Reason)
			continue
		}
		by.add(r.Rows[c.row].Case)
		x, y = append(x, v.V), append(y, means[i])
	}
	m.N = len(x)
	if m.N == 0 {
		reason := none.Why()
		if len(cases) == 0 {
			reason = "no case of this run has a rating"
		}
		m.undefined(reason)
		return nil
	}
	spearman, err := stat.Spearman(x, y)
	m.Spearman.Value = correlationOf(spearman, err)
	kendall, err := stat.Kendall(x, y)
	m.Kendall.Value = correlationOf(kendall, err)
	m.Spearman.CI, err = by.correlationCI(m.Spearman.Value, func(b *stat.Blocks) (*stat.Jackknifed, error) {
		return stat.JackknifeSpearman(ctx, b, x, y, 1)
	})
	if err != nil {
		return err
	}
	m.Kendall.CI, err = by.correlationCI(m.Kendall.Value, func(b *stat.Blocks) (*stat.Jackknifed, error) {
		return stat.JackknifeKendall(ctx, b, x, y, 1)
	})
	if err != nil {
		return err
	}
	if err := m.within(ctx, by, x, y); err != nil {
		return err
	}
	return m.pairs(by, x, y)
}

// undefined says why a metric has no agreement.
func (m *MetricAgreement) undefined(reason string) {
	none := report.NoEstimate("%s", reason)
	m.Spearman, m.SpearmanWithin, m.Kendall, m.PairAccuracy = none, none, none, none
}

// correlationOf is a correlation as the result file holds it.
func correlationOf(c stat.Correlation, err error) report.Value {
	if err != nil {
		return report.Undefined("%s", stat.Reason(err))
	}
	return report.NumberOr(c.Coefficient, "the metric or the ratings are constant")
}

// pairs adds how often a metric prefers the design of a sample that people prefer; where it does
// not tell them apart it is right by half.
func (m *MetricAgreement) pairs(by *crossed, x, y []float64) error {
	sign, ok := m.Key.sign()
	if !ok {
		m.PairAccuracy = report.NoEstimate(noDirection)
		return nil
	}
	var pairs []casePair
	paired := map[int]int{} // cases of pairs: samples without pairs say nothing of the error
	var index []int
	place := func(i int) int {
		number, ok := paired[i]
		if !ok {
			number = len(index)
			paired[i], index = number, append(index, i)
		}
		return number
	}
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			if by.samples[i] != by.samples[j] || y[i] == y[j] {
				continue
			}
			p := casePair{a: place(i), b: place(j)}
			switch product := sign * (x[i] - x[j]) * (y[i] - y[j]); {
			case x[i] == x[j]:
				p.hit = 0.5
			case product > 0:
				p.hit = 1
			}
			pairs = append(pairs, p)
		}
	}
	if m.Pairs = len(pairs); m.Pairs == 0 {
		m.PairAccuracy = report.NoEstimate("all designs of a sample have equal ratings")
		return nil
	}
	share := shareRight(pairs, nil, 0)
	m.PairAccuracy = report.WithInterval(report.Number(share), results.IntervalOf(nil))
	if !by.plan.o.Intervals {
		return nil
	}
	j, n, err := by.pick(index).jackknife(func(b *stat.Blocks) (*stat.Jackknifed, error) {
		replicates, labels := make([]float64, b.Count()), b.Labels()
		for block := range replicates {
			replicates[block] = shareRight(pairs, labels, block)
		}
		return b.Jackknife(share, replicates, nil)
	}, func(v float64) float64 { return v })
	m.PairAccuracy.CI, err = shareCI(j, n, err)
	return err
}

// shareCI is the interval of a share of pairs.
func shareCI(j *stat.Jackknifed, n int, err error) (report.Interval, error) {
	switch {
	case stat.IsUndefined(err):
		return report.NoInterval("%s", stat.Reason(err)), nil
	case err != nil:
		return report.Interval{}, err
	case j.StdError > 0:
		return results.IntervalOf(j.Within(0, 1)), nil
	}
	// All or none are right: only the number of blocks tells of the error.
	return results.Interval(j.AsShare(n).Interval), nil
}

// casePair is a pair of cases of one sample with different ratings; hit is 1 where the metric orders them as people do,
// and 0.5 where it does not tell them apart.
type casePair struct {
	a, b int
	hit  float64
}

// shareRight is the mean hit of the pairs outside a block; nil labels: of all pairs. NaN where none is left.
func shareRight(pairs []casePair, labels []int, without int) float64 {
	hits, count := 0.0, 0.0
	for _, p := range pairs {
		if labels == nil || labels[p.a] != without && labels[p.b] != without {
			hits, count = hits+p.hit, count+1
		}
	}
	return hits / count
}

// raters adds how people agree with each other.
func (p *plan) raters(ctx context.Context, a *Agreement, cases []rated, samples []string, units [][]float64) error {
	names := map[string]bool{}
	for _, c := range cases {
		for _, rater := range c.raters {
			if rater != "" {
				names[rater] = true
			}
		}
	}
	a.Raters = len(names)
	a.alpha(p, samples, units)
	order := make([]string, 0, len(names))
	for name := range names {
		order = append(order, name)
	}
	slices.Sort(order)
	rest := func(without int, labels []int) float64 {
		sum := 0.0
		for _, name := range order {
			sum += againstRest(name, cases, without, labels)
		}
		return sum / float64(len(order))
	}
	if len(order) < 2 {
		a.Rest.Value = report.Undefined("fewer than two raters")
		a.Rest.CI = report.NoInterval("%s", a.Rest.Reason)
		return nil
	}
	estimate := rest(-1, nil)
	a.Rest.Value = report.NumberOr(estimate,
		"some rater shares fewer than three cases with others, or rates all of them equally")
	var err error
	a.Rest.CI, err = p.correlationCI(samples, a.Rest.Value, func(b *stat.Blocks) (*stat.Jackknifed, error) {
		replicates, labels := make([]float64, b.Count()), b.Labels()
		for block := range replicates {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			replicates[block] = rest(block, labels)
		}
		return b.Jackknife(estimate, replicates, nil)
	})
	return err
}

// alpha adds Krippendorff's alpha.
func (a *Agreement) alpha(p *plan, samples []string, units [][]float64) {
	var kept [][]float64
	var names []string
	for i, ratings := range units {
		if len(ratings) > 1 {
			kept, names = append(kept, ratings), append(names, samples[i])
		}
	}
	alpha, err := score.Alpha(kept)
	if err != nil {
		a.Alpha = results.Undefined(err)
		return
	}
	a.Alpha = report.WithInterval(report.Number(alpha), results.IntervalOf(nil))
	if !p.o.Intervals {
		return
	}
	blocks, err := p.bySample(names)
	if err == nil {
		var j []*stat.Jackknifed
		j, err = stat.JackknifeSums(blocks, score.RaterTerms(kept), 1, func(_ float64, sums, dst []float64) { dst[0] = score.AlphaOf(sums) })
		if err == nil {
			a.Alpha.CI = results.IntervalOf(j[0].Within(math.Inf(-1), 1))
			return
		}
	}
	a.Alpha.CI = report.NoInterval("%s", stat.Reason(err))
}

// againstRest is Spearman's correlation of one person's ratings and the mean of all others', over
// cases outside a block; NaN where there is none.
func againstRest(name string, cases []rated, without int, labels []int) float64 {
	var scores, others []float64
	for i, c := range cases {
		k := slices.Index(c.raters, name)
		if labels != nil && labels[i] == without || k < 0 || len(c.values) < 2 {
			continue
		}
		scores = append(scores, c.values[k])
		others = append(others, stat.RankMean(slices.Delete(slices.Clone(c.values), k, k+1)))
	}
	c, err := stat.Spearman(scores, others)
	if err != nil {
		return math.NaN()
	}
	return c.Coefficient
}

// enter fills the part of the result file.
func (a *Agreement) enter() {
	o := &a.Object
	o.Set("ratings", a.Ratings)
	o.Set("cases", a.Cases)
	o.Set("samples", a.Samples)
	o.Set("raters", a.Raters)
	o.Set("krippendorff_alpha", a.Alpha)
	o.Set("one_against_rest", a.Rest)
	var metrics report.Object
	for i := range a.Metrics {
		m := &a.Metrics[i]
		var row report.Object
		row.Set("n", m.N)
		row.Set("direction", m.Key.Direction)
		row.Set("spearman", m.Spearman)
		row.Set("spearman_within", m.SpearmanWithin)
		row.Set("kendall", m.Kendall)
		row.Set("pair_accuracy", m.PairAccuracy)
		row.Set("pairs", m.Pairs)
		metrics.Set(m.Key.Name, row)
	}
	o.Set("metrics", metrics)
}
