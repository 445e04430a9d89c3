// Tests of what makes a task run again.

package evaluate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"repscope/internal/atomicfile"
	"repscope/internal/gunzip"
	"repscope/tool/evaluate/page"
)

// A file that was touched and is the same is read, not run again.
func TestTouched(t *testing.T) {
	t.Parallel()
	f := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(f, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	known, err := look(f)
	if err != nil {
		t.Fatal(err)
	}
	if known.SHA256, err = sum(f); err != nil {
		t.Fatal(err)
	}
	known.Time--
	if reason, read := known.change(""); reason != "" || !read {
		t.Errorf("the same content %s", reason)
	}
	if reason, read := known.change(""); reason != "" || read {
		t.Errorf("what was read is read again: %s", reason)
	}
	if err := os.WriteFile(f, []byte("Content"), 0o666); err != nil {
		t.Fatal(err)
	}
	known.Time--
	if reason, _ := known.change(""); reason != "has another content" {
		t.Errorf("another content %q", reason)
	}
	if err := os.Remove(f); err != nil {
		t.Fatal(err)
	}
	if reason, _ := known.change(""); reason != "is gone" {
		t.Errorf("a file that is gone %q", reason)
	}
}

// What is damaged in the study's folder, by whatever, is done again; what is the same is not, whatever the clock says.
func TestDamagedResults(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, twoDatasets), &probe{}
	if code, _, stderr := evaluate(t, p, dir); code != 0 {
		t.Fatal(stderr)
	}
	result := filepath.Join(dir, "out/x/first/first.json")
	record := filepath.Join(dir, "out/x/first", recordName)
	for what, damage := range map[string]func() error{
		"a byte of a result":    func() error { return flip(result, 20) },
		"a result that is gone": func() error { return os.Remove(result) },
		"a record that is gone": func() error { return os.Remove(record) },
		"half a record":         func() error { return os.Truncate(record, 30) },
		"a record of no bytes":  func() error { return os.Truncate(record, 0) },
		"another result":        func() error { return os.WriteFile(result, []byte("{}"), 0o666) },
		"an input of the future": func() error {
			f := filepath.Join(dir, "f.npy")
			later := time.Now().Add(1000 * time.Hour)
			return errors.Join(os.WriteFile(f, []byte("Frames"), 0o666), os.Chtimes(f, later, later))
		},
	} {
		p.runs = nil
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		want := 1
		if what == "an input of the future" {
			want = 3 // all tasks read it
		}
		if code, _, stderr := evaluate(t, p, dir); code != 0 || len(p.runs) != want {
			t.Errorf("%s: exit %d, %d runs: %s", what, code, len(p.runs), stderr)
		}
		if code, _, stderr := evaluate(t, p, dir); code != 0 || len(p.runs) != want {
			t.Errorf("%s: exit %d, %d runs in all: it is done again: %s", what, code, len(p.runs), stderr)
		}
	}
	// The clock was set back: inputs and results have times of the future, and are what they were.
	p.runs = nil
	later := time.Now().Add(1000 * time.Hour)
	for _, f := range []string{filepath.Join(dir, "f.npy"), result, record} {
		if err := os.Chtimes(f, later, later); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if code, _, stderr := evaluate(t, p, dir); code != 0 || len(p.runs) != 0 {
			t.Errorf("files of the future: exit %d, runs %q: %s", code, p.runs, stderr)
		}
	}
}

// flip changes a byte of a file.
func flip(path string, at int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[at] ^= 1
	return os.WriteFile(path, data, 0o666)
}

