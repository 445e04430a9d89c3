// Tests of commands without states: their examples, files and statistics.

package input

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/stat"
)

// arraysCommand is a command without states that prints what it was given.
func arraysCommand() run.Command {
	return run.Command{Name: "arrays", Summary: "s", Manual: "m", Out: "out", Setup: func(flags *run.Flags) run.Job {
		example := RegisterExample(flags, ArrayExample{Name: "made", Usage: "run on made arrays", Arrays: map[string][]string{"truth": {""}, "part": {"a", "b/c"}},
			Open: func(path, role, name string) (*dataset.Array, error) {
				return dataset.NewArray(path, []int{2}, []float32{1, float32(len(role + name))})
			}})
		truth := example.Role(flags, Role{Name: "truth", Unit: "value", Usage: "`FILE`"})
		parts := example.Role(flags, Role{Name: "part", Unit: "value", Named: true, Usage: "`NAME=FILE`"})
		files := RegisterFiles(flags, "net", "`NAME=FILE`")
		statistics := RegisterStatistics(flags, "values")
		return run.Job{Run: func(_ context.Context, env *run.Env) error {
			for _, err := range []error{truth.Existing(), parts.Existing(), files.Exist()} {
				if err != nil {
					return err
				}
			}
			for _, g := range []*Given{truth, parts} {
				arrays, err := g.Open(env)
				if err != nil {
					return err
				}
				for _, a := range arrays {
					env.Print("%s %s=%s %v\n", g.Role(), a.Array.Name(), a.Name, a.Shape())
				}
			}
			env.Print("%v %v %s %s\n", example.On(), files.All(), statistics.Block, statistics.Family)
			return nil
		}}
	}}
}

func runArrays(t *testing.T, args string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run.Run(t.Context(), arraysCommand(), append(strings.Fields(args), "--out", t.TempDir()+"/out"), &out, &errs)
	return code, out.String(), errs.String()
}

func TestArrayExample(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := runArrays(t, "--example --block 3 --family run")
	want := "truth example:made/truth= [2]\npart example:made/part/a=a [2]\npart example:made/part/b/c=b/c [2]\ntrue [] 3 run\n"
	if code != 0 || stdout != want {
		t.Errorf("exit %d: %s%s, want %s", code, stdout, stderr, want)
	}
	file := t.TempDir() + "/x.npy"
	if err := dataset.WriteNPY(file, []int{3}, []float64{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = runArrays(t, fmt.Sprintf("--truth %s --net n=%s", file, file))
	if want := fmt.Sprintf("truth %s= [3]\nfalse [{n %s}] %s metric\n", file, file, stat.BlockSpec{}); code != 0 || stdout != want {
		t.Errorf("exit %d: %s%s, want %s", code, stdout, stderr, want)
	}
}

func TestArrayErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--example --truth x.npy", 2, "--example has its own truth; leave --truth out"},
		{"--example --part a=x.npy", 2, "--example has its own part; leave --part out"},
		{"--net x.onnx", 2, "want NAME=FILE"},
		{"--net a=x --net a=y", 2, `two --net are named "a"`},
		{"--net a=none.onnx", 1, "net a: none.onnx: no such file or directory"},
		{"--truth none.npy", 1, "truth: none.npy: no such file or directory"},
		{"--part a=none.npy", 1, "part a: none.npy: no such file or directory"},
		{"--block 0", 2, "want episode, auto or a number of observations of at least 1"},
		{"--family all", 2, "--family"},
	} {
		if code, _, stderr := runArrays(t, c.args); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d: %s, want %s", c.args, code, stderr, c.want)
		}
	}
}
