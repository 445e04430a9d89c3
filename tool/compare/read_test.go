// Layouts that are read, and files that are not.

package compare

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/report"
)

func TestPublishedLayouts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, layout string
		task, model        string
		path               string
		value, sd          float64
	}{
		{"m.json", `{"metrics":{"mae":0.5,"mae_std":0.1,"crps":NaN},"evaluation_config":{"n":100}}`, layoutMetrics, "", "m", "mae", 0.5, 0.1},
		{"c.json", `{"checkpoint":"runs/last.ckpt","metrics":{"val":{"acc":0.9}}}`, layoutCheckpoint, "", "last", "val.acc", 0.9, math.NaN()},
		{"d.json", `{"hcdr3":{"acc":0.25}}`, layoutDatasets, "hcdr3", "d", "acc", 0.25, math.NaN()},
		{"r.json", `[{"id":1,"model":"x","iou":0.5},{"id":"2","model":"x","iou":1,"note":"text"},{"id":3,"model":"x"}]`, layoutRows, "", "x", "iou", 0.75, math.Sqrt(0.125)},
		{"s.csv", "model,sample,group,mse\nx,0,1,1\nx,1,1,2\nx,2,2,6\n", layoutSamples, "", "x", "mse", 3, math.Sqrt(7)},
		{"named.json", `{"model":"given","task":"pong","run":3,"metrics":{"mse":1}}`, layoutMetrics, "pong", "given", "mse", 1, math.NaN()},
	} {
		files, err := ReadFrom(c.name, []byte(c.text))
		if err != nil || len(files) != 1 || len(files[0].Models) != 1 {
			t.Errorf("%s: %v, %v", c.name, files, err)
			continue
		}
		f := files[0]
		n, ok := f.Models[0].number(c.path)
		if f.Layout != c.layout || f.Task != c.task || f.Models[0].Name != c.model || !ok || n.Value.V != c.value || math.Abs(n.SD.Float()-c.sd) > 1e-12 ||
			n.SD.Defined() == math.IsNaN(c.sd) {
			t.Errorf("%s: %+v, %+v", c.name, f, n)
		}
	}
	files, err := ReadFrom("two.json", []byte(`{"a":{"acc":1},"b":{"acc":2}}`))
	if err != nil || len(files) != 2 || files[1].Task != "b" {
		t.Errorf("datasets: %v, %v", files, err)
	}
	// A file that only mentions a schema is no result file.
	if files, err := ReadFrom("m.json", []byte(`{"metrics":{"mse":1},"evaluation_config":{"schema":"v2"}}`)); err != nil || files[0].Layout != layoutMetrics {
		t.Errorf("%v, %v", files, err)
	}
}

