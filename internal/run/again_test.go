// Tests of runs that have nothing left to do.

package run_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"repscope/internal/run"
	"repscope/report"
)

// warned is a figure with a warning.
type warned struct{ drawing }

func (warned) Warnings() ([]string, error) { return []string{"it is crowded"}, nil }

// again is a command that leaves its files as they are where nothing is left.
var again = run.Command{
	Name:    "again",
	Summary: "a number and its figure",
	Manual:  "A stand-in for a command that resumes.",
	Out:     "again_out",
	Omit:    []string{"bootstrap", "seed"},
	Setup: func(flags *run.Flags) run.Job {
		n := flags.Int("n", 1, "`N` that is written")
		cell := flags.Int("cell", 1, "`N` of the table")
		flags.Unrecorded("cell")
		return run.Job{Run: func(ctx context.Context, env *run.Env) error {
			env.Result.Models.Set("a", map[string]any{"n": *n})
			row := func(csv *report.CSV) error { return csv.Row(*cell) }
			if err := env.Files.CSV("again.csv", []string{"N"}, row); err != nil {
				return err
			}
			env.Print("the number is %d\n", *n)
			drawings := []run.Drawing{
				{Name: "again", Draw: func() (run.Figure, error) { return warned{}, nil }},
				{Name: "nothing", Draw: func() (run.Figure, error) { return nil, nil }},
			}
			env.AfterCommit(func() error { return fmt.Errorf("1 of 2 failed") })
			same, err := env.AsBefore(ctx, drawings)
			if err != nil {
				return err
			}
			if same {
				env.LeaveAsItWas("nothing is left")
				return nil
			}
			return env.Figures(ctx, drawings)
		}}
	},
}

// TestAsBefore: where nothing has changed no file is touched, and all else is as in the first run; whatever has
// changed makes all files anew.
func TestAsBefore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	try := func(args ...string) (left bool, stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := run.Run(t.Context(), again, append(args, "--out", dir), &out, &errs)
		if code != 1 || !strings.Contains(errs.String(), "1 of 2 failed") {
			t.Fatalf("%v: code %d: %s", args, code, errs.String())
		}
		if !strings.Contains(errs.String(), "warning: figure again: it is crowded") {
			t.Errorf("%v: the warning is gone: %s", args, errs.String())
		}
		left = true
		for _, name := range files(t, dir) {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			left = left && info.ModTime().Equal(old)
			if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
		return left, out.String(), errs.String()
	}
	change := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if left, _, _ := try(); left {
		t.Error("the first run left its files")
	}
	left, stdout, stderr := try()
	if !left || stdout != "the number is 1\n" || !strings.Contains(stderr, "nothing is left") ||
		strings.Contains(stderr, "wrote") {
		t.Errorf("left %v, %q, %q", left, stdout, stderr)
	}
	result, err := os.ReadFile(filepath.Join(dir, "again.json"))
	if err != nil {
		t.Fatal(err)
	}
	if left, stdout, _ := try("--json"); !left || stdout != string(result) {
		t.Errorf("left %v, %q, want %q", left, stdout, result)
	}
	if left, stdout, _ := try("--quiet"); !left || stdout != "" {
		t.Errorf("left %v, %q", left, stdout)
	}
	for _, test := range []struct {
		about string
		do    func()
		args  []string
	}{
		{"another number", func() {}, []string{"--n", "2"}},
		{"another cell", func() {}, []string{"--n", "2", "--cell", "3"}},
		{"another format", func() {}, []string{"--n", "2", "--cell", "3", "--format", "png,svg"}},
		{"a table that was changed", func() { change("again.csv", []byte("N\n3 \n")) }, []string{"--n", "2", "--cell", "3"}},
		{"a table that was cut", func() { change("again.csv", nil) }, []string{"--n", "2", "--cell", "3"}},
		{"a result that is none", func() { change("again.json", []byte("{")) }, []string{"--n", "2", "--cell", "3"}},
		{"a result of another version", func() {
			change("again.json", bytes.Replace(result, []byte(`"version": "`), []byte(`"version": "0`), 1))
		}, nil},
		{"a figure that is gone", func() {
			if err := os.Remove(filepath.Join(dir, "again.png")); err != nil {
				t.Fatal(err)
			}
		}, nil},
	} {
		test.do()
		if left, _, _ := try(test.args...); left {
			t.Errorf("%s: the files are left", test.about)
		}
		if left, _, _ := try(test.args...); !left {
			t.Errorf("%s: the files of the second run are not left", test.about)
		}
	}
}

// The inputs of an earlier result that a run does not have are named; with more inputs than before nothing is said.
func TestReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	c := run.Command{Name: "replace", Summary: "inputs by name", Manual: "A stand-in.", Out: "out", Omit: []string{"bootstrap", "seed"},
		Setup: func(flags *run.Flags) run.Job {
			names := flags.String("names", "", "`NAMES` of the inputs")
			return run.Job{Run: func(_ context.Context, env *run.Env) error {
				for name := range strings.SplitSeq(*names, ",") {
					env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "latents", Name: name, Path: name + ".npy", SHA256: "digest of " + name})
				}
				return nil
			}}
		}}
	for _, test := range []struct{ names, want string }{
		{"a,b", ""}, {"a,b", ""}, {"a,b,c", ""},
		{"a,d", "replace: it replaces an earlier result with latents b (b.npy), latents c (c.npy); use --out for another folder\n"},
		{"1,2,3,4,5", "replace: it replaces an earlier result with latents a (a.npy), latents d (d.npy); use"},
		{"a", "with latents 1 (1.npy), latents 2 (2.npy), latents 3 (3.npy), 2 more; use"},
		{"b --quiet", ""},
	} {
		var stdout, stderr bytes.Buffer
		args := append(strings.Fields("--names "+test.names), "--out", out)
		if code := run.Run(t.Context(), c, args, &stdout, &stderr); code != 0 || !strings.Contains(stderr.String(), test.want) ||
			test.want == "" && strings.Contains(stderr.String(), "replaces") {
			t.Errorf("%s: exit %d: %s, want %q", test.names, code, stderr.String(), test.want)
		}
	}
}
