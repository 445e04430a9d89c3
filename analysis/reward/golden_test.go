// Probes end to end against scikit-learn.

package reward

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"repscope/points"
)

type golden struct {
	Episode   []int
	Z         []float64
	Reward    []float64
	Lives     []int64
	Predicted []float64
	Rows      map[string]map[string]json.RawMessage
	Lives2    map[string]float64 `json:"lives_scores"`
}

// The folds, the choice of the strength in them, the scores and the gaps are those of
// scikit-learn.
func TestAgainstScikitLearn(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/reward.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	in := Input{Episode: g.Episode, Targets: []Target{{Name: "reward", OfTransition: true, Values: g.Reward}, {Name: "lives", Classes: g.Lives}},
		Models: []Model{{Name: "a", Latents: points.Float64(g.Z, 3), Predicted: points.Float64(g.Predicted, 3)}}}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))) {
			t.Errorf("%s: %.12g, scikit-learn has %.12g", what, got, want)
		}
	}
	for key, alpha := range map[string]float64{"chosen": 0, "given": 2.5} {
		r := analyze(t, in, Options{Alpha: alpha})
		m := &r.Models[0]
		for _, s := range []struct{ fitted, evaluated, name string }{
			{True, True, "true latents"}, {True, PredictedLatents, "transfer"}, {PredictedLatents, PredictedLatents, "predicted latents"},
		} {
			var want map[string]float64
			if err := json.Unmarshal(g.Rows[key][s.fitted+"/"+s.evaluated], &want); err != nil {
				t.Fatal(err)
			}
			row := m.row(t, "reward", Ridge, s.fitted, s.evaluated)
			for metric, v := range want {
				near(key+" "+s.name+" "+metric, row.Score(metric).V, v)
			}
			near(key+" nmse", row.Score("nmse").V, 1-want["r2"])
		}
		var alphas []float64
		var transfer, published float64
		for name, to := range map[string]any{"alphas": &alphas, "transfer_gap": &transfer, "published_gap": &published} {
			if err := json.Unmarshal(g.Rows[key][name], to); err != nil {
				t.Fatal(err)
			}
		}
		near(key+" transfer gap", m.TransferGap.V, transfer)
		near(key+" published gap", m.PublishedGap.V, published)
		for f, a := range m.row(t, "reward", Ridge, True, True).Alphas {
			near(key+" alpha", a, alphas[f])
		}
		if key == "given" {
			row := m.row(t, "lives", Ridge, True, True)
			for metric, v := range g.Lives2 {
				near("lives "+metric, row.Score(metric).V, v)
			}
		}
	}
}
