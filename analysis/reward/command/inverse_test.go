// Tests of inverse dynamics: actions that the step from one latent to the next tells.

package command

import (
	"testing"

	"repscope/analysis/reward"
	"repscope/points"
	"repscope/stat"
)

func TestInverseDynamics(t *testing.T) {
	d := &loadedDynamics{}
	if got := d.inverse([]reward.Target{{Name: "reward"}}); len(got) != 1 {
		t.Errorf("without actions: %+v", got)
	}
	random := stat.NewRandom(stat.NewKey(9, 1))
	const episodes, length = 6, 40
	var in reward.Input
	var z []float64
	for e := range episodes {
		x := 5 * random.Normal()
		for range length {
			action := int64(random.Intn(3))
			in.Episode = append(in.Episode, e)
			z = append(z, x, random.Normal())
			d.actions = append(d.actions, action)
			x += float64(action-1) + 0.1*random.Normal()
		}
	}
	if got := d.inverse([]reward.Target{{Name: InverseTarget}}); len(got) != 1 {
		t.Errorf("a target of that name: %+v", got)
	}
	in.Targets = d.inverse(nil)
	in.Models = []reward.Model{{Name: "moves", Latents: points.Float64(z, 2)}}
	result, err := reward.Analyze(t.Context(), in, reward.Options{Probes: []string{reward.Logistic}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range result.Models {
		switch m.Name {
		case "moves":
			if f1 := m.Probes[0].Score("f1"); !(f1.V > 0.8) || m.Probes[0].Target != InverseTarget {
				t.Errorf("macro F1 %v of %+v", f1, m.Probes[0])
			}
		case reward.BaselineMajority:
			if f1 := m.Probes[0].Score("f1"); !(f1.V < 0.4) {
				t.Errorf("the commonest class has a macro F1 of %v", f1)
			}
		default:
			t.Errorf("model %s", m.Name)
		}
	}
	// The state alone does not tell.
	if result, err = reward.Analyze(t.Context(), in, reward.Options{Probes: []string{reward.Logistic}, Features: reward.FeaturesNext}); err != nil {
		t.Fatal(err)
	}
	if f1 := result.Models[0].Probes[0].Score("f1"); !(f1.V < 0.6) {
		t.Errorf("from the second state alone: macro F1 %v", f1)
	}
}
