// Which models may be the best, over how many tests p values are corrected, and intervals over
// runs: closed forms and what other packages compute.

package compare

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/report"
	"repscope/stat"
)

// bests are the models that a row marks, and those in its set.
func bests(r *Result, row *Row) (marked, in []string) {
	for x, c := range row.Cells {
		if c != nil && c.Best {
			marked = append(marked, r.Models[x])
		}
		if c != nil && c.mayBeBest {
			in = append(in, r.Models[x])
		}
	}
	return marked, in
}

// TestBestOfSamples: the p values are those of stat.JointExtremes over the same blocks.
func TestBestOfSamples(t *testing.T) {
	t.Parallel()
	levels := []float64{4, 4.02, 4.9}
	var args []string
	var values [][]float64
	for k, level := range levels {
		scores := noisy(uint64(k+1), 9, level, 0.3)
		values = append(values, scores)
		args = append(args, one(t, fmt.Sprint("m", k), scores, func(m *made) { m.episodes = 9 }))
	}
	r := must(t, Options{Seed: 3}, args...)
	labels := make([]int, len(values[0]))
	for i := range labels {
		labels[i] = i / perEpisode
	}
	blocks, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{}, stat.Differences(values...)...)
	if err != nil {
		t.Fatal(err)
	}
	var estimates []*stat.Jackknifed
	for _, v := range values {
		j, err := stat.JackknifeMean(blocks, v)
		if err != nil {
			t.Fatal(err)
		}
		estimates = append(estimates, j)
	}
	compared, err := stat.CompareAll(r.Models, estimates, stat.CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := stat.JointExtremes(estimates, compared, stat.CompareOptions{Seed: 3})
	row := r.Table[0]
	for x, cell := range row.Cells {
		if cell.BestP == nil || cell.BestP.V != want.Lowest[x] {
			t.Errorf("%s: p %v, want %v", r.Models[x], cell.BestP, want.Lowest[x])
		}
	}
	if marked, _ := bests(r, row); !slices.Equal(marked, []string{"m0", "m1"}) || row.Sentence != "m0 and m1 may be the best" {
		t.Errorf("marked are %v: %s", marked, row.Sentence)
	}
	// Where every model may be the best, nothing is marked.
	r = must(t, Options{}, args[:2]...)
	if marked, in := bests(r, r.Table[0]); marked != nil || len(in) != 2 || r.Table[0].Sentence != "every model may be the best: not decisive" {
		t.Errorf("marked are %v: %s", marked, r.Table[0].Sentence)
	}
}

// TestBestOfFile: a file that compared all models says itself which may be the best; with a model
// of another file the bound over pairs holds. What nothing tests is not marked.
func TestBestOfFile(t *testing.T) {
	t.Parallel()
	blocks, df := 8, report.Number(7)
	row := func(a, b string, d, p float64) report.Comparison {
		return report.Comparison{A: a, B: b, Metric: "mse", Difference: report.Number(d), CI: report.Between(d-1, d+1), P: report.Number(p), PHolm: report.Number(p), DF: &df, Blocks: &blocks}
	}
	e := &report.Extremes{Metric: "mse"}
	for name, p := range map[string]float64{"a": 1, "b": 0.03, "c": 0.4} {
		e.Lowest.Set(name, p)
		e.Highest.Set(name, 0.5)
	}
	m := made{models: []string{"a", "b", "c"}, scores: map[string][]float64{"a": noisy(1, 8, 2, 0.1), "b": noisy(2, 8, 3, 0.1), "c": noisy(3, 8, 2.5, 0.1)}, noSamples: true,
		comparisons: []report.Comparison{row("a", "b", -1, 0.2), row("a", "c", -0.5, 0.3), row("b", "c", 0.5, 0.9)}}
	m.comparisons[0].Extremes = e
	undecided := must(t, Options{}, m.write(t, t.TempDir())) // no pair differs, so that nothing is marked
	if marked, in := bests(undecided, undecided.Table[0]); marked != nil || len(in) != 3 || undecided.Table[0].Cells[1].BestP.V != 0.03 {
		t.Errorf("no pair differs: marked are %v, in the set %v", marked, in)
	}
	m.comparisons[0].P = report.Number(0.01)
	path := m.write(t, t.TempDir())
	r := must(t, Options{}, path)
	if marked, _ := bests(r, r.Table[0]); !slices.Equal(marked, []string{"a", "c"}) || r.Table[0].Cells[1].BestP.V != 0.03 {
		t.Errorf("marked are %v", marked)
	}
	if words := r.decided(); words != "Pairs of models: 1 of 3 tests decided, in one family" {
		t.Error(words)
	}
	if r = must(t, Options{Higher: []string{"mse"}}, path); r.Table[0].Cells[1].BestP.V != 0.5 {
		t.Errorf("the other direction: p %v", r.Table[0].Cells[1].BestP)
	}
	other := one(t, "d", noisy(4, 8, 2.2, 0.1), func(m *made) { m.noSamples, m.noInterval = true, true })
	r = must(t, Options{}, path, other)
	cells := r.Table[0].Cells
	if marked, _ := bests(r, r.Table[0]); !slices.Equal(marked, []string{"a", "c"}) || cells[1].BestP.V != 2*0.005 || cells[3].BestP != nil || !strings.HasSuffix(r.Table[0].Sentence, "; d is not tested") {
		t.Errorf("with a model that is not tested: marked %v, p %v, %s", marked, cells[1].BestP, r.Table[0].Sentence)
	}
	none := must(t, Options{}, other, one(t, "e", noisy(5, 8, 2.2, 0.1), func(m *made) { m.noSamples, m.noInterval = true, true })).Table[0]
	if none.Sentence != "nothing tests which model is the best" || none.Cells[0].Best || none.Cells[1].Best {
		t.Errorf("nothing is tested: %s", none.Sentence)
	}
}

