// Results of lm-evaluation-harness.

package compare

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"repscope/report"
)

const harnessText = `{"results": {
	"arc": {"alias": "arc", "acc,none": 0.6, "acc_stderr,none": 0.03, "acc_norm,none": 0.55, "acc_norm_stderr,none": "N/A"},
	"gsm8k": {"alias": "gsm8k", "exact_match,strict-match": 0.25, "exact_match_stderr,strict-match": 0.04351941398892446,
		"exact_match,flexible-extract": 1.0, "exact_match_stderr,flexible-extract": 0.0},
	"wikitext": {"alias": "wikitext", "word_perplexity,none": 20.5, "score,none": NaN, "score_stderr,none": 0.1},
	"all": {"alias": "all", "acc,none": 0.58, "acc_stderr,none": 0.02},
	"old": {"alias": "old", "exact,none": 0.25, "exact_stderr,none": 0.04351941398892446, "f1,none": 0.6, "f1_stderr,none": 0.03}},
	"group_subtasks": {"all": ["arc"], "gsm8k": []},
	"config": {"model": "hf", "model_args": "pretrained=org/a,dtype=float16", "limit": null},
	"n-shot": {"arc": 0, "gsm8k": 5}, "versions": {"arc": 1.0},
	"higher_is_better": {"arc": {"acc": true}, "gsm8k": {"exact_match": true}, "wikitext": {"word_perplexity": false}},
	"n-samples": {"arc": {"original": 2376, "effective": 397}, "gsm8k": {"original": 1319, "effective": 100}}}`

