// Tests of rollouts: a model of dynamics that is known, made here or elsewhere, and where they
// become worse than the baselines.

package reward

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/measure/spectrum"
	"repscope/points"
)

// halve is a model of dynamics: half of the latent, plus the action.
func halve(_ context.Context, z points.Points, actions []int64) (points.Points, error) {
	out := make([]float64, 0, z.N*z.Dim)
	for i := range z.N {
		for _, v := range z.Row(i, nil) {
			out = append(out, v/2+float64(actions[i]))
		}
	}
	return points.Float64(out, z.Dim), nil
}

func TestRollOut(t *testing.T) {
	in := drawnDynamics(6, 2, 0)
	z := in.Models[0].Latents
	actions := make([]int64, z.N)
	for i := range actions {
		actions[i] = int64(i % 3)
	}
	const horizon = 22 // the first episodes have 20 and 23 states
	for _, unit := range []spectrum.Unit{{}, {Divisor: 3}, {Norm: true}} {
		steps, err := RollOut(t.Context(), Rollouts{Latents: z, Actions: actions, Next: in.Next, Horizon: horizon, Unit: unit}, halve)
		if err != nil {
			t.Fatal(err)
		}
		if len(steps) != horizon || len(steps[0].Start) != z.N-6 || len(steps[21].Start) != 1+4+7+10+13 {
			t.Fatalf("%d steps, from %d and %d starts", len(steps), len(steps[0].Start), len(steps[len(steps)-1].Start))
		}
		// The third step from each start, written out.
		for i, s := range steps[2].Start {
			end := in.Next[in.Next[in.Next[s]]]
			if steps[2].End[i] != end {
				t.Fatalf("step 3 from state %d ends at %d, want %d", s, steps[2].End[i], end)
			}
			p, y, from := z.Row(s, nil), z.Row(end, nil), z.Row(s, nil)
			for k := range p {
				p[k] = ((p[k]/2+float64(actions[s]))/2+float64(actions[in.Next[s]]))/2 + float64(actions[in.Next[in.Next[s]]])
			}
			for _, v := range [][]float64{p, y, from} {
				unit.Apply(v)
			}
			squared := ((p[0]-y[0])*(p[0]-y[0]) + (p[1]-y[1])*(p[1]-y[1])) / 2
			copied := ((from[0]-y[0])*(from[0]-y[0]) + (from[1]-y[1])*(from[1]-y[1])) / 2
			if !near(steps[2].Squared[i], squared) || !near(steps[2].Copied[i], copied) || !near(steps[2].Cosine[i], cosineOf(p, y)) {
				t.Fatalf("state %d: %v %v, want %v %v", s, steps[2].Squared[i], steps[2].Copied[i], squared, copied)
			}
		}
		checkMadeElsewhere(t, in, actions, steps, unit)
	}
}

