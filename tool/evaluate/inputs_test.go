// Tests of inputs that change while a task reads them.

package evaluate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"repscope/internal/run"
	"repscope/report"
)

const oneTask = `
datasets:
  x: {only: first, frames: "{}/f.npy", model: {a: "{}/runs"}}
`

// An input that changes once has its task run again; one that changes always, or goes, is an error, and an earlier
// result stays.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	old := time.Now().Add(-time.Hour)
	for what, c := range map[string]struct {
		change func(f string, n int) error
		runs   int
		want   string
	}{
		"once": {func(f string, n int) error {
			if n > 1 {
				return nil
			}
			return os.WriteFile(f, []byte("once more"), 0o666)
		}, 2, ""},
		"always": {func(f string, n int) error { return os.WriteFile(f, fmt.Appendf(nil, "change %d", n), 0o666) }, 2,
			"f.npy changed while the task was reading it: it has 8 bytes of"},
		"the same size and time": {func(f string, n int) error {
			return errors.Join(os.WriteFile(f, fmt.Appendf(nil, "frame%d", n), 0o666), os.Chtimes(f, old, old))
		}, 2, "f.npy changed while the task was reading it"},
		"gone": {func(f string, n int) error { return run.Remove(f) }, 2, "f.npy changed while the task was reading it: "},
	} {
		dir, p := suiteFolder(t, oneTask), &probe{}
		f := filepath.Join(dir, "f.npy")
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
		p.during = func(string) error { return c.change(f, len(p.runs)) }
		code, _, stderr := evaluate(t, p, dir)
		if len(p.runs) != c.runs || !strings.Contains(stderr, c.want) || (code != 0) != (c.want != "") {
			t.Errorf("%s: exit %d, %d runs: %s", what, code, len(p.runs), stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "out/x/first/first.json")); (err == nil) != (c.want == "") {
			t.Errorf("%s: %v", what, err)
		}
		if c.want == "" {
			continue
		}
		// Once it is still, the same command does the task.
		p.during, p.runs = nil, nil
		if err := os.WriteFile(f, []byte("at rest"), 0o666); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if code, _, stderr = evaluate(t, p, dir); code != 0 || len(p.runs) != 1 {
				t.Errorf("%s, then at rest: exit %d, %d runs: %s", what, code, len(p.runs), stderr)
			}
		}
	}
}

// A file that is younger than the resolution of its times is read, so that a change that they do not show is seen.
func TestYoung(t *testing.T) {
	t.Parallel()
	f := filepath.Join(t.TempDir(), "f")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(f, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	w, err := watchOf(&run.Settled{Values: []run.Value{{Text: f, Input: true}}})
	if err != nil {
		t.Fatal(err)
	}
	digest := w.files[f].SHA256
	if digest == "" {
		t.Fatal("a young file was not read")
	}
	if got, err := w.inputs([]report.Input{{Path: f, SHA256: digest}}); err != nil || len(got) != 1 || got[0].SHA256 != digest {
		t.Errorf("got %v, %v", got, err)
	}
	// Some digests are of more than the file.
	if got, err := w.inputs([]report.Input{{Path: f + ":array", SHA256: "of other things"}}); err != nil || len(got) != 1 || got[0].SHA256 != digest {
		t.Errorf("got %v, %v", got, err)
	}
	write("other")
	now, err := look(f)
	if err != nil {
		t.Fatal(err)
	}
	now.SHA256 = digest
	w.files[f] = now // as if both had the same time
	if _, err := w.inputs([]report.Input{{Path: f, SHA256: digest}}); !errors.Is(err, errChanged) {
		t.Errorf("got %v", err)
	}
}

// The folders that options name are watched with all files in them: what comes up makes the task run the next time.
func TestFolders(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, oneTask), &probe{}
	runs := func(want int) {
		t.Helper()
		if code, _, stderr := evaluate(t, p, dir); code != 0 || len(p.runs) != want {
			t.Errorf("exit %d, %d runs, want %d: %s", code, len(p.runs), want, stderr)
		}
	}
	runs(1)
	runs(1)
	if err := os.WriteFile(filepath.Join(dir, "runs/a/step_11.onnx"), []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	runs(2)
	p.during = func(string) error {
		return os.WriteFile(filepath.Join(dir, fmt.Sprintf("runs/a/step_%d.onnx", 20+len(p.runs))), nil, 0o666)
	}
	if err := os.WriteFile(filepath.Join(dir, "runs/a/step_12.onnx"), []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	runs(3)
	p.during = nil
	runs(4) // for what came up meanwhile
	runs(4)
}