// TestBestAgrees: nothing that is decided of a pair contradicts the set.
func TestBestAgrees(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many draws, one after another")
	}
	for seed := range uint64(40) {
		var args []string
		for k := range 4 {
			args = append(args, one(t, fmt.Sprint("m", k), noisy(10*seed+uint64(k), 8, 5-0.1*float64(k*k), 0.6), nil))
		}
		r := must(t, Options{Baseline: "m1"}, args...)
		row := r.Table[0]
		for x, cell := range row.Cells {
			for y := range row.Cells {
				if y != x && cell.mayBeBest && (row.better(y, x) || row.baselineBetter(y, x)) {
					t.Errorf("%s may be the best, and %s was found better", r.Models[x], r.Models[y])
				}
			}
		}
	}
}

// TestFamilies: Holm's correction over all rows of a metric in all tasks, in one, and over the
// table, by hand.
func TestFamilies(t *testing.T) {
	t.Parallel()
	r := stat.NewRandom(stat.NewKey(9))
	type number struct{ task, metric, model string }
	values := map[number][]float64{}
	dir := t.TempDir()
	var args []string
	for _, task := range []string{"pong", "qbert"} {
		for _, model := range []string{"a", "b", "c"} {
			for run := range 4 {
				x, y := r.Normal(), r.Normal()
				values[number{task, "mse", model}] = append(values[number{task, "mse", model}], x)
				values[number{task, "psnr", model}] = append(values[number{task, "psnr", model}], y)
				path := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.json", task, model, run))
				write(t, path, fmt.Sprintf(`{"model":%q,"metrics":{"mse":%v,"psnr":%v}}`, model, x, y))
				args = append(args, fmt.Sprintf("%s@%d=%s", task, run, path))
			}
		}
	}
	for family, key := range map[string]func(n number) string{
		"": func(n number) string { return n.metric }, FamilyMetric: func(n number) string { return n.metric },
		FamilyTask: func(n number) string { return n.metric + n.task }, FamilyRun: func(number) string { return "" },
	} {
		result := must(t, Options{Baseline: "a", Family: family}, args...)
		p := map[string][]float64{}
		for _, row := range result.Table {
			for _, model := range []string{"b", "c"} {
				d, err := stat.Welch(values[number{row.Task, row.Metric, model}], values[number{row.Task, row.Metric, "a"}], 0)
				if err != nil {
					t.Fatal(err)
				}
				k := key(number{row.Task, row.Metric, model})
				p[k] = append(p[k], d.P)
			}
		}
		taken := map[string]int{}
		for _, row := range result.Table {
			for x := 1; x < 3; x++ {
				k := key(number{row.Task, row.Metric, ""})
				if want := stat.Holm(p[k])[taken[k]]; !near(row.Cells[x].PHolm.V, want, 1e-9) || row.Tests.Baseline != len(p[k]) {
					t.Errorf("family %q, %s of %s: p %v over %d tests, want %v over %d", family, row.Metric, row.Task, row.Cells[x].PHolm.V, row.Tests.Baseline, want, len(p[k]))
				}
				taken[k]++
			}
		}
		notes := result.differenceTable(result.Table, true, false)
		var b strings.Builder
		if err := notes.Write(&b); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"": "all rows of a metric in all tasks (4 tests)", FamilyTask: "all rows of a metric in one task (2 tests)", FamilyRun: "the whole table (8 tests)"}[strings.Replace(family, FamilyMetric, "", 1)]
		if !strings.Contains(b.String(), want) {
			t.Errorf("family %q: the footnote does not say %q:\n%s", family, want, b.String())
		}
	}
}

