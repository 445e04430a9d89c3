// Coherence in time: autocorrelation, steps, straightness.

package geometry

import (
	"context"
	"math"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/motion"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// inTime measures the latents along the episodes.
func (a *analyzer) inTime(ctx context.Context, m int, out *Measured) error {
	path := motion.NewPath(a.in.Models[m].Latents)
	if err := a.memory(ctx, path, out); err != nil {
		return err
	}
	if err := a.stepped(m, out); err != nil {
		return err
	}
	return a.straightness(m, path, out)
}

// stepped describes the lengths of steps; models are compared in units of the RMS
// distance, which is deleted from as the steps are.
func (a *analyzer) stepped(m int, out *Measured) error {
	model := &out.Model
	s, length := &model.Temporal.Steps, a.lengths[m]
	s.Pairs = len(length)
	if a.steps.n == 0 {
		s.undefined(a.steps.reason)
		return nil
	}
	mean, j, err := a.steps.mean(length)
	if err != nil {
		return err
	}
	s.SD = report.Number(stat.StandardDeviation(length))
	quantiles, err := stat.Quantiles(length, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1)
	if err != nil {
		return err
	}
	for i, v := range []*report.Value{&s.P05, &s.P25, &s.Median, &s.P75, &s.P95, &s.P99, &s.Max} {
		*v = report.Number(quantiles[i])
	}
	rms := model.RMSDistance.V
	model.StepLengths = make([]float64, len(length))
	squares := make([]float64, len(length))
	for i, v := range length {
		model.StepLengths[i] = v / rms
		squares[i] = float64(v * v)
	}
	relative, root, err := a.relativeSteps(m, j, squares)
	if err != nil {
		return err
	}
	out.compareBy("relative_step", "relative_step", "temporal.steps.relative_mean", relative)
	if a.in.Episode != nil && j != nil {
		episode := make([]int, len(a.pairs))
		for i, pair := range a.pairs {
			episode[i] = a.in.Episode[pair.Now]
		}
		if w := results.LengthWarning(model.Name+": length of steps", "step", length, episode); w != "" {
			out.warn("%s", w)
		}
	}
	s.Mean = within(mean, j, 0, math.Inf(1))
	s.Relative = within(report.Number(mean.V/rms), relative, 0, math.Inf(1))
	s.RelativeRMS = within(report.Number(math.Sqrt(stat.Mean(squares))/rms), root, 0, math.Inf(1))
	return nil
}

// relativeSteps jackknifes mean and RMS of steps over the RMS distance, given the
// jackknife of the mean; nil without intervals.
func (a *analyzer) relativeSteps(m int, mean *stat.Jackknifed,
	squares []float64) (relative, root *stat.Jackknifed, err error) {
	if mean == nil {
		return nil, nil, nil
	}
	rms, err := spectrum.JackknifeRMSDistance(a.in.Models[m].Latents, a.states.blocks)
	if err != nil {
		return nil, nil, err
	}
	square, err := stat.JackknifeMean(a.steps.blocks, squares)
	if err != nil {
		return nil, nil, err
	}
	if relative, err = stat.Combine(func(v []float64) float64 { return v[0] / v[1] }, mean, rms); err != nil {
		return nil, nil, err
	}
	root, err = stat.Combine(func(v []float64) float64 { return math.Sqrt(v[0]) / v[1] }, square, rms)
	return relative, root, err
}

// leastSupport is the share of the blocks on which the last lag of an autocorrelation
// time must rest: where a few long episodes decide, the jackknife does not see how far
// others like them would differ.
const leastSupport = 0.5

// memory measures the autocorrelation.
func (a *analyzer) memory(ctx context.Context, path *motion.Path, out *Measured) error {
	t := &out.Model.Temporal
	t.Autocorrelation = []Lag{}
	autocorrelation, err := path.Autocorrelation(ctx, a.runs, a.o.Lags, a.states.blocks, a.o.Threads)
	if err != nil {
		t.Tau, err = undefined(err)
		return err
	}
	for lag := range min(a.o.Lags+1, len(autocorrelation.Rho)) {
		var without []float64
		for _, rho := range autocorrelation.Without {
			without = append(without, rho[lag])
		}
		j, err := a.states.jackknife(autocorrelation.Rho[lag], without, nil)
		if err != nil {
			return err
		}
		rho := within(report.NumberOr(autocorrelation.Rho[lag], "no pairs at this lag"), j, -1, 1)
		if lag == 0 {
			rho.CI = report.NoInterval("1 by definition")
		}
		t.Autocorrelation = append(t.Autocorrelation, Lag{Lag: lag, Rho: rho, Pairs: autocorrelation.Pairs[lag]})
	}
	j, err := a.states.jackknife(autocorrelation.Tau, autocorrelation.TauWithout, nil)
	if err != nil {
		return err
	}
	if j != nil {
		j.OnLogScale()
		if !autocorrelation.Converged && j.Untestable == "" {
			j.Untestable = "the episodes are too short for the autocorrelation time"
		}
	}
	t.Tau = within(report.Number(autocorrelation.Tau), j, math.Inf(-1), math.Inf(1))
	if j != nil && autocorrelation.Support < leastSupport*(j.DF+1) {
		t.Tau.CI = report.NoInterval("only few episodes are as long as the window of %d states", autocorrelation.Window)
	} else {
		out.compareBy("autocorrelation_time", "autocorrelation_time", "temporal.tau", j)
	}
	if !autocorrelation.Converged {
		out.warn("%s: the episodes are too short for the autocorrelation time: no window up to %s is five times as "+
			"long; use longer episodes", out.Model.Name, text.Count(autocorrelation.Window, "state"))
	}
	return nil
}

// straightness compares successive steps, also of states drawn at random.
func (a *analyzer) straightness(m int, path *motion.Path, out *Measured) error {
	s := &out.Model.Temporal.Straightness
	turns := path.Turns(a.triples)
	s.Triples = len(turns.Moved)
	for _, v := range turns.Moved {
		if v == 0 {
			s.Still++
		}
	}
	s.Independent = a.independent(a.in.Models[m].Latents)
	reason := a.turns.reason
	if reason == "" && s.Still == s.Triples {
		reason = "the latents never move in two consecutive steps"
	}
	if reason != "" {
		s.Cosine, s.Curvature = report.NoEstimate("%s", reason), report.NoEstimate("%s", reason)
		return nil
	}
	ofSums := func(_ float64, sums, dst []float64) { dst[0], dst[1] = sums[0]/sums[2], sums[1]/sums[2] }
	terms := [][]float64{turns.Cosine, turns.Degrees, turns.Moved}
	influence, _, err := stat.SumsInfluence(terms, 2, ofSums)
	if err != nil {
		return err
	}
	estimates := make([]*stat.Jackknifed, 2)
	if a.turns.blocks != nil {
		if estimates, err = stat.JackknifeSums(a.turns.blocks, terms, 2, ofSums); err != nil {
			return err
		}
	}
	out.compareBy("straightness", "straightness", "temporal.straightness.cosine", estimates[0])
	s.Cosine = within(report.Number(influence[0]), estimates[0], -1, 1)
	s.Curvature = within(report.Number(influence[1]), estimates[1], 0, 180)
	return nil
}

// independentTriples is the number of triples behind the straightness of independent
// states: its standard error is below 0.004.
const independentTriples = 20_000

// independent is the mean cosine of the two steps of three different states drawn at
// random.
func (a *analyzer) independent(z points.Points) report.Value {
	random := stat.NewRandom(stat.StreamTriples.Key(a.o.Seed))
	row := [3][]float64{make([]float64, z.Dim), make([]float64, z.Dim), make([]float64, z.Dim)}
	sum, count := 0.0, 0
	for range independentTriples {
		i, j, k := random.Intn(z.N), random.Intn(z.N-1), random.Intn(z.N-2)
		// Different ones: each is counted among those that are left.
		if j >= i {
			j++
		}
		for _, taken := range []int{min(i, j), max(i, j)} {
			if k >= taken {
				k++
			}
		}
		var ab, aa, bb float64
		here, next, after := z.Row(i, row[0]), z.Row(j, row[1]), z.Row(k, row[2])
		for d, v := range next {
			first, second := v-here[d], after[d]-v
			ab += float64(first * second)
			aa += float64(first * first)
			bb += float64(second * second)
		}
		if aa > 0 && bb > 0 {
			sum += ab / math.Sqrt(aa) / math.Sqrt(bb)
			count++
		}
	}
	if count == 0 {
		return report.Undefined("all drawn states are equal")
	}
	return report.Number(sum / float64(count))
}