// checkMadeElsewhere compares with rollouts of the same model that were made by the user, in
// another order and beyond the ends of episodes.
func checkMadeElsewhere(t *testing.T, in DynamicsInput, actions []int64, want []StepErrors, unit spectrum.Unit) {
	t.Helper()
	z := in.Models[0].Latents
	var starts []int
	var flat []float64
	for s := z.N - 1; s >= 0; s-- {
		starts = append(starts, s)
		current, at := z.Select([]int{s}), s
		for range len(want) {
			action := int64(9)
			if at >= 0 {
				action, at = actions[at], in.Next[at]
			}
			current, _ = halve(t.Context(), current, []int64{action})
			flat = append(flat, current.F64...)
		}
	}
	got, past, err := RolloutErrors(z, in.Next, starts, points.Float64(flat, 2*len(want)), unit)
	if err != nil || past != z.N-35 {
		t.Fatalf("%d rollouts past the end, %v", past, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("rollouts made elsewhere: %+v, want %+v", got[0], want[0])
	}
}

// Rows of the result are those of one step of prediction where the step is one, and end
// where episodes do.
func TestRollouts(t *testing.T) {
	in := drawnDynamics(7, 3, 0.05, 0.1)
	for i := range in.Models {
		m := &in.Models[i]
		// A model that knows the truth and adds its own noise of before.
		var err error
		m.Rollout, _, err = RolloutErrors(m.Latents, in.Next, statesWithSuccessor(in.Next), m.Predicted.Select(statesWithSuccessor(in.Next)), spectrum.Unit{})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := Dynamics(t.Context(), in, DynamicsOptions{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Models {
		row, p := m.Rollout[0], m.LatentPrediction
		if len(m.Rollout) != 1 || row.Step != 1 || row.Starts != got.Transitions || !near(row.MSE.V, p.MSE.V) || !near(row.Skill.CI.Low, p.Skill.CI.Low) ||
			!near(row.MeanMSE.V, p.MeanMSE.V) || !near(row.MeanSkill.CI.High, p.MeanSkill.CI.High) || !near(row.Cosine.V, p.Cosine.V) {
			t.Errorf("%+v, want %+v", row, p)
		}
		if m.RolloutHorizon.Steps != 1 || m.RolloutHorizon.Copy.Defined() || !strings.Contains(m.RolloutHorizon.Copy.Reason,
			"better than copying their initial latents for all 1 step") {
			t.Errorf("%+v", m.RolloutHorizon)
		}
	}
	found := false
	for _, c := range got.Comparisons {
		found = found || c.Metric == "rollout.skill at step 1"
	}
	if !found {
		t.Errorf("comparisons %+v", got.Comparisons)
	}
}

func statesWithSuccessor(next []int) (states []int) {
	for s, n := range next {
		if n >= 0 {
			states = append(states, s)
		}
	}
	return states
}

func TestCrossing(t *testing.T) {
	steps := []float64{1, 2, 3}
	for _, c := range []struct {
		err, baseline []float64
		want          float64
		reason        string
	}{
		{[]float64{1, 3, 6}, []float64{2, 4, 5}, 2.5, ""},
		{[]float64{1, 4, 6}, []float64{2, 4, 5}, 2, ""},
		{[]float64{1, 2, 3}, []float64{2, 4, 5}, 0, "better than it for all 3 steps"},
		{[]float64{3, 2, 3}, []float64{2, 4, 5}, 0, "not better than it at the first step"},
	} {
		v := crossing(steps, c.err, c.baseline, "it")
		if c.reason != "" && !strings.Contains(v.Reason, c.reason) || c.reason == "" && !near(v.V, c.want) {
			t.Errorf("%v against %v: %+v, want %v %s", c.err, c.baseline, v, c.want, c.reason)
		}
	}
}

func TestRolloutInput(t *testing.T) {
	in := drawnDynamics(3, 2, 0)
	z := in.Models[0].Latents
	for _, c := range []struct {
		starts    []int
		predicted points.Points
		want      string
	}{
		{[]int{0, 1}, points.Float64(make([]float64, 4), 4), "1 rollouts for 2 starts"},
		{[]int{0}, points.Float64(make([]float64, 3), 3), "rollouts have 3 values each, want T·2"},
		{[]int{len(in.Next)}, points.Float64(make([]float64, 4), 4),
			"rollout 0 starts at state 69, but there are 69 states"},
		{[]int{-1}, points.Float64(make([]float64, 4), 4), "rollout 0 starts at state -1, but there are 69 states"},
		{[]int{4, 2, 4}, points.Float64(make([]float64, 12), 4), "rollouts 0 and 2 both start at state 4"},
		{[]int{0}, points.Float64([]float64{0, 0, 0, math.NaN()}, 4), "rollout 0, step 2: element 1 is NaN"},
	} {
		if _, _, err := RolloutErrors(z, in.Next, c.starts, c.predicted, spectrum.Unit{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	wide := func(context.Context, points.Points, []int64) (points.Points, error) {
		return points.Float64(make([]float64, 9), 3), nil
	}
	if _, err := RollOut(t.Context(), Rollouts{Latents: z, Next: in.Next, Horizon: 2}, wide); err == nil || !strings.Contains(err.Error(), "step 1: predictions of shape [3 3], want [66 2]") {
		t.Errorf("error %v", err)
	}
	if u, err := spectrum.UnitOf(spectrum.ScaleL2, z); err != nil || !u.Norm {
		t.Errorf("%+v, %v", u, err)
	}
	if u, err := spectrum.UnitOf(spectrum.ScaleRMS, z); err != nil || !(u.Divisor > 0) {
		t.Errorf("%+v, %v", u, err)
	}
}