// TestFixed: one run of a model beside several of another, trained and not.
func TestFixed(t *testing.T) {
	t.Parallel()
	args := []string{"@1=" + one(t, "base", noisy(1, 8, 5, 0.2), nil)}
	for run := range 3 {
		args = append(args, fmt.Sprintf("@%d=%s", run+1, one(t, "m", noisy(uint64(run+5), 8, 4.4+0.2*float64(run), 0.2), nil)))
	}
	trained := must(t, Options{Baseline: "base"}, args...).Table[0].Cells[1]
	fixed := must(t, Options{Baseline: "base", Fixed: []string{"base"}}, args...).Table[0].Cells[1]
	if !strings.Contains(strings.Join(trained.Notes, ";"), "base has only one run; its runs are assumed to vary like runs of m") {
		t.Errorf("notes %q", trained.Notes)
	}
	if strings.Contains(strings.Join(fixed.Notes, ";"), "one run") || fixed.P.V >= trained.P.V || fixed.Difference.V != trained.Difference.V {
		t.Errorf("fixed: p %v, notes %q; trained: p %v", fixed.P.V, fixed.Notes, trained.P.V)
	}
	if _, err := compared(t, Options{Fixed: []string{"bas"}}, args...); err == nil || !strings.Contains(err.Error(), `--fixed bas: no file has such a model (there are base, m); did you mean "base"?`) {
		t.Errorf("got %v", err)
	}
}

