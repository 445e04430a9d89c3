// Tests of the pairs of models: alike and unrelated ones, pairs without numbers, the reference, any split of the work.

package similarity

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// walks are slow states of ten episodes: a, one unrelated to it, and a through noise.
func walks(seed uint64) Input {
	const n, dim = 300, 3
	random := stat.NewRandom(stat.NewKey(seed))
	walk := func() []float64 {
		z := make([]float64, n*dim)
		for i := range z {
			z[i] = random.Normal()
			if i/dim%30 != 0 {
				z[i] = 0.95*z[i-dim] + math.Sqrt(1-0.95*0.95)*z[i]
			}
		}
		return z
	}
	in := Input{Episode: make([]int, n)}
	for i := range n {
		in.Episode[i] = i / 30
	}
	a, b, c := walk(), walk(), walk()
	for i, v := range a {
		c[i] = v + 0.3*c[i]
	}
	for name, z := range map[string][]float64{"a": a, "b": b, "c": c} {
		in.Models = append(in.Models, Encoded{Name: name, Latents: points.Float64(z, dim)})
	}
	slices.SortFunc(in.Models, func(x, y Encoded) int { return strings.Compare(x.Name, y.Name) })
	return in
}

func analyzed(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every measure finds what is alike and does not call slow unrelated spaces so, which independent orders do.
func TestNullInTime(t *testing.T) {
	runtest.Long(t, "it draws the null of every measure")
	t.Parallel()
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 3}, Measures: []string{"all"}, Permutations: 39}
	r := analyzed(t, walks(1), o)
	for _, name := range r.Scores {
		unrelated, alike := r.Pairs[0].Score(name), r.Pairs[1].Score(name)
		above := alike.Null.Adjusted.Float() > 0.1 && alike.Null.Gated.Float() > 0
		if p := alike.Null.P.Float(); p != 1.0/40 || !above {
			t.Errorf("%s of alike spaces: p %v, %+v", name, p, alike.Null)
		}
		if p := unrelated.Null.P.Float(); p <= 0.05 {
			t.Errorf("%s of unrelated spaces: p %v", name, p)
		}
		if strings.HasPrefix(name, "information_imbalance") {
			if unrelated.Value.CI.Defined() {
				t.Errorf("%s has an interval, which deletions do not give", name)
			}
			continue
		}
		if low, high := unrelated.Value.CI.Low, unrelated.Value.CI.High; !(low <= unrelated.Value.V && unrelated.Value.V <= high) {
			t.Errorf("%s of unrelated spaces: %v outside [%v, %v]", name, unrelated.Value.V, low, high)
		}
	}
	o.Null, o.Measures = NullIndependent, []string{"cka_debiased", "mutual_knn"}
	if w := analyzed(t, walks(1), o).Warnings; !strings.Contains(strings.Join(w, "\n"), "use --null time") {
		t.Errorf("slow states by independent orders: warnings %q", w)
	}
	for _, name := range o.Measures {
		if p := analyzed(t, walks(1), o).Pairs[0].Score(r.Scores[slices.IndexFunc(r.Scores, func(s string) bool {
			return strings.HasPrefix(s, name)
		})]).Null.P.Float(); p > 0.05 {
			t.Errorf("%s of slow states by independent orders: p %v, want one that is far too small", name, p)
		}
	}
}

// Without permutations there is no null, without intervals no interval, and the values stay.
func TestOptionsOff(t *testing.T) {
	t.Parallel()
	in := walks(2)
	full := analyzed(t, in, Options{Settings: analysis.Settings{Intervals: true}, Permutations: 19})
	plain := analyzed(t, in, Options{})
	for _, name := range plain.Scores {
		a, b := full.Pairs[2].Score(name), plain.Pairs[2].Score(name)
		if a.Value.V != b.Value.V || b.Null != nil || b.Value.CI.Defined() || !a.Value.CI.Defined() {
			t.Errorf("%s: %+v, plain %+v", name, a, b)
		}
	}
}

