// Tests of studies with a command that writes what it was given.

package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/report"
	"repscope/report/methods"
	"repscope/shard"
)

// probe is a command with frames, models and a few options, which counts its runs.
type probe struct {
	mu     sync.Mutex
	runs   []string
	during func(name string) error // is called in every run

	padding  string // a member of every result
	computed int    // parts of models that are files, which a study may remember
}

func (p *probe) command(name string) run.Command {
	return run.Command{Name: name, Summary: "a probe", Manual: "A probe.", Out: "out", Methods: func(d *methods.Draft) { d.Say("A probe.") }, Setup: func(flags *run.Flags) run.Job {
		var frames string
		models := []string{}
		k, own := []int{5}, new(option.List)
		own.Ints(&k, "k", "`LIST` of numbers").AtLeast(1).Distinct()
		flags.Declare(own)
		broken := flags.Bool("broken", false, "fail")
		flags.PathVar(&frames, "frames", "`FILE`")
		flags.Var(&run.Texts{Values: &models, Whole: true}, "model", "`NAME=FILE`")
		flags.Group(run.Inputs, "frames", "model")
		return run.Job{
			Run: func(ctx context.Context, env *run.Env) error {
				p.mu.Lock()
				p.runs = append(p.runs, fmt.Sprintf("%s k=%v seed=%d %s", name, k, env.Options.Seed, strings.Join(models, " ")))
				p.mu.Unlock()
				if p.during != nil {
					if err := p.during(name); err != nil {
						return err
					}
				}
				if *broken {
					return errors.New("it is broken")
				}
				env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "frames", Path: frames, SHA256: "of the content"})
				env.Result.Describe(report.Described{Name: "score", Better: report.Higher})
				for i, m := range models {
					model, path, _ := strings.Cut(m, "=")
					if err := p.measure(ctx, name, path, k); err != nil {
						return err
					}
					var o report.Object
					if strings.HasPrefix(model, "bad") {
						o.Set("skipped", true)
						o.Set("reason", "NaN in 3 of 9 rows")
						env.Result.Models.Set(model, o)
						continue
					}
					o.Set("score", report.Number(float64(i)))
					env.Result.Models.Set(model, o)
				}
				env.Result.Extra.Set("padding", p.padding)
				env.Warn("%s warns", name)
				return nil
			},
		}
	}}
}

// measure is what the probe computes of a model: nothing where its file does not exist.
func (p *probe) measure(ctx context.Context, name, path string, k []int) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	identity := func() shard.Identity {
		return shard.Identity{Analysis: name}.OfModel(string(content), shard.Option("k", k))
	}
	_, err = shard.Remember(ctx, identity, func() (int, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.computed++
		return len(content), nil
	})
	return err
}

// study is a folder with a suite file and frames.
func suiteFolder(t *testing.T, suite string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"s.yaml": suite, "f.npy": "frames", "runs/a/step_9.onnx": "", "runs/a/step_10.onnx": "", "runs/b/step_9.onnx": ""} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(strings.ReplaceAll(text, "{}", dir)), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// evaluate runs the command; the folder of the study is out. Tasks run one after the other, so that the order of the
// probe's runs is known, unless the test says otherwise.
func evaluate(t *testing.T, p *probe, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	all := append([]string{filepath.Join(dir, "s.yaml"), "--out", filepath.Join(dir, "out")}, args...)
	if !slices.Contains(args, "--jobs") {
		all = append(all, "--jobs", "1")
	}
	code = run.Run(t.Context(), New([]run.Command{p.command("first"), p.command("second")}, validation), all, &out, &messages)
	return code, out.String(), messages.String()
}

const twoDatasets = `
defaults:
  seed: 7
  frames: "{}/f.npy"
  model: {a: a.onnx}
  first: {k: [1, 2]}
analyses: [second, first]
datasets:
  x: {seed: 8}
  y:
    k: 3
    skip: first
    model: {a: a.onnx, b: b.onnx}
  z: {enabled: false}
`

