// Tests of the built-in example: which score shows which defect, and that the ensemble
// without one wins.

package command

import (
	"context"
	"testing"

	"repscope/analysis/forecast"
	"repscope/internal/example"
	"repscope/internal/runtest"
)

// exampleInput is what --example analyzes, without persistence.
func exampleInput(t testing.TB) forecast.Input {
	t.Helper()
	open := func(role, name string) forecast.Array {
		a, err := openExample("example:weather/"+role, role, name)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	w := weather()
	in := forecast.Input{Target: open("target", ""), Variables: exampleVariables, Leads: w.Lead}
	for _, c := range w.Case {
		in.Groups = append(in.Groups, int(c))
	}
	for _, v := range w.Weights {
		in.Weights = append(in.Weights, float64(v))
	}
	for _, name := range exampleArrays.Arrays["forecast"] {
		in.Forecasts = append(in.Forecasts, forecast.Forecast{Name: name, Members: open("forecast", name)})
	}
	return in
}

// Each defect shows in numbers that are right for the ensemble without one, which every
// proper score ranks first.
func TestExampleDefects(t *testing.T) {
	runtest.Long(t, "it runs the whole example")
	t.Parallel()
	metrics := []string{"mse", "bias", "crps", "energy_score", "variogram_score", "patched_energy_score", "pairwise_energy_score", "spread_skill", "rank_histogram", "spectrum"}
	r, err := forecast.Analyze(context.Background(), exampleInput(t), forecast.Options{Metrics: metrics, MaxDistance: 4})
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]*forecast.Model{}
	for i := range r.Models {
		models[r.Models[i].Name] = &r.Models[i]
	}
	value := func(model, score string) float64 {
		s, ok := models[model].Score(score)
		if !ok {
			t.Fatalf("%s has no %s", model, score)
		}
		return s.Value.Float()
	}
	const good, under, over, biased, blurred = example.WeatherCalibrated, example.WeatherUnderdispersive, example.WeatherOverdispersive, example.WeatherBiased, example.WeatherBlurred
	for _, score := range []string{"crps", "energy_score", "variogram_score", "patched_energy_score", "pairwise_energy_score"} {
		for name := range models {
			if name != good && value(name, score) < 1.03*value(good, score) {
				t.Errorf("%s: %s has %.4g, calibrated %.4g", score, name, value(name, score), value(good, score))
			}
		}
	}
	for _, c := range []struct {
		model, score string
		low, high    float64
	}{
		{good, "spread_skill_ratio", 0.95, 1.05}, {good, "rank_dispersion", -0.03, 0.03}, {good, "rank_bias", -0.03, 0.03}, {good, "bias", -0.1, 0.1}, {good, "log_spectral_distance", 0, 0.5},
		{under, "spread_skill_ratio", 0.4, 0.75}, {under, "rank_dispersion", -1, -0.2}, {under, "bias", -0.15, 0.1},
		{over, "spread_skill_ratio", 1.1, 1.5}, {over, "rank_dispersion", 0.1, 1}, {over, "bias", -0.1, 0.15},
		{biased, "bias", 0.5, 1}, {biased, "rank_bias", 0.15, 1}, {biased, "spread_skill_ratio", 0.9, 1.1},
		{blurred, "log_spectral_distance", 4, 20}, {blurred, "bias", -0.1, 0.1},
	} {
		if v := value(c.model, c.score); !(v >= c.low && v <= c.high) {
			t.Errorf("%s: %s is %.4g, want %g to %g", c.model, c.score, v, c.low, c.high)
		}
	}
	// What the squared error takes for as good, the spectrum does not.
	if ratio := value(blurred, "mse") / value(good, "mse"); ratio > 1.06 {
		t.Errorf("blurred: its squared error is %.3f of that of the calibrated mean", ratio)
	}
	for _, s := range forecast.Table[forecast.Spectrum](models[blurred], "spectrum") {
		last := len(s.Truth) - 1
		long, short := s.Members[2]/s.Truth[2], s.Members[last]/s.Truth[last]
		if short > 0.2 || long < 3*short {
			t.Errorf("blurred: %s: %.3g of the power at long waves, %.3g at the shortest", s.Variable, long, short)
		}
	}
	// Histograms: high at both ends, high in the middle, falling.
	shares := func(name string) (first, middle, last float64) {
		h := forecast.Table[float64](models[name], forecast.RankTable)
		return h[0], h[len(h)/2], h[len(h)-1]
	}
	if first, middle, last := shares(under); first < 2*middle || last < 2*middle {
		t.Errorf("underdispersive: shares %.3f, %.3f, %.3f", first, middle, last)
	}
	if first, middle, last := shares(over); middle < 1.5*first || middle < 1.5*last {
		t.Errorf("overdispersive: shares %.3f, %.3f, %.3f", first, middle, last)
	}
	if first, middle, last := shares(biased); first < 3*middle || middle < last {
		t.Errorf("biased: shares %.3f, %.3f, %.3f", first, middle, last)
	}
}