// The reference compares the others by their likeness to it; directions are those to and from it.
func TestReference(t *testing.T) {
	t.Parallel()
	o := Options{
		Settings: analysis.Settings{Intervals: true}, Measures: []string{"cka", "mutual_knn", "predictivity"},
		K: []int{3, 5}, Reference: "c",
	}
	r := analyzed(t, walks(3), o)
	if len(r.Comparisons) != 5 {
		t.Fatalf("%d comparisons, want one of a and b for each of 5 scores", len(r.Comparisons))
	}
	for _, c := range r.Comparisons {
		if c.A != "a" || c.B != "b" || !(c.Difference.V > 0) || !(c.PHolm.Float() < 0.05) {
			t.Errorf("%s: %s − %s = %v, p %v: want a to be more like c", c.Metric, c.A, c.B, c.Difference.V, c.PHolm)
		}
	}
	to, _ := r.Models[0].Reference.Get("predictivity_to")
	if want := r.Pairs[1].Score("predictivity_ab").Value; to != want {
		t.Errorf("from a to c: %v, want %v", to, want)
	}
	o.Reference = "a"
	back := analyzed(t, walks(3), o)
	to, _ = back.Models[2].Reference.Get("predictivity_to")
	if want := r.Pairs[1].Score("predictivity_ba").Value; to != want {
		t.Errorf("from c to a: %v, want %v", to, want)
	}
	if v, ok := r.Models[0].Reference.Get("mutual_knn"); !ok || len(v.([]SizedScore)) != 2 {
		t.Errorf("mutual_knn %v, want a row for each k", v)
	}
}

