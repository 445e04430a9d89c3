// Comparisons of made results: what differences rest on, and what is refused.

package compare

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/report"
	"repscope/stat"
)

// made is a result to be written: scores of each model by episode, ten samples each.
type made struct {
	analysis    string
	models      []string
	scores      map[string][]float64
	episodes    int // 0: 8
	direction   report.Direction
	sha         string
	block       string
	definition  int
	options     map[string]any
	comparisons []report.Comparison
	noSamples   bool
	noInterval  bool
}

const perEpisode = 10

// noisy are scores around a level: episodes are difficult for all models alike.
func noisy(seed uint64, episodes int, level, own float64) []float64 {
	shared, random := stat.NewRandom(stat.NewKey(7)), stat.NewRandom(stat.NewKey(seed, 1))
	var out []float64
	for range episodes {
		hard := shared.Normal()
		for range perEpisode {
			out = append(out, level+hard+0.3*shared.Normal()+own*random.Normal())
		}
	}
	return out
}

// write writes the result and its scores per sample into a folder.
func (m made) write(t interface {
	Helper()
	Fatal(...any)
}, dir string,
) string {
	t.Helper()
	if m.analysis == "" {
		m.analysis = "reconstruction"
	}
	if m.episodes == 0 {
		m.episodes = 8
	}
	if m.direction == "" {
		m.direction = report.Lower
	}
	files, err := report.Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Abort()
	r := report.NewResult(m.analysis)
	r.Definition = m.definition
	r.Describe(report.Described{Name: "mse", Better: m.direction})
	r.Options.Set("block", m.block)
	for key, v := range m.options {
		r.Options.Set(key, v)
	}
	if m.sha == "" {
		m.sha = "aa"
	}
	r.Inputs = append(r.Inputs, report.Input{Role: "frames", Path: "f.npy", SHA256: m.sha, States: m.episodes * perEpisode, Episodes: m.episodes})
	table := &report.SampleTable{Metrics: []string{"mse"}}
	for _, name := range m.models {
		scores := m.scores[name]
		s := report.ModelSamples{Model: name, Scores: [][]float64{scores}}
		for i := range scores {
			s.Sample, s.Group = append(s.Sample, fmt.Sprint(i)), append(s.Group, fmt.Sprint(i/perEpisode))
		}
		n := meanOf("mse", scores, s.Group)
		var part report.Object
		part.Set("mse", n.Value)
		if !m.noInterval {
			part.Set("mse_ci", n.Interval)
		}
		r.Models.Set(name, &part)
		table.Models = append(table.Models, s)
	}
	r.Comparisons = append(r.Comparisons, m.comparisons...)
	if !m.noSamples {
		said, err := files.Samples(m.analysis+"_samples.csv", table)
		if err != nil {
			t.Fatal(err)
		}
		said.Sample, said.Group = "state", "episode"
		r.Samples = &said
	}
	if err := files.File(m.analysis+".json", r.Write); err != nil {
		t.Fatal(err)
	}
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, m.analysis+".json")
}

// one is a result of one model.
func one(t *testing.T, name string, scores []float64, change func(*made)) string {
	t.Helper()
	m := made{models: []string{name}, scores: map[string][]float64{name: scores}}
	if change != nil {
		change(&m)
	}
	return m.write(t, t.TempDir())
}

// compared compares files.
func compared(t *testing.T, o Options, args ...string) (*Result, error) {
	t.Helper()
	var specs []Spec
	for _, arg := range args {
		s, err := ParseSpec(arg)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s)
	}
	g, err := Gather(t.Context(), specs, 1)
	if err != nil {
		return nil, err
	}
	return Compare(t.Context(), g, o)
}