func TestStudy(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, twoDatasets), &probe{}
	code, _, stderr := evaluate(t, p, dir)
	want := []string{"first k=[1 2] seed=8 a=a.onnx", "second k=[5] seed=8 a=a.onnx", "second k=[3] seed=7 a=a.onnx b=b.onnx"}
	if code != 0 || !slices.Equal(p.runs, want) || !strings.Contains(stderr, "x/first: done in ") || !strings.Contains(stderr, "1 warning") {
		t.Fatalf("exit %d, runs %q: %s", code, p.runs, stderr)
	}
	for _, name := range []string{"x/first/first.json", "y/second/second.json", "evaluate.json", "summary.json", "summary.csv"} {
		if _, err := os.Stat(filepath.Join(dir, "out", name)); err != nil {
			t.Error(err)
		}
	}
	// Nothing changed, so that nothing is run again.
	if code, _, stderr = evaluate(t, p, dir); code != 0 || len(p.runs) != 3 || strings.Count(stderr, ": unchanged") != 3 {
		t.Errorf("exit %d, %d runs: %s", code, len(p.runs), stderr)
	}
	if code, stdout, _ := evaluate(t, p, dir, "--list"); code != 0 || stdout != "unchanged  x/first\nunchanged  x/second\nunchanged  y/second\n" {
		t.Errorf("exit %d, list %q", code, stdout)
	}
	// An input with another content, and an output that is gone.
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "f.npy"), []byte("other"), 0o666), os.Remove(filepath.Join(dir, "out/y/second/second.json"))); err != nil {
		t.Fatal(err)
	}
	if code, _, _ = evaluate(t, p, dir, "--only", "y"); code != 0 || len(p.runs) != 4 {
		t.Errorf("exit %d, %d runs", code, len(p.runs))
	}
	if code, _, _ = evaluate(t, p, dir, "--skip", "*/first", "--jobs", "3"); code != 0 || len(p.runs) != 5 || !strings.HasPrefix(p.runs[4], "second k=[5]") {
		t.Errorf("exit %d, runs %q", code, p.runs)
	}
	if code, _, _ = evaluate(t, p, dir, "--resume=false"); code != 0 || len(p.runs) != 8 {
		t.Errorf("exit %d, %d runs", code, len(p.runs))
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	const suite = `
defaults: {frames: "{}/f.npy", model: {a: a}}
analyses: [first, second]
datasets:
  x: {first: {broken: true}}
  y: {seed: 1}
`
	dir, p := suiteFolder(t, suite), &probe{}
	code, _, stderr := evaluate(t, p, dir)
	if code != 1 || len(p.runs) != 4 || !strings.Contains(stderr, "x/first: failed: it is broken") || !strings.Contains(stderr, "1 of 4 tasks failed: x/first") {
		t.Errorf("exit %d, %d runs: %s", code, len(p.runs), stderr)
	}
	if code, _, _ = evaluate(t, p, dir); code != 1 || len(p.runs) != 5 {
		t.Errorf("exit %d, %d runs: the failed task alone is run again", code, len(p.runs))
	}
	// The reasons are errors, which --quiet leaves, and the report has them, also where nothing else is in it.
	all := strings.Replace(suite, "y: {seed: 1}", "y: {broken: true}", 1)
	all = strings.Replace(all, "{first: {broken: true}}", "{broken: true}", 1)
	for _, s := range []string{suite, all} {
		dir, p = suiteFolder(t, s), &probe{}
		code, _, stderr = evaluate(t, p, dir, "--quiet")
		if code != 1 || !strings.Contains(stderr, "x/first: failed: it is broken") || strings.Contains(stderr, "done in") {
			t.Errorf("exit %d: %s", code, stderr)
		}
		for _, name := range []string{"report.html", "evaluate.json"} {
			text, err := os.ReadFile(filepath.Join(dir, "out", name))
			if err != nil || strings.Count(string(text), "it is broken") != strings.Count(stderr, ": failed: ") {
				t.Errorf("%s: %v, %d reasons", name, err, strings.Count(string(text), "it is broken"))
			}
		}
	}
	dir, p = suiteFolder(t, suite), &probe{}
	if code, _, _ = evaluate(t, p, dir, "--fail-fast"); code != 1 || len(p.runs) > 2 {
		t.Errorf("exit %d, %d runs after a failure", code, len(p.runs))
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, `
matrix: {seed: [a, b]}
datasets:
  x:
    frames: "{}/f.npy"
    only: first
    model: {run: "{}/runs/*/step_*.onnx", of: "{}/runs/{seed}/step_9.onnx", c: c.onnx}
`), &probe{}
	code, _, stderr := evaluate(t, p, dir)
	want := strings.ReplaceAll("first k=[5] seed=42 run/a/9={}/runs/a/step_9.onnx run/a/10={}/runs/a/step_10.onnx run/b/9={}/runs/b/step_9.onnx "+
		"of/a={}/runs/a/step_9.onnx of/b={}/runs/b/step_9.onnx c=c.onnx", "{}", dir)
	if code != 0 || !slices.Equal(p.runs, []string{want}) {
		t.Fatalf("exit %d, runs %q, want %q: %s", code, p.runs, want, stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out/summary.json"))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(data)), ""), `"checkpoints":[{"model":"run/a/9","series":"run/a","step":9},{"model":"run/a/10"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// A pattern of arrays in a file is no pattern of files; files of a pattern may have arrays with paths.
func TestPatterns_OfArrays(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, `
datasets:
  x:
    frames: "{}/f.npy:data/demo_*/img"
    only: first
    model:
      joined: "{}/f.npy:data/demo_*/z"
      run: "{}/runs/a/step_*.onnx:data/z"
      both: "{}/runs/*/step_9.onnx:data/demo_*/z"
`), &probe{}
	code, _, stderr := evaluate(t, p, dir)
	want := strings.ReplaceAll("first k=[5] seed=42 joined={}/f.npy:data/demo_*/z run/9={}/runs/a/step_9.onnx:data/z "+
		"run/10={}/runs/a/step_10.onnx:data/z both/a={}/runs/a/step_9.onnx:data/demo_*/z "+
		"both/b={}/runs/b/step_9.onnx:data/demo_*/z", "{}", dir)
	if code != 0 || !slices.Equal(p.runs, []string{want}) {
		t.Fatalf("exit %d, runs %q, want %q: %s", code, p.runs, want, stderr)
	}
}

func TestSuiteErrors(t *testing.T) {
	t.Parallel()
	for suite, want := range map[string]string{
		"":                                       "is empty",
		"- a":                                    "a suite: want lines of the form",
		"dataset: {x: {}}":                       `line 1, column 1: unknown key "dataset" of a suite` + "\nevaluate: hint: did you mean datasets?",
		"datasets: {x: {frams: f, only: first}}": `line 1, column 16: unknown key "frams" of x` + "\nevaluate: hint: did you mean frames?",
		"datasets: {x: {first: {kk: 1}}}":        `line 1, column 24: unknown key "kk" of first`,
		"datasets: {x: {out: a, only: first}}":   "out is not for a suite",
		"datasets: {x: {shard: 0/2}}":            "shard is not for a suite: evaluate sets it\nevaluate: hint: scale plan",
		"datasets:\n\tx: {only: first}":          "line 2 begins with a tab",
		"defaults: {first: 3}":                   "first is an analysis: want its options",
		"matrix: {x: []}\nanalyses: [first]\ndatasets: {x: {frames: f.npy}}": "matrix: x has no values",
		"datasets: {x: {model: \"*.onnx\", only: first}}":                    `the pattern "*.onnx" has no name` + "\nevaluate: hint: model: {run: ",
		"defaults: &d {<<: *d}\ndatasets: {x: {only: first}}":                "<< of defaults: want other mappings",
		"defaults: {<<: 3}\ndatasets: {x: {only: first}}":                    "<< of defaults: want other mappings",
		"datasets: {x: {frames: f}}":                                         "dataset x has no analyses",
		"analyses: [frist]\ndatasets: {x: {}}":                               `there is no analysis "frist"` + "\nevaluate: hint: did you mean first?",
		"analyses: first\ndatasets: {x: {k: 0}}":                             "x/first: ",
		"datasets: {x: {}, x: {}}":                                           "is there twice",
		"datasets: {a/b: {only: first}}":                                     "want a name that can be a folder",
		"datasets: {x: {enabled: 3}}":                                        "want true or false",
		`datasets: {x: {only: first, model: {a: "none/*.onnx"}}}`:            `no file matches "none/*.onnx"`,
		`datasets: {x: {only: first, model: {a: "{seed}.onnx"}}}`:            "is none of the matrix",
		"datasets: [": "did not find expected node content",
	} {
		dir, p := suiteFolder(t, suite), &probe{}
		code, _, stderr := evaluate(t, p, dir)
		if code != 2 || len(p.runs) > 0 || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, want %q: %s", suite, code, want, stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Errorf("%q: something was written", suite)
		}
	}
	dir, p := suiteFolder(t, twoDatasets), &probe{}
	if code, _, stderr := evaluate(t, p, dir, "--only", "x/frist"); code != 2 || !strings.Contains(stderr, "did you mean x/first?") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestSchemaAndInit(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, ""), &probe{}
	code, schema, _ := evaluate(t, p, dir, "--schema")
	if code != 0 || !strings.Contains(schema, `"additionalProperties": false`) {
		t.Errorf("exit %d: %s", code, schema)
	}
	// Types are those of the flags.
	var parsed struct {
		Properties struct {
			Defaults struct{ Properties map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal([]byte(schema), &parsed); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"k":      `{"anyOf":[{"type":"integer"},{"items":{"type":"integer"},"type":"array"},{"type":"string"}],"default":[5],"description":"LIST of numbers"}`,
		"broken": `{"default":false,"description":"fail","type":"boolean"}`,
		"frames": `{"description":"FILE","type":"string"}`,
	} {
		var compact bytes.Buffer
		if err := json.Compact(&compact, parsed.Properties.Defaults.Properties[name]); err != nil || compact.String() != want {
			t.Errorf("%s: %s, %v, want %s", name, compact.String(), err, want)
		}
	}
	if model := string(parsed.Properties.Defaults.Properties["model"]); !strings.Contains(model, `"additionalProperties"`) {
		t.Errorf("model: %s", model)
	}
	var stdout, stderr bytes.Buffer
	commands := []run.Command{p.command("first"), p.command("second")}
	var files []string // names that YAML or the file system would take for something else, and names that are there twice
	for _, name := range []string{"f.npy", "jepa.onnx", "a/jepa.onnx", "true.onnx", "a/x: y.npz", "x: y.npz", "null.npy", ".npy", "- [\"q\"].npz", "ü#.npy", "!tag.npy"} {
		file := filepath.Join(dir, "init", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	files = append(files, files[0]+":frames", filepath.Join(dir, "runs", "*", "step_*.onnx"))
	code = run.Run(t.Context(), New(commands), append([]string{"--init"}, files...), &stdout, &stderr)
	if code != 0 {
		t.Fatal(stderr.String())
	}
	// What it prints is a suite.
	file := filepath.Join(dir, "i.yaml")
	text := strings.ReplaceAll(stdout.String(), "# - first", "- first")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSuite(t.Context(), file, commands)
	if err != nil || len(s.Datasets) != 9 || len(s.Datasets[0].Tasks) != 1 {
		t.Errorf("%v, %v of:\n%s", s, err, text)
	}
	stderr.Reset()
	if code := run.Run(t.Context(), New(commands), []string{"--init", "nothere.npy"}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "--init: nothere.npy: no such file") {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
}

// --width stands in the place of that of the defaults; what a dataset or a section says of itself wins.
func TestWidth(t *testing.T) {
	t.Parallel()
	p := &probe{}
	commands := []run.Command{p.command("first"), p.command("second")}
	text := "defaults: {width: 183mm, first: {width: 100mm}}\nanalyses: [first, second]\n" +
		"datasets: {x: {frames: f.npy}, y: {frames: f.npy, width: 160mm}}\n"
	for width, want := range map[string]string{"": "100mm 183mm 160mm 160mm", "89mm": "100mm 89mm 160mm 160mm"} {
		line := lineOptions{}
		if width != "" {
			line["width"] = width
		}
		s, err := readSuite(t.Context(), "s.yaml", []byte(text), commands, line)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range s.Datasets {
			for i := range d.Tasks {
				got = append(got, widthOf(t, &d.Tasks[i]))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("--width %q: %q, want %s", width, got, want)
		}
	}
}

// What a few lines stand for is counted before it is expanded, also without a run.
func TestExpansions(t *testing.T) {
	t.Parallel()
	digits := "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
	product := fmt.Sprintf("matrix: {a: %[1]s, b: %[1]s, c: %[1]s, d: %[1]s, e: %[1]s, f: %[1]s, g: %[1]s, h: %[1]s}\n", digits)
	product += `datasets: {x: {only: first, model: {run: "{a}{b}{c}{d}{e}{f}{g}{h}.onnx"}}}`
	// Each mapping takes in ten of those before it.
	merges := "datasets:\n  d0: &d0 {enabled: false}\n"
	for i := range 11 {
		merges += fmt.Sprintf("  d%d: &d%d {enabled: false, <<: [%s]}\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*d%d, ", i), 10), ", "))
	}
	// A list of 500 names in 300 datasets.
	var names strings.Builder
	for i := range 500 {
		fmt.Fprintf(&names, "m%d: f, ", i)
	}
	shared := "defaults: {model: &m {" + names.String() + "}}\nanalyses: first\ndatasets:\n"
	for i := range 300 {
		shared += fmt.Sprintf("  d%d: {model: *m}\n", i)
	}
	for name, c := range map[string]struct{ suite, want string }{
		"product": {product, "run expands to 10 × 10 × 10 × 10 × 10 × 10 × 10 × 10 = 100000000; the limit for a file or a command line is 100000 in total\nevaluate: hint: "},
		"merges":  {merges, "the limit for a file or a command line is 100000"},
		"shared":  {shared, "dataset d"},
	} {
		dir, p := suiteFolder(t, c.suite), &probe{}
		for _, args := range [][]string{nil, {"--dry-run"}, {"--list"}} {
			code, _, stderr := evaluate(t, p, dir, args...)
			if code != 2 || !strings.Contains(stderr, c.want) || len(p.runs) > 0 {
				t.Errorf("%s %v: exit %d, want %q: %.300s", name, args, code, c.want, stderr)
			}
		}
	}
	// As many as fit are expanded.
	dir, p := suiteFolder(t, fmt.Sprintf("matrix: {a: %[1]s, b: %[1]s, c: %[1]s}\n", digits)+`datasets: {x: {only: first, frames: "{}/f.npy", model: {run: "{a}{b}{c}.onnx"}}}`), &probe{}
	if code, _, stderr := evaluate(t, p, dir); code != 0 || strings.Count(p.runs[0], "run/") != 1000 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// A model that cannot be measured is a row with its reason, on the console, in the summaries and on the page; the
// task is done.
func TestLackingModels(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, strings.ReplaceAll(oneDataset, "b:", "bad:")), &probe{}
	code, _, stderr := evaluate(t, p, dir, "--quiet")
	if want := "evaluate: x/first: not measured: bad: NaN in 3 of 9 rows\n"; code != 0 || !strings.Contains(stderr, want) {
		t.Errorf("exit %d: %s", code, stderr)
	}
	for name, want := range map[string]string{
		"summary.json":  `"reason": "value: not measured: NaN in 3 of 9 rows;`,
		"summary.csv":   "x,first,bad,,,,,,,NaN in 3 of 9 rows",
		"report.html":   "not measured: NaN in 3 of 9 rows",
		"evaluate.json": `"state": "done"`,
	} {
		data, err := os.ReadFile(filepath.Join(dir, "out", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(string(data)), " "); !strings.Contains(got, want) {
			t.Errorf("%s has no %s: %.1500s", name, want, got)
		}
	}
	if code, _, _ := evaluate(t, p, dir); code != 0 || len(p.runs) != 2 {
		t.Errorf("exit %d, %d runs: what is not measured is run again", code, len(p.runs))
	}
}

// widthOf is the width that a task's figures have.
func widthOf(t *testing.T, task *Task) string {
	t.Helper()
	settled, err := task.Settle()
	if err != nil {
		t.Fatal(err)
	}
	options, err := optionsOf(settled.Set)
	if err != nil {
		t.Fatal(err)
	}
	return options["width"]
}

// --methods writes the texts of all tasks too. Without it nothing is run again and the texts stay.
func TestMethodsOfTasks(t *testing.T) {
	t.Parallel()
	p := &probe{}
	dir := suiteFolder(t, twoDatasets)
	files := func() (list []string) {
		for _, name := range []string{"evaluate_methods.md", "x/first/first_methods.tex", "x/second/second_methods.md", "y/second/second_methods.bib"} {
			if _, err := os.Stat(filepath.Join(dir, "out", name)); err == nil {
				list = append(list, name)
			}
		}
		return list
	}
	for i, step := range []struct {
		args        []string
		runs, files int
	}{{nil, 3, 0}, {[]string{"--methods"}, 6, 4}, {nil, 6, 4}, {[]string{"--methods"}, 6, 4}} {
		code, _, stderr := evaluate(t, p, dir, step.args...)
		if code != 0 || len(p.runs) != step.runs || len(files()) != step.files {
			t.Errorf("step %d: exit %d, %d runs, files %v: %s", i, code, len(p.runs), files(), stderr)
		}
	}
}
