// Rollouts: predictions that go on from predictions, and how long they are worth more than
// the latent they start from.

package reward

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
)

// StepErrors are the errors of rollouts at one step, by the states they start from, whose
// episodes last so long. All are means over dimensions.
type StepErrors struct {
	Step    int
	Start   []int     // ascending
	End     []int     // the state that was predicted
	Squared []float64 // of the prediction
	Copied  []float64 // of the latent of the start
	Cosine  []float64 // between prediction and latent; NaN where one of them is 0
}

// RolloutStep is one step of the rollouts of a model: as [LatentPrediction], of the latents
// that many steps after the latents that rollouts start from.
type RolloutStep struct {
	Step      int             `json:"step" report:"parameter"`
	MSE       report.Estimate `json:"mse"`
	CopyMSE   report.Estimate `json:"copy_mse"` // of the latent that the rollout starts from
	MeanMSE   report.Estimate `json:"mean_mse"`
	Cosine    report.Estimate `json:"cosine"`
	Skill     report.Estimate `json:"skill"`      // 1 − mse/copy_mse
	MeanSkill report.Estimate `json:"mean_skill"` // 1 − mse/mean_mse
	// Starts counts the rollouts whose episodes last so long.
	Starts int `json:"starts"`
}

// RolloutHorizon says at which step, between those that were rolled out by linear
// interpolation of the difference, rollouts become worse than copying the latent they start
// from and than the mean latent. Undefined where they never do, or are from the first step.
type RolloutHorizon struct {
	Copy  report.Value `json:"copy"`
	Mean  report.Value `json:"mean"`
	Steps int          `json:"steps"` // that were rolled out
}

// Step maps latents [n, D], and the action taken at each, to what a model of dynamics says
// are the next ones.
type Step func(ctx context.Context, latents points.Points, actions []int64) (points.Points, error)

// Rollouts describes the rollouts.
type Rollouts struct {
	Latents points.Points // [N, D] of all states, as Step takes and makes them
	Actions []int64       // of all states; nil: Step takes none
	Next    []int         // the successor of each state, −1 where there is none
	Horizon int           // steps
	Unit    spectrum.Unit
	// Pool, if not nil, takes from latents of Step those that are compared.
	Pool func(points.Points) (points.Points, error)
}

// RollOut predicts from every state, open loop: each step goes on from the prediction of the
// step before, with the action that was really taken there. States whose episode ends
// earlier leave. Errors: NaN or Inf in a prediction, another number of rows.
func RollOut(ctx context.Context, r Rollouts, step Step) ([]StepErrors, error) {
	truth, err := r.pooled(r.Latents)
	if err != nil {
		return nil, err
	}
	start := make([]int, r.Latents.N)
	for i := range start {
		start[i] = i
	}
	end, current := slices.Clone(start), r.Latents
	var out []StepErrors
	for h := 1; h <= r.Horizon; h++ {
		var keep []int
		for i, s := range end {
			if r.Next[s] >= 0 {
				keep = append(keep, i)
			}
		}
		if len(keep) == 0 {
			break
		}
		var actions []int64
		for k, i := range keep {
			start[k] = start[i]
			if r.Actions != nil {
				actions = append(actions, r.Actions[end[i]])
			}
			end[k] = r.Next[end[i]]
		}
		start, end = start[:len(keep)], end[:len(keep)]
		if len(keep) < current.N {
			current = current.Select(keep)
		}
		next, err := step(ctx, current, actions)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", h, err)
		}
		if next.N != len(keep) || next.Dim != r.Latents.Dim {
			return nil, fmt.Errorf("step %d: predictions of shape [%d %d], want [%d %d]",
				h, next.N, next.Dim, len(keep), r.Latents.Dim)
		}
		current = next
		predicted, err := r.pooled(current)
		if err != nil {
			return nil, err
		}
		out = append(out, stepErrors(h, slices.Clone(start), slices.Clone(end), truth, predicted, r.Unit))
	}
	return out, nil
}

func (r *Rollouts) pooled(z points.Points) (points.Points, error) {
	if r.Pool == nil {
		return z, nil
	}
	return r.Pool(z)
}