// TestBoundedRuns: intervals over runs are on the scale of the metric, here Fisher's z of the mean
// by the jackknife over three runs, and stay in its range; intervals of single runs count there.
func TestBoundedRuns(t *testing.T) {
	t.Parallel()
	runs := []float64{0.2, 0.95, 0.98}
	dir := t.TempDir()
	file := func(run int, v float64, ci string) string {
		path := filepath.Join(dir, fmt.Sprintf("%d%s.json", run, strings.NewReplacer("[", "", "]", "", ",", "-").Replace(ci)))
		write(t, path, fmt.Sprintf(`{"schema":"repscope/1","analysis":"smoothness","metrics":{"r":{"direction":"higher","range":[-1,1]},"dims":{"direction":"none","range":[1,null]}},
"models":{"m":{"r":%v,"r_ci":%s,"dims":%d}}}`, v, ci, 1+3*run))
		return fmt.Sprintf("@%d=%s", run, path)
	}
	var plain, with []string
	for i, v := range runs {
		plain, with = append(plain, file(i, v, "null")), append(with, file(i, v, fmt.Sprintf("[%v,%v]", v-0.1, 1-(1-v)/2)))
	}
	r := must(t, Options{Metrics: []string{"*"}}, plain...)
	z := func(x float64) float64 { return 2 * math.Atanh(x) }
	mean := (runs[0] + runs[1] + runs[2]) / 3
	var deleted []float64
	for _, v := range runs {
		deleted = append(deleted, z((3*mean-v)/2))
	}
	_, variance := stat.MeanVariance(deleted)
	half := 4.302652729749464 * math.Sqrt(variance*4/3) // t of 2 degrees of freedom
	cell := r.Table[0].Cells[0]
	if !near(cell.CI.Low, math.Tanh((z(mean)-half)/2), 1e-9) || !near(cell.CI.High, math.Tanh((z(mean)+half)/2), 1e-9) || cell.CI.High > 1 {
		t.Errorf("[%v, %v], want %v ± %v on Fisher's scale", cell.CI.Low, cell.CI.High, z(mean), half)
	}
	if dims := r.Table[1].Cells[0]; dims.CI.Low < 1 || !dims.CI.Defined() {
		t.Errorf("a dimension from %v", dims.CI.Low)
	}
	below, above := 0.0, 0.0
	for _, v := range runs {
		below, above = below+(z(v)-z(v-0.1))/3, above+(z(1-(1-v)/2)-z(v))/3
	}
	cell = must(t, Options{Metrics: []string{"r"}}, with...).Table[0].Cells[0]
	if !near(cell.CI.Low, math.Tanh((z(mean)-math.Hypot(half, below))/2), 1e-9) || !near(cell.CI.High, math.Tanh((z(mean)+math.Hypot(half, above))/2), 1e-9) {
		t.Errorf("with intervals of runs [%v, %v]", cell.CI.Low, cell.CI.High)
	}
	// Files of other programs say no range: that of a well-known name counts, unless a percentage is beyond it.
	published := func(run int, v float64) string {
		path := filepath.Join(dir, fmt.Sprintf("p%d.json", run))
		write(t, path, fmt.Sprintf(`{"model":"m","metrics":{"accuracy":%v,"mcc":%v,"rmse":%v,"f1":%v}}`, v, v, 10*v, 100*v))
		return fmt.Sprintf("@%d=%s", run, path)
	}
	for _, row := range must(t, Options{}, published(0, 0.99), published(1, 0.97), published(2, 0.4)).Table {
		mean := 2.36 / 3
		z, back := func(x float64) float64 { return math.Log(x / (1 - x)) },
			func(y float64) float64 { return 1 / (1 + math.Exp(-y)) }
		switch row.Metric {
		case "mcc":
			z, back = func(x float64) float64 { return 2 * math.Atanh(x) }, func(y float64) float64 { return math.Tanh(y / 2) }
		case "rmse":
			mean, z, back = 10*mean, math.Log, math.Exp
		case "f1":
			mean, z, back = 100*mean, func(x float64) float64 { return x }, func(y float64) float64 { return y }
		}
		var deleted []float64
		for _, v := range []float64{0.99, 0.97, 0.4} {
			deleted = append(deleted, z(mean*(2.36-v)/2/(2.36/3)))
		}
		_, variance := stat.MeanVariance(deleted)
		half := 4.302652729749464 * math.Sqrt(variance*4/3)
		if ci := row.Cells[0].CI; !near(ci.Low, back(z(mean)-half), 1e-9) || !near(ci.High, back(z(mean)+half), 1e-9) {
			t.Errorf("%s: [%v, %v], want [%v, %v]", row.Metric, ci.Low, ci.High, back(z(mean)-half), back(z(mean)+half))
		}
	}
	// So it does for results that describe such a metric without its range.
	own := func(run int, v float64) string {
		path := filepath.Join(dir, fmt.Sprintf("own%d.json", run))
		write(t, path, fmt.Sprintf(`{"schema":"repscope/1","analysis":"neighborhood","metrics":{"trustworthiness":{"direction":"higher"}},
"models":{"m":{"trustworthiness":%v}}}`, v))
		return fmt.Sprintf("@%d=%s", run, path)
	}
	if ci := must(t, Options{}, own(0, 0.99), own(1, 0.97), own(2, 0.4)).Table[0].Cells[0].CI; !(ci.Low > 0 && ci.High < 1) {
		t.Errorf("trustworthiness [%v, %v]", ci.Low, ci.High)
	}
	// Numbers of which none has a known name are compared all the same, with a warning.
	nested := func(name string, v float64) string {
		path := filepath.Join(dir, name+".json")
		write(t, path, fmt.Sprintf(`{"checkpoint":"%s.ckpt","metrics":{"diversity":{"ratio_of_kinds":%v}}}`, name, v))
		return path
	}
	if r := must(t, Options{}, nested("x", 0.5), nested("y", 0.7)); len(r.Table) != 1 || r.Table[0].Metric != "diversity.ratio_of_kinds" ||
		r.Table[0].Direction != Unknown || len(r.Warnings) == 0 {
		t.Errorf("%+v, %q", r.Table, r.Warnings)
	}
	// A run at the end of the range has no place on the scale: the interval is cut there.
	ends := must(t, Options{Metrics: []string{"r"}}, file(7, 1, "null"), file(8, 1, "[0.9,1]"), file(9, 0.5, "null")).Table[0].Cells[0]
	if !ends.CI.Defined() || ends.CI.High != 1 || ends.CI.Low < -1 {
		t.Errorf("at the end of the range [%v, %v]", ends.CI.Low, ends.CI.High)
	}
}

