// The statistics of all scores: values, intervals and comparisons.

package reconstruction

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// merge computes the statistics of all samples.
func (p *plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	all := join(parts)
	p, failed := p.withoutFailed(all)
	if len(failed) > 0 && len(p.in.Models) == 0 {
		return nil, fmt.Errorf("%s: %s", failed[0].Name, failed[0].Reason)
	}
	s := &summary{plan: p, steps: all.Steps, episode: make([]int, len(p.in.Samples)), copy: len(p.models) - 2}
	for i, sample := range p.in.Samples {
		s.episode[i] = p.in.Episode[sample.Next[0]]
	}
	var areas []int
	for _, of := range s.steps[0].Areas {
		areas = append(areas, of...)
	}
	s.low, s.high = terciles(areas)
	result := &Result{Samples: p.in.Samples, Same: p.in.Same, States: p.states, Episode: s.episode, Steps: p.in.steps(), Threshold: p.o.MovingThreshold, Unmeasured: failed}
	if err := s.group(result); err != nil {
		return nil, err
	}
	names := make([]string, len(p.models))
	for k, m := range p.models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		model, err := s.model(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		names[k] = m.Name
		result.Models = append(result.Models, *model)
		w := results.LengthWarning(m.Name+": mse", "sample", s.steps[0].Models[k].MSE, s.episode)
		if w != "" && s.blocks != nil {
			result.Warnings = append(result.Warnings, w)
		}
	}
	if !p.o.Intervals {
		return result, nil
	}
	return result, s.compare(result, names)
}

// join puts parts together in their order.
func join(parts []*Part) *Part {
	all := &Part{}
	for k, part := range parts {
		for i, step := range part.Steps {
			if k == 0 {
				all.Steps = append(all.Steps, PartOfStep{Models: make([]Scores, len(step.Models))})
			}
			to := &all.Steps[i]
			to.Energy, to.Moved = append(to.Energy, step.Energy...), append(to.Moved, step.Moved...)
			to.Motion, to.Areas = append(to.Motion, step.Motion...), append(to.Areas, step.Areas...)
			for m := range step.Models {
				into := append(to.Models[m].lists(), to.Models[m].firstLists()...)
				from := append(step.Models[m].lists(), step.Models[m].firstLists()...)
				for l := range into {
					*into[l] = append(*into[l], *from[l]...)
				}
				to.Models[m].Hits = append(to.Models[m].Hits, step.Models[m].Hits...)
				to.Models[m].Failed = cmp.Or(to.Models[m].Failed, step.Models[m].Failed)
			}
		}
	}
	return all
}

// summary makes the result of the scores of all samples.
type summary struct {
	*plan
	steps   []PartOfStep
	episode []int // of every sample
	copy    int   // the model that copies
	blocks  *stat.Blocks
	// low and high are the terciles of the areas of true objects.
	low, high int

	jackknifes [][]map[string]*stat.Jackknifed // by model and step: of numbers that are compared
}

// group makes the blocks of samples, which all statistics share. Pieces of episodes are
// as long as the longest memory asks for, of errors, similarities and errors of moving
// pixels of all models and their differences.
func (s *summary) group(result *Result) error {
	s.jackknifes = make([][]map[string]*stat.Jackknifed, len(s.models))
	if !s.o.Intervals {
		return nil
	}
	n := len(s.episode)
	blocks, err := stat.NewBlocks(n, s.episode, s.o.Block)
	if err != nil {
		return err
	}
	if blocks.Kind() != stat.EpisodeBlocks {
		var statistics [][][]float64
		for _, m := range metrics() {
			if m.name != "mse" && m.name != "ssim" && m.name != "moving_mse" {
				continue
			}
			var influences [][]float64
			for k := range s.models {
				numerator, denominator := s.terms(m, k, 0)
				if stat.Sum(denominator) == 0 {
					continue
				}
				_, influence, err := stat.SumsInfluence([][]float64{numerator, denominator}, 1, ratio)
				if err != nil {
					return err
				}
				influences = append(influences, influence...)
			}
			if len(influences) > 0 {
				statistics = append(statistics, influences)
			}
		}
		if blocks, err = results.LongestBlocks(n, s.episode, s.o.Block, statistics...); err != nil {
			return err
		}
	}
	s.blocks = blocks
	result.Blocks = results.Deleted(blocks)
	result.Warnings = append(result.Warnings, blocks.Warnings()...)
	return nil
}

// ratio is the statistic of a numerator and a denominator.
func ratio(_ float64, sums, dst []float64) { dst[0] = sums[0] / sums[1] }