// RolloutErrors are the errors of rollouts that were made elsewhere: row m of predicted
// [M, T·D] holds the predictions of the 1 to T steps from the state starts[m]. Rollouts
// beyond the end of an episode are not looked at from there on, and counted in past. Errors:
// starts that are no states or twice the same, other shapes, NaN or Inf where the truth is
// known.
func RolloutErrors(latents points.Points, next, starts []int, predicted points.Points,
	unit spectrum.Unit) (steps []StepErrors, past int, err error) {
	dim := latents.Dim
	if predicted.N != len(starts) {
		return nil, 0, fmt.Errorf("%d rollouts for %s", predicted.N, text.Count(len(starts), "start"))
	}
	if predicted.Dim%dim != 0 {
		return nil, 0, fmt.Errorf("rollouts have %d values each, want T·%d for T steps of latents with %d "+
			"dimensions", predicted.Dim, dim, dim)
	}
	order := make([]int, len(starts))
	for m, s := range starts {
		if s < 0 || s >= latents.N {
			return nil, 0, fmt.Errorf("rollout %d starts at state %d, but there are %d states", m, s, latents.N)
		}
		order[m] = m
	}
	slices.SortStableFunc(order, func(a, b int) int { return starts[a] - starts[b] })
	for i := 1; i < len(order); i++ {
		if starts[order[i]] == starts[order[i-1]] {
			return nil, 0, fmt.Errorf("rollouts %d and %d both start at state %d", order[i-1], order[i], starts[order[i]])
		}
	}
	row := make([]float64, predicted.Dim)
	state := slices.Clone(starts)
	for h := 1; h <= predicted.Dim/dim; h++ {
		var start, end []int
		var flat []float64
		for _, m := range order {
			if state[m] < 0 {
				continue
			}
			if state[m] = next[state[m]]; state[m] < 0 {
				past++
				continue
			}
			z := predicted.Row(m, row)[(h-1)*dim : h*dim]
			for k, v := range z {
				if v-v != 0 {
					return nil, 0, fmt.Errorf("rollout %d, step %d: element %d is %v, want a finite number", m, h, k, v)
				}
			}
			start, end, flat = append(start, starts[m]), append(end, state[m]), append(flat, z...)
		}
		if len(start) == 0 {
			break
		}
		steps = append(steps, stepErrors(h, start, end, latents, points.Float64(flat, dim), unit))
	}
	return steps, past, nil
}

// stepErrors are the errors of predictions of the states end from the states start.
func stepErrors(step int, start, end []int, truth, predicted points.Points, unit spectrum.Unit) StepErrors {
	e := StepErrors{Step: step, Start: start, End: end}
	z, y, p := make([]float64, truth.Dim), make([]float64, truth.Dim), make([]float64, truth.Dim)
	for i := range start {
		truth.Row(start[i], z)
		truth.Row(end[i], y)
		predicted.Row(i, p)
		unit.Apply(z)
		unit.Apply(y)
		unit.Apply(p)
		squared, copied := 0.0, 0.0
		for k := range y {
			squared += (p[k] - y[k]) * (p[k] - y[k])
			copied += (z[k] - y[k]) * (z[k] - y[k])
		}
		e.Squared, e.Copied = append(e.Squared, squared/float64(truth.Dim)), append(e.Copied, copied/float64(truth.Dim))
		e.Cosine = append(e.Cosine, cosineOf(p, y))
	}
	return e
}

// rollouts measures the rollouts of all models that have some, step by step.
func rollouts(ctx context.Context, in *DynamicsInput, o *DynamicsOptions, r *DynamicsResult) error {
	last := 0
	for i, m := range in.Models {
		if len(m.Rollout) == 0 {
			r.Models[i].skip("rollout",
				"needs rollouts: --rollouts NAME=FILE, or --predictor NAME=FILE.onnx with --actions FILE")
			continue
		}
		last = max(last, m.Rollout[len(m.Rollout)-1].Step)
	}
	for h := 1; h <= last; h++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.rolloutStep(in, o, h); err != nil {
			return fmt.Errorf("rollouts, step %d: %w", h, err)
		}
	}
	for i := range r.Models {
		if m := &r.Models[i]; len(m.Rollout) > 0 {
			m.RolloutHorizon = horizonOf(m.Rollout)
		} else if len(in.Models[i].Rollout) > 0 {
			m.skip("rollout", "fewer than 3 rollouts have a step inside their episode")
		}
	}
	return nil
}