// A collapsed model, one model, and permutations that are too few for the number of pairs.
func TestWarningsAndErrors(t *testing.T) {
	t.Parallel()
	in := walks(4)
	flat := Encoded{Name: "flat", Latents: points.Float64(slices.Repeat([]float64{1, 2}, 300), 2)}
	r := analyzed(t, Input{Episode: in.Episode, Models: append(in.Models[:2:2], flat)}, Options{Permutations: 39})
	if s := r.Pairs[1].Score("cka"); s.Value.Defined() || !strings.Contains(s.Value.Reason, "flat: ") {
		t.Errorf("a collapsed model: %v %q", s.Value.V, s.Value.Reason)
	}
	if !r.Pairs[0].Score("cka").Value.Defined() || r.Models[2].ConstantUnits != 2 {
		t.Errorf("the others: %+v", r.Pairs[0])
	}
	origin := Encoded{Name: "origin", Latents: points.Float64(make([]float64, 600), 2)}
	copy(origin.Latents.F64[2:], in.Models[0].Latents.F64)
	zero := analyzed(t, Input{Episode: in.Episode, Models: []Encoded{in.Models[0], origin}}, Options{Measures: []string{"cknna"}})
	want := "origin: a point has length 0 and no direction"
	if s := zero.Pairs[0].Score("cknna@10"); s.Value.Reason != want {
		t.Errorf("reason %q, want %q", s.Value.Reason, want)
	}
	for _, want := range []string{"flat: ", "use --permutations 59"} {
		if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("warnings %q, want %q", r.Warnings, want)
		}
	}
	for want, one := range map[string]struct {
		models []Encoded
		o      Options
	}{
		"want at least two":        {in.Models[:1], Options{}},
		`no measure is named "x"`:  {in.Models, Options{Measures: []string{"x"}}},
		`no model is named "jepa"`: {in.Models, Options{Reference: "jepa"}},
	} {
		if _, err := Analyze(t.Context(), Input{Episode: in.Episode, Models: one.models}, one.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestWork(t *testing.T) {
	t.Parallel()
	in := walks(5)
	open := func(seed uint64) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(in, Options{Settings: analysis.Settings{Intervals: true, Seed: seed}, Permutations: 5, Reference: "b"})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := func(r *Result) []byte {
		var out bytes.Buffer
		if err := report.Encode(&out, r); err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Models {
			if err := report.Encode(&out, m); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
	shardtest.Check(t, open(1), text, open(2))
	shardtest.CheckMemory(t, open(1), open(1), text, 3, 0)
}

// With l2 scores are of latents of length 1, of layers too; other scales change no score.
func TestScale(t *testing.T) {
	t.Parallel()
	in := walks(5)
	in.Layers = []Layered{{Name: "a", Layers: in.Models[:1]}, {Name: "b", Layers: in.Models[1:2]}}
	scored := func(in Input, scale spectrum.Scale) *Result {
		return analyzed(t, in, Options{Scale: scale, Measures: []string{"cka"}, LayerMeasures: []string{"cka"}})
	}
	raw, unit := scored(in, spectrum.ScaleRaw), scored(in, spectrum.ScaleL2)
	divided, err := in.scaled(spectrum.ScaleL2)
	if err != nil {
		t.Fatal(err)
	}
	row := divided.Models[1].Latents.F64[:3]
	if length := row[0]*row[0] + row[1]*row[1] + row[2]*row[2]; math.Abs(length-1) > 1e-12 {
		t.Errorf("squared length %v", length)
	}
	text := func(r *Result) string { return fmt.Sprint(r.Pairs) } // NaN equals NaN
	if text(scored(divided, spectrum.ScaleRaw)) != text(unit) {
		t.Error("scores with l2 are not the scores of latents of length 1")
	}
	if text(raw) == text(unit) || raw.Layers[0].Best.Value == unit.Layers[0].Best.Value {
		t.Error("l2 changes nothing")
	}
	if text(raw) != text(scored(in, spectrum.ScaleRMS)) {
		t.Error("rms changes scores")
	}
}

// Checkpoints of a run are compared with its last one, in the order of their steps, whatever the order of the models.
func TestRuns(t *testing.T) {
	t.Parallel()
	walk := walks(6).Models
	a, b, noisy := walk[0].Latents, walk[1].Latents, walk[2].Latents
	in := Input{Episode: walks(6).Episode, Models: []Encoded{
		{Name: "run@1e3", Latents: a}, {Name: "other", Latents: b}, {Name: "run@0", Latents: b},
		{Name: "run@50", Latents: noisy},
		{Name: "pair@1", Latents: a}, {Name: "pair@2", Latents: b}, {Name: "@3", Latents: a}, {Name: "run@x", Latents: b},
	}}
	result := analyzed(t, in, Options{Measures: []string{"cka", "predictivity"}, Permutations: 19})
	if len(result.Runs) != 3 {
		t.Fatalf("%d scores of runs, want 3", len(result.Runs))
	}
	for k, name := range []string{"cka", "predictivity_ab", "predictivity_ba"} {
		run := result.Runs[k]
		if run.Run != "run" || run.Last != "run@1e3" || run.Score != name || len(run.Steps) != 2 {
			t.Fatalf("run %+v", run)
		}
		for i, want := range []string{"run@0", "run@50"} {
			if step := run.Steps[i]; step.Model != want || step.Step != []float64{0, 50}[i] {
				t.Errorf("step %d is %v of %s", i, step.Step, step.Model)
			}
		}
		if first, second := run.Steps[0].Value.V, run.Steps[1].Value.V; !(second > first+0.3) {
			t.Errorf("%s: %v at first, %v later", name, first, second)
		}
	}
	for i, run := range checkpoints([]string{"r/1", "r/step_3", "r/2", "s@1"}) { // as evaluate names them
		if i > 0 || len(run) != 3 || run[2].run != "r" || run[2].step != 3 || run[2].model != 1 {
			t.Errorf("run %d: %+v", i, run)
		}
	}
	// In pairs the last checkpoint is A here, in runs B.
	pair, first := result.Pairs[1], result.Runs[1].Steps[0].Value.V
	if back := pair.Score("predictivity_ba").Value.V; pair.A != "run@1e3" || pair.B != "run@0" || back != first {
		t.Errorf("pair %s, %s: %v, run %v", pair.A, pair.B, back, first)
	}
}
