// Fuzzing of arguments and of small files.

package compare

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"repscope/internal/run"
)

// Arguments are taken apart without loss, and a bound is a metric and a share from 0.
func FuzzSpec(f *testing.F) {
	for _, s := range []string{"pong@1=a.json", "@2=b", "a=b=c", "a@=b", "=x", "runs/a.json", "mse>5", "mse > 5 %", ">1", "a>b>2", "n:loss=log.csv", "n=epoch=1-step=100.ckpt", `a\=b`, `a\=b=c`, `a\b=c`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		home := strings.HasPrefix(text, "~") || strings.Contains(text, "=~") // a path that is shown whole
		if s, err := ParseSpec(text); err == nil && !home {
			name := s.Task
			if s.Run != "" {
				name += "@" + s.Run
			}
			checkSpec(t, ParseSpec, text, s, name, s.Path)
		}
		if s, err := ParseLossSpec(text); err == nil && !home {
			name := s.Name
			if s.Column != "" {
				name += ":" + s.Column
			}
			checkSpec(t, ParseLossSpec, text, s, name, s.Path)
		}
		if metric, percent, err := parseBound(text); err == nil && (!(percent >= 0) || percent > 1e308 || !strings.HasPrefix(strings.TrimSpace(text), metric)) {
			t.Errorf("%q is %q and %v", text, metric, percent)
		}
	})
}

// checkSpec compares a text with the name and the path that were found in it. A text with a backslash, which hides an
// equals sign, has other spellings: another one is read alike.
func checkSpec[S any](t *testing.T, parse func(string) (S, error), text string, s S, name, path string) {
	t.Helper()
	plain, spelled := path, run.JoinUnnamed(path)
	if name != "" {
		plain, spelled = name+"="+path, run.JoinName(name, path)
	}
	if !strings.Contains(text, `\`) && plain != text {
		t.Errorf("%q is %+v", text, s)
	}
	if again, err := parse(spelled); err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%q is %+v, but %q is %+v: %v", text, s, spelled, again, err)
	}
}

// A table of scales has finite ends, or an error that names the file.
func FuzzReadScale(f *testing.F) {
	for _, s := range []string{"task,worst,best\npong,-20.7,14.6\n", "Task,metric,Worst,Best\na,mse,1,0\n", "task,worst,best\n", "", "task,worst\n", "task,worst,best\na,nan,1\n", "\"", "\ufefftask,worst,best\na,0,1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "scale.csv")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		scales, err := ReadScale(path)
		if err != nil {
			if !strings.Contains(err.Error(), "scale.csv") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, s := range scales {
			if s.Worst-s.Worst != 0 || s.Best-s.Best != 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// readsOrRefuses holds that what is read of a file has models with finite numbers or reasons, one of
// each run, and that comparing it ends, or that an error names the file.
func readsOrRefuses(t *testing.T, name string, data []byte, tables Tables) {
	files, err := readFrom(name, data, &tables)
	if err != nil {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name the file: %v", err)
		}
		return
	}
	if len(files) == 0 {
		t.Error("neither files nor an error")
	}
	for _, f := range files {
		seen := map[[2]string]bool{}
		for _, m := range f.Models {
			if key := [2]string{m.Given, m.Run}; seen[key] {
				t.Errorf("%v is there twice", key)
			} else {
				seen[key] = true
			}
			for _, n := range m.Numbers {
				if !finite(n.Value.V) && n.Value.Defined() || n.Interval.Defined() && !(n.Interval.Low <= n.Interval.High) {
					t.Errorf("%+v", n)
				}
			}
		}
	}
	if len(data) < 500 {
		_, _ = Compare(t.Context(), &Gathered{Files: files}, Options{Metrics: []string{"*"}, Resamples: 10})
	}
}

func FuzzScoreTable(f *testing.F) {
	for _, s := range []string{"model,task,run,score\nA,x,1,2\nA,x,2,3\nB,x,1,nan\n", "task;seed;A;B\nx;1;0,5;1\n", "model,acc,f1\nA,1,\n", ",model,score\n0,A,1\n", "metric\tA\tB\nmse\t1\t2\n"} {
		f.Add([]byte(s), byte(0))
		f.Add([]byte(s), byte(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, how byte) {
		given := Tables{Wide: []string{"", WideModels, WideMetrics}[how%3]}
		if how&8 != 0 {
			given.Columns = []string{"task=task", "run=seed"}
		}
		readsOrRefuses(t, "scores.csv", data, given)
	})
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte("{\"model\":\"a\",\"task\":\"x\",\"score\":1}\n{\"model\":\"b\",\"task\":\"x\",\"score\":null}\n"))
	f.Add([]byte(`[{"model":"a","test":{"acc":1}},{"model":"b","late":[1]}]`))
	f.Fuzz(func(t *testing.T, data []byte) { readsOrRefuses(t, "scores.jsonl", data, Tables{}) })
}

func FuzzBenchstat(f *testing.F) {
	f.Add([]byte(benchstatText))
	f.Add([]byte(benchstatCSV))
	f.Add([]byte(benchstatOld))
	f.Fuzz(func(t *testing.T, data []byte) { readsOrRefuses(t, "stat.txt", data, Tables{}) })
}

func FuzzHarness(f *testing.F) {
	f.Add([]byte(harnessText))
	f.Add([]byte(`{"results":{"t":{"acc":1,"acc_stderr":0.1,"sample_len":3}},"config":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) { readsOrRefuses(t, "h.json", data, Tables{}) })
}

func FuzzBenchmarks(f *testing.F) {
	f.Add([]byte(benchmarkText))
	f.Add([]byte("Unit x better=higher\nBenchmarkA 1 2 x 3 y\n"))
	f.Fuzz(func(t *testing.T, data []byte) { readsOrRefuses(t, "bench.txt", data, Tables{}) })
}

func FuzzLogged(f *testing.F) {
	f.Add([]byte(loggedLines(2, func(i int) bool { return i > 0 })))
	f.Add([]byte(`{"doc_id": 0, "acc": 1.0, "f1": NaN}` + "\n" + `{"doc_id": 1, "acc": true}`))
	f.Add([]byte(`[{"doc_id": "a", "acc": 0.5}]`))
	f.Add([]byte(`{"model":"a","acc":true}` + "\n" + `{"model":"b","acc":null,"seed":1}`))
	f.Add([]byte(`[{"model":"a","acc":0.5},{"model":"b","acc":1}]`))
	f.Fuzz(func(t *testing.T, data []byte) { readsOrRefuses(t, "samples_t.jsonl", data, Tables{}) })
}
