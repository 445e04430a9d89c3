// Tests of forecasts by models: what their members are, and models that make none.

package command

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/forecast"
	"repscope/dataset"
	"repscope/stat"
)

// fieldsInput is an input of n samples with fields [2,h,w] and a target like them.
func fieldsInput(t *testing.T, n, h, w int) (*forecast.Input, []float32) {
	t.Helper()
	values := make([]float32, n*2*h*w)
	for i := range values {
		values[i] = float32(math.Sin(float64(3*i))) * 4
	}
	fields, err := dataset.NewArray("fields", []int{n, 2, h, w}, values)
	if err != nil {
		t.Fatal(err)
	}
	target, err := dataset.NewArray("truth", []int{n, 2, h, w}, values)
	if err != nil {
		t.Fatal(err)
	}
	leads := make([]float64, n)
	for i := range leads {
		leads[i] = float64(6 * (i + 1))
	}
	return &forecast.Input{Target: target, Fields: fields, Leads: leads}, values
}

// members opens a model and returns the members of the samples lo … hi−1.
func members(t *testing.T, name string, in *forecast.Input, count, threads int, seed uint64, lo, hi int) (*generator, []float64) {
	t.Helper()
	g, _, err := openGenerator(name, filepath.Join("testdata", name+".onnx"), in, count, seed, threads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.model.Close() })
	size := 1
	for _, d := range g.Shape()[1:] {
		size *= d
	}
	out := make([]float64, (hi-lo)*size)
	if err := g.ReadFloat64(out, lo, hi); err != nil {
		t.Fatal(err)
	}
	return g, out
}

// Each model makes what is computed here of the fields, the lead, and the draws of the
// seed, the sample and the member.
func TestGenerator(t *testing.T) {
	t.Parallel()
	const n, h, w, seed = 3, 8, 8, 7
	in, x := fieldsInput(t, n, h, w)
	const field = 2 * h * w
	draws := func(sample, member, size int, more ...uint64) []float32 {
		out := make([]float32, size)
		stat.FillNormal32(out, stat.StreamForecast.Key(seed, append([]uint64{uint64(sample), uint64(member)}, more...)...), 0)
		return out
	}
	at := func(sample, v, y, c int) float64 {
		if y < 0 || y >= h || c < 0 || c >= w {
			return 0
		}
		return float64(x[((sample*2+v)*h+y)*w+c])
	}
	for name, c := range map[string]struct {
		members int
		want    func(sample, member, i int) float64
	}{
		"mean":  {1, func(sample, _, i int) float64 { return float64(x[sample*field+i])/2 + 1 }},
		"fixed": {1, func(sample, _, i int) float64 { return float64(x[sample*field+i]) }},
		"lead":  {1, func(sample, _, i int) float64 { return float64(x[sample*field+i]) * 6 * float64(sample+1) }},
		"gaussian": {5, func(sample, member, i int) float64 {
			v := float64(x[sample*field+i])
			return v + math.Abs(v)/4*float64(draws(sample, member, field, 1)[i])
		}},
		"logvar": {5, func(sample, member, i int) float64 {
			return float64(x[sample*field+i]) + float64(draws(sample, member, field, 1)[i])
		}},
		"noise": {5, func(sample, member, i int) float64 {
			v, y, c := i/(h*w), i/w%h, i%w
			near := at(sample, v, y-1, c) + at(sample, v, y+1, c) + at(sample, v, y, c-1) + at(sample, v, y, c+1)
			return 0.6*at(sample, v, y, c) + 0.1*near + float64(draws(sample, member, 2)[v])
		}},
	} {
		g, got := members(t, name, in, 5, 1, seed, 0, n)
		if want := []int{n, c.members, 2, h, w}; !slices.Equal(g.Shape(), want) {
			t.Errorf("%s: shape %v, want %v", name, g.Shape(), want)
			continue
		}
		for k, v := range got {
			sample, member, i := k/(c.members*field), k/field%c.members, k%field
			if want := c.want(sample, member, i); math.Abs(v-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s: sample %d, member %d, cell %d is %v, want %v", name, sample, member, i, v, want)
				break
			}
		}
	}
}

// Members depend on the seed and the number of the sample: not on threads, on how many
// are made, or on which samples are read before.
func TestGeneratorRepeats(t *testing.T) {
	t.Parallel()
	in, _ := fieldsInput(t, 4, 12, 20)
	const field = 2 * 12 * 20
	for _, name := range []string{"gaussian", "noise"} {
		_, all := members(t, name, in, 9, 1, 7, 0, 4)
		_, other := members(t, name, in, 9, 3, 7, 2, 4)
		if !slices.Equal(all[2*9*field:], other) {
			t.Errorf("%s: samples 2 and 3 are others with three threads, read alone", name)
		}
		_, few := members(t, name, in, 4, 2, 7, 1, 2)
		if !slices.Equal(all[9*field:(9+4)*field], few) {
			t.Errorf("%s: the first four members of nine are not four", name)
		}
		if _, seeded := members(t, name, in, 9, 1, 8, 0, 4); slices.Equal(all, seeded) {
			t.Errorf("%s: two seeds give the same members", name)
		}
		if slices.Equal(all[:field], all[field:2*field]) {
			t.Errorf("%s: two members are the same", name)
		}
	}
	if g, _ := members(t, "noise", in, 0, 1, 7, 0, 1); g.Shape()[1] != modelMembers {
		t.Errorf("%d members, want %d", g.Shape()[1], modelMembers)
	}
	identities := map[string]bool{}
	for _, seed := range []uint64{1, 2} {
		for _, count := range []int{2, 3} {
			g, _ := members(t, "noise", in, count, 1, seed, 0, 1)
			id, err := g.SHA256()
			if err != nil {
				t.Fatal(err)
			}
			identities[id] = true
		}
	}
	if len(identities) != 4 {
		t.Errorf("%d identities of four ensembles", len(identities))
	}
}

