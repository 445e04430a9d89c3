// Tests of what models of dynamics are worth: against sums written out, deletion by
// deletion, and where nothing can be said.

package reward

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// drawnDynamics are states of some episodes whose latents turn and shrink from step to step, with noise,
// and predictions of them.
func drawnDynamics(episodes, dim int, noise ...float64) DynamicsInput {
	random := stat.NewRandom(stat.NewKey(5, 1))
	in := DynamicsInput{}
	var z []float64
	for e := range episodes {
		n := 20 + 3*e
		for t := range n {
			in.Episode, in.Time = append(in.Episode, e), append(in.Time, 2*len(in.Time))
			next := len(in.Next) + 1
			if t == n-1 {
				next = -1
			}
			in.Next = append(in.Next, next)
			for k := range dim {
				v := 1 + random.Normal()
				if t > 0 {
					v = 0.9*z[len(z)-dim] + 0.1*float64(k) + 0.2*random.Normal()
				}
				z = append(z, v)
			}
		}
	}
	latents := points.Float64(z, dim)
	for i, sd := range noise {
		predicted := make([]float64, len(z))
		for s, next := range in.Next {
			for k := range dim {
				if predicted[s*dim+k] = math.NaN(); next >= 0 {
					predicted[s*dim+k] = z[next*dim+k] + sd*random.Normal()
				}
			}
		}
		in.Models = append(in.Models, DynamicsModel{Name: string(rune('a' + i)), Latents: latents, Predicted: points.Float64(predicted, dim)})
	}
	return in
}

