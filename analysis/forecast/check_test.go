// Tests of what is wrong with an input, and of what is left out.

package forecast

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/report"
)

// asJSON is a value as JSON.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Encode(&out, v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestErrors(t *testing.T) {
	t.Parallel()
	m := newMade(4, 3, 2, 3, 5, 1)
	of := func(shape ...int) Array {
		n := 1
		for _, k := range shape {
			n *= k
		}
		return array(t, "f.npy", shape, make([]float64, n))
	}
	forecast := func(shape ...int) func(*Input) {
		return func(in *Input) { in.Forecasts[0].Members = of(shape...) }
	}
	for _, c := range []struct {
		name   string
		change func(*Input)
		want   string
	}{
		{"target of two axes", func(in *Input) { in.Target = of(4, 15) }, "target: f.npy has shape [4 15], want " +
			"[N,V,H,W]: samples, variables, rows, columns; or [N,H,W] of one variable"},
		{"target of three axes", func(in *Input) { in.Target = of(4, 3, 5) },
			"forecast net: net.npy has shape [4 3 2 3 5], want [4,S,1,3,5], S members of the target's shape: found " +
				"2 variables, expected 1; the target f.npy of shape [4 3 5] has one variable"},
		{"empty target", func(in *Input) { in.Target = of(0, 2, 3, 5) }, "target: f.npy has shape [0 2 3 5], which is empty"},
		{"forecast of three axes", forecast(4, 3, 5), "forecast net: f.npy has shape [4 3 5], want [4,S,2,3,5], S members of the target's shape"},
		{"longer", forecast(5, 3, 2, 3, 5), "forecast net: f.npy has shape [5 3 2 3 5], but the target has 4 samples: the forecast has too many"},
		{"shorter", forecast(3, 3, 2, 3, 5), "the forecast has too few"},
		{"grid", forecast(4, 3, 2, 3, 4), "want [4,S,2,3,5], S members of the target's shape: found a grid of 3 × 4, expected 3 × 5"},
		{"variables", forecast(4, 3, 1, 3, 5), "found 1 variables, expected 2"},
		{"one member of another shape", forecast(4, 2, 3, 4), "or the target's shape [4,2,3,5] for one member"},
		{"no member", forecast(4, 0, 2, 3, 5), "found no members"},
		{"nothing", func(in *Input) { in.Forecasts = nil }, "nothing to score: neither forecasts nor input fields are given"},
		{"names", func(in *Input) { in.Variables = []string{"a"} }, "1 variable named (a), but the target truth.npy has 2: give one name per variable"},
		{"equal names", func(in *Input) { in.Variables = []string{"a", "a"} }, `two variables are named "a"`},
		{"equal models", func(in *Input) { in.Forecasts = append(in.Forecasts, in.Forecasts[0]) }, `two forecasts are named "net"`},
		{"a baseline's name", func(in *Input) { in.Forecasts[0].Name, in.FromTarget = Climatology, true }, "forecast climatology: a baseline of this run has that name; choose another"},
		{"no such variable", func(in *Input) {
			in.Variables, in.Fields, in.FieldVariables = []string{"t2m", "u10"}, of(4, 2, 3, 5), []string{"t2m", "v10"}
		}, "input: persistence needs the variable \"u10\"; f.npy has t2m, v10"},
		{"unnamed input", func(in *Input) { in.Fields = of(4, 3, 3, 5) }, "input: f.npy has 3 variables and the target has 2: name them with --input-variables, so that persistence can match them"},
		{"input of another grid", func(in *Input) { in.Fields = of(4, 2, 5, 3) }, "input: f.npy has shape [4 2 5 3], want [4,Vin,3,5]"},
		{"climatology", func(in *Input) { in.Climate = of(2, 3, 4) }, "climatology: f.npy has shape [2 3 4], want [2,3,5], or [4,2,3,5] with one field per sample"},
		{"one group", func(in *Input) { in.FromTarget, in.Groups = true, []int{1, 1, 1, 1} }, "all samples belong to one group, so no other group is left to average"},
		{"weights", func(in *Input) { in.Weights = make([]float64, 5) }, "weights: 5 values, want [3,5], one per cell, or [3], one per row"},
		{"negative weight", func(in *Input) { in.Weights = []float64{1, -1, 1} }, "weights: the weight of row 1, column 0 is -1, want a finite number of at least 0"},
		{"no weight", func(in *Input) { in.Weights = make([]float64, 3) }, "weights: all weights are 0"},
		{"empty region", func(in *Input) { in.Weights, in.Regions = []float64{0, 1, 1}, []Region{{"top", []float64{1, 0, 0}}} }, "region top times weights: all weights are 0"},
		{"leads", func(in *Input) { in.Leads = []float64{1} }, "1 lead for 4 samples"},
		{"a lead", func(in *Input) { in.Leads = []float64{1, 2, math.NaN(), 3} }, "lead of sample 2 is NaN, want a finite number"},
		{"groups", func(in *Input) { in.Groups = []int{1} }, "1 group for 4 samples"},
	} {
		in := m.input(t)
		c.change(&in)
		_, err := Analyze(t.Context(), in, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Metrics: []string{"crsp"}}, `metric "crsp" is unknown: choose from errors, mae, mse,`},
		{Options{Metrics: []string{"crsp"}}, "did you mean crps?"},
		{Options{Members: 5}, "forecast net: net.npy has 3 members, fewer than --n-samples 5"},
		{Options{CRPS: "exact"}, `estimator of the CRPS "exact", want fair or biased`},
		{Options{MaxDistance: 0.5}, "pairs of cells at most 0.5 apart: want at least 1, the distance between neighboring cells"},
	} {
		if _, err := Analyze(t.Context(), m.input(t), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

// NaN of the target is an error with its array and index, that of a forecast leaves the
// forecast out with the same words and changes nothing of the others; or NaN leaves the sample
// out for all models.
func TestNonFinite(t *testing.T) {
	t.Parallel()
	m := newMade(5, 3, 2, 3, 5, 1)
	bad := *m
	bad.truth, bad.members = slices.Clone(m.truth), slices.Clone(m.members)
	bad.members[((1*3+2)*2+1)*15+7] = math.NaN()
	bad.members[((3*3+2)*2+1)*15+7] = math.NaN()
	const reason = "forecast net: net.npy: element [1 2 1 1 2] is NaN, want finite numbers"
	for threads := range 3 {
		o := Options{Settings: analysis.Settings{Threads: threads, Intervals: true}}
		if _, err := Analyze(t.Context(), bad.input(t), o); err == nil || err.Error() != reason {
			t.Errorf("%v, want %s", err, reason)
		}
		in := m.input(t)
		in.Forecasts[0].Name = "other"
		alone := analyze(t, in, o)
		in.Forecasts = append([]Forecast{bad.input(t).Forecasts[0]}, in.Forecasts...)
		both := analyze(t, in, o)
		if len(both.Unmeasured) != 1 || both.Unmeasured[0] != (report.Unmeasured{Name: "net", Reason: reason}) {
			t.Errorf("not measured: %v, want net: %s", both.Unmeasured, reason)
		}
		if asJSON(t, both.Models) != asJSON(t, alone.Models) || asJSON(t, both.Comparisons) != asJSON(t, alone.Comparisons) {
			t.Error("a forecast that is not measured changes others")
		}
	}
	bad.members[((3*3+2)*2+1)*15+7] = 0
	bad.truth[(3*2+0)*15+4] = math.Inf(1)
	if _, err := Analyze(t.Context(), bad.input(t), Options{}); err == nil || err.Error() != "target: truth.npy: element [3 0 0 4] is +Inf, want finite numbers" {
		t.Error(err)
	}
	r := analyze(t, bad.input(t), Options{SkipNaN: true, Settings: analysis.Settings{Intervals: true}})
	if !slices.Equal(r.Samples, []int{0, 2, 4}) || r.Skipped != 2 {
		t.Errorf("samples %v, %d skipped", r.Samples, r.Skipped)
	}
	for _, want := range []string{"target: truth.npy: 1 sample with NaN or Inf left out for all models", "forecast net: net.npy: 1 sample with NaN or Inf left out for all models"} {
		if !slices.Contains(r.Warnings, want) {
			t.Errorf("warnings %q, want %s", r.Warnings, want)
		}
	}
	full := analyze(t, m.input(t), Options{})
	for _, name := range []string{"mse", "crps", "energy_score"} {
		all, _ := full.Models[0].Score(name)
		near(t, name, value(t, &r.Models[0], name), (all.Sample[0]+all.Sample[2]+all.Sample[4])/3)
	}
	for i := range bad.truth {
		bad.truth[i] = math.NaN()
	}
	if _, err := Analyze(t.Context(), bad.input(t), Options{SkipNaN: true}); err == nil || err.Error() != "no sample is left: each of the 5 samples has NaN or Inf in some array" {
		t.Error(err)
	}
}

// Cells without weight are left out, whatever they hold.
func TestMask(t *testing.T) {
	t.Parallel()
	m := newMade(6, 3, 2, 3, 5, 1)
	in := m.input(t)
	in.Weights = slices.Repeat([]float64{1}, 15)
	in.Weights[4] = 0
	o := Options{Metrics: []string{"errors", "crps", "energy_score", "variogram_score", "rank_histogram"}, Settings: analysis.Settings{Intervals: true}}
	want := asJSON(t, analyze(t, in, o).Models)
	for i := range m.truth {
		if i%15 == 4 {
			m.truth[i] = math.NaN()
		}
	}
	for i := range m.members {
		if i%15 == 4 {
			m.members[i] = math.Inf(1)
		}
	}
	weights := in.Weights
	in = m.input(t)
	in.Weights = weights
	if got := asJSON(t, analyze(t, in, o).Models); got != want {
		t.Errorf("NaN in a cell without weight changes the result:\n%s\nwant\n%s", got, want)
	}
	in.Weights = nil
	if _, err := Analyze(t.Context(), in, o); err == nil || !strings.Contains(err.Error(), "element [0 0 0 4] is NaN") {
		t.Error(err)
	}
}

// What a grid is too small for is skipped with its reason; the rest is computed.
func TestSmallGrids(t *testing.T) {
	t.Parallel()
	model := &analyze(t, newMade(4, 3, 1, 1, 1, 1).input(t), Options{Settings: analysis.Settings{Intervals: true}}).Models[0]
	for name, want := range map[string]string{"variogram_score": "one cell makes no pair", "pairwise_energy_score": "one cell has no neighbor",
		"patched_energy_score": "patches of 4 × 4 cells do not fit into fields of 1 × 1"} {
		if why, _ := model.Skipped.Get(name); why != want {
			t.Errorf("%s: %v, want %s", name, why, want)
		}
	}
	near(t, "energy score of one cell", value(t, model, "energy_score"), value(t, model, "crps"))
	r := analyze(t, newMade(4, 3, 1, 5, 9, 1).input(t), Options{})
	if want := "patched_energy_score: patches of 4 × 4 cells leave out the last 1 of 5 rows and the last 1 of 9 columns"; !slices.Contains(r.Warnings, want) {
		t.Errorf("warnings %q", r.Warnings)
	}
}
