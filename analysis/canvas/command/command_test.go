// Tests of whole runs.

package command

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"repscope/analysis/canvas/internal/store"
	"repscope/internal/run"
	"repscope/internal/runtest"
)

// TestNothingLeft: a run that resumes what is done leaves all files and says the same; a figure, a report or a row
// that is gone or changed is made again.
func TestNothingLeft(t *testing.T) {
	runtest.Long(t, "it runs the example ten times")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	try := func(args ...string) (left bool, stdout, stderr string) {
		t.Helper()
		var o, e bytes.Buffer
		args = append([]string{"--example", "--ids", "gid1-*", "--metrics", "layout_iou,tool_calls", "--format", "svg", "--out", out, "--threads", "2"}, args...)
		if code := run.Run(t.Context(), Command, args, &o, &e); code != 0 {
			t.Fatal(e.String())
		}
		left = true
		err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			left = left && info.ModTime().Equal(old)
			return errors.Join(err, os.Chtimes(path, old, old))
		})
		if err != nil {
			t.Fatal(err)
		}
		return left, o.String(), e.String()
	}
	_, first, _ := try("--reports")
	left, second, told := try("--resume")
	if !left || first != second || !strings.Contains(told, "nothing to do") {
		t.Errorf("left %v: %s\n%s, want\n%s", left, told, second, first)
	}
	if of := regexp.MustCompile(`(\d+) of (\d+) metrics`).FindStringSubmatch(told); len(of) != 3 || of[1] != of[2] {
		t.Errorf("%q: %s", of, told)
	}
	if left, _, _ := try("--resume", "--reports"); !left {
		t.Error("reports are written again")
	}
	for name, do := range map[string]func(path string) error{
		"canvas_scores.svg": os.Remove,
		"canvas_cases.csv":  func(path string) error { return os.Truncate(path, 40) },
		"canvas.json":       os.Remove,
		store.ResultsFile:   os.Remove,
	} {
		if err := do(filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
		if left, _, _ := try("--resume"); left {
			t.Errorf("%s is not made again", name)
		}
	}
	if left, _, _ := try("--resume", "--seed", "7"); left {
		t.Error("another seed leaves the files")
	}
}