// Of the steps of a sample the finished design counts, or else the last step, and the number of
// the step is no score.
func TestRowsOfSteps(t *testing.T) {
	t.Parallel()
	files, err := ReadFrom("r.json", []byte(`[
		{"id":"a","model":"x","snapshot_num":2,"ssim":0.2,"definition":"default"},
		{"id":"a","model":"x","snapshot_num":null,"ssim":0.5,"layout_overlap":null},
		{"id":"a","model":"x","snapshot_num":10,"ssim":0.3},
		{"id":"b","model":"x","snapshot_num":10,"ssim":0.7,"layout_overlap":0.25},
		{"id":"b","model":"x","snapshot_num":9,"ssim":0.1},
		{"id":"a","model":"y","ssim":0.25,"definition":"default"}]`))
	if err != nil {
		t.Fatal(err)
	}
	f := files[0]
	if len(f.Models) != 2 || f.Meaning != "default" {
		t.Fatalf("%+v", f)
	}
	for path, want := range map[string]float64{"ssim": 0.6, "layout_overlap": 0.25} {
		if n, ok := f.Models[0].number(path); !ok || math.Abs(n.Value.V-want) > 1e-12 {
			t.Errorf("%s: %+v, want %v", path, n, want)
		}
	}
	if n, ok := f.Models[0].number("snapshot_num"); ok {
		t.Errorf("steps are a score: %+v", n)
	}
	other, err := ReadFrom("s.json", []byte(`[{"id":"a","model":"x","ssim":0.2,"definition":"published"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if found := differences(f, other[0]); len(found) != 1 || found[0] != "rows follow the definition default in r.json and published in s.json" {
		t.Errorf("differences %q", found)
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "truncated", "{": "truncated", "nothing": "not JSON", "3": "got a single value", "{}": "an empty object", "[]": "no row has a number",
		`{"schema":"repscope/2","analysis":"a","models":{}}`:          `its schema is the text "repscope/2", want "repscope/1"`,
		`{"schema":"repscope/1","analysis":"a","models":{}}`:          "the result of a has no models",
		`{"schema":"repscope/1","analysis":"a","models":{"m":7}}`:     "models.m: want an object",
		`{"schema":"repscope/1","analysis":"a","models":{"m":{"x":1}`: "truncated",
		`{"metrics":5}`:               `"metrics" is not an object of numbers`,
		`{"metrics":{"note":"none"}}`: "there are no numbers",
		`{"a":{"x":1},"b":2}`:         `"b" is no object of numbers`,
		`{"a":{"x":"y"}}`:             `there are no numbers`,
		`[1]`:                         "row 0 is no object",
		`[["a", 0.5]]`:                "pandas wrote by values; want rows",
		`{"schema":{"fields":[]},"data":[{"model":"a"}]}`: "pandas wrote by table; want rows",
		`[{"id":1,"x":2}]`: `row 0 has no "id" or no "model"`,
		`[{"id":1,"model":"m","x":2},{"id":1,"model":"m","x":3}]`:                                                 `row 1: m has the id "1" twice`,
		`[{"id":1,"model":"m","x":1e999}]`:                                                                        "beyond the range",
		`[{"id":1,"model":"m","snapshot_num":"last","x":1}]`:                                                      "row 0: snapshot_num is last, want a number or null",
		`[{"id":1,"model":"m","snapshot_num":1,"x":2},{"id":1,"model":"m","snapshot_num":1,"x":3}]`:               `row 1: m has the id "1" twice`,
		`[{"id":1,"model":"m","definition":"default","x":2},{"id":2,"model":"m","definition":"published","x":3}]`: "rows follow the definitions default and published",
		"model,sample,group,mse\n":                                                                                "there are no rows",
		"model,sample,group\na,b,c\n":                                                                             "no column of a metric",
	} {
		_, err := ReadFrom("p.json", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "p.json") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Read("none.json"); err == nil || err.Error() != "none.json: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

func TestGatherFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a/b"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a/b/one.json"), `{"schema":"repscope/1","analysis":"one","models":{"m":{"mse":1}}}`)
	write(t, filepath.Join(dir, "a/compare.json"), `{"schema":"repscope/1","analysis":"compare","models":{"m":{"mse":1}}}`)
	write(t, filepath.Join(dir, "evaluate.json"), `{"schema":"repscope/1","analysis":"evaluate","models":{}}`)
	write(t, filepath.Join(dir, "config.json"), `{"a":1}`)
	write(t, filepath.Join(dir, "published.json"), `{"metrics":{"mse":1}}`)
	g, err := Gather(t.Context(), []Spec{{Path: dir, Task: "t"}}, 2)
	if err != nil || len(g.Files) != 1 || g.Files[0].Task != "t" || len(g.Ignored) != 4 {
		t.Errorf("%+v, %v", g, err)
	}
	for path, want := range map[string]string{filepath.Join(dir, "none"): "no such file", filepath.Join(dir, "config.json"): `"a" is no object`} {
		if _, err := Gather(t.Context(), []Spec{{Path: path}}, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	write(t, filepath.Join(dir, "a/b/broken.json"), `{"schema":"repscope/1",`)
	if _, err := Gather(t.Context(), []Spec{{Path: dir}}, 2); !errors.Is(err, report.ErrTruncated) {
		t.Errorf("a damaged file in a folder: %v", err)
	}
	empty := t.TempDir()
	if _, err := Gather(t.Context(), []Spec{{Path: empty}}, 2); err == nil || !strings.Contains(err.Error(), "there are no result files in "+empty) {
		t.Errorf("got %v", err)
	}
}

func TestParseSpec(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]Spec{
		"a.json": {Path: "a.json"}, "pong=a.json": {Task: "pong", Path: "a.json"}, "@1=a.json": {Run: "1", Path: "a.json"}, "pong@x=a=b.json": {Task: "pong", Run: "x", Path: "a=b.json"},
	} {
		if got, err := ParseSpec(given); err != nil || got != want {
			t.Errorf("%s: %+v, %v", given, got, err)
		}
	}
	for _, given := range []string{"=a", "@=a", "a@=b", "a="} {
		if got, err := ParseSpec(given); err == nil {
			t.Errorf("%s: %+v", given, got)
		}
	}
}

func TestTaskTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	write(t, path, `{"task":"pong","metrics":{"mse":1}}`)
	if _, err := Gather(t.Context(), []Spec{{Path: path, Task: "qbert"}}, 1); err == nil || !strings.Contains(err.Error(), `says itself that it is task "pong"`) {
		t.Errorf("got %v", err)
	}
}

// Whatever the bytes, there is an error with the file's name, or files with models.
func FuzzReadFrom(f *testing.F) {
	for _, text := range []string{
		`{"metrics":{"mae":0.5,"mae_std":0.1},"evaluation_config":{"n":100}}`, `{"checkpoint":"a/b.ckpt","metrics":{"acc":0.9}}`, `{"hcdr3":{"acc":0.25}}`,
		`[{"id":1,"model":"x","iou":0.5},{"id":2,"model":"x","iou":NaN}]`, "model,sample,group,mse\nx,0,1,1\n", `{"schema":"repscope/1","analysis":"a","models":{"m":{"x":1,"x_ci":[0,2]}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := ReadFrom("p.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.json") {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		for _, f := range files {
			if len(f.Models) == 0 {
				t.Error("a file without models")
			}
		}
		// What is read can be compared, or is refused in words.
		r, err := Compare(t.Context(), &Gathered{Files: files}, Options{Metrics: []string{"*"}})
		if err != nil {
			return
		}
		for _, name := range []string{"t.csv", "t.md", "t.tex"} {
			if err := r.WriteTable(&bytes.Buffer{}, name, OrientModels); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestWriteTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	write(t, a, `{"model":"m_1 & co","metrics":{"mse":0.5,"mse_std":0.25,"psnr":-1.5e-7}}`)
	write(t, b, `{"model":"x|y","metrics":{"mse":1,"psnr":null}}`)
	r := must(t, Options{}, a, b)
	for path, want := range map[string][]string{
		"t.tex": {`\begin{tabular}{@{}lrr@{}}`, `Metric & m\_1 \& co & x\textbar{}y \\`, `MSE $\downarrow$ & 0.5000 & 1.000 \\`, `PSNR (dB) $\uparrow$ & $-1.500\times 10^{-7}$ & -- \\`, `\bottomrule`},
		"t.md":  {`| Metric | m\_1 & co | x\|y |`, "| MSE ↓ | 0.5000 | 1.000 |", "Nothing is marked"},
		"t.csv": {"Task,Analysis,Metric,Direction,Unit,Model,Value,", ",,mse,lower,,m_1 & co,0.5,,,0.25,1,"},
	} {
		var out bytes.Buffer
		if err := r.WriteTable(&out, path, OrientMetrics); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%s lacks %q:\n%s", path, line, out.String())
			}
		}
	}
	var wide bytes.Buffer
	if err := r.WriteTable(&wide, "t.csv", OrientModels); err != nil || wide.String() != "Model,mse,mse_std,psnr\nm_1 & co,0.5,0.25,-1.5e-07\nx|y,1,,\n" {
		t.Errorf("%v\n%s", err, wide.String())
	}
	if err := r.WriteTable(&wide, "t.txt", OrientModels); err == nil || !strings.Contains(err.Error(), ".csv, .md, .tex") {
		t.Errorf("got %v", err)
	}
}

func TestReadScale(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "scale.csv")
	write(t, path, "task,worst,best,metric\npong,-21,21,return\nqbert,100,2000,\n")
	got, err := ReadScale(path)
	if err != nil || !slices.Equal(got, []TaskScale{{"pong", "return", -21, 21}, {"qbert", "", 100, 2000}}) {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{
		"": "the table is empty", "task,worst\na,1\n": `there is no column "best"; the columns are task, worst, want task, worst, best`,
		"task,worst,best\na,1,x\n":         `line 2: worst "1" and best "x" of task a`,
		"task,worst,best\na\n":             "line 2 does not have the same number of cells as the first line",
		"task,worst,Worst,best\na,0,1,2\n": "the columns worst and Worst both contain worst",
		"task,worst,best\na,0,1\na,0,2\n":  "line 3: task a has a scale already",
	} {
		write(t, path, text)
		if _, err := ReadScale(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestRead_StoreFile names the file of a store that cannot be read.
func TestRead_StoreFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	meta := filepath.Join(dir, "r", "meta.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "r", "metrics"), 0o700), os.Mkdir(meta, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || err.Error() != meta+": want a file, got a folder" {
		t.Error(err)
	}
}