// terms are the numerators and denominators of a metric by sample; 0 where there are
// none.
func (s *summary) terms(m metric, model, step int) (numerator, denominator []float64) {
	part := &s.steps[step]
	n := len(s.episode)
	numerator, denominator = make([]float64, n), make([]float64, n)
	r := row{step: part, model: &part.Models[model], copy: &part.Models[s.copy], size: float64(s.in.Shape.Size()),
		low: s.low, high: s.high}
	for i := range n {
		if math.IsNaN(part.Energy[i]) {
			continue // the episode has ended
		}
		if before := !math.IsNaN(part.Moved[i]); !before && (m.change || s.models[model].Forward) {
			continue
		}
		r.i = i
		numerator[i], denominator[i] = m.terms(r)
	}
	return numerator, denominator
}

// model describes one model.
func (s *summary) model(k int) (*Model, error) {
	part := s.models[k]
	model := &Model{Name: part.Name, Kind: "predictions", From: part.From, Samples: len(s.episode), Ignored: part.Ignored}
	if k >= len(s.in.Models) {
		model.Kind = "baseline"
	}
	var errors []float64
	var episode []int
	for i, v := range s.steps[0].Models[k].MSE {
		if v == 0 {
			model.PSNRExcluded++
		}
		if !math.IsNaN(v) {
			errors, episode = append(errors, v), append(episode, s.episode[i])
		}
	}
	model.Samples = len(errors)
	model.NEff, model.NEffReliable = results.EffectiveSizeOf(errors, episode)
	for step := range part.steps() {
		all := make(map[string]*stat.Jackknifed)
		var scores []Score
		for _, m := range metrics() {
			if m.first && step > 0 {
				continue
			}
			score, jackknife, err := s.score(m, k, step)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			if m.compared {
				all[m.name] = jackknife
			}
			scores = append(scores, *score)
		}
		s.jackknifes[k] = append(s.jackknifes[k], all)
		if step == 0 {
			model.Scores, model.Fields = scores, fields(scores)
			for _, score := range scores {
				if !score.Value.Defined() {
					model.Skipped.Set(score.Name, score.Value.Reason)
				}
			}
		}
		if s.in.steps() > 1 {
			model.Horizon = append(model.Horizon, s.horizon(step, scores))
		}
	}
	return model, nil
}

// fields are scores as the result file has them.
func fields(scores []Score) report.Object {
	var o report.Object
	for _, s := range scores {
		o.Set(s.Name, s.Estimate)
	}
	return o
}

// horizon is the row of a number of steps ahead.
func (s *summary) horizon(step int, scores []Score) Step {
	count := 0
	for _, v := range s.steps[step].Energy {
		if !math.IsNaN(v) {
			count++
		}
	}
	out := Step{Step: step + 1, Samples: count, Scores: scores, Fields: fields(scores)}
	for _, m := range metrics() {
		var to *report.Value
		switch m.name {
		case "mse":
			to = &out.CopyMSE
		case "psnr":
			to = &out.CopyPSNR
		case "ssim":
			to = &out.CopySSIM
		default:
			continue
		}
		numerator, denominator := s.terms(m, s.copy, step)
		*to = s.value(m, step, numerator, denominator)
	}
	return out
}

// noneBefore is why there is nothing that needs the frame before.
const noneBefore = "no state has a previous state in its episode"

// value is the value of a metric.
func (s *summary) value(m metric, step int, numerator, denominator []float64) report.Value {
	below := stat.Sum(denominator)
	if !slices.ContainsFunc(s.steps[step].Energy, func(v float64) bool { return !math.IsNaN(v) }) {
		return report.Undefined("no episode has %d steps", step+1)
	}
	if below == 0 {
		reason := cmp.Or(m.none, noneBefore) // a mean is over all samples that are predicted
		if m.change && !slices.ContainsFunc(s.steps[step].Moved, func(v float64) bool { return !math.IsNaN(v) }) {
			reason = noneBefore
		}
		if m.name == "ssim" && s.ssim != nil {
			reason = s.ssim.Error()
		}
		return report.Undefined("%s", reason)
	}
	v := stat.Sum(numerator) / below
	if m.of != nil {
		v = m.of(v)
	}
	if math.IsInf(v, 0) {
		return report.Undefined("%s", m.none)
	}
	return report.Number(v)
}