// Intervals: of Student's t with 396 degrees of freedom, and of Wilson, by scipy.
func TestHarness(t *testing.T) {
	t.Parallel()
	files, err := ReadFrom("h.json", []byte(harnessText))
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	for _, c := range []struct {
		file            int
		path            string
		value, low, top float64
		direction       report.Direction
	}{
		{0, "acc", 0.6, 0.5410208217459135, 0.6589791782540865, report.Higher},
		{0, "acc_norm", 0.55, math.NaN(), math.NaN(), Unknown},
		{1, "exact_match[filter=strict-match]", 0.25, 0.17545211362287677, 0.3430446354806161, report.Higher},
		{1, "exact_match[filter=flexible-extract]", 1, 0.9630065017930143, 1, report.Higher},
		{2, "word_perplexity", 20.5, math.NaN(), math.NaN(), report.Lower},
		{2, "score", math.NaN(), math.NaN(), math.NaN(), report.Higher},
		{3, "acc", 0.58, 0.5406805478306089, 0.619319452169391, report.Higher}, // of 397 samples
		{4, "exact", 0.25, 0.17545211362287677, 0.3430446354806161, Unknown},   // 100 samples, by its error
		{4, "f1", 0.6, math.NaN(), math.NaN(), report.Higher},
	} {
		f := files[c.file]
		n, ok := f.Models[0].number(c.path)
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		metric, described := f.describe(f.Models[0], c.path)
		if !ok || !same(n.Value.Float(), c.value) || !same(n.Interval.Low, c.low) || !same(n.Interval.High, c.top) || metric.Direction != c.direction || !described {
			t.Errorf("%s: %+v, %v", c.path, n, metric)
		}
		if f.Models[0].Name != "org/a" || f.summary != (c.file == 3) {
			t.Errorf("%+v", f)
		}
	}
	other, err := ReadFrom("o.json", []byte(strings.NewReplacer("org/a", "org/b", `"gsm8k": 5`, `"gsm8k": 8`).Replace(harnessText)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(t.Context(), &Gathered{Files: append(files, other...)}, Options{}); err == nil ||
		err.Error() != `the results of task "gsm8k" are not of the same measurement: n-shot is 5 in h.json and 8 in o.json` {
		t.Errorf("error %v", err)
	}
	// A group is a row, and no task of aggregates over tasks.
	r, err := Compare(t.Context(), &Gathered{Files: files}, Options{Metrics: []string{"acc"}})
	if err != nil || len(r.Table) != 2 || len(r.Studies) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Names of models, and files that are none of the harness.
func TestHarnessModels(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`"config": {"model": "hf", "model_args": {"pretrained": "a/b"}}`: "a/b",
		`"config": {"model": "gguf", "model_args": "base_url=x"}`:        "gguf",
		`"config": {}`: "h",
		`"config": {"model_args": "pretrained=a"}, "model_name": "n"`: "n",
	} {
		files, err := ReadFrom("h.json", []byte(`{"results": {"t": {"acc": 1, "acc_stderr": 0.1}}, `+config+`}`))
		if err != nil || len(files) != 1 || files[0].Models[0].Name != want || files[0].Task != "t" || files[0].Models[0].Numbers[0].Interval.Defined() {
			t.Errorf("%s: %v, %v", config, files, err)
		}
	}
	for text, want := range map[string]string{
		`{"results": {"t": 1}, "config": {}}`:                                 `results: "t" is no object of metrics`,
		`{"results": {}, "config": {}}`:                                       "no task has a number",
		`{"results": {"t": {"alias": "t"}}, "versions": {}}`:                  "no task has a number",
		`{"results": {"t": {"acc": 1, "acc,none": 2}}, "versions": {}}`:       "has the metric acc twice",
		`{"results": {"t": {"acc": 1, "acc_stderr": -1}}, "versions": {}}`:    "acc_stderr of task t is -1, want a number from 0",
		`{"results": {"t": {"acc": 1, "acc_stderr": 1e999}}, "versions": {}}`: "want a number from 0",
	} {
		if files, err := ReadFrom("h.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "h.json: ") {
			t.Errorf("%s: %v, %v", text, files, err)
		}
	}
}

// A mean whose error is small enough for scores from 0 to 1, of which more is better, has the root of the
// score equation (v − p)² = t²·p·(1 − p)·SE²/(v·(1 − v)) on each side, by scipy's brentq and t.ppf; others
// have Student's t.
func TestHarnessOfBoundedScores(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, stdError string
		higher          bool
		low, top        float64
	}{
		{"0.9", "0.025", true, 0.8392693479938078, 0.9394398928338575},
		{"0.9", "0.025", false, 0.8503945762103395, 0.9496054237896605},
		{"0.02", "0.03", true, -0.039526508547592515, 0.07952650854759252}, // a correlation: 0.03²·99 > 0.02·0.98
	} {
		text := strings.NewReplacer("VALUE", c.value, "ERROR", c.stdError, "HIGHER", strconv.FormatBool(c.higher)).Replace(
			`{"results": {"t": {"f1,none": VALUE, "f1_stderr,none": ERROR}}, "n-samples": {"t": {"effective": 100}},
			"higher_is_better": {"t": {"f1": HIGHER}}, "config": {}}`)
		files, err := ReadFrom("h.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if i := files[0].Models[0].Numbers[0].Interval; math.Abs(i.Low-c.low) > 1e-9 || math.Abs(i.High-c.top) > 1e-9 {
			t.Errorf("%+v: %+v", c, i)
		}
	}
}

// A folder stands for the results of lm-evaluation-harness in it; other files of that name are passed over.
func TestHarness_Folder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const result = `{"results": {"x": {"acc,none": 0.5, "acc_stderr,none": 0.1}}, "model_name": "NAME", "n-shot": {}}`
	for name, content := range map[string]string{
		"a/results_1.json":     strings.Replace(result, "NAME", "a", 1),
		"b/results_1.json":     strings.Replace(result, "NAME", "b", 1),
		"b/results_other.json": `{"results": 3}`, "b/results_cut.json": `{"results": {"x": {"acc,`,
		"b/samples_x_1.jsonl": `{"doc_id": 0, "acc": 1.0}`,
	} {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	g, err := Gather(t.Context(), []Spec{{Path: dir}}, 1)
	if err != nil || len(g.Files) != 2 || len(g.Ignored) != 2 {
		t.Fatalf("%+v, %v, want two results and two files that are none", g, err)
	}
	for i, want := range []string{"a", "b"} {
		if m := g.Files[i].Models; len(m) != 1 || m[0].Name != want || g.Files[i].SHA256 == "" {
			t.Errorf("file %d: %+v, want model %s", i, m, want)
		}
	}
}
