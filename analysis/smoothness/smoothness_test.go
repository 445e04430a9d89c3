// Tests of the analysis: golden relations, invariances, bad input.

package smoothness

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/dataset"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
)

type goldenRelation struct {
	Pairs                         int
	Slope, Intercept, R, Spearman float64
	RSquared                      float64 `json:"r_squared"`
	PValue                        float64 `json:"p_value"`
	StdError                      float64 `json:"std_error"`
	TheilSen                      float64 `json:"theil_sen"`
	Ratio                         struct {
		Mean, SD, Median, P95, P99, Max float64
		Pairs                           int
	}
}

type golden struct {
	Frames  []int
	Episode []int
	Latents []float32
	RMS     float64                   `json:"rms_distance"`
	Raw     map[string]goldenRelation `json:"raw"`
	Scaled  map[string]goldenRelation `json:"rms"`
	L2      map[string]goldenRelation `json:"l2"`
}

func readGolden(t *testing.T) (golden, Input) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	frames := make([]uint8, len(g.Frames))
	for i, v := range g.Frames {
		frames[i] = uint8(v)
	}
	in := Input{
		Frames:     points.Uint8(frames, 64),
		PixelRange: dataset.PixelRange{High: 255},
		Episode:    g.Episode,
		Pairs:      map[int][]points.Pair{},
		Models:     []Encoded{{Name: "tanh", Latents: points.Float32(g.Latents, 4)}},
	}
	for _, h := range []int{1, 5} {
		for i := range len(g.Episode) - h {
			if g.Episode[i] == g.Episode[i+h] {
				in.Pairs[h] = append(in.Pairs[h], points.Pair{Now: i, Next: i + h})
			}
		}
	}
	return g, in
}

func compareRelation(t *testing.T, name string, got Relation, want goldenRelation) {
	t.Helper()
	if got.Pairs != want.Pairs || got.Ratio.Pairs != want.Ratio.Pairs {
		t.Errorf("%s: %d pairs, %d moving, want %d, %d", name, got.Pairs, got.Ratio.Pairs, want.Pairs, want.Ratio.Pairs)
	}
	for _, c := range []struct {
		name string
		got  report.Value
		want float64
	}{
		{"slope", got.Slope.Value, want.Slope}, {"intercept", got.Intercept.Value, want.Intercept}, {"r", got.R.Value, want.R},
		{"r_squared", got.RSquared.Value, want.RSquared}, {"p_value", got.Published.PValue, want.PValue}, {"std_error", got.Published.StdError, want.StdError},
		{"spearman", got.Spearman.Value, want.Spearman}, {"theil_sen", got.TheilSen.Value, want.TheilSen},
		{"ratio mean", got.Ratio.Mean.Value, want.Ratio.Mean}, {"ratio sd", got.Ratio.SD, want.Ratio.SD},
		{"ratio median", got.Ratio.Median.Value, want.Ratio.Median}, {"ratio p95", got.Ratio.P95.Value, want.Ratio.P95},
		{"ratio p99", got.Ratio.P99.Value, want.Ratio.P99}, {"ratio max", got.Ratio.Max, want.Ratio.Max},
	} {
		if !(math.Abs(c.got.V-c.want) <= 1e-9*math.Abs(c.want)) {
			t.Errorf("%s: %s = %.15g, want %.15g", name, c.name, c.got.V, c.want)
		}
	}
}