func must(t *testing.T, o Options, args ...string) *Result {
	t.Helper()
	r, err := compared(t, o, args...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Max(1, math.Abs(b)) }

// Across files the difference is that of paired scores: that of the paired t test over
// episodes, written out here.
func TestPairedSamples(t *testing.T) {
	t.Parallel()
	const episodes = 8
	x, y := noisy(1, episodes, 5, 0.2), noisy(2, episodes, 4.5, 0.2)
	r := must(t, Options{Baseline: "old"}, one(t, "new", y, nil), one(t, "old", x, nil))
	cell := r.Table[0].Cells[slices.Index(r.Models, "new")]

	var means []float64
	for e := range episodes {
		d := 0.0
		for i := range perEpisode {
			d += (y[e*perEpisode+i] - x[e*perEpisode+i]) / perEpisode
		}
		means = append(means, d)
	}
	mean, variance := stat.MeanVariance(means)
	se := math.Sqrt(variance / episodes)
	q, err := stat.StudentTQuantile(0.975, episodes-1)
	if err != nil {
		t.Fatal(err)
	}
	if cell.From != FromSamples || !near(cell.Difference.V, mean, 1e-12) || !near(cell.DifferenceCI.Low, mean-q*se, 1e-9) || !near(cell.DifferenceCI.High, mean+q*se, 1e-9) {
		t.Errorf("%s: %v [%v, %v], want %v ± %v", cell.From, cell.Difference.V, cell.DifferenceCI.Low, cell.DifferenceCI.High, mean, q*se)
	}
	if want := -mean / stat.Mean(x) * 100; !near(cell.Improvement.V, want, 1e-9) || cell.Decision != "better" || cell.Blocks != episodes {
		t.Errorf("improvement %v, want %v; %s over %d blocks", cell.Improvement.V, want, cell.Decision, cell.Blocks)
	}
	if !strings.Contains(r.Table[0].Sentence, "new is better than old") {
		t.Errorf("sentence %q", r.Table[0].Sentence)
	}
	// Far narrower than from the two intervals alone.
	alone := must(t, Options{Baseline: "old"}, one(t, "new", y, func(m *made) { m.noSamples = true }), one(t, "old", x, nil)).Table[0].Cells[0]
	if alone.From != FromIntervals || alone.DifferenceCI.High-alone.DifferenceCI.Low < 3*(cell.DifferenceCI.High-cell.DifferenceCI.Low) {
		t.Errorf("from %s: [%v, %v]", alone.From, alone.DifferenceCI.Low, alone.DifferenceCI.High)
	}
}

// In one file it is that file's own comparison, in either direction.
func TestOwnComparison(t *testing.T) {
	t.Parallel()
	blocks, df := 8, report.Number(7)
	m := made{models: []string{"a", "b"}, scores: map[string][]float64{"a": noisy(1, 8, 2, 0.1), "b": noisy(2, 8, 3, 0.1)}, comparisons: []report.Comparison{{
		A: "a", B: "b", Metric: "error", Path: "mse", Difference: report.Number(-1.25), CI: report.Between(-2, -0.5), P: report.Number(0.01), PHolm: report.Number(0.5), DF: &df, Blocks: &blocks,
	}}}
	path := m.write(t, t.TempDir())
	for base, want := range map[string][3]float64{"b": {-1.25, -2, -0.5}, "a": {1.25, 0.5, 2}} {
		r := must(t, Options{Baseline: base}, path)
		cell := r.Table[0].Cells[1-slices.Index(r.Models, base)]
		if got := [3]float64{cell.Difference.V, cell.DifferenceCI.Low, cell.DifferenceCI.High}; cell.From != FromComparison || got != want || cell.P.V != 0.01 || cell.PHolm.V != 0.01 {
			t.Errorf("against %s: %s %v p %v %v", base, cell.From, got, cell.P.V, cell.PHolm.V)
		}
	}
}

// Two intervals: square and add, and p below 0.05 exactly where 0 is left out.
func TestFromIntervals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) *estimate {
			v := rapid.Float64Range(-10, 10).Draw(t, name)
			return &estimate{name: name, value: report.Number(v),
				interval: report.Between(v-rapid.Float64Range(0.01, 3).Draw(t, name+" below"), v+rapid.Float64Range(0.01, 3).Draw(t, name+" above"))}
		}
		a, b := draw("a"), draw("b")
		p, back := (&comparer{}).fromIntervals(a, b), (&comparer{}).fromIntervals(b, a)
		if math.Abs(p.ci.Low)+math.Abs(p.ci.High) > 1e-6 && (p.p.V < 0.05) != (p.ci.Low > 0 || p.ci.High < 0) && math.Abs(p.p.V-0.05) > 1e-9 {
			t.Fatalf("p %v, interval [%v, %v]", p.p.V, p.ci.Low, p.ci.High)
		}
		if !near(p.difference.V, -back.difference.V, 1e-12) || !near(p.ci.Low, -back.ci.High, 1e-12) || !near(p.p.V, back.p.V, 1e-9) {
			t.Fatalf("%+v, reversed %+v", p, back)
		}
	})
	a := &estimate{name: "a", value: report.Number(3), interval: report.Between(0, 6)}
	b := &estimate{name: "b", value: report.Number(1), interval: report.Between(-3, 5)}
	if p := (&comparer{}).fromIntervals(a, b); p.ci.Low != 2-5 || p.ci.High != 2+5 {
		t.Errorf("3 ± 3 − 1 ± 4 is [%v, %v], want 2 ± 5", p.ci.Low, p.ci.High)
	}
	none := (&estimate{name: "b", value: report.Number(1), interval: report.NoInterval("off")}).prepared()
	if p := (&comparer{}).fromIntervals(a, none); p.from != FromValues || p.p.Defined() || p.difference.V != 2 || !strings.Contains(p.p.Reason, "off") {
		t.Errorf("without an interval: %+v", p)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	x, y := noisy(1, 8, 2, 0.1), noisy(2, 8, 3, 0.1)
	plain := one(t, "a", x, nil)
	for want, change := range map[string]func(*made){
		"the frames are other ones: f.npy with sha256 aa": func(m *made) { m.sha = "bb" },
		`--block is "" in`: func(m *made) { m.block = "20" },
		"the definition of reconstruction is number 1": func(m *made) { m.definition = 2 },
		"--scale is not given in":                      func(m *made) { m.options = map[string]any{"scale": 2} },
		"mse is better lower in":                       func(m *made) { m.direction = report.Higher },
		"the frames make 80 states in 8 episodes":      func(m *made) { m.episodes = 9 },
	} {
		first := plain
		if strings.Contains(want, "definition") {
			first = one(t, "a", x, func(m *made) { m.definition = 1 })
		}
		other := one(t, "b", y, change)
		if _, err := compared(t, Options{}, first, other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		r, err := compared(t, Options{AllowDifferent: true, Baseline: "a"}, first, other)
		if err != nil || len(r.Warnings) == 0 || r.Table[0].Cells[1].From != FromIntervals {
			t.Errorf("allowed: %v, %+v", err, r)
		}
		if _, err := compared(t, Options{}, "one="+first, "two="+other); err != nil {
			t.Errorf("two tasks: %v", err)
		}
	}
	// What belongs to single models may differ, and so may the number of resamples and the
	// paths of inputs, whose contents are compared.
	other := one(t, "b", y, func(m *made) {
		m.options = map[string]any{"pool": "mean", "bootstrap": 20, "predictions": "b=b.npy", "head": "b:true=b.onnx", "rewards": "elsewhere/r.npy"}
	})
	if _, err := compared(t, Options{}, plain, other); err != nil {
		t.Error(err)
	}
}

// The only model of a row is not the best of anything.
func TestAlone(t *testing.T) {
	t.Parallel()
	row := must(t, Options{}, one(t, "a", noisy(1, 8, 2, 0.1), nil)).Table[0]
	if cell := row.Cells[0]; cell.Best || cell.BestP != nil || row.Sentence != "one model: nothing to compare" {
		t.Errorf("%+v %q", cell, row.Sentence)
	}
}

// A model that one file has more numbers of is one all the same, in either order.
func TestMoreNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": `{"metrics":{"mse":1,"ssim":0.5},"model":"copy"}`, "b": `{"metrics":{"mse":1},"model":"copy"}`, "c": `{"metrics":{"mse":1,"ssim":0.6},"model":"copy"}`,
	} {
		write(t, filepath.Join(dir, name+".json"), text)
	}
	at := func(name string) string { return filepath.Join(dir, name+".json") }
	for _, files := range [][]string{{at("a"), at("b")}, {at("b"), at("a")}} {
		r := must(t, Options{}, files...)
		if len(r.Models) != 1 || len(r.Table) != 2 || r.Table[1].Cells[0].Value.V != 0.5 {
			t.Errorf("%v: %+v", files, r.Table)
		}
	}
	if _, err := compared(t, Options{}, at("b"), at("a"), at("c")); err == nil {
		t.Error("two models of one name pass as one")
	}
}