// TestRunsByName: NAME@RUN is a run of NAME, unless NAME is a model of its own.
func TestRunsByName(t *testing.T) {
	t.Parallel()
	file := func(names ...string) string {
		m := made{models: names, scores: map[string][]float64{}}
		for i, name := range names {
			m.scores[name] = noisy(uint64(i), 8, 5, 0.2)
		}
		return m.write(t, t.TempDir())
	}
	for _, c := range []struct{ names, want, runs string }{
		{"a@1 a@2 b@1", "a b", "2 1"},
		{"ViT-L/14 ViT-L/14@336px", "ViT-L/14 ViT-L/14@336px", "1 1"},
		{"clip@224px clip@336px", "clip", "2"},
		{"@a b@", "@a b@", "1 1"},
	} {
		r := must(t, Options{}, file(strings.Fields(c.names)...))
		var runs []string
		for _, cell := range r.Table[0].Cells {
			runs = append(runs, fmt.Sprint(cell.Runs))
		}
		if strings.Join(r.Models, " ") != c.want || strings.Join(runs, " ") != c.runs {
			t.Errorf("%s: models %q with %s runs, want %s with %s", c.names, r.Models, runs, c.want, c.runs)
		}
	}
	g, err := Gather(t.Context(), []Spec{{Path: file("clip@224px", "clip@336px", "b@1", "b@2")}}, 1)
	if err != nil || !slices.Equal(g.Read, []string{"clip@224px as the run 224px of clip", "clip@336px as the run 336px of clip"}) {
		t.Errorf("%v, %q", err, g.Read)
	}
}

// TestDeclaredPaths: the comparisons of a file are found whatever members its rows are named by,
// beside files of other rows too.
func TestDeclaredPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	result := func(name, models, comparisons string) string {
		path := filepath.Join(dir, name+".json")
		write(t, path, `{"schema":"repscope/1","analysis":"forecast","metrics":{"fss.fss":{"direction":"higher"}},"models":{`+models+`},"comparisons":[`+comparisons+`]}`)
		return path
	}
	both := result("both", `"a":{"fss":[{"quantile":0.9,"window":1,"fss":0.5,"fss_ci":[0,1]},{"quantile":0.9,"window":3,"fss":0.7,"fss_ci":[0,1]}]},
"b":{"fss":[{"quantile":0.9,"window":1,"fss":0.4,"fss_ci":[0,1]},{"quantile":0.9,"window":3,"fss":0.6,"fss_ci":[0,1]}]}`,
		`{"a":"a","b":"b","metric":"fss[quantile=0.9;window=3].fss","difference":0.1,"ci":[0.05,0.15],"p":0.001,"p_holm":0.001}`)
	r := must(t, Options{Metrics: []string{"fss.fss"}, Baseline: "b"}, both)
	i := slices.IndexFunc(r.Table, func(row *Row) bool { return row.Metric == "fss[quantile=0.9;window=3].fss" })
	if i < 0 || r.Table[i].Cells[0].From != FromComparison || r.Table[i].Cells[0].P.V != 0.001 {
		t.Fatalf("%+v", r.Table)
	}
	alone := result("alone", `"c":{"fss":[{"quantile":0.9,"window":3,"fss":0.8,"fss_ci":[0.7,0.9]}]}`, "")
	r = must(t, Options{Metrics: []string{"fss[quantile=0.9;window=3].fss"}, Baseline: "b"}, both, alone)
	if len(r.Table) != 1 || r.Table[0].Cells[2] == nil || r.Table[0].Cells[2].Value.V != 0.8 {
		t.Errorf("a file of one row: %+v", r.Table)
	}
}