// What a process that was killed left is removed, and nothing else.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, twoDatasets), &probe{}
	temporary := func(path string) string { return atomicfile.Temporary(path, atomicfile.NewID()) }
	left := []string{temporary("out/summary.csv"), temporary("out/x/first/first.json"), temporary("out/x/first/frames/1.png")}
	mine := []string{"out/.notes.tmp", "out/x/first/.first.json.mine.tmp", "out/x/first/notes.txt", temporary("out/other/f")}
	for _, name := range append(left, mine...) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := evaluate(t, p, dir); code != 0 {
		t.Fatal(stderr)
	}
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range mine {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// An option, the program or an input that is another is named.
func TestReasons(t *testing.T) {
	t.Parallel()
	d := &done{Program: "devel a", Options: map[string]string{"k": "5", "seed": "1"}, Inputs: []file{{Path: "/none/f.npy"}}}
	reasons, _ := d.changes(t.TempDir(), "devel b", map[string]string{"k": "6", "bootstrap": "0"})
	want := "program devel b, was devel a\noption bootstrap: 0, was not set\noption k: 6, was 5\noption seed: not set, was 1\ninput /none/f.npy is gone"
	if got := strings.Join(reasons, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const oneDataset = `
analyses: [first, second]
datasets:
  x: {frames: "{}/f.npy", model: {a: "{}/runs/a/step_9.onnx", b: "{}/runs/a/step_10.onnx"}}
`

// A file that is absent during a run makes tasks fail and nothing else: the results that are there stay, and are
// known again when it is back.
func TestAbsentFile(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, oneDataset), &probe{}
	frames := filepath.Join(dir, "f.npy")
	absent := false
	p.during = func(string) error {
		_, err := os.Stat(frames)
		return err
	}
	for _, want := range []struct{ code, runs int }{{0, 2}, {1, 4}, {0, 4}, {0, 4}} {
		if code, _, stderr := evaluate(t, p, dir); code != want.code || len(p.runs) != want.runs {
			t.Errorf("absent %v: exit %d, %d runs, want %v: %s", absent, code, len(p.runs), want, stderr)
		}
		from, to := frames, frames+".away"
		if absent {
			from, to = to, from
		}
		if want.runs == 2 || absent {
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
			absent = !absent
		}
	}
}

// A task that failed half way with another option is not taken for done.
func TestFailedAfterResult(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, oneDataset), &probe{}
	suite := filepath.Join(dir, "s.yaml")
	plain, err := os.ReadFile(suite)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(plain), "x: {", "x: {broken: true, ", 1)
	for _, want := range []struct {
		suite      string
		code, runs int
	}{{string(plain), 0, 2}, {broken, 1, 4}, {broken, 1, 6}, {string(plain), 0, 6}} {
		if err := os.WriteFile(suite, []byte(want.suite), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := evaluate(t, p, dir); code != want.code || len(p.runs) != want.runs {
			t.Errorf("exit %d, %d runs, want %d and %d: %s", code, len(p.runs), want.code, want.runs, stderr)
		}
	}
}

// Parts are remembered by content: a model of another name, a file in another place and a model more compute nothing
// of the others again; another option does.
func TestMemoryOfModels(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, oneDataset), &probe{}
	for name, content := range map[string]string{"runs/a/step_9.onnx": "nine", "runs/a/step_10.onnx": "ten", "runs/b/step_9.onnx": "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	suite := filepath.Join(dir, "s.yaml")
	for _, step := range []struct {
		what, from, to string
		computed       int // parts of both analyses
	}{
		{"nothing", "", "", 4},
		{"another name", "b: \"", "renamed: \"", 0},
		{"a model more", "model: {", "model: {c: \"" + dir + "/runs/b/step_9.onnx\", ", 2},
		{"another place", "step_10.onnx", "moved.onnx", 0},
		{"another option", "model: {", "k: 7, model: {", 6},
		{"a model less", "c: \"" + dir + "/runs/b/step_9.onnx\", ", "", 0},
	} {
		text, err := os.ReadFile(suite)
		if err == nil {
			err = os.WriteFile(suite, []byte(strings.Replace(string(text), step.from, step.to, 1)), 0o666)
		}
		if err == nil && step.to == "moved.onnx" {
			err = os.Rename(filepath.Join(dir, "runs/a/step_10.onnx"), filepath.Join(dir, "runs/a/moved.onnx"))
		}
		if err != nil {
			t.Fatal(err)
		}
		p.computed, p.runs = 0, nil
		if code, _, stderr := evaluate(t, p, dir); code != 0 || len(p.runs) != 2 || p.computed != step.computed {
			t.Errorf("%s: exit %d, %d runs, %d parts computed, want %d: %s", step.what, code, len(p.runs), p.computed, step.computed, stderr)
		}
	}
}

// --check reads everything, whatever the times of files say, names what has changed and changes nothing.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, oneDataset), &probe{}
	check := func(code int, wants ...string) {
		t.Helper()
		got, stdout, stderr := evaluate(t, p, dir, "--check")
		if got != code {
			t.Errorf("exit %d, want %d: %s%s", got, code, stdout, stderr)
		}
		for _, want := range wants {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("no %q in %s%s", want, stdout, stderr)
			}
		}
	}
	check(1, "not done     x/first", "no task is finished")
	if code, _, stderr := evaluate(t, p, dir); code != 0 {
		t.Fatal(stderr)
	}
	check(0, "as recorded  x/first", "as recorded  summaries and report")
	result := filepath.Join(dir, "out/x/first/first.json")
	info, err := os.Stat(result)
	if err != nil {
		t.Fatal(err)
	}
	// A byte of a result, with the time that it had.
	if err := errors.Join(flip(result, 30), os.Chtimes(result, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	check(1, "changed      x/first\n", "result "+result+": it is ", "as recorded  x/second", "1 of 3 are not as recorded")
	if err := flip(result, 30); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "out/report.html")); err != nil {
		t.Fatal(err)
	}
	check(1, "as recorded  x/first", "changed      summaries and report", "report.html: is gone")
	frames := filepath.Join(dir, "runs/a/step_9.onnx")
	if err := os.WriteFile(frames, []byte("other weights"), 0o666); err != nil {
		t.Fatal(err)
	}
	check(1, "changed      x/first", "input "+frames+": it is ")
	if len(p.runs) != 2 {
		t.Errorf("%d runs", len(p.runs))
	}
	if code, stdout, _ := evaluate(t, p, dir, "--check", "--json"); code != 1 || !strings.Contains(stdout, `"ok": false`) {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

// Large results are compressed, and everything reads them; results of earlier studies that are not stay as they are.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, oneDataset), &probe{}
	out := filepath.Join(dir, "out")
	plain := filepath.Join(out, "x/first/first.json")
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	for _, c := range []struct {
		bytes int
		args  string
		runs  int
		large bool
	}{{10, "--quiet", 2, false}, {largestPlain, "--quiet", 2, false}, {largestPlain, "--resume=false", 4, true},
		{10, "--quiet", 4, true},
		{10, "--resume=false", 6, false}} {
		p.padding = strings.Repeat("x", c.bytes)
		if code, stdout, stderr := evaluate(t, p, dir, c.args); code != 0 {
			t.Fatalf("%+v: exit %d: %s%s", c, code, stdout, stderr)
		}
		if len(p.runs) != c.runs || exists(plain) == c.large || exists(plain+gunzip.Ending) != c.large {
			t.Errorf("%+v: %d runs, plain file: %v, compressed: %v", c, len(p.runs), exists(plain), exists(plain+gunzip.Ending))
		}
		sections, skipped, err := page.Find([]string{out})
		if err != nil || len(sections) != 2 || len(skipped) > 0 || sections[0].Result.Models.Len() == 0 {
			t.Errorf("%+v: %d results, skipped %q, %v", c, len(sections), skipped, err)
		}
		name := map[bool]string{false: "first.json\n", true: "first.json" + gunzip.Ending + "\n"}[c.large]
		if _, stdout, _ := evaluate(t, p, dir, "--dry-run", "--resume=false"); !strings.Contains(stdout, name) ||
			!strings.Contains(stdout, "over 2 MB are written compressed") {
			t.Errorf("%+v: the dry run says\n%s", c, stdout)
		}
	}
}
