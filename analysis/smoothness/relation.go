// The statistics of one relation between pixel and latent distances.

package smoothness

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// measured is a relation with what figures and comparisons need of it.
type measured struct {
	Relation
	ratios          []float64
	slope, rSquared *stat.Jackknifed // nil where undefined
	lines           *stat.BootstrappedRegression
}

// relate computes the relation of latent distances to pixel distances, with
// bootstrap intervals over the resamples.
func relate(ctx context.Context, pixel, latent []float64, still float64, resamples *stat.Resamples, threads int) (*measured, error) {
	m := &measured{}
	m.Pairs = len(pixel)
	if err := m.regress(ctx, pixel, latent, resamples, threads); err != nil {
		return nil, err
	}
	if err := m.rank(ctx, pixel, latent, resamples, threads); err != nil {
		return nil, err
	}
	return m, m.ratio(ctx, pixel, latent, still, resamples, threads)
}

func (m *measured) regress(ctx context.Context, pixel, latent []float64, resamples *stat.Resamples, threads int) error {
	fit, err := stat.Regression(pixel, latent)
	if err != nil {
		v, none := results.Undefined(err)
		m.Slope, m.Intercept, m.R, m.RSquared, m.PValue, m.StdError = v, v, v, v, v, v
		m.SlopeCI, m.RSquaredCI = none, none
		return nil
	}
	m.Slope, m.Intercept, m.StdError = report.Number(fit.Slope), report.Number(fit.Intercept), report.Number(fit.StdError)
	m.R = report.NumberOr(fit.R, fit.Reason)
	m.RSquared = report.NumberOr(fit.RSquared, fit.Reason)
	m.PValue = report.NumberOr(fit.PValue, fit.Reason)
	if m.lines, err = stat.BootstrapRegression(ctx, resamples, pixel, latent, stat.BootstrapOptions{Threads: threads}); err != nil {
		return err
	}
	without, err := stat.JackknifeRegression(resamples.Blocks(), pixel, latent)
	if err != nil {
		return err
	}
	m.slope, m.rSquared = without.Slope, without.RSquared
	m.SlopeCI, m.RSquaredCI = interval(resamples, m.slope), interval(resamples, m.rSquared.Within(0, 1))
	return nil
}

func (m *measured) rank(ctx context.Context, pixel, latent []float64, resamples *stat.Resamples, threads int) error {
	spearman, err := stat.Spearman(pixel, latent)
	if err != nil {
		m.Spearman = report.Undefined("%s", stat.Reason(err))
	} else {
		m.Spearman = report.NumberOr(spearman.Coefficient, spearman.Reason)
	}
	if theilSen, err := stat.TheilSen(pixel, latent, 0.95); err != nil {
		m.TheilSen = report.Undefined("%s", stat.Reason(err))
	} else {
		m.TheilSen = report.Number(theilSen.Slope)
	}
	if !m.Spearman.Defined() {
		m.SpearmanCI = report.NoInterval("%s", m.Spearman.Reason)
		return nil
	}
	without, err := stat.JackknifeVector(ctx, resamples.Blocks(), 1, threads, func(index []int, dst []float64) {
		x, y := make([]float64, len(index)), make([]float64, len(index))
		for k, i := range index {
			x[k], y[k] = pixel[i], latent[i]
		}
		dst[0] = math.NaN()
		if s, err := stat.Spearman(x, y); err == nil {
			dst[0] = s.Coefficient
		}
	})
	if err != nil {
		return err
	}
	m.SpearmanCI = interval(resamples, without[0].OnFisherScale())
	return nil
}

func (m *measured) ratio(ctx context.Context, pixel, latent []float64, still float64, resamples *stat.Resamples, threads int) error {
	// ratio[i] of a pair that does not move is NaN, so that resamples of pairs
	// can pass over it.
	ratio := make([]float64, len(pixel))
	for i, d := range pixel {
		ratio[i] = math.NaN()
		if d > still {
			ratio[i] = latent[i] / d
			m.ratios = append(m.ratios, ratio[i])
		}
	}
	m.Ratio.Pairs = len(m.ratios)
	if len(m.ratios) == 0 {
		v := report.Undefined("no pair of frames differs")
		none := report.NoInterval("%s", v.Reason)
		m.Ratio = Ratio{Mean: v, SD: v, Median: v, P95: v, P99: v, Max: v, MeanCI: none, MedianCI: none}
		return nil
	}
	summary, err := stat.Summarize(m.ratios)
	if err != nil {
		return err
	}
	quantiles, err := stat.Quantiles(m.ratios, 0.95, 0.99)
	if err != nil {
		return err
	}
	moved, counted := make([]float64, len(ratio)), make([]float64, len(ratio))
	for i, r := range ratio {
		if !math.IsNaN(r) {
			moved[i], counted[i] = r, 1
		}
	}
	means, err := stat.JackknifeSums(resamples.Blocks(), [][]float64{moved, counted}, 1, func(_ float64, s, dst []float64) { dst[0] = s[0] / s[1] })
	if err != nil {
		return err
	}
	medians, err := stat.JackknifeQuantiles(resamples.Blocks(), ratio, 0.5)
	if err != nil {
		return err
	}
	m.Ratio.Mean = report.Number(summary.Mean)
	m.Ratio.MeanCI = interval(resamples, means[0])
	m.Ratio.SD = report.NumberOr(summary.SD, summary.Reason)
	m.Ratio.Median = report.Number(summary.Median)
	m.Ratio.MedianCI = interval(resamples, medians[0])
	m.Ratio.P95, m.Ratio.P99 = report.Number(quantiles[0]), report.Number(quantiles[1])
	m.Ratio.Max = report.Number(summary.Max)
	return nil
}

// interval is that of a jackknife, unless intervals are off.
func interval(resamples *stat.Resamples, j *stat.Jackknifed) report.Interval {
	if resamples.Count() == 0 {
		return report.NoInterval("no bootstrap was asked for")
	}
	return results.Interval(j.Interval)
}

// line evaluates the fitted line and its bootstrap band over the range of pixel.
func (m *measured) line(pixel []float64) *Line {
	if m.lines == nil {
		return nil
	}
	const points = 60
	low, high := slices.Min(pixel), slices.Max(pixel)
	l := &Line{}
	for i := range points {
		x := low + (high-low)*float64(i)/(points-1)
		l.X = append(l.X, x)
		l.Y = append(l.Y, m.Intercept.V+m.Slope.V*x)
		var lines []float64
		for b, slope := range m.lines.Slope.Replicates {
			if y := m.lines.Intercept.Replicates[b] + slope*x; !math.IsNaN(y) {
				lines = append(lines, y)
			}
		}
		if len(lines) > 0 {
			slices.Sort(lines)
			l.Low = append(l.Low, stat.QuantileSorted(lines, 0.025))
			l.High = append(l.High, stat.QuantileSorted(lines, 0.975))
		}
	}
	return l
}