// naive are the statistics over some transitions, each from its definition.
func naive(in DynamicsInput, m DynamicsModel, now []int) (out [errorStatistics]float64) {
	dim := m.Latents.Dim
	n := float64(len(now))
	var columns [][]float64
	for range dim {
		columns = append(columns, nil)
	}
	residual := make([]float64, dim)
	for _, s := range now {
		z, p, y := m.Latents.Row(s, nil), m.Predicted.Row(s, nil), m.Latents.Row(in.Next[s], nil)
		var py, pp, yy float64
		for k := range y {
			out[ofMSE] += (p[k] - y[k]) * (p[k] - y[k]) / n / float64(dim)
			out[ofCopy] += (z[k] - y[k]) * (z[k] - y[k]) / n / float64(dim)
			residual[k] += (p[k] - y[k]) * (p[k] - y[k])
			columns[k] = append(columns[k], y[k])
			py, pp, yy = py+p[k]*y[k], pp+p[k]*p[k], yy+y[k]*y[k]
		}
		out[ofCosine] += py / math.Sqrt(pp*yy) / n
	}
	for k, column := range columns {
		_, v := stat.MeanVariance(column)
		v *= (n - 1) / n
		out[ofMean] += v / float64(dim)
		out[ofR2] += (1 - residual[k]/n/v) / float64(dim)
	}
	out[ofSkill], out[ofMeanSkill] = 1-out[ofMSE]/out[ofCopy], 1-out[ofMSE]/out[ofMean]
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// Numbers and intervals are those of the definitions, computed again without each episode.
func TestLatentPrediction(t *testing.T) {
	in := drawnDynamics(8, 3, 0.1, 0.5)
	got, err := Dynamics(t.Context(), in, DynamicsOptions{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Ignored != 8 || got.Transitions != len(in.Next)-8 || got.Blocks == "" {
		t.Errorf("%d transitions, %d ignored, blocks %q", got.Transitions, got.Ignored, got.Blocks)
	}
	var now []int
	for s, next := range in.Next {
		if next >= 0 {
			now = append(now, s)
		}
	}
	for i, m := range in.Models {
		want := naive(in, m, now)
		var replicates [errorStatistics][]float64
		var sizes []int
		for e := range 8 {
			var rest []int
			for _, s := range now {
				if in.Episode[s] != e {
					rest = append(rest, s)
				}
			}
			sizes = append(sizes, len(now)-len(rest))
			for k, v := range naive(in, m, rest) {
				replicates[k] = append(replicates[k], v)
			}
		}
		p := got.Models[i].LatentPrediction
		for of, pair := range map[int]struct {
			v  report.Value
			ci report.Interval
		}{ofMSE: {p.MSE.Value, p.MSE.CI}, ofCopy: {p.CopyMSE.Value, p.CopyMSE.CI}, ofMean: {p.MeanMSE.Value, p.MeanMSE.CI}, ofSkill: {p.Skill.Value, p.Skill.CI},
			ofMeanSkill: {p.MeanSkill.Value, p.MeanSkill.CI}, ofCosine: {p.Cosine.Value, p.Cosine.CI}, ofR2: {p.R2.Value, p.R2.CI}} {
			j, err := stat.DeleteBlockJackknife(want[of], replicates[of], sizes, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !near(pair.v.V, want[of]) || !near(pair.ci.Low, j.Interval.Low) || !near(pair.ci.High, j.Interval.High) {
				t.Errorf("%s, statistic %d: %v %v, want %v in %v", m.Name, of, pair.v, pair.ci, want[of], j.Interval)
			}
		}
		if len(p.R2ByDimension) != 3 || p.Transitions != len(now) || p.Dimensions != 3 || p.Constant != 0 {
			t.Errorf("%+v", p)
		}
	}
	if a, b := got.Models[0].LatentPrediction, got.Models[1].LatentPrediction; !(a.Skill.V > b.Skill.V && a.Skill.V > 0.5) {
		t.Errorf("skills %v and %v", a.Skill, b.Skill)
	}
	if len(got.Comparisons) != 5 { // four of predictions, one of temporal distances
		t.Errorf("comparisons %+v", got.Comparisons)
	}
}

// Influences are the derivatives that they are said to be.
func TestErrorInfluences(t *testing.T) {
	in := drawnDynamics(3, 2, 0.3)
	var now, next []int
	for s, n := range in.Next {
		if n >= 0 {
			now, next = append(now, s), append(next, n)
		}
	}
	m := measureErrors(in.Models[0].errors(now, next))
	for _, i := range []int{0, 17, 40} {
		// n times what the observation adds to a statistic, with its weight made a little larger.
		const h = 1e-6
		more := *m.total
		more.target, more.square, more.residual = slices.Clone(more.target), slices.Clone(more.square), slices.Clone(more.residual)
		more.add(m.series, i, h)
		for of, v := range more.statistics(m.vary) {
			if want := (v - m.all[of]) / h * float64(len(now)); math.Abs(m.influence[of][i]-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("observation %d, statistic %d: influence %v, want %v", i, of, m.influence[of][i], want)
			}
		}
	}
}

// What has no number says why, and the rest is still there.
func TestDynamicsUndefined(t *testing.T) {
	still := drawnDynamics(6, 2, 0)
	constant := points.Float64(slices.Repeat([]float64{0.1, 3}, len(still.Next)), 2)
	still.Models[0].Latents, still.Models[0].Predicted = constant, constant
	still.Models = append(still.Models, DynamicsModel{Name: "none", Latents: drawnDynamics(6, 2, 0).Models[0].Latents})
	got, err := Dynamics(t.Context(), still, DynamicsOptions{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	p := got.Models[0].LatentPrediction
	if p.MSE.V != 0 || p.CopyMSE.V != 0 || p.MeanMSE.V != 0 || p.Skill.Reason != noCopyError || p.MeanSkill.Reason != NoVariance || p.R2.Reason != NoVariance || p.Constant != 2 ||
		!near(p.Cosine.V, 1) {
		t.Errorf("%+v", p)
	}
	var text bytes.Buffer
	if err := report.Encode(&text, p); err != nil || !strings.Contains(text.String(), `"skill": null`) || !strings.Contains(text.String(), noCopyError) {
		t.Errorf("%s, %v", &text, err)
	}
	t.Log(&text)
	reason := func(m ModelDynamics, metric string) string {
		for _, s := range m.Skipped {
			if s.Metric == metric {
				return s.Reason
			}
		}
		return ""
	}
	if reason(got.Models[0], "temporal_distance") != NoVariance || !strings.Contains(reason(got.Models[1], "latent_prediction"), "--predictor") ||
		!strings.Contains(reason(got.Models[1], "rollout"), "--rollouts") || got.Models[1].TemporalDistance == nil {
		t.Errorf("%+v", got.Models)
	}

	zero := drawnDynamics(6, 2, 0)
	zero.Models[0].Predicted = points.Float64(make([]float64, 2*len(zero.Next)), 2)
	if got, err = Dynamics(t.Context(), zero, DynamicsOptions{}); err != nil {
		t.Fatal(err)
	}
	if p := got.Models[0].LatentPrediction; p.Cosine.Reason != noDirection || p.MSE.V == 0 || p.MSE.CI.Reason != NoDynamicsIntervals {
		t.Errorf("%+v", p)
	}
}

func TestDynamicsErrors(t *testing.T) {
	for want, change := range map[string]func(*DynamicsInput){
		"no models to compare":                  func(in *DynamicsInput) { in.Models = nil },
		"a: 2 latents for 63":                   func(in *DynamicsInput) { in.Models[0].Latents = points.Float64(make([]float64, 4), 2) },
		"shape [2 2] for latents":               func(in *DynamicsInput) { in.Models[0].Predicted = points.Float64(make([]float64, 4), 2) },
		"1 episode labels":                      func(in *DynamicsInput) { in.Episode = []int{1} },
		"1 times":                               func(in *DynamicsInput) { in.Time = []int{1} },
		"successor 63, but there are 63 states": func(in *DynamicsInput) { in.Next[0] = 63 },
		"element 1 of row 3 is NaN":             func(in *DynamicsInput) { in.Models[0].Predicted.F64[7] = math.NaN() },
	} {
		in := drawnDynamics(3, 2, 0.1)
		change(&in)
		if len(in.Next) != 69 {
			want = strings.ReplaceAll(want, "63", "69")
		}
		want = strings.ReplaceAll(want, "63", "69")
		if want == "successor 69, but there are 69 states" {
			in.Next[0] = 69
		}
		if _, err := Dynamics(t.Context(), in, DynamicsOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	in := drawnDynamics(3, 2, 0.1)
	in.Models[0].Predicted.F64[7] = math.Inf(1)
	got, err := Dynamics(t.Context(), in, DynamicsOptions{SkipNaN: true})
	if err != nil || got.Models[0].LatentPrediction.Dropped != 1 || got.Models[0].LatentPrediction.Transitions != got.Transitions-1 || len(got.Warnings) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dynamics(cancelled, drawnDynamics(3, 2, 0.1), DynamicsOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