// score is one metric of a model, and its jackknife: nil without intervals and where it
// is undefined.
func (s *summary) score(m metric, k, step int) (*Score, *stat.Jackknifed, error) {
	numerator, denominator := s.terms(m, k, step)
	out := &Score{Name: m.name, Estimate: report.Estimate{Value: s.value(m, step, numerator, denominator)}}
	if m.of == nil {
		var sd report.Value
		out.Sample, sd = bySample(numerator, denominator, out.Value)
		out.SD = &sd
		out.Share = shares(out.Sample, numerator, denominator, out.Value)
	}
	if !out.Value.Defined() {
		out.CI = report.NoInterval("%s", out.Value.Reason)
		return out, nil, nil
	}
	if s.blocks == nil {
		out.CI = results.IntervalOf(nil)
		return out, nil, nil
	}
	j, err := stat.JackknifeSums(s.blocks, [][]float64{numerator, denominator}, 1, func(n float64, sums, dst []float64) {
		ratio(n, sums, dst)
		if m.of != nil {
			dst[0] = m.of(dst[0])
		}
		if math.IsInf(dst[0], 0) {
			dst[0] = math.NaN()
		}
	})
	if err != nil {
		return nil, nil, err
	}
	if m.share {
		j[0].AsShare(int(math.Round(stat.Sum(denominator))))
	} else if m.skill {
		j[0].OnScale(stat.RangeScale(m.low, m.high))
	} else {
		j[0].Within(m.low, m.high)
	}
	out.CI = results.IntervalOf(j[0])
	return out, j[0], nil
}

// bySample are the ratios of samples and their standard deviation (ddof 0).
func bySample(numerator, denominator []float64, total report.Value) (values []float64, sd report.Value) {
	values = make([]float64, len(numerator))
	var defined []float64
	for i, d := range denominator {
		values[i] = math.NaN()
		if d > 0 {
			values[i] = numerator[i] / d
			defined = append(defined, values[i])
		}
	}
	if !total.Defined() {
		return values, total
	}
	middle, squares := stat.Mean(defined), make([]float64, len(defined))
	for i, v := range defined {
		squares[i] = float64((v - middle) * (v - middle))
	}
	return values, report.Number(math.Sqrt(stat.Mean(squares)))
}

// shares are the parts of samples in a ratio of sums to first order, in its units, whose
// mean is the ratio: of a mean over samples these are their values.
func shares(values, numerator, denominator []float64, ratio report.Value) []float64 {
	if !ratio.Defined() || !slices.ContainsFunc(denominator, func(d float64) bool { return d != 0 && d != 1 }) {
		return values
	}
	mean := stat.Mean(denominator)
	out := make([]float64, len(numerator))
	for i, v := range numerator {
		out[i] = ratio.V + (v-float64(ratio.V*denominator[i]))/mean
	}
	return out
}

// compare compares the models with each other and with the baselines, of all metrics
// that say which is better, at every number of steps ahead.
func (s *summary) compare(r *Result, names []string) error {
	baselines := Baselines()
	for _, m := range metrics() {
		if !m.compared {
			continue
		}
		for step := range s.steps {
			name := results.Metric{Name: m.name, Family: m.name}
			if step > 0 {
				if !m.ahead {
					break
				}
				name.Name = fmt.Sprintf("%s at step %d", m.name, step+1)
				name.Path = "horizon" + report.Row("step", float64(step+1)) + "." + m.name
			}
			estimates := make([]*stat.Jackknifed, len(names))
			for k := range names {
				if step < len(s.jackknifes[k]) {
					estimates[k] = s.jackknifes[k][step][m.name]
				}
			}
			rows, err := s.pairwise(m, step, name, names, estimates)
			if err != nil {
				return err
			}
			// Which baseline is better is no question about models, and where no deletion
			// changes either model nothing shows the error of their difference.
			constant := func(name string) bool { return estimates[slices.Index(names, name)].StdError == 0 }
			rows = slices.DeleteFunc(rows, func(c report.Comparison) bool {
				return slices.Contains(baselines, c.A) && slices.Contains(baselines, c.B) || constant(c.A) && constant(c.B)
			})
			r.Comparisons = append(r.Comparisons, rows...)
		}
	}
	results.Correct(r.Comparisons, s.o.Family)
	return nil
}

// pairwise compares all pairs of models on one metric. Where some models predict only the
// samples with a current frame, they are compared with others on these.
func (s *summary) pairwise(m metric, step int, name results.Metric, names []string,
	estimates []*stat.Jackknifed) ([]report.Comparison, error) {
	if m.change || !slices.ContainsFunc(s.in.Samples, func(s Sample) bool { return s.State < 0 }) {
		return results.Pairwise(name, names, estimates, s.o.Seed)
	}
	common, forward := *s, *s.plan
	common.plan, forward.models = &forward, slices.Clone(s.models)
	for k := range forward.models {
		forward.models[k].Forward = true
	}
	var all []report.Comparison
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			pair := []*stat.Jackknifed{estimates[i], estimates[j]}
			if s.models[i].Forward != s.models[j].Forward {
				for n, k := range []int{i, j} {
					if pair[n] == nil {
						continue
					}
					var err error
					if _, pair[n], err = common.score(m, k, step); err != nil {
						return nil, err
					}
				}
			}
			rows, err := results.Pairwise(name, []string{names[i], names[j]}, pair, s.o.Seed)
			if err != nil {
				return nil, err
			}
			all = append(all, rows...)
		}
	}
	return all, nil
}