// TestEmptyFolder: what there is is compared, and the folder named.
func TestEmptyFolder(t *testing.T) {
	t.Parallel()
	empty, full := t.TempDir(), one(t, "a", noisy(1, 8, 5, 0.2), nil)
	if err := os.WriteFile(filepath.Join(empty, "other.json"), []byte(`{"x":1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := Gather(t.Context(), []Spec{{Path: empty}, {Path: full}, {Path: filepath.Dir(full)}}, 1)
	if err != nil || len(g.Files) != 2 || !slices.Equal(g.Empty, []string{empty}) {
		t.Errorf("%v, %+v", err, g)
	}
	if _, err := Gather(t.Context(), []Spec{{Path: empty}}, 1); err == nil || !strings.Contains(err.Error(), "there are no result files in "+empty) {
		t.Errorf("got %v", err)
	}
}

// TestPublishedConfigurations: how many members a forecast has, and how its scores allow for
// that, keep nothing from being compared; what was scored does.
func TestPublishedConfigurations(t *testing.T) {
	t.Parallel()
	file := func(name, config string) string {
		path := filepath.Join(t.TempDir(), name+".json")
		write(t, path, `{"metrics":{"mae":1.5,"mae_std":0.5},"evaluation_config":{`+config+`}}`)
		return path
	}
	a := file("persistence_evaluation", `"model":"persistence","num_samples":1,"num_examples":96,"std_over":"samples","variables":["t"],"estimator":{"crps":"biased"},"batch_size":0`)
	b := file("model_evaluation", `"model":"x","num_samples":100,"num_examples":96,"std_over":"batches","variables":["t"],"estimator":{"crps":"fair"},"batch_size":8`)
	g, err := Gather(t.Context(), []Spec{{Path: a}, {Path: b}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Rename([]string{"Persistence", "ConvCNP"}); err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), g, Options{})
	if err != nil || r.Baseline != "Persistence" || !slices.Equal(r.Models, []string{"Persistence", "ConvCNP"}) {
		t.Fatalf("%v, %+v", err, r)
	}
	// Nothing in the figure is an interval, and nothing says so.
	if caption := r.Figure().Footnote; strings.Contains(caption, "interval") || !strings.Contains(caption, "lower is better") || strings.Contains(caption, "higher") {
		t.Errorf("caption %q", caption)
	}
	c := file("other", `"num_examples":50,"variables":["t"]`)
	if _, err := compared(t, Options{}, a, c); err == nil || !strings.Contains(err.Error(), "num_examples is 96") {
		t.Errorf("got %v", err)
	}
}

// TestEqualScores: equal scores show no error, and no p value is 0.
func TestEqualScores(t *testing.T) {
	t.Parallel()
	flat := func(v float64) []float64 { return slices.Repeat([]float64{v}, 80) }
	r := must(t, Options{Baseline: "a"}, one(t, "a", flat(0.3), nil), one(t, "b", flat(0.1+0.2), nil), one(t, "c", flat(0.7), nil))
	row := r.Table[0]
	for _, cell := range row.Cells {
		if cell.CI.Defined() || !strings.Contains(cell.CI.Reason, "nothing shows its error") || cell.Best {
			t.Errorf("%+v", cell)
		}
	}
	if b := row.Cells[1]; b.Difference.V != 0 || b.P.V != 1 {
		t.Errorf("equal but for rounding: difference %v, p %v", b.Difference.V, b.P)
	}
	if c := row.Cells[2]; c.P.Defined() || c.DifferenceCI.Defined() || !strings.Contains(c.P.Reason, "the same amount") {
		t.Errorf("a constant difference: p %v, interval %v", c.P, c.DifferenceCI)
	}
	far := &estimate{name: "a", value: report.Number(0), interval: report.Between(-1e-9, 1e-9)}
	near := &estimate{name: "b", value: report.Number(1), interval: report.Between(1-1e-9, 1+1e-9)}
	if p := (&comparer{}).fromIntervals(far, near); !(p.p.V > 0) {
		t.Errorf("p %v", p.p.V)
	}
}