// rolloutStep measures one step of all models.
func (r *DynamicsResult) rolloutStep(in *DynamicsInput, o *DynamicsOptions, h int) error {
	measured := make([]*measuredErrors, len(in.Models))
	errs := make([]*StepErrors, len(in.Models))
	for i := range in.Models {
		m := &in.Models[i]
		k := slices.IndexFunc(m.Rollout, func(s StepErrors) bool { return s.Step == h })
		if k < 0 || len(m.Rollout[k].Start) < 3 {
			continue
		}
		errs[i] = &m.Rollout[k]
		measured[i] = measureErrors(&errorSeries{squared: errs[i].Squared, copied: errs[i].Copied, cosine: errs[i].Cosine, z: m.Latents, ends: errs[i].End})
	}
	done := make([]bool, len(measured))
	for i := range measured {
		if measured[i] == nil || done[i] {
			continue
		}
		// Models whose rollouts start from the same states have the same blocks, and are compared.
		group := make([]*measuredErrors, len(measured))
		for j := i; j < len(measured); j++ {
			if measured[j] != nil && slices.Equal(errs[j].Start, errs[i].Start) {
				group[j], done[j] = measured[j], true
			}
		}
		if err := r.rolloutGroup(in, o, h, group, errs[i].Start); err != nil {
			return err
		}
	}
	for i, m := range measured {
		if m != nil {
			r.Models[i].Rollout = append(r.Models[i].Rollout, m.rolloutStep(h))
		}
	}
	return nil
}

// rolloutGroup deletes blocks of rollouts that start from the same states.
func (r *DynamicsResult) rolloutGroup(in *DynamicsInput, o *DynamicsOptions, h int, group []*measuredErrors,
	starts []int) error {
	if !o.Intervals {
		return nil
	}
	blocks, err := blocksOfErrors(group, len(starts), in.episodesOf(starts), o.Block)
	if err != nil {
		return err
	}
	r.note(blocks)
	for _, m := range group {
		if m == nil {
			continue
		}
		if err := m.delete(blocks); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("rollout.skill at step %d", h)
	path := "rollout" + report.Row("step", float64(h)) + ".skill"
	return r.compareErrors(results.Metric{Name: name, Family: "rollout.skill", Path: path}, ofSkill, group, o.Seed)
}

// rolloutStep is a row of the result.
func (m *measuredErrors) rolloutStep(h int) RolloutStep {
	out := RolloutStep{Step: h, Starts: len(m.series.squared)}
	out.MSE = m.value(ofMSE, "")
	out.CopyMSE = m.value(ofCopy, "")
	out.MeanMSE = m.value(ofMean, "")
	out.Cosine = m.value(ofCosine, noDirection)
	out.Skill = m.value(ofSkill, noCopyError)
	out.MeanSkill = m.value(ofMeanSkill, NoVariance)
	return out
}

// horizonOf finds the steps at which rollouts become worse than their baselines.
func horizonOf(rows []RolloutStep) *RolloutHorizon {
	steps, mse, copied, mean := []float64{}, []float64{}, []float64{}, []float64{}
	for _, row := range rows {
		steps, mse = append(steps, float64(row.Step)), append(mse, row.MSE.V)
		copied, mean = append(copied, row.CopyMSE.V), append(mean, row.MeanMSE.V)
	}
	return &RolloutHorizon{Copy: crossing(steps, mse, copied, "copying their initial latents"), Mean: crossing(steps, mse, mean, "the mean latent"),
		Steps: rows[len(rows)-1].Step}
}

// crossing is the first step, interpolated, at which the error is no longer below the error of a
// baseline.
func crossing(steps, err, baseline []float64, name string) report.Value {
	for i := range steps {
		d := err[i] - baseline[i]
		if d < 0 {
			continue
		}
		if i == 0 {
			return report.Undefined("rollouts are not better than %s at the first step", name)
		}
		before := err[i-1] - baseline[i-1]
		return report.Number(steps[i-1] + (steps[i]-steps[i-1])*before/(before-d))
	}
	return report.Undefined("rollouts are better than %s for all %s", name, text.Count(len(steps), "step"))
}
