// Tests of the figures: which a run has, and that nothing in them is cut, from one model to
// twelve, of one variable or many, with leads and without.

package forecast

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/internal/runtest"
)

// manyModels is an input of so many ensembles of n samples.
func manyModels(t *testing.T, models, variables int, leads bool) Input {
	t.Helper()
	names := []string{"diffusion", "graph_network", "fourier_operator_large", "spherical_transformer", "persistence_of_anomalies", "unet", "flow_matching_small", "convlstm",
		"vq_vae_codebook512", "ensemble-of-opportunity", "regression_tree", "DeterministicCoreWithNoise"}
	m := newMade(18, 5, variables, 8, 12, 3)
	in := m.input(t)
	in.Forecasts = nil
	for k := range models {
		o := newMade(18, 5, variables, 8, 12, uint64(100+k))
		for i := range o.members {
			o.members[i] = m.members[i]*(1+0.05*float64(k)) + 0.1*float64(k)
		}
		in.Forecasts = append(in.Forecasts, Forecast{Name: names[k], Members: array(t, names[k]+".npy", []int{18, 5, variables, 8, 12}, o.members)})
	}
	in.Fields = array(t, "init.npy", []int{18, variables, 8, 12}, m.init)
	in.FromTarget = true
	for v := range variables {
		in.Variables = append(in.Variables, []string{"temperature", "precipitation", "wind", "humidity", "pressure", "geopotential"}[v])
	}
	if leads {
		for i := range m.n {
			in.Leads = append(in.Leads, float64(6+18*(i%3)))
		}
	}
	return in
}

// With REPSCOPE_FIGURES=DIR the figures are written there to be looked at.
func TestFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		models, variables int
		leads             bool
		want              string
	}{
		{1, 1, false, "scores skill rank_histogram spread_skill reliability fss spectrum case"},
		{1, 6, true, "scores by_lead by_variable skill rank_histogram spread_skill reliability fss spectrum case case_2 case_3 case_4"},
		{12, 2, true, "scores by_lead by_variable skill rank_histogram spread_skill reliability fss spectrum case case_2"},
		{12, 6, false, "scores by_variable skill rank_histogram spread_skill reliability fss spectrum case case_2 case_3 case_4"},
	} {
		in := manyModels(t, c.models, c.variables, c.leads)
		o := Options{Intervals: c.models == 1, EventQuantiles: []float64{0.75}, MaxDistance: 2}
		r := analyze(t, in, o)
		what := fmt.Sprintf("%d models of %d variables", c.models, c.variables)
		names := r.contents().figureNames()
		if got := strings.ReplaceAll(strings.Join(names, " "), "forecast_", ""); got != c.want {
			t.Errorf("%s: figures %s, want %s", what, got, c.want)
		}
		d := &drawing{Result: r, units: make([]string, c.variables), leadUnit: "h"}
		for v := range d.units {
			d.units[v] = []string{"°C", "mm/h", "m s⁻¹"}[v%3]
		}
		shown, err := shownCase(t.Context(), &in, o, r)
		if err != nil {
			t.Fatal(err)
		}
		maps, err := d.maps(shown)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			figure := d.plain(name)
			if figure == nil {
				figure, maps = maps[0], maps[1:]
			}
			warnings, err := figure.Warnings()
			if err != nil {
				t.Errorf("%s: %s: %v", what, name, err)
				continue
			}
			warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.Contains(w, "no room to print the values") })
			if len(warnings) > 0 {
				t.Errorf("%s: %s: %q", what, name, warnings)
			}
			runtest.SaveFigure(t, fmt.Sprintf("%s_%02d_%d", name, c.models, c.variables), figure)
		}
	}
}

// The case that is shown is the sample of median error among those of the middle lead.
func TestTypical(t *testing.T) {
	t.Parallel()
	r := &Result{Samples: []int{0, 1, 2, 4, 5, 7, 8}, Leads: []float64{6, 24, 48, 24, 24, 6, 48},
		Models: []Model{{Scores: []Score{{Name: "mse", Sample: []float64{9, 5, 9, 1, 3, 9, 9}}}}}}
	if got := r.typical(); r.Samples[got] != 5 {
		t.Errorf("sample %d, want 5", r.Samples[got])
	}
	r.Leads = nil
	if got := r.typical(); r.Samples[got] != 0 { // after 1, 3 and 5 the first of the equal ones
		t.Errorf("without leads sample %d, want 0", r.Samples[got])
	}
}

// Maps show the truth, the mean, a member, the spread and the error of the case.
func TestShownCase(t *testing.T) {
	t.Parallel()
	m := newMade(3, 4, 2, 8, 9, 5)
	in := m.input(t)
	in.Fields = array(t, "init.npy", []int{3, 2, 8, 9}, m.init)
	o := Options{Metrics: []string{"mse"}}
	r := analyze(t, in, o)
	c, err := shownCase(t.Context(), &in, o, r)
	if err != nil {
		t.Fatal(err)
	}
	const size = 8 * 9
	at := c.sample
	if !slices.Equal(c.truth[1], m.truth[(at*2+1)*size:(at*2+2)*size]) || len(c.models) != 2 || c.models[1].spread != nil || c.models[1].member != nil {
		t.Errorf("case %d: truth or models are others: %d", at, len(c.models))
	}
	mean, square := 0.0, 0.0
	for k := range 4 {
		x := m.members[((at*4+k)*2+1)*size+7]
		mean += x / 4
		square += x * x
	}
	near(t, "mean", c.models[0].mean[1][7], mean)
	near(t, "spread", c.models[0].spread[1][7]*c.models[0].spread[1][7], (square-4*mean*mean)/3)
	near(t, "member", c.models[0].member[1][7], m.members[((at*4)*2+1)*size+7])
	near(t, "persistence", c.models[1].mean[1][7], m.init[(at*2+1)*size+7])
}
