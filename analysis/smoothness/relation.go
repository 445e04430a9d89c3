// The statistics of one relation between pixel and latent distances.

package smoothness

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/spectrum"
	"repscope/report"
	"repscope/stat"
)

// measured is a relation, on distances as they are and in their unit, with what figures
// and comparisons need of it.
type measured struct {
	raw, relation Relation
	ratios        []float64 // in the unit
	// Jackknifes in the unit; nil where undefined, and without intervals.
	slope, intercept, rSquared, ratioMedian, theilSen, spearman *stat.Jackknifed
}

// relater computes one relation.
type relater struct {
	p     *plan
	g     *grouping // nil without intervals
	unit  unit
	rms   *stat.Jackknifed // of the unit; nil for distances as they are
	pixel []float64
	out   *measured
}

// relate computes the relation of latent distances, which are as they are, to pixel
// distances.
func (p *plan) relate(ctx context.Context, g *grouping, pixel, latent []float64, u unit) (*measured, error) {
	r := &relater{p: p, g: g, unit: u, pixel: pixel, out: &measured{}}
	if u.collapsed != "" {
		r.out.raw = report.Lack(Relation{Pairs: len(pixel)}, "%s", u.collapsed)
		r.out.relation = r.out.raw
		return r.out, nil
	}
	if g != nil && u.rms > 0 {
		var err error
		if r.rms, err = spectrum.JackknifeRMSDistance(u.latents, g.states); err != nil {
			return nil, err
		}
	}
	r.out.raw.Pairs, r.out.relation.Pairs = len(pixel), len(pixel)
	if err := r.regress(latent); err != nil {
		return nil, err
	}
	if err := r.rank(ctx, latent); err != nil {
		return nil, err
	}
	return r.out, r.ratio(latent)
}

// both enters a number that has the unit of latent distances, as it
// is and in the unit; it returns the jackknife in the unit.
func (r *relater) both(v float64, j *stat.Jackknifed,
	field func(*Relation) *report.Estimate) (*stat.Jackknifed, error) {
	*field(&r.out.raw) = report.WithInterval(report.Number(v), results.IntervalOf(j))
	scaled, err := r.unit.per(j, r.rms)
	if err != nil {
		return nil, err
	}
	if r.unit.rms > 0 {
		v /= r.unit.rms
	}
	*field(&r.out.relation) = report.WithInterval(report.Number(v), results.IntervalOf(scaled))
	return scaled, nil
}

// same enters numbers that have no unit.
func (r *relater) same(set func(*Relation)) {
	set(&r.out.raw)
	set(&r.out.relation)
}

func (r *relater) regress(latent []float64) error {
	fit, err := stat.Regression(r.pixel, latent)
	if err != nil {
		none := report.NoEstimate("%s", stat.Reason(err))
		r.same(func(o *Relation) {
			o.Slope, o.Intercept, o.R, o.RSquared = none, none, none, none
			o.IIDPValue, o.IIDStdError, o.Published = none.Value, none.Value, Published{none.Value, none.Value}
		})
		return nil
	}
	without := &stat.JackknifedRegression{}
	if r.g != nil {
		if without, err = stat.JackknifeRegression(r.g.pairs, r.pixel, latent); err != nil {
			return err
		}
	}
	if r.out.slope, err = r.both(fit.Slope, without.Slope, func(o *Relation) *report.Estimate { return &o.Slope }); err != nil {
		return err
	}
	if r.out.intercept, err = r.both(fit.Intercept, without.Intercept, func(o *Relation) *report.Estimate { return &o.Intercept }); err != nil {
		return err
	}
	r.out.raw.IIDStdError, r.out.relation.IIDStdError = report.Number(fit.StdError), report.Number(r.unit.scaled([]float64{fit.StdError})[0])
	correlation, square := report.NoInterval("%s", fit.Reason), report.NoInterval("%s", fit.Reason)
	if fit.Reason == "" {
		if r.out.rSquared = without.RSquared; without.R != nil {
			without.R.OnFisherScale()
		}
		correlation = results.IntervalOf(without.R)
		square = squared(correlation)
	}
	r.same(func(o *Relation) {
		o.R = report.WithInterval(report.NumberOr(fit.R, fit.Reason), correlation)
		o.RSquared = report.WithInterval(report.NumberOr(fit.RSquared, fit.Reason), square)
		o.IIDPValue = report.NumberOr(fit.PValue, fit.Reason)
		o.Published = Published{PValue: o.IIDPValue, StdError: o.IIDStdError}
	})
	return nil
}

// squared is the interval of the squares of an interval: R² ± an error cannot cover
// an R² near 0, whose error vanishes with r.
func squared(ci report.Interval) report.Interval {
	if !ci.Defined() {
		return ci
	}
	low, high := ci.Low*ci.Low, ci.High*ci.High
	switch {
	case ci.Low <= 0 && ci.High >= 0:
		return report.Between(0, max(low, high))
	case low > high:
		return report.Between(high, low)
	}
	return report.Between(low, high)
}

