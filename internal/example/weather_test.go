// Tests of the made weather: what its models are made to be.

package example

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// moments are sums over samples and cells of one variable.
type moments struct{ bias, square, variance, cells float64 }

// momentsOf are the moments of the mean over members, of variable v at the wanted leads.
func momentsOf(w *Weather, f WeatherForecast, v int, wanted func(lead float64) bool) moments {
	var m moments
	cells := w.Height * w.Width
	for i, lead := range w.Lead {
		if !wanted(lead) {
			continue
		}
		for c := range cells {
			offset := v*cells + c
			sum, squares := 0.0, 0.0
			for k := range f.Members {
				x := float64(f.Values[(i*f.Members+k)*weatherVariables*cells+offset])
				sum += x
				squares += x * x
			}
			n := float64(f.Members)
			d := sum/n - float64(w.Target[i*weatherVariables*cells+offset])
			m.bias += d
			m.square += d * d
			if n > 1 {
				m.variance += (squares - sum*sum/n) / (n - 1)
			}
			m.cells++
		}
	}
	return m
}

// ratio is spread over skill, 1 for an ensemble drawn from the law of the truth.
func (m moments) ratio(members int) float64 {
	return math.Sqrt(float64(members+1) / float64(members) * m.variance / m.square)
}

func TestWeatherModels(t *testing.T) {
	t.Parallel()
	w := ExampleWeather()
	all := func(float64) bool { return true }
	ratio, bias, square := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, f := range w.Forecasts {
		m := momentsOf(w, f, 0, all)
		ratio[f.Name], bias[f.Name], square[f.Name] = m.ratio(f.Members), m.bias/m.cells, m.square/m.cells
	}
	t.Logf("spread over skill %.3v, bias %.3v, squared error of the mean %.3v", ratio, bias, square)
	if r := ratio[WeatherCalibrated]; r < 0.93 || r > 1.07 {
		t.Errorf("calibrated: spread over skill is %.3f, want 1", r)
	}
	if ratio[WeatherUnderdispersive] > 0.75 || ratio[WeatherOverdispersive] < 1.08 {
		t.Errorf("spread over skill: underdispersive %.3f, overdispersive %.3f", ratio[WeatherUnderdispersive], ratio[WeatherOverdispersive])
	}
	if d := bias[WeatherBiased] - bias[WeatherCalibrated]; math.Abs(d-warmer) > 0.1 {
		t.Errorf("biased: warmer than calibrated by %.3f, want %g", d, warmer)
	}
	if r := square[WeatherBlurred] / square[WeatherCalibrated]; r > 1.05 {
		t.Errorf("blurred: its squared error is %.3f of that of the calibrated mean", r)
	}
	// Errors grow with the lead, and the analysis is no match for the forecasts.
	last := 0.0
	for k, lead := range w.Leads {
		atLead := func(l float64) bool { return l == lead }
		m := momentsOf(w, w.Forecasts[0], 0, atLead)
		still := momentsOf(w, WeatherForecast{Members: 1, Values: w.Input}, 0, atLead)
		if m.square/m.cells < last || m.square > 0.7*still.square {
			t.Errorf("lead %g: squared error %.3f after %.3f, of the analysis %.3f", lead, m.square/m.cells, last, still.square/still.cells)
		}
		last = m.square / m.cells
		for c := range w.Height * w.Width { // one case has one analysis
			if w.Input[k*weatherVariables*w.Height*w.Width+c] != w.Input[c] {
				t.Fatalf("lead %g has another analysis than lead %g", lead, w.Leads[0])
			}
		}
	}
}

// Rain is never negative, falls in part of the cells, and weights follow the latitude.
func TestWeatherFields(t *testing.T) {
	t.Parallel()
	w, err := MakeWeather(WeatherConfig{Seed: 5, Cases: 2, Leads: []float64{12, 24}, Members: 2, Height: 16, Width: 24})
	if err != nil {
		t.Fatal(err)
	}
	cells := 16 * 24
	wet := 0
	for i := range w.Len() {
		for _, v := range w.Target[(i*2+1)*cells : (i*2+2)*cells] {
			if v < 0 || v != v {
				t.Fatalf("sample %d: precipitation of %g", i, v)
			}
			if v > 0 {
				wet++
			}
		}
	}
	if wet == 0 || wet > w.Len()*cells/2 {
		t.Errorf("rain in %d of %d cells", wet, w.Len()*cells)
	}
	if len(w.Weights) != cells || w.Weights[0] >= w.Weights[cells-1] || w.Latitude[0] <= w.Latitude[15] {
		t.Error("the first row is not the northernmost")
	}
	if !slices.Equal(w.Lead, []float64{12, 24, 12, 24}) || !slices.Equal(w.Case, []int64{0, 0, 1, 1}) {
		t.Errorf("leads %v, cases %v", w.Lead, w.Case)
	}
}

// More cases only add to fewer, and seeds share nothing.
func TestWeatherSeeds(t *testing.T) {
	t.Parallel()
	made := func(seed uint64, cases int) *Weather {
		w, err := MakeWeather(WeatherConfig{Seed: seed, Cases: cases, Leads: []float64{6, 48}, Members: 3, Height: 12, Width: 16})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	few, many, other := made(1, 2), made(1, 5), made(2, 2)
	if !slices.Equal(few.Target, many.Target[:len(few.Target)]) || !slices.Equal(few.Input, many.Input[:len(few.Input)]) {
		t.Error("two cases are not the first of five")
	}
	for i, f := range few.Forecasts {
		if !slices.Equal(f.Values, many.Forecasts[i].Values[:len(f.Values)]) {
			t.Errorf("%s: two cases are not the first of five", f.Name)
		}
		if slices.Equal(f.Values, other.Forecasts[i].Values) {
			t.Errorf("%s: two seeds give the same", f.Name)
		}
	}
	if slices.Equal(few.Target, other.Target) {
		t.Error("two seeds give the same truth")
	}
}

func TestMakeWeatherRejects(t *testing.T) {
	t.Parallel()
	good := WeatherConfig{Cases: 1, Leads: []float64{6}, Members: 1, Height: 8, Width: 8}
	for name, c := range map[string]struct {
		change func(*WeatherConfig)
		want   string
	}{
		"cases":   {func(c *WeatherConfig) { c.Cases = 0 }, "weather: want at least one case, lead and member, got 0, 1 and 1"},
		"members": {func(c *WeatherConfig) { c.Members = 0 }, "got 1, 1 and 0"},
		"no lead": {func(c *WeatherConfig) { c.Leads = nil }, "got 1, 0 and 1"},
		"grid":    {func(c *WeatherConfig) { c.Height = 7 }, "a grid of 7 × 8 cells: want at least 8 × 8"},
		"leads":   {func(c *WeatherConfig) { c.Leads = []float64{6, 6} }, "leads [6 6]: want ascending hours above 0"},
		"at 0":    {func(c *WeatherConfig) { c.Leads = []float64{0, 6} }, "want ascending hours above 0"},
		"NaN":     {func(c *WeatherConfig) { c.Leads = []float64{math.NaN()} }, "want ascending hours above 0"},
	} {
		config := good
		c.change(&config)
		if _, err := MakeWeather(config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func BenchmarkExampleWeather(b *testing.B) {
	for b.Loop() {
		ExampleWeather()
	}
}