func TestGeneratorRejects(t *testing.T) {
	t.Parallel()
	in, _ := fieldsInput(t, 2, 6, 6)
	withoutLeads := *in
	withoutLeads.Leads = nil
	for _, c := range []struct {
		file string
		in   *forecast.Input
		want string
	}{
		{"testdata/three.onnx", in, `testdata/three.onnx: output "mean" has shape [3 6 6] for the fields of one sample, want [2,6,6] of floats`},
		{"testdata/fixed.onnx", in, `input "fields" has shape [-1 2 8 8] (−1: any size), but the fields fields have shape [2 2 6 6]`},
		{"testdata/lead.onnx", &withoutLeads, `input "lead_time" needs the lead of a sample, but there is no --leads`},
		{"testdata/inputs.onnx", in, "has the inputs a, b, d; want the fields, and optionally noise and lead"},
		{"testdata/free.onnx", in, `input "noise" has shape [-1 -1]: export the model with a fixed noise shape per member`},
		{"testdata/outputs.onnx", in, "has the outputs a, b, c; want the mean, or the mean and the standard deviation (mean, sd)"},
		{"testdata/models.py", in, "testdata/models.py"},
		{"testdata/absent.onnx", in, "testdata/absent.onnx"},
	} {
		_, _, err := openGenerator("m", c.file, c.in, 3, 1, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.file, err, c.want)
		}
	}
	g, _, err := openGenerator("m", "testdata/negative.onnx", in, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer g.model.Close()
	err = g.ReadFloat64(make([]float64, 3*2*6*6), 1, 2)
	if want := `model m: testdata/negative.onnx: sample 1: output "sd" is -1 in cell 0, want a standard deviation (finite, at least 0)`; err == nil || err.Error() != want {
		t.Errorf("negative deviation: %v, want %q", err, want)
	}
}

// A field that is not finite is an error with its index, and a sample that can be left out.
func TestGeneratorNaN(t *testing.T) {
	t.Parallel()
	in, x := fieldsInput(t, 3, 6, 6)
	x[72+36+6*2+4] = float32(math.NaN()) // sample 1, variable 1, row 2, column 4; of the target too
	fields := slices.Clone(x)
	for i := range x {
		if x[i] != x[i] {
			x[i] = 0
		}
	}
	var err error
	if in.Fields, err = dataset.NewArray("fields", []int{3, 2, 6, 6}, fields); err != nil {
		t.Fatal(err)
	}
	g, _, err := openGenerator("m", "testdata/noise.onnx", in, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer g.model.Close()
	in.Forecasts = []forecast.Forecast{{Name: "m", Members: g}}
	if _, err := forecast.Analyze(t.Context(), *in, forecast.Options{}); err == nil || !strings.Contains(err.Error(), "input: fields: element [1 1 2 4] is NaN, want finite numbers") {
		t.Errorf("error %v", err)
	}
	r, err := forecast.Analyze(t.Context(), *in, forecast.Options{SkipNaN: true})
	if err != nil || !slices.Equal(r.Samples, []int{0, 2}) || r.Models[0].Members != 3 {
		t.Errorf("error %v, result %+v", err, r)
	}
}

// A model sees cells of weight 0 too: NaN there is an error that says so, and what it makes of others in
// such a cell is left out.
func TestGenerator_Masked(t *testing.T) {
	t.Parallel()
	in, values := fieldsInput(t, 3, 8, 8)
	in.Weights = make([]float64, 64)
	for c := range in.Weights {
		in.Weights[c] = 1
	}
	in.Weights[2*8+3] = 0
	values[1*128+2*8+3] = float32(math.NaN()) // of fields and truth, sample 1
	g, _, err := openGenerator("mean", filepath.Join("testdata", "mean.onnx"), in, 0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.model.Close() })
	in.Forecasts = []forecast.Forecast{{Name: "mean", Members: g}}
	in.Fields = nil // no persistence
	const want = "element [1 0 2 3] is NaN, want finite numbers: a model reads all cells, also cells of weight 0; " +
		"fill them as in its training"
	if _, err := forecast.Analyze(t.Context(), *in, forecast.Options{}); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	g.weights, g.spreadAt, g.deviation = in.Weights, 0, identity
	mean, spread, out := make([]float32, 64), make([]float32, 64), make([]float64, 64)
	spread[2*8+3] = -1
	if err := g.member(out, mean, spread, 0, 0); err != nil {
		t.Errorf("a spread below 0 in a masked cell: %v", err)
	}
	spread[4] = -1
	if err := g.member(out, mean, spread, 0, 0); err == nil || !strings.Contains(err.Error(), "in cell 4, want a standard deviation") {
		t.Errorf("a spread below 0: error %v", err)
	}
}