func (r *relater) rank(ctx context.Context, latent []float64) error {
	spearman, err := stat.Spearman(r.pixel, latent)
	rho := report.NoEstimate("%s", stat.Reason(err))
	if err == nil {
		rho = report.WithInterval(report.NumberOr(spearman.Coefficient, spearman.Reason),
			report.NoInterval("%s", spearman.Reason))
	}
	if rho.Defined() {
		var without *stat.Jackknifed
		if r.g != nil {
			if without, err = stat.JackknifeSpearman(ctx, r.g.few, r.pixel, latent, r.p.o.Threads); err != nil {
				return err
			}
			without.OnFisherScale()
		}
		r.out.spearman = without
		rho.CI = results.IntervalOf(without)
	}
	r.same(func(o *Relation) { o.Spearman = rho })

	slope, without, err := r.theilSen(latent)
	if err != nil {
		r.same(func(o *Relation) { o.TheilSen = report.NoEstimate("%s", stat.Reason(err)) })
		return nil
	}
	r.out.theilSen, err = r.both(slope, without, func(o *Relation) *report.Estimate { return &o.TheilSen })
	return err
}

// theilSen is the slope with its jackknife, nil without intervals.
func (r *relater) theilSen(latent []float64) (float64, *stat.Jackknifed, error) {
	if r.g == nil {
		fit, err := stat.TheilSen(r.pixel, latent, 0.95)
		return fit.Slope, nil, err
	}
	without, err := stat.JackknifeTheilSen(r.g.pairs, r.pixel, latent)
	if err != nil {
		return 0, nil, err
	}
	return without.Estimate, without, nil
}

// ratios are latent/pixel distance of every pair, NaN for pairs that do not move, and
// the ratios of the pairs that do.
func (p *plan) ratios(pixel, latent []float64) (all, moving []float64) {
	still := stillShare * (p.in.PixelRange.High - p.in.PixelRange.Low)
	all = make([]float64, len(pixel))
	for i, d := range pixel {
		all[i] = math.NaN()
		if d > still {
			all[i] = latent[i] / d
			moving = append(moving, all[i])
		}
	}
	return all, moving
}

func (r *relater) ratio(latent []float64) error {
	ratios, moving := r.p.ratios(r.pixel, latent)
	if len(moving) == 0 {
		r.same(func(o *Relation) { o.Ratio = report.Lack(Ratio{}, "the frames of every pair are equal") })
		return nil
	}
	r.out.ratios = r.unit.scaled(moving)
	for _, side := range []struct {
		to     *Relation
		values []float64
	}{{&r.out.raw, moving}, {&r.out.relation, r.out.ratios}} {
		summary, err := stat.Summarize(side.values)
		if err != nil {
			return err
		}
		side.to.Ratio = Ratio{SD: report.NumberOr(summary.SD, summary.Reason), Max: report.Number(summary.Max), Pairs: len(moving)}
	}
	mean, err := r.meanRatio(ratios)
	if err != nil {
		return err
	}
	if _, err := r.both(stat.Mean(moving), mean, func(o *Relation) *report.Estimate { return &o.Ratio.Mean }); err != nil {
		return err
	}
	probabilities := []float64{0.5, 0.95, 0.99}
	estimates, err := stat.Quantiles(moving, probabilities...)
	if err != nil {
		return err
	}
	without := make([]*stat.Jackknifed, len(probabilities))
	if r.g != nil {
		if without, err = stat.JackknifeQuantiles(r.g.pairs, ratios, probabilities...); err != nil {
			return err
		}
	}
	for i, field := range []func(*Relation) *report.Estimate{
		func(o *Relation) *report.Estimate { return &o.Ratio.Median },
		func(o *Relation) *report.Estimate { return &o.Ratio.P95 },
		func(o *Relation) *report.Estimate { return &o.Ratio.P99 },
	} {
		scaled, err := r.both(estimates[i], without[i], field)
		if err != nil {
			return err
		}
		if i == 0 {
			r.out.ratioMedian = scaled
		}
	}
	for _, side := range []*Relation{&r.out.raw, &r.out.relation} {
		for _, e := range []*report.Estimate{&side.Ratio.Mean, &side.Ratio.Median, &side.Ratio.P95, &side.Ratio.P99} {
			if e.CI.Defined() {
				e.CI = report.Between(max(e.CI.Low, 0), e.CI.High)
			}
		}
	}
	return nil
}

// meanRatio jackknifes the mean over the pairs that move; nil without intervals.
func (r *relater) meanRatio(ratios []float64) (*stat.Jackknifed, error) {
	if r.g == nil {
		return nil, nil
	}
	moved, counted := make([]float64, len(ratios)), make([]float64, len(ratios))
	for i, v := range ratios {
		if !math.IsNaN(v) {
			moved[i], counted[i] = v, 1
		}
	}
	means, err := stat.JackknifeSums(r.g.pairs, [][]float64{moved, counted}, 1,
		func(_ float64, s, dst []float64) { dst[0] = s[0] / s[1] })
	if err != nil {
		return nil, err
	}
	return means[0], nil
}

// line evaluates the fitted line and its band over the range of pixel.
func (m *measured) line(pixel []float64) (*Line, error) {
	if !m.relation.Slope.Defined() {
		return nil, nil
	}
	const points = 60
	low, high := slices.Min(pixel), slices.Max(pixel)
	l := &Line{}
	for i := range points {
		x := low + (high-low)*float64(i)/(points-1)
		l.X = append(l.X, x)
		l.Y = append(l.Y, m.relation.Intercept.V+float64(m.relation.Slope.V*x))
		if m.slope == nil || m.intercept == nil {
			continue
		}
		value, err := stat.Combine(func(v []float64) float64 { return v[0] + float64(v[1]*x) }, m.intercept, m.slope)
		if err != nil {
			return nil, err
		}
		if value.Interval.Defined() {
			l.Low, l.High = append(l.Low, value.Interval.Low), append(l.High, value.Interval.High)
		}
	}
	return l, nil
}
