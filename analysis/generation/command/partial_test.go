// Tests of runs that are stopped and continued.

package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/report"
)

// writeInputs writes problems and predictions of two generators and returns the arguments that
// name them.
func writeInputs(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var problems, predictions strings.Builder
	predictions.WriteString("target,predicted\n")
	for i := range 24 {
		grade := []string{"6A", "6B"}[i%2]
		fmt.Fprintf(&problems, `,{"grade":%q,"moves":[{"description":"A%d","isStart":true},{"description":"B%d"},{"description":"C%d"},{"description":"D9"},{"description":"E18","isEnd":true}]}`,
			grade, 1+i%4, 4+i%5, 8+i%7)
		fmt.Fprintf(&predictions, "%d,%d\n", 1+2*(i%2), 1+i%3)
	}
	for name, text := range map[string]string{"p.json": "[" + problems.String()[1:] + "]", "c.csv": predictions.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"--metrics", "diversity,conditioning", "--format", "svg"}
	for _, name := range []string{"a", "b"} {
		args = append(args, "--generated", name+"="+filepath.Join(dir, "p.json"), "--predictions", name+"="+filepath.Join(dir, "c.csv"))
	}
	return args
}

// times are the lines of a result file that differ from run to run.
var times = regexp.MustCompile(`(?m)^  "(started|elapsed_s)": .*\n|[0-9a-f]{64}  [a-z]+\.json\n`)

// filesOf are the contents of the files of a run, without times.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(times.ReplaceAll(data, nil))
	}
	return out
}

// A run that is stopped in the middle keeps what it has computed, and the same command writes
// the bytes of one that was not stopped. What is of other work is computed anew.
func TestContinued(t *testing.T) { // not parallel: it stops runs
	args := writeInputs(t)
	dir := t.TempDir()
	call := func(ctx context.Context, out string, more ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run.Run(ctx, Command, append(append([]string{"--out", filepath.Join(dir, out)}, args...), more...), &stdout, &stderr)
		return code, stderr.String()
	}
	stopped := func(out string, at int) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		afterUnit = func(done int) {
			if done == at {
				cancel()
			}
		}
		defer func() { afterUnit = nil }()
		if code, stderr := call(ctx, out); code != 1 || !strings.Contains(stderr,
			"interrupted; finished metrics are kept in generation.json.partial") {
			t.Fatalf("a stopped run: exit %d, %s", code, stderr)
		}
	}
	if code, stderr := call(t.Context(), "whole"); code != 0 {
		t.Fatal(stderr)
	}
	whole := filesOf(t, filepath.Join(dir, "whole"))
	if _, ok := whole[PartialFile]; ok || len(whole) < 4 {
		t.Fatalf("files %v", whole)
	}

	stopped("b", 2)
	path := filepath.Join(dir, "b", PartialFile)
	if left := filesOf(t, filepath.Join(dir, "b")); len(left) != 1 || left[PartialFile] == "" {
		t.Fatalf("a stopped run leaves %d files", len(left))
	}
	part, err := report.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := part.Model("b")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := b.Number("diversity.overall_mean_diversity"); err != nil || !v.Defined() {
		t.Errorf("the result so far: %v, %v", v, err)
	}
	if v, err := b.Number("conditioning"); err != nil || v.Reason != "not computed yet" {
		t.Errorf("what is not computed yet: %v, %v", v, err)
	}
	stopped("b", 3) // once more, one later
	code, stderr := call(t.Context(), "b")
	if code != 0 || !strings.Contains(stderr, "generation.json.partial has 3 of 4 metrics of generators; continuing") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	got := filesOf(t, filepath.Join(dir, "b"))
	for name, want := range whole {
		if got[name] != want {
			t.Errorf("%s has other bytes than of a run that was not stopped", name)
		}
	}
	if len(got) != len(whole) {
		t.Errorf("%d files, want %d", len(got), len(whole))
	}

	stopped("c", 1)
	if code, stderr := call(t.Context(), "c", "--seed", "7"); code != 0 || !strings.Contains(stderr, "belongs to a different run (option seed = ") {
		t.Errorf("another seed: exit %d, %s", code, stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "c", PartialFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stderr := call(t.Context(), "c"); code != 0 || !strings.Contains(stderr, "generation.json.partial cannot be continued (") {
		t.Errorf("a damaged file: exit %d, %s", code, stderr)
	}
	if again := filesOf(t, filepath.Join(dir, "c")); again["generation.json"] != whole["generation.json"] {
		t.Error("other bytes after a damaged file")
	}
}