// The numbers of testdata/golden.json, by numpy and scipy.
func TestAnalyzeMatchesReference(t *testing.T) {
	g, in := readGolden(t)
	for scale, want := range map[spectrum.Scale]map[string]goldenRelation{"": g.Scaled, spectrum.ScaleRaw: g.Raw, spectrum.ScaleL2: g.L2} {
		result, err := Analyze(t.Context(), in, Options{Scale: scale, Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[0]
		if math.Abs(m.RMSDistance.V-g.RMS) > 1e-12 {
			t.Errorf("RMS distance %v, want %v", m.RMSDistance.V, g.RMS)
		}
		compareRelation(t, string(scale)+" main", m.Relation, want["1"])
		compareRelation(t, string(scale)+" raw", m.Raw, g.Raw["1"])
		if len(m.Horizons) != 2 || m.Horizons[1].Horizon != 5 {
			t.Fatalf("horizons %+v, want 1 and 5", m.Horizons)
		}
		compareRelation(t, string(scale)+" horizon 5", m.Horizons[1].Relation, want["5"])
		for name, ci := range map[string]struct {
			v  report.Value
			ci report.Interval
		}{"slope": {m.Slope.Value, m.Slope.CI}, "r²": {m.RSquared.Value, m.RSquared.CI}, "spearman": {m.Spearman.Value, m.Spearman.CI},
			"mean": {m.Ratio.Mean.Value, m.Ratio.Mean.CI}, "median": {m.Ratio.Median.Value, m.Ratio.Median.CI}} {
			if !ci.ci.Defined() || !(ci.ci.Low <= ci.v.V && ci.v.V <= ci.ci.High) {
				t.Errorf("%s %v: interval [%v, %v] %s", name, ci.v.V, ci.ci.Low, ci.ci.High, ci.ci.Reason)
			}
		}
	}
}

// A latent that is the frame itself, scaled, gives a perfect line whatever the
// scale; rms makes the slope independent of it.
func TestIdentityIsPerfectlySmooth(t *testing.T) {
	_, in := readGolden(t)
	var slopes []float64
	for _, factor := range []float32{1, 0.001, 300} {
		z := make([]float32, len(in.Frames.U8))
		for i, v := range in.Frames.U8 {
			z[i] = factor * float32(v)
		}
		in.Models = []Encoded{{Name: "identity", Latents: points.Float32(z, 64)}}
		result, err := Analyze(t.Context(), in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[0]
		if math.Abs(m.RSquared.V-1) > 1e-9 || math.Abs(m.Spearman.V-1) > 1e-9 || m.Slope.CI.Defined() {
			t.Errorf("identity: R² %v, Spearman %v, interval %+v", m.RSquared.V, m.Spearman.V, m.Slope.CI)
		}
		if math.Abs(m.Raw.Slope.V-float64(factor)) > 1e-6*float64(factor) {
			t.Errorf("raw slope %v, want %v", m.Raw.Slope.V, factor)
		}
		slopes = append(slopes, m.Slope.V)
	}
	if math.Abs(slopes[1]/slopes[0]-1) > 1e-6 || math.Abs(slopes[2]/slopes[0]-1) > 1e-6 {
		t.Errorf("rms slopes %v differ", slopes)
	}
}

func TestBytesDoNotDependOnThreads(t *testing.T) {
	_, in := readGolden(t)
	in.Models = append(in.Models, Encoded{Name: "half", Latents: in.Models[0].Latents})
	encode := func(threads int) []byte {
		result, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true, Seed: 8, Threads: threads}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		for _, v := range []any{result.Models, result.Comparisons} {
			if err := report.Encode(&out, v); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
	if !bytes.Equal(encode(1), encode(6)) {
		t.Error("1 and 6 threads differ")
	}
}

func TestDegenerateInput(t *testing.T) {
	_, in := readGolden(t)
	still := in
	still.Frames = points.Uint8(make([]uint8, 60*64), 64)
	constant := in
	constant.Models = []Encoded{{Name: "flat", Latents: points.Float32(make([]float32, 60*4), 4)}}

	result, err := Analyze(t.Context(), still, Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	if m := result.Models[0]; m.Slope.Defined() || m.Ratio.Mean.Defined() || !strings.Contains(m.Slope.Reason, "x is constant") {
		t.Errorf("frames that never change: %+v", m.Relation)
	}
	result, err = Analyze(t.Context(), constant, Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Models[0]
	if m.R.Defined() || m.RMSDistance.Defined() || m.Slope.Defined() || m.Raw.Slope.Defined() || m.Ratio.Mean.Defined() || m.Raw.Ratio.Max.Defined() || !strings.Contains(strings.Join(result.Warnings, " "), "flat: the points are constant") {
		t.Errorf("constant latents: %+v, warnings %q", m.Relation, result.Warnings)
	}
	for name, encodedModels := range map[string]*Result{"constant": result} {
		var out bytes.Buffer
		if err := report.Encode(&out, encodedModels.Models); err != nil || !strings.Contains(out.String(), `"reason"`) {
			t.Errorf("%s: %v, no reason in the file", name, err)
		}
	}

	few, outside, mismatched := in, in, in
	few.Pairs = map[int][]points.Pair{1: in.Pairs[1][:2]}
	outside.Pairs = map[int][]points.Pair{1: {{Now: 0, Next: 60}, {}, {}}}
	mismatched.Models = []Encoded{{Name: "short", Latents: in.Models[0].Latents.Select([]int{0, 1, 2})}}
	for want, bad := range map[string]Input{
		"2 pairs of states 1 apart":      few,
		"pair (0, 60)":                   outside,
		"short: 3 latents for 60 states": mismatched,
		"no models":                      {Frames: in.Frames, Pairs: in.Pairs},
		"no horizon":                     {Frames: in.Frames, Models: in.Models},
	} {
		if _, err := Analyze(t.Context(), bad, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
}