func TestEqualNames(t *testing.T) {
	t.Parallel()
	x, y := noisy(1, 8, 2, 0.1), noisy(2, 8, 3, 0.1)
	a, b := one(t, "jepa", x, nil), one(t, "jepa", y, nil)
	_, err := compared(t, Options{}, a, b)
	var twice *TwiceError
	if err == nil || !strings.Contains(err.Error(), "two results of reconstruction are of the model jepa") {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(fmt.Sprintf("%T", err), "TwiceError") {
		t.Fatalf("%T, want %T", err, twice)
	}
	hints := strings.Join(err.(*TwiceError).Hints(), "\n")
	for _, want := range []string{"@1=" + a + " @2=" + b, "--names " + b + ":jepa=NAME"} {
		if !strings.Contains(hints, want) {
			t.Errorf("hints %s, want %q", hints, want)
		}
	}
	// As runs, and renamed.
	r := must(t, Options{}, "@1="+a, "@2="+b)
	if cell := r.Table[0].Cells[0]; cell.Runs != 2 || !near(cell.Value.V, (stat.Mean(x)+stat.Mean(y))/2, 1e-12) || len(r.Models) != 1 {
		t.Errorf("runs: %+v", cell)
	}
	g, err := Gather(t.Context(), []Spec{{Path: a}, {Path: b}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Rename([]string{b + ":jepa=late"}); err != nil {
		t.Fatal(err)
	}
	if r, err := Compare(t.Context(), g, Options{}); err != nil || !slices.Equal(r.Models, []string{"jepa", "late"}) {
		t.Errorf("%v, %v", r, err)
	}
	// The same numbers in two files are one model.
	same := made{models: []string{"jepa", "other"}, scores: map[string][]float64{"jepa": x, "other": y}}
	if r := must(t, Options{}, a, same.write(t, t.TempDir())); len(r.Models) != 2 || r.Table[0].Cells[0].Runs != 1 {
		t.Errorf("%+v", r.Models)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	x := noisy(1, 8, 2, 0.1)
	a, b := one(t, "m", x, nil), one(t, "m", noisy(2, 8, 2, 0.1), nil)
	gather := func() *Gathered {
		g, err := Gather(t.Context(), []Spec{{Path: a}, {Path: b}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := gather()
	if err := g.Rename([]string{"first", "second"}); err != nil || g.Files[1].Models[0].Name != "second" {
		t.Errorf("%v, %+v", err, g.Files[1].Models[0])
	}
	// Names with equals signs, as those of checkpoints, for the files in turn; but not where one is that of a model.
	for _, c := range []struct{ given, want []string }{
		{[]string{"epoch=1-step=100", "P"}, []string{"epoch=1-step=100", "P"}},
		{[]string{"My model", `r\=2=x`}, []string{"My model", "r=2=x"}},
	} {
		g = gather()
		err := g.Rename(c.given)
		if a, b := g.Files[0].Models[0].Name, g.Files[1].Models[0].Name; err != nil || a != c.want[0] || b != c.want[1] {
			t.Errorf("%q: %v, %q, %q", c.given, err, a, b)
		}
	}
	for _, given := range [][]string{{"P", "m=Q"}, {"P", "Q", "epoch=1"}} {
		if err := gather().Rename(given); err == nil || !strings.Contains(err.Error(), "want one kind") {
			t.Errorf("%q: %v", given, err)
		}
	}
	for given, want := range map[string]string{"first": "1 name for 2 files", "n=x": `no file has a model "n" (there are m); did you mean "m"?`, "=x": "want OLD=NEW"} {
		if err := gather().Rename([]string{given}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
}

func TestBaselines(t *testing.T) {
	t.Parallel()
	zero, negative := make([]float64, 80), make([]float64, 80)
	for i := range negative {
		negative[i] = -1
	}
	for want, base := range map[string][]float64{"the baseline is 0": zero, "the baseline is negative": negative} {
		r := must(t, Options{Baseline: "base"}, one(t, "m", noisy(1, 8, 5, 0.1), nil), one(t, "base", base, nil))
		cell := r.Table[0].Cells[0]
		if cell.Improvement.Defined() || !strings.Contains(cell.Improvement.Reason, want) || cell.Decision != "worse" {
			t.Errorf("%+v, %s; want %q", cell.Improvement, cell.Decision, want)
		}
		if _, err := r.Worse("mse", 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--fail-if-worse: %v", err)
		}
	}
	x := one(t, "m", noisy(1, 8, 5, 0.1), nil)
	if r := must(t, Options{}, x, one(t, "Persistence", noisy(2, 8, 4, 0.1), nil)); r.Baseline != "Persistence" {
		t.Errorf("baseline %q", r.Baseline)
	}
	if _, err := compared(t, Options{Baseline: "persistenc"}, x, one(t, "persistence", noisy(2, 8, 4, 0.1), nil)); err == nil || !strings.Contains(err.Error(), `did you mean "persistence"?`) {
		t.Errorf("got %v", err)
	}
}

// A baseline that shares no number with another model is refused.
func TestLonelyBaseline(t *testing.T) {
	t.Parallel()
	other := func(m *made) { m.analysis = "robustness" }
	a, b, alone := one(t, "a", noisy(1, 8, 5, 0.1), nil), one(t, "b", noisy(2, 8, 4, 0.1), nil), one(t, "alone", noisy(3, 8, 4, 0.1), other)
	if _, err := compared(t, Options{Baseline: "alone"}, a, b, alone); err == nil || !strings.Contains(err.Error(), "--baseline alone: it has none of") ||
		!strings.HasSuffix(err.Error(), "a baseline could be a, b") {
		t.Errorf("got %v", err)
	}
	must(t, Options{Baseline: "b"}, a, b, alone)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	x, y := noisy(1, 8, 5, 0.1), noisy(2, 8, 5, 0.1)
	a, b := one(t, "a", x, nil), one(t, "b", y, nil)
	for pattern, want := range map[string]string{"mes": "did you mean mse?", "psnr": `no model has a metric "psnr" (there are mse)`} {
		if _, err := compared(t, Options{Metrics: []string{pattern}}, a, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
	if r := must(t, Options{Metrics: []string{"m?e", "recon*:mse"}, Higher: []string{"mse"}}, a, b); len(r.Table) != 1 || r.Table[0].Direction != report.Higher {
		t.Errorf("%+v", r.Table[0])
	}
	words := func(paths ...string) *vocabulary {
		v := &vocabulary{}
		for _, path := range paths {
			v.add("neighborhood", path)
		}
		return v
	}
	for pattern, path := range map[string]string{"trust*": "by_k[k=5].trustworthiness", "by_k.trustworthiness": "by_k[k=5].trustworthiness", "by_k[k=?].*": "by_k[k=5].x", "*": "anything"} {
		v := words(path)
		if !v.names(pattern, "neighborhood", path) || v.names("geometry:"+pattern, "neighborhood", path) || !v.names("neigh*:"+pattern, "neighborhood", path) {
			t.Errorf("%s and %s", pattern, path)
		}
	}
	if v := words("trustworthiness", "a"); v.names("trust", "neighborhood", "trustworthiness") || v.names("", "neighborhood", "a") {
		t.Error("a part of a name is no name")
	}
	// What is a path names this one alone, then what is a path without rows.
	v := words("slope", "raw.slope", "horizons[k=1].slope", "horizons[k=2].slope", "deep.horizons[k=1].slope")
	for pattern, want := range map[string][]bool{
		"slope": {true, false, false, false, false}, "raw.slope": {false, true, false, false, false}, "horizons.slope": {false, false, true, true, false},
		"*slope": {true, true, true, true, true}, "neighborhood:slope": {true, false, false, false, false}, "horizons[k=2].slope": {false, false, false, true, false},
	} {
		for i, k := range v.known {
			if got := v.names(pattern, k[0], k[1]); got != want[i] {
				t.Errorf("%s names %s: %v", pattern, k[1], got)
			}
		}
	}
	// No metric in common.
	other := filepath.Join(t.TempDir(), "p.json")
	write(t, other, `{"schema":"repscope/1","analysis":"other","models":{"c":{"accuracy":0.5}}}`)
	if r := must(t, Options{}, a, other); !strings.Contains(strings.Join(r.Warnings, ";"), "no metric is common to two models") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Scores per sample that do not belong to their result are errors; missing ones are not.
func TestBadSamples(t *testing.T) {
	t.Parallel()
	x, y := noisy(1, 8, 5, 0.1), noisy(2, 8, 5, 0.1)
	b := one(t, "b", y, nil)
	for want, change := range map[string]func(string) string{
		"its last line does not end":   func(s string) string { return s[:len(s)-3] },
		"one of them is incomplete":    func(s string) string { return s[:strings.LastIndex(s[:len(s)-1], "\n")+1] },
		"is not the file that":         func(s string) string { return strings.Replace(s, "a,0,0,", "a,0,1,", 1) },
		"has the sample \"0\" twice":   func(s string) string { return strings.Replace(s, "a,1,", "a,0,", 1) },
		"is not a number":              func(s string) string { return strings.Replace(s, "a,0,0,", "a,0,0,x", 1) },
		"there is no column \"model\"": func(s string) string { return strings.Replace(s, "model", "Model", 1) },
	} {
		a := one(t, "a", x, nil)
		path := filepath.Join(filepath.Dir(a), "reconstruction_samples.csv")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, change(string(data)))
		if _, err := compared(t, Options{}, a, b); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	a := one(t, "a", x, nil)
	if err := os.Remove(filepath.Join(filepath.Dir(a), "reconstruction_samples.csv")); err != nil {
		t.Fatal(err)
	}
	if r := must(t, Options{Baseline: "b"}, a, b); r.Table[0].Cells[0].From != FromIntervals {
		t.Errorf("from %s", r.Table[0].Cells[0].From)
	}
}

// Scores whose mean is another number are not paired, and scores of some samples are
// paired over those.
func TestPartlyPaired(t *testing.T) {
	t.Parallel()
	x, y := noisy(1, 8, 5, 0.1), noisy(2, 8, 4, 0.1)
	y[3], y[40] = math.NaN(), math.NaN()
	r := must(t, Options{Baseline: "b"}, one(t, "a", x, nil), one(t, "b", y, nil))
	if cell := r.Table[0].Cells[0]; cell.From != FromSamples || !strings.Contains(strings.Join(cell.Notes, ";"), "78 states of 80 that all have") {
		t.Errorf("%s: %q", cell.From, cell.Notes)
	}
	dir := t.TempDir()
	path := made{models: []string{"c"}, scores: map[string][]float64{"c": x}}.write(t, dir)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(`"mse": `)) + len(`"mse": `)
	at += bytes.Index(data[at:], []byte(`"mse": `)) + len(`"mse": `)
	end := bytes.IndexByte(data[at:], ',')
	write(t, path, string(data[:at])+"7.5"+string(data[at+end:]))
	r = must(t, Options{Baseline: "b"}, path, one(t, "b", noisy(2, 8, 4, 0.1), nil))
	if cell := r.Table[0].Cells[0]; cell.From != FromIntervals || !strings.Contains(strings.Join(cell.Notes, ";"), "not 7.5: they are not paired") {
		t.Errorf("%s: %q", cell.From, cell.Notes)
	}
}

// Runs of a model: with scores they are compared over runs and episodes, without
// intervals by Welch's test.
func TestRuns(t *testing.T) {
	t.Parallel()
	var args []string
	values := map[string][]float64{}
	for run := range 3 {
		for k, name := range []string{"a", "b"} {
			scores := noisy(uint64(10*run+k), 8, 5-0.5*float64(k)+0.1*float64(run), 0.2)
			values[name] = append(values[name], stat.Mean(scores))
			args = append(args, fmt.Sprintf("@%d=%s", run, one(t, name, scores, func(m *made) { m.noInterval, m.noSamples = true, true })))
		}
	}
	r := must(t, Options{Baseline: "a"}, args...)
	cell := r.Table[0].Cells[1]
	want, err := stat.Welch(values["b"], values["a"], 0)
	if err != nil {
		t.Fatal(err)
	}
	if cell.From != FromRuns || cell.Runs != 3 || !near(cell.Difference.V, want.Difference, 1e-12) || !near(cell.P.V, want.P, 1e-9) {
		t.Errorf("%s: %+v, want %+v", cell.From, cell, want)
	}
	mean, variance := stat.MeanVariance(values["b"])
	q, _ := stat.StudentTQuantile(0.975, 2)
	if half := q * math.Sqrt(variance/3); !near(cell.Value.V, mean, 1e-12) || !near(cell.CI.High-mean, half, 1e-9) {
		t.Errorf("%v [%v, %v], want %v ± %v", cell.Value.V, cell.CI.Low, cell.CI.High, mean, half)
	}
}

// The order of files changes nothing but the order.
func TestOrderOfFiles(t *testing.T) {
	t.Parallel()
	var args []string
	for i, name := range []string{"a", "b", "c"} {
		args = append(args, one(t, name, noisy(uint64(i), 8, 5-0.1*float64(i), 0.2), nil))
	}
	o := Options{Baseline: "a"}
	first := must(t, o, args...)
	slices.Reverse(args)
	second := must(t, o, args...)
	for x, name := range first.Models {
		a, b := *first.Table[0].Cells[x], *second.Table[0].Cells[slices.Index(second.Models, name)]
		a.of, b.of = nil, nil
		if a.Difference != nil && math.Abs(a.Difference.V-b.Difference.V) < 1e-12 && math.Abs(a.P.V-b.P.V) < 1e-9 {
			a.Difference, a.DifferenceCI, a.P, a.PHolm, a.Improvement, a.Detectable = b.Difference, b.DifferenceCI, b.P, b.PHolm, b.Improvement, b.Detectable
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v\n%+v", name, a, b)
		}
	}
}

// What is undecided says what would have been found.
func TestUndecided(t *testing.T) {
	t.Parallel()
	r := must(t, Options{Baseline: "a"}, one(t, "a", noisy(1, 8, 5, 2), nil), one(t, "b", noisy(2, 8, 5, 2), nil))
	cell := r.Table[0].Cells[1]
	half := (cell.DifferenceCI.High - cell.DifferenceCI.Low) / 2
	if cell.Decision != "~" || cell.Detectable == nil || cell.Detectable.V < half || cell.Detectable.V > 2*half || cell.Needed.V < 8 {
		t.Errorf("%+v, detectable %v, needed %v", cell.Decision, cell.Detectable, cell.Needed)
	}
	if s := r.Table[0].Sentence; !strings.HasPrefix(s, "all intervals contain 0: not decisive (differences of ") {
		t.Errorf("sentence %q", s)
	}
	for _, c := range r.Table[0].Cells {
		if c.Rank != 1 || !slices.Equal(c.Places, []int{1, 2}) {
			t.Errorf("rank %d, places %v", c.Rank, c.Places)
		}
	}
}

func TestWorse(t *testing.T) {
	t.Parallel()
	flat := func(v float64) []float64 {
		out := noisy(1, 8, 0, 0)
		mean := stat.Mean(out)
		for i := range out {
			out[i] += v - mean
		}
		return out
	}
	r := must(t, Options{Baseline: "old"}, one(t, "old", flat(10), nil), one(t, "new", flat(11), nil), one(t, "fine", flat(10.2), nil))
	broken, err := r.Worse("mse", 5)
	if err != nil || len(broken) != 1 || broken[0].String() != "reconstruction mse of new is 11.00, 10.00 of old: worse by 10 %, allowed are 5 %" {
		t.Errorf("%v, %v", broken, err)
	}
	if broken, err := r.Worse("mse", 10.5); err != nil || len(broken) != 0 {
		t.Errorf("%v, %v", broken, err)
	}
	for pattern, want := range map[string]string{"mae": "no model has a metric"} {
		if _, err := r.Worse(pattern, 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if _, err := must(t, Options{}, one(t, "old", flat(10), nil)).Worse("mse", 5); err == nil || !strings.Contains(err.Error(), "no baseline") {
		t.Errorf("got %v", err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	g, err := Example(1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Compare(ctx, g, Options{}); err == nil {
		t.Error("a comparison of a run that ended")
	}
}

// Where tasks are too few for any test of ranks, the figure says so.
func TestTooFewTasks(t *testing.T) {
	t.Parallel()
	x, y := one(t, "a", noisy(1, 8, 5, 0.1), nil), one(t, "b", noisy(2, 8, 4, 0.1), nil)
	r := must(t, Options{}, "first="+x, "first="+y, "second="+x, "second="+y)
	if note := r.StudyFigure().Footnote; !strings.Contains(note, "2 tasks are too few for a test of ranks") {
		t.Errorf("the study's figure says %q", note)
	}
}

// The study of the example: better models are better, the same for any number of threads.
func TestExample(t *testing.T) {
	t.Parallel()
	var first []byte
	for _, threads := range []int{1, 3} {
		g, err := Example(42)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Compare(t.Context(), g, Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if r.Baseline != "persistence" || len(r.Tasks) != len(exampleTasks) || len(r.Studies) != 2 {
			t.Fatalf("%s, tasks %v, %d studies", r.Baseline, r.Tasks, len(r.Studies))
		}
		for _, s := range r.Studies {
			want := " ↓"
			if s.Direction == report.Higher {
				want = " ↑"
			}
			if label := s.label(); !strings.HasPrefix(label, s.Metric) || !strings.HasSuffix(label, want) {
				t.Errorf("the label of the interquartile mean is of %q", label)
			}
			if rank := s.of["jepa"].AverageRank.V; rank > 1.5 {
				t.Errorf("%s: the best model has average rank %v", s.Metric, rank)
			}
		}
		var b bytes.Buffer
		for _, path := range []string{"a.csv", "a.md", "a.tex"} {
			for _, orient := range []string{OrientMetrics, OrientModels} {
				if err := r.WriteTable(&b, path, orient); err != nil {
					t.Fatal(err)
				}
			}
		}
		if first == nil {
			first = b.Bytes()
		} else if !bytes.Equal(first, b.Bytes()) {
			t.Error("the number of threads changes the tables")
		}
	}
}
