// Coherence in time: autocorrelation, steps, straightness.

package geometry

import (
	"context"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/motion"
	"repscope/report"
	"repscope/stat"
)

// inTime measures the latents along the episodes.
func (a *analyzer) inTime(ctx context.Context, m int, out *Measured) error {
	path := motion.NewPath(a.in.Models[m].Latents)
	if err := a.memory(ctx, path, out); err != nil {
		return err
	}
	if err := a.stepped(ctx, m, out); err != nil {
		return err
	}
	return a.straightness(ctx, path, out)
}

// stepped describes the lengths of steps; models are compared in units of the RMS
// distance.
func (a *analyzer) stepped(ctx context.Context, m int, out *Measured) (err error) {
	model := &out.Model
	s, length := &model.Temporal.Steps, a.lengths[m]
	s.Pairs = len(length)
	const notCompared = ""
	if s.Mean, s.MeanCI, err = a.mean(a.steps, notCompared, out, length); err != nil {
		return err
	}
	quantiles := []*report.Value{&s.P05, &s.P25, &s.Median, &s.P75, &s.P95, &s.P99, &s.Max}
	if a.steps.n == 0 {
		for _, v := range append(quantiles, &s.SD, &s.Relative) {
			*v = report.Undefined("%s", a.steps.reason)
		}
		s.RelativeCI = report.NoInterval("%s", a.steps.reason)
		return nil
	}
	s.SD = report.Number(stat.StandardDeviation(length))
	found, err := stat.Quantiles(length, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1)
	if err != nil {
		return err
	}
	for i, v := range found {
		*quantiles[i] = report.Number(v)
	}
	if !model.RMSDistance.Defined() {
		s.Relative, s.RelativeCI = report.Undefined("%s", model.RMSDistance.Reason), report.NoInterval("%s", model.RMSDistance.Reason)
		return nil
	}
	model.StepLengths = make([]float64, len(length))
	for i, v := range length {
		model.StepLengths[i] = v / model.RMSDistance.V
	}
	s.Relative, s.RelativeCI, err = a.mean(a.steps, "relative_step", out, model.StepLengths)
	return err
}

// memory measures the autocorrelation.
func (a *analyzer) memory(ctx context.Context, path *motion.Path, out *Measured) error {
	t := &out.Model.Temporal
	t.Autocorrelation = []Lag{}
	sizes := a.states.blockSizes()
	found, err := path.Autocorrelation(ctx, a.runs, a.o.Lags, a.states.blocks, a.o.Threads)
	if err != nil {
		t.Tau, t.TauCI, err = undefined(err)
		return err
	}
	for lag := range min(a.o.Lags+1, len(found.Rho)) {
		var without []float64
		for b := range sizes {
			without = append(without, found.Without[b][lag])
		}
		_, ci := a.states.jackknife(found.Rho[lag], without)
		t.Autocorrelation = append(t.Autocorrelation, Lag{Lag: lag, Rho: report.NumberOr(found.Rho[lag], "no pairs at this lag"), RhoCI: ci, Pairs: found.Pairs[lag]})
	}
	t.Tau, t.TauWindow, t.TauConverged = report.Number(found.Tau), found.Window, found.Converged
	j, ci := a.states.jackknife(found.Tau, found.TauWithout)
	t.TauCI = ci
	out.Metrics = append(out.Metrics, Metric{Name: "autocorrelation_time", Family: "autocorrelation_time", Jackknife: j})
	if !found.Converged {
		out.warn("%s: the episodes are too short for the autocorrelation time: no window up to %s is five times as long", out.Model.Name, text.Count(found.Window, "state"))
	}
	return nil
}

// straightness compares successive steps.
func (a *analyzer) straightness(ctx context.Context, path *motion.Path, out *Measured) error {
	s := &out.Model.Temporal.Straightness
	turns := path.Turns(a.triples)
	s.Triples = len(turns.Moved)
	for _, v := range turns.Moved {
		if v == 0 {
			s.Still++
		}
	}
	reason := a.turns.reason
	if reason == "" && s.Still == s.Triples {
		reason = "the latents never move twice in a row"
	}
	if reason != "" {
		s.Cosine, s.Curvature = report.Undefined("%s", reason), report.Undefined("%s", reason)
		s.CosineCI, s.CurvatureCI = report.NoInterval("%s", reason), report.NoInterval("%s", reason)
		return nil
	}
	ofSums := func(_ float64, sums, dst []float64) { dst[0], dst[1] = sums[0]/sums[2], sums[1]/sums[2] }
	terms := [][]float64{turns.Cosine, turns.Degrees, turns.Moved}
	if a.turns.blocks == nil {
		found, _, err := stat.SumsInfluence(terms, 2, ofSums)
		if err != nil {
			return err
		}
		s.Cosine, s.Curvature = report.Number(found[0]), report.Number(found[1])
		s.CosineCI, s.CurvatureCI = report.NoInterval(intervalsOff), report.NoInterval(intervalsOff)
		return nil
	}
	found, err := stat.JackknifeSums(a.turns.blocks, terms, 2, ofSums)
	if err != nil {
		return err
	}
	s.Cosine, s.CosineCI = results.Estimate(found[0].Within(-1, 1), "")
	s.Curvature, s.CurvatureCI = results.Estimate(found[1].Within(0, 180), "")
	out.Metrics = append(out.Metrics, Metric{Name: "straightness", Family: "straightness", Jackknife: found[0]})
	return nil
}
