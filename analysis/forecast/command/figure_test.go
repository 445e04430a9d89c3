// Tests of the figures: which a run has, and that nothing in them is cut, from one model to
// twelve, of one variable or many, with leads and without.

package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/forecast"
	"repscope/dataset"
	"repscope/internal/runtest"
	"repscope/stat"
)

// drawn are n random samples of v variables, what they begin with, and s members that scatter about them.
func drawn(n, s, v, h, w int, seed uint64) (truth, init, members []float64) {
	r := stat.NewRandom(stat.NewKey(seed))
	size := v * h * w
	truth, init, members = make([]float64, n*size), make([]float64, n*size), make([]float64, n*s*size)
	for i := range truth {
		truth[i] = r.Normal()
		init[i] = truth[i] + r.Normal()
	}
	for i := range members {
		members[i] = truth[i/(s*size)*size+i%size] + 0.3 + 0.8*r.Normal()
	}
	return truth, init, members
}

// arrayOf is an array in memory.
func arrayOf(t *testing.T, name string, values []float64, shape ...int) *dataset.Array {
	t.Helper()
	a, err := dataset.NewArray(name, shape, values)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// manyModels is an input of so many ensembles of n samples.
func manyModels(t *testing.T, models, variables int, leads bool) forecast.Input {
	t.Helper()
	names := []string{"diffusion", "graph_network", "fourier_operator_large", "spherical_transformer", "persistence_of_anomalies", "unet", "flow_matching_small", "convlstm",
		"vq_vae_codebook512", "ensemble-of-opportunity", "regression_tree", "DeterministicCoreWithNoise"}
	truth, init, members := drawn(18, 5, variables, 8, 12, 3)
	in := forecast.Input{Target: arrayOf(t, "truth.npy", truth, 18, variables, 8, 12), Fields: arrayOf(t, "init.npy", init, 18, variables, 8, 12)}
	for k := range models {
		own := make([]float64, len(members))
		for i, v := range members {
			own[i] = v*(1+0.05*float64(k)) + 0.1*float64(k)
		}
		in.Forecasts = append(in.Forecasts, forecast.Forecast{Name: names[k], Members: arrayOf(t, names[k]+".npy", own, 18, 5, variables, 8, 12)})
	}
	in.FromTarget = true
	for v := range variables {
		in.Variables = append(in.Variables, []string{"temperature", "precipitation", "wind", "humidity", "pressure", "geopotential"}[v])
	}
	if leads {
		for i := range 18 {
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
		o := forecast.Options{Settings: analysis.Settings{Intervals: c.models == 1}, EventQuantiles: []float64{0.75}, MaxDistance: 2}
		r, err := forecast.Analyze(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%d models of %d variables", c.models, c.variables)
		names := contentsOf(r).figureNames()
		if got := strings.ReplaceAll(strings.Join(names, " "), "forecast_", ""); got != c.want {
			t.Errorf("%s: figures %s, want %s", what, got, c.want)
		}
		d := &drawing{Result: r, units: make([]string, c.variables), leadUnit: "h"}
		for v := range d.units {
			d.units[v] = []string{"°C", "mm/h", "m s⁻¹"}[v%3]
		}
		shown, err := forecast.TypicalCase(t.Context(), in, o, r, fewVariables, mapRows)
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
