// Intervals of agreement with ratings: over other samples and, where there are several, other models.

package canvas

import (
	"context"
	"math"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// fewestModels is how many models an interval over other models needs. With one model it is over samples alone.
const fewestModels = 3

// crossed says of cases which sample and which model each belongs to.
type crossed struct {
	plan            *plan
	samples, models []string
	raters          bool // models are the raters of preferences
}

// add adds a case.
func (c *crossed) add(of *Case) {
	c.samples, c.models = append(c.samples, of.Sample), append(c.models, of.Model)
}

// pick are some of the cases.
func (c *crossed) pick(index []int) *crossed {
	out := &crossed{plan: c.plan}
	for _, i := range index {
		out.samples, out.models = append(out.samples, c.samples[i]), append(out.models, c.models[i])
	}
	return out
}

// statistic is the jackknife of a number over blocks.
type statistic func(*stat.Blocks) (*stat.Jackknifed, error)

// parts are the blocks of samples or, where there are several models, of samples, models and the cells that both share;
// n is the smaller number of blocks.
func (c *crossed) parts() (parts []*stat.Blocks, n int, err error) {
	bySample, err := c.plan.bySample(c.samples)
	if err != nil {
		return nil, 0, err
	}
	model, models := points.Numbered(c.models)
	switch {
	case models == 1:
		return []*stat.Blocks{bySample}, bySample.Count(), nil
	case models < fewestModels && c.raters:
		return nil, 0, stat.Undefined("interval", "only %s, want one or at least %d",
			text.Count(models, "rater"), fewestModels)
	case models < fewestModels:
		return nil, 0, stat.Undefined("interval", "only %s, want one or at least %d: see the correlation within models",
			text.Count(models, "model"), fewestModels)
	}
	cell := make([]int, len(model))
	for i, s := range bySample.Labels() {
		cell[i] = s*models + model[i]
	}
	parts = []*stat.Blocks{bySample}
	for _, labels := range [][]int{model, cell} {
		b, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
		if err != nil {
			return nil, 0, err
		}
		parts = append(parts, b)
	}
	return parts, min(bySample.Count(), models), nil
}

// jackknife deletes samples, or samples and models where there are several ([stat.TwoWay]), on the scale to; the
// interval ends on that scale. n is the smaller number of blocks.
func (c *crossed) jackknife(
	compute statistic, to func(float64) float64,
) (j *stat.Jackknifed, n int, err error) {
	blocks, n, err := c.parts()
	if err != nil {
		return nil, 0, err
	}
	j, err = deleted(blocks, func(b *stat.Blocks) (*stat.Jackknifed, error) {
		j, err := compute(b)
		if err != nil {
			return nil, err
		}
		return stat.Combine(func(v []float64) float64 { return to(v[0]) }, j)
	})
	return j, n, err
}

// deleted is the jackknife over blocks, or over rows, columns and cells.
func deleted(blocks []*stat.Blocks, compute statistic) (*stat.Jackknifed, error) {
	var parts []*stat.Jackknifed
	for _, b := range blocks {
		j, err := compute(b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, j)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return stat.TwoWay(parts[0], parts[1], parts[2]), nil
}

// correlationCI is the interval of a correlation, on the scale of Fisher's z; where a correlation of a deletion is ±1,
// on its own scale.
func (c *crossed) correlationCI(v report.Value, compute statistic) (report.Interval, error) {
	switch {
	case !v.Defined():
		return report.NoInterval("%s", v.Reason), nil
	case !c.plan.o.Intervals:
		return results.IntervalOf(nil), nil
	}
	from := math.Tanh
	j, _, err := c.jackknife(compute, math.Atanh)
	if err == nil && j.Reason != "" {
		from = func(x float64) float64 { return min(max(x, -1), 1) }
		j, _, err = c.jackknife(compute, func(v float64) float64 { return v })
	}
	if stat.IsUndefined(err) {
		return report.NoInterval("%s", stat.Reason(err)), nil
	}
	if err != nil {
		return report.Interval{}, err
	}
	if j.Interval.Defined() {
		j.Interval.Low, j.Interval.High = from(j.Interval.Low), from(j.Interval.High)
	}
	return results.IntervalOf(j), nil
}

// correlationCI is the interval of a correlation over other samples of the same models, on the scale of Fisher's z.
func (p *plan) correlationCI(samples []string, v report.Value, compute statistic) (report.Interval, error) {
	return (&crossed{plan: p, samples: samples, models: make([]string, len(samples))}).correlationCI(v, compute)
}

// spearmanWithin is the mean over models of Spearman's correlation over the cases of each, weighted by their number
// less one: differences between models do not enter. Models with fewer than three cases, or without variation, are left
// out. keep says which cases count; nil: all. NaN without a model.
func (c *crossed) spearmanWithin(x, y []float64, keep func(i int) bool) float64 {
	model, models := points.Numbered(c.models)
	a, b := make([][]float64, models), make([][]float64, models)
	for i, m := range model {
		if keep == nil || keep(i) {
			a[m], b[m] = append(a[m], x[i]), append(b[m], y[i])
		}
	}
	sum, weight := 0.0, 0.0
	for m := range a {
		if found, err := stat.Spearman(a[m], b[m]); err == nil && !math.IsNaN(found.Coefficient) {
			w := float64(len(a[m]) - 1)
			sum, weight = sum+float64(w*found.Coefficient), weight+w
		}
	}
	return sum / weight
}

// within fills in the correlation within models, whose interval is over other samples of these models.
func (m *MetricAgreement) within(ctx context.Context, c *crossed, x, y []float64) error {
	estimate := c.spearmanWithin(x, y, nil)
	m.SpearmanWithin.Value = report.NumberOr(estimate, "no model has three cases in which the metric and the ratings vary")
	var err error
	compute := func(b *stat.Blocks) (*stat.Jackknifed, error) {
		replicates, labels := make([]float64, b.Count()), b.Labels()
		for block := range replicates {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			replicates[block] = c.spearmanWithin(x, y, func(i int) bool { return labels[i] != block })
		}
		return b.Jackknife(estimate, replicates, nil)
	}
	m.SpearmanWithin.CI, err = c.plan.correlationCI(c.samples, m.SpearmanWithin.Value, compute)
	return err
}
