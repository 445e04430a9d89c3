// Tests of the order, labels and groups of models in reports.

package evaluate

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/report"
)

const threeModels = `
models: {c: {label: ours, group: trained}, run/a: {label: First, group: runs}, b: {group: trained}}
defaults:
  frames: "{}/f.npy"
  model: {a: a.onnx, b: b.onnx, c: c.onnx, run: "{}/runs/*/step_*.onnx"}
analyses: [second, first]
datasets:
  x: {seed: 1}
`

// shownModels are the models of summary.json of a folder, and their groups.
func shownModels(t *testing.T, folder string) (names []string, groups report.Object) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := report.Parse("summary.json", data)
	if err != nil {
		t.Fatal(err)
	}
	at := value.(report.Object)
	for _, key := range []string{"datasets", "x"} {
		next, _ := at.Get(key)
		at = next.(report.Object)
	}
	models, _ := at.Get("models")
	g, _ := at.Get("groups")
	groups, _ = g.(report.Object)
	list := models.(report.Object)
	return list.Keys(), groups
}

// Order, labels and groups of a suite are those of the report and of a report made of its results, and no task runs
// because of them.
func TestArrangement(t *testing.T) {
	t.Parallel()
	dir := suiteFolder(t, threeModels)
	out := filepath.Join(dir, "out")
	p := &probe{}
	if code, _, messages := evaluate(t, p, dir); code != 0 || strings.Contains(messages, "models:") {
		t.Fatalf("exit status %d: %s", code, messages)
	}
	// c and b are of one group, run/a is next, the others are as they were.
	want := []string{"ours", "b", "First/9", "First/10", "a", "run/b/9"}
	check := func(what, folder string) {
		t.Helper()
		names, groups := shownModels(t, folder)
		if !slices.Equal(names, want) {
			t.Errorf("%s: models %v, want %v", what, names, want)
		}
		for name, group := range map[string]any{"ours": "trained", "b": "trained", "First/9": "runs", "a": nil} {
			if got, _ := groups.Get(name); got != group {
				t.Errorf("%s: %s is of group %v, want %v", what, name, got, group)
			}
		}
		page, err := os.ReadFile(filepath.Join(folder, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			`<span class="nm">ours</span></span> <span class="where">trained</span>`,
			`<span class="nm">First</span></label> <span class="where">2 checkpoints</span> <span class="where">runs</span>`,
		} {
			if !bytes.Contains(page, []byte(text)) {
				t.Errorf("%s: the page has no %s", what, text)
			}
		}
		table, err := os.ReadFile(filepath.Join(folder, "summary.csv"))
		if err != nil || !bytes.Contains(table, []byte("x,first,ours,score")) ||
			bytes.Index(table, []byte("ours")) > bytes.Index(table, []byte(",b,")) {
			t.Errorf("%s: the table is %s, %v", what, table, err)
		}
	}
	check("the study", out)
	other := filepath.Join(dir, "other")
	var messages bytes.Buffer
	command := New([]run.Command{p.command("first"), p.command("second")})
	if code := run.Run(t.Context(), command, []string{"report", out, "--out", other}, &messages, &messages); code != 0 {
		t.Fatal(messages.String())
	}
	check("a report of the folder", other)

	runs := len(p.runs)
	text := strings.Replace(threeModels, threeModels[1:strings.Index(threeModels, "\ndefaults")], "models: [b, a]", 1)
	rewrite(t, dir, text)
	if code, _, messages := evaluate(t, p, dir); code != 0 || len(p.runs) != runs {
		t.Errorf("another order: exit status %d, %d tasks run again: %s", code, len(p.runs)-runs, messages)
	}
	if names, _ := shownModels(t, out); !slices.Equal(names, []string{"b", "a", "c", "run/a/9", "run/a/10",
		"run/b/9"}) {
		t.Errorf("another order: models %v", names)
	}
	for sort, want := range map[string][]string{
		"first.score": {"run/b/9", "run/a/10", "run/a/9", "c", "b", "a"},
		"":            {"b", "a", "c", "run/a/9", "run/a/10", "run/b/9"},
	} {
		var args []string
		if sort != "" {
			args = []string{"--sort", sort}
		}
		if code, _, messages := evaluate(t, p, dir, args...); code != 0 || len(p.runs) != runs {
			t.Errorf("--sort=%s: exit status %d, %d tasks run again: %s", sort, code, len(p.runs)-runs, messages)
		}
		if names, _ := shownModels(t, out); !slices.Equal(names, want) {
			t.Errorf("--sort=%s: models %v, want %v", sort, names, want)
		}
	}
}

// rewrite gives a folder another suite.
func rewrite(t *testing.T, dir, suite string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(strings.ReplaceAll(suite, "{}", dir)),
		0o666); err != nil {
		t.Fatal(err)
	}
}

func TestArrangement_Wrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		models string
		code   int
		want   string
	}{
		{"{a: x, b: x}", 2, `"a" and "b" have the label "x"`},
		{"{a: {lable: x}}", 2, `did you mean label?`},
		{"{a: [x]}", 2, "want one value"},
		{"[a, a]", 2, `"a" is there twice`},
		{"[[a]]", 2, "want a list of plain values"},
		{"{a: b}", 0, `the label "b" of a is the name of another model; a keeps its name`},
		{"[run/aa]", 0, `no result has a model "run/aa"; did you mean "run/a/9"?`},
	} {
		line := "models: " + c.models
		dir := suiteFolder(t, strings.Replace(threeModels, threeModels[1:strings.Index(threeModels, "\ndefaults")],
			line, 1))
		if code, _, messages := evaluate(t, &probe{}, dir); code != c.code || !strings.Contains(messages, c.want) {
			t.Errorf("%s: exit status %d: %s", line, code, messages)
		}
	}
	dir := suiteFolder(t, threeModels)
	code, _, messages := evaluate(t, &probe{}, dir, "--sort", "first.scor")
	if code != 2 || !strings.Contains(messages, "did you mean first.score?") {
		t.Errorf("exit status %d: %s", code, messages)
	}
}
