// Files of Weights & Biases and of MLflow.

package tracker

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/tabular"
)

func chart(t *testing.T, text string) (string, error) {
	t.Helper()
	rows, names, err := tabular.Open("chart.csv", strings.NewReader(text), tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !IsChart(names) {
		t.Fatalf("%v is no chart", names)
	}
	out, err := Chart(rows, names)
	return string(out), err
}

const chartText = `"Step","small - val/acc","small - val/acc__MIN","small - val/acc__MAX","a - b - val/acc","a - b - val/acc__MIN","a - b - val/acc__MAX"
0,0.5,0.5,0.5,,,
2,0.75,0.75,0.75,0.25,0.25,0.25
1,0.6,0.6,0.6,0.125,0.125,0.125
3,,,,NaN,NaN,NaN
`

func TestChart(t *testing.T) {
	t.Parallel()
	if got, err := chart(t, chartText); err != nil || got != "model,val/acc\nsmall,0.75\na - b,NaN\n" {
		t.Errorf("%s, %v", got, err)
	}
	for _, c := range []struct{ text, want string }{
		{strings.Replace(chartText, "0.6,", "high,", 1),
			`line 4: the column small - val/acc holds "high", want a number`},
		{"Step;a - x;a - x__MIN;a - x__MAX\n0;0,5;0,5;0,5\n1;1.234;0,5;0,5\n",
			"line 3: the column a - x: points may be of decimals or of thousands"},
		{strings.Replace(chartText, "\n0,", "\nx,", 1), `line 2: the column Step holds "x", want a number`},
		{"Step,a - x,a - x__MIN,a - x__MAX\n", "no run of the chart has a value at a step"},
		{"Step,a - x,a - x__MIN,a - x__MAX\n0,1\n", "line 2 does not have the same number of cells"},
	} {
		if _, err := chart(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	for _, names := range [][]string{{"Step", "a - x"}, {"Step", "loss", "loss__MIN", "loss__MAX"}, nil} {
		if IsChart(names) {
			t.Errorf("%v is a chart", names)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	text := `{"_step": 0, "_runtime": 3, "loss": 2, "val/acc": 0.5, "note": "x"}
{"_step": 2, "loss": NaN, "_timestamp": 1}

{"_step": 1, "loss": 1.5, "val/acc": 0.75}
`
	if !IsHistory([]byte(text)) || IsHistory([]byte(`{"step": 1}`)) || IsHistory([]byte(`{"_step": "x"}`)) || IsHistory(nil) {
		t.Error("histories are not told apart")
	}
	if got, err := History("h.jsonl", "run", []byte(text)); err != nil || string(got) != "model,loss,val/acc\nrun,NaN,0.75\n" {
		t.Errorf("%s, %v", got, err)
	}
	// A run that diverged: the client writes numbers that are not finite as texts.
	text = `{"_step": 0, "loss": 2, "norm": 1, "low": 1, "note": "NaN of it"}
{"_step": 1, "loss": "NaN", "norm": "Infinity", "low": "-Infinity"}
`
	if got, err := History("h.jsonl", "run", []byte(text)); err != nil || string(got) != "model,loss,norm,low\nrun,NaN,+Inf,-Inf\n" {
		t.Errorf("%s, %v", got, err)
	}
	for bad, want := range map[string]string{
		`{"_step": 0}`:                         "h.jsonl: no row has a number next to _step",
		"{\"_step\": 0, \"a\": 1}\n{\"a\": 2}": `h.jsonl:2: want an object with the number "_step" and metrics`,
		"{\"_step\": 0, \"a\": 1}\n[":          "h.jsonl:2:",
		"{\"_step\": 0}\n\n{\"_step\": ,":      "h.jsonl:3:11: _step: not JSON",
	} {
		if _, err := History("h.jsonl", "run", []byte(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", bad, err, want)
		}
	}
}

// stored writes the files of testdata/mlruns.txt.
func stored(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/mlruns.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for file := range strings.SplitSeq(strings.TrimPrefix(string(data), "== "), "\n== ") {
		name, text, _ := strings.Cut(file, "\n")
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "mlruns")
}

// cells are the cells of a table of runs by the name of the run.
func cells(t *testing.T, data []byte) map[string]map[string]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for k, name := range rows[0] {
			cells[name] = row[k]
		}
		out[cells[RunName]] = cells
	}
	return out
}

// TestStore compares the store with what MLflow's search_runs says of it. The export of MLflow has no NaN.
func TestStore(t *testing.T) {
	t.Parallel()
	dir := stored(t)
	data, err := Store(dir)
	if err != nil {
		t.Fatal(err)
	}
	export, err := os.ReadFile("testdata/runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	got, want := cells(t, data), cells(t, export)
	if len(got) != 7 || len(want) != 7 {
		t.Errorf("%d and %d runs", len(got), len(want))
	}
	for name, row := range want {
		for column, cell := range row {
			if column != RunID && column != RunName && !strings.HasPrefix(column,
				Metrics) && !strings.HasPrefix(column, Params) {
				continue
			}
			if have := got[name][column]; strings.TrimSuffix(have, ".0") != strings.TrimSuffix(cell, ".0") &&
				!(cell == "" && have == "NaN") && !(cell == "inf" && have == "+Inf") {
				t.Errorf("%s of %s: %q, want %q", column, name, have, cell)
			}
		}
	}
	for _, c := range []struct {
		path string
		is   bool
	}{{dir, true}, {filepath.Join(dir, "697854086373175448"), true}, {filepath.Dir(dir), false}, {t.TempDir(),
		false}, {"none[", false}} {
		if IsStore(c.path) != c.is {
			t.Errorf("%s: %v", c.path, !c.is)
		}
	}
}

func TestBadStores(t *testing.T) {
	t.Parallel()
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"meta.yaml": ""}, "no run in it has metrics"},
		{map[string]string{"r/meta.yaml": "lifecycle_stage: deleted\n", "r/metrics/a": "1 2 0\n"},
			"all its runs are deleted"},
		{map[string]string{"r/meta.yaml": "", "r/metrics/a": "1 2 0\nx\n"},
			`a:2: "x", want a time, a value and a step`},
		{map[string]string{"r/meta.yaml": "", "r/metrics/a": "1 high 0\n"}, `a:1: "1 high 0", want a time`},
		{map[string]string{"r/meta.yaml": strings.Repeat("x", mostText+1), "r/metrics/a": "1 2 0\n"}, "meta.yaml"},
	} {
		if _, err := Store(write(c.files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.files, err, c.want)
		}
	}
	// Of equal steps the later time counts, and a line without a step has step 0.
	data, err := Store(write(map[string]string{"r/meta.yaml": "", "r/metrics/a": "5 2 0\n4 3 0\n6 1\n",
		"r/metrics/b/c": ""}))
	if err != nil || string(data) != "run_id,tags.mlflow.runName,metrics.a,metrics.b/c\nr,r,1,\n" {
		t.Errorf("%s, %v", data, err)
	}
	// A name says nothing of whether a run is deleted.
	data, err = Store(write(map[string]string{"r/meta.yaml": "lifecycle_stage: active\nrun_name: 'lifecycle_stage: deleted'\n" +
		"x: |-\n  lifecycle_stage: deleted\n", "r/metrics/a": "5 2 0\n"}))
	if err != nil || string(data) != "run_id,tags.mlflow.runName,metrics.a\nr,r,2\n" {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := Store("none"); err == nil {
		t.Error("a folder that does not exist is read")
	}
}

func FuzzChart(f *testing.F) {
	f.Add([]byte(chartText))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, names, err := tabular.Open("chart.csv", bytes.NewReader(data), tabular.Options{})
		if err != nil || !IsChart(names) {
			return
		}
		if out, err := Chart(rows, names); err == nil && !bytes.HasPrefix(out,
			[]byte("model,")) && !bytes.HasPrefix(out, []byte("model\n")) {
			t.Errorf("%s", out)
		}
	})
}

func FuzzHistory(f *testing.F) {
	f.Add([]byte("{\"_step\": 0, \"a\": 1}\n{\"_step\": 1, \"a\": NaN}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !IsHistory(data) {
			return
		}
		if _, err := History("h.jsonl", "run", data); err != nil && !strings.Contains(err.Error(), "h.jsonl") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}

func FuzzStore(f *testing.F) {
	f.Add([]byte("1 2 0\n2 nan 1\n"), []byte("lifecycle_stage: active\n"))
	f.Fuzz(func(t *testing.T, metric, meta []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"r/metrics/a": metric, "r/meta.yaml": meta} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Store(dir); err != nil && !strings.Contains(err.Error(), dir) {
			t.Errorf("the error does not name the folder: %v", err)
		}
	})
}

// TestGroupedChart has the columns of runs that are grouped, with the steps of the tracker itself.
func TestGroupedChart(t *testing.T) {
	t.Parallel()
	const chart = "Step,Group: a - acc,Group: a - acc__MIN,Group: a - acc__MAX,Group: a - _step,Group: a - _step__MIN," +
		"Group: a - _step__MAX,Group: b - acc,Group: b - acc__MIN,Group: b - acc__MAX\n" +
		"0,0.1,0.1,0.2,0,0,0,0.5,0.4,0.6\n1,0.6,0.5,0.7,1,1,1,0.25,0.2,0.3\n"
	rows, names, err := tabular.Open("c.csv", strings.NewReader(chart), tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Chart(rows, names)
	if want := "model,acc\nGroup: a,0.6\nGroup: b,0.25\n"; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
