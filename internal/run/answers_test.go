// Tests of options of other programs: other names, and those that are answered.

package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/option"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	command := Command{Name: "fake", Out: "none", Setup: func(flags *Flags) Job {
		k := []int{5}
		flags.Declare(option.Of(option.Func(func(l *option.List) { l.Ints(&k, "k", "neighbors") })))
		flags.Answer("model-dir", func(value string, args []string) string {
			return fmt.Sprintf("--model-dir %s: give --model %s.onnx --k %s", value, value, Argument(args, "top_k", "k"))
		})
		flags.Answer("run-all", func(_ string, args []string) string { return "run_all: give " + Without(args, "run_all") })
		return Job{Run: func(context.Context, *Env) error { return nil }}
	}}
	for args, want := range map[string]string{
		"--model_dir D --k 3":     "fake: --model-dir D: give --model D.onnx --k 3\n",
		"--k=3 --model-dir=a/b":   "fake: --model-dir a/b: give --model a/b.onnx --k 3\n",
		"--k 3 -model_dir a=b":    "fake: --model-dir a=b: give --model a=b.onnx --k 3\n",
		"--k 3 --model_dir":       "fake: --model-dir : give --model .onnx --k 3\n",
		"run_all --k 3 7":         "fake: run_all: give --k 3 7\n",
		"--model_dir D --top-k 3": "fake: --model-dir D: give --model D.onnx --k 3\n",
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), command, strings.Fields(args), &stdout, &stderr); code != exitUsage ||
			stderr.String() != want {
			t.Errorf("%s: status %d, %q, want %q", args, code, stderr.String(), want)
		}
	}
	if got := Argument([]string{"x", "--a", "--b", "1"}, "a"); got != "" {
		t.Errorf("the value of a flag without one is %q", got)
	}
}

// A configuration of another program is told as such; one with a single slip is not.
func TestConfig_OfAnotherProgram(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"data: {path: x}\nmodel: {name: cnp}\ntraining: {lr: 1}\n": "C.yaml: data, training are not options of fake; " +
			"check that the file is a repscope configuration",
		"kk: 3\n":                  "line 1: unknown option \"kk\"",
		"k: 3\nlimits: 1\nlr: 2\n": "C.yaml: limits, lr are not options",
		"k: 3\nfast: true\nmetric: cosine\nlimits: 1\nlr: 2\n": "line 4: unknown option \"limits\"",
	} {
		f := newFake()
		f.flags.FileHint("files are given with --model")
		path := filepath.Join(t.TempDir(), "C.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f.options.config = path
		err := applyConfig(f.flags, f.options)
		if err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != exitUsage {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if strings.Contains(want, "another") && strings.Join(hintsOf(err), "") != "files are given with --model" {
			t.Errorf("%q: hints %q", text, hintsOf(err))
		}
	}
}

// Two names of a flag are one flag: two values are none.
func TestAlias_GivenTwice(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"--limit 1kB --size 2kB", "--size 1kB --limit 2kB", "--size 1kB --size 2kB"} {
		f := newFake()
		f.flags.Alias("size", "limit")
		if err := f.parse(strings.Fields(args)...); err == nil ||
			err.Error() != `flag --limit is given twice, as "1kB" and as "2kB"; want one of them` {
			t.Errorf("%s: %v", args, err)
		}
	}
	f := newFake()
	f.flags.Alias("size", "limit")
	if err := f.parse("--size", "2kB", "--limit", "2kB"); err != nil || *f.limit != 2000 {
		t.Errorf("%v, limit %d", err, *f.limit)
	}
}
