// Tests of the metric conditioning.

package generation

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/stat"
)

// conditionedBy is the conditioning of predictions.
func conditionedBy(t *testing.T, p *Predictions, real *Predictions, o Options) *Conditioning {
	t.Helper()
	o.Metrics = []string{"conditioning"}
	return analyzed(t, Input{RealPredictions: real, Generators: []Generator{{Name: "g", Predictions: p}}}, o).Models[0].Conditioning
}

// The numbers are those of scikit-learn.
func TestConditioningGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/conditioning.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Target, Predicted []int
			Exact             float64 `json:"exact_accuracy"`
			One               float64 `json:"within_one_accuracy"`
			Two               float64 `json:"within_two_accuracy"`
			Macro             float64 `json:"macro_exact_accuracy"`
			MAE               float64 `json:"mean_absolute_error"`
			Kappa             float64 `json:"quadratic_weighted_kappa"`
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Cases) != 2 {
		t.Fatal(len(golden.Cases), err)
	}
	for i, g := range golden.Cases {
		c := conditionedBy(t, &Predictions{Target: g.Target, Predicted: g.Predicted}, nil, Options{Settings: analysis.Settings{Intervals: true}})
		for name, of := range map[string][2]float64{"exact": {c.Exact.Value.V, g.Exact}, "±1": {c.WithinOne.Value.V, g.One}, "±2": {c.WithinTwo.Value.V, g.Two},
			"macro": {c.MacroExact.Value.V, g.Macro}, "error": {c.MeanAbsoluteError.Value.V, g.MAE}, "kappa": {c.Kappa.Value.V, g.Kappa}} {
			if math.Abs(of[0]-of[1]) > 1e-12 {
				t.Errorf("case %d: %s %v, want %v", i, name, of[0], of[1])
			}
		}
		hits := 0
		for k := range g.Target {
			if g.Target[k] == g.Predicted[k] {
				hits++
			}
		}
		wilson, err := stat.Wilson(float64(hits), float64(len(g.Target)), 0)
		if err != nil || c.Exact.CI.Low != wilson.Low || c.Exact.CI.High != wilson.High {
			t.Errorf("case %d: interval %v, want %v (%v)", i, c.Exact.CI, wilson, err)
		}
	}
}

// A classifier that is right on samples that are right finds 1 everywhere; one label has no
// kappa.
func TestConditioningPerfect(t *testing.T) {
	t.Parallel()
	p := &Predictions{Target: []int{0, 1, 2, 0, 1, 2}, Predicted: []int{0, 1, 2, 0, 1, 2}}
	c := conditionedBy(t, p, p, Options{Settings: analysis.Settings{Intervals: true}})
	if c.Exact.Value.V != 1 || c.MacroExact.Value.V != 1 || c.Kappa.Value.V != 1 || c.MeanAbsoluteError.Value.V != 0 || c.Ceiling.Exact.Value.V != 1 || c.Ceiling.OfCeiling.Value.V != 1 {
		t.Errorf("%+v", c)
	}
	c = conditionedBy(t, &Predictions{Target: []int{3, 3, 3}, Predicted: []int{3, 3, 3}}, nil, Options{Settings: analysis.Settings{Intervals: true}})
	if c.Kappa.Value.Defined() || !strings.Contains(c.Kappa.Value.Reason, "one label") || c.Exact.Value.V != 1 {
		t.Errorf("one label: %+v", c.Kappa)
	}
}

// The ceiling weighs the classifier's hits on real samples by the labels that were asked for.
func TestConditioningCeiling(t *testing.T) {
	t.Parallel()
	real := &Predictions{Target: []int{0, 0, 0, 0, 1, 1, 5}, Predicted: []int{0, 0, 0, 1, 0, 1, 5}} // 3/4 and 1/2
	asked := &Predictions{Target: []int{0, 0, 1}, Predicted: []int{0, 1, 1}}
	u := conditionedBy(t, asked, real, Options{}).Ceiling
	if want := (0.75 + 0.75 + 0.5) / 3; math.Abs(u.Exact.Value.V-want) > 1e-15 || u.WithinOne.Value.V != 1 || math.Abs(u.MacroExact.Value.V-0.625) > 1e-15 || u.OfCeiling.Value.V != 2./3/want {
		t.Errorf("%+v", u)
	}
	asked.Target[2], asked.Predicted[2] = 9, 9
	u = conditionedBy(t, asked, real, Options{}).Ceiling
	if !slices.Equal(u.Missing, []int{9}) || u.Exact.Value.V != 0.75 || u.OfCeiling.Value.Defined() {
		t.Errorf("a label without real samples: %+v", u)
	}
	u = conditionedBy(t, &Predictions{Target: []int{9}, Predicted: []int{9}}, real, Options{}).Ceiling
	if u.Exact.Value.Defined() || !strings.Contains(u.Exact.Value.Reason, "no real samples have these labels") {
		t.Errorf("no label with real samples: %+v", u)
	}
}
