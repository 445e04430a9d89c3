// Tests of whole runs of a command that takes files and knows neither frames nor
// models.

package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
)

// drawing is a figure.
type drawing struct{}

func (drawing) Render(w io.Writer, format string) error {
	_, err := io.WriteString(w, "a "+format)
	return err
}

// count is a command with arguments and inputs of its own: how often a word
// occurs in files.
var count = run.Command{
	Name:      "count",
	Summary:   "how often a word occurs in files",
	Manual:    "A stand-in for a command without states.",
	Out:       "count_out",
	Arguments: "FILES…",
	Omit:      []string{"bootstrap"},
	Setup: func(flags *run.Flags) run.Job {
		word := flags.String("word", "", "`WORD` that is counted")
		var least []int
		act := new("run")
		own := new(option.List)
		own.Ints(&least, "least", "`LIST` of bounds").AtLeast(1).Distinct()
		option.Choice(own, act, "act", []string{"run", "fail", "panic", "sleep", "damaged", "crowd"}, "what to do")
		flags.Declare(own)
		list := flags.Bool("list", false, "list the files and stop")
		flags.Unrecorded("list")
		flags.Usage("--list")
		return run.Job{
			Instead: func(_ context.Context, o *run.Options, stdout io.Writer) (bool, error) {
				if !*list {
					return false, nil
				}
				_, err := io.WriteString(stdout, strings.Join(o.Args, "\n")+"\n")
				return true, err
			},
			Check: func(o *run.Options) error {
				switch {
				case len(o.Args) == 0:
					return run.Hint(run.Usage("no files"), "give them as arguments")
				case *word == "":
					return run.Usage("--word is needed")
				}
				return nil
			},
			Run: func(ctx context.Context, env *run.Env) error { return countWords(ctx, env, *word, *act) },
		}
	},
}

// closed is something that is open until the end of the run.
type closed struct{ done *bool }

func (c closed) Close() error { *c.done = true; return nil }

func countWords(ctx context.Context, env *run.Env, word, act string) error {
	table := report.NewTable("", "File", "Count")
	err := env.Files.CSV("count.csv", []string{"File", "Count"}, func(csv *report.CSV) error {
		for _, name := range env.Options.Args {
			data, err := os.ReadFile(name)
			if err != nil {
				return regular.PathError(err)
			}
			n := bytes.Count(data, []byte(word))
			env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "text", Path: filepath.Base(name)})
			env.Result.Models.Set(filepath.Base(name), map[string]any{"count": n})
			table.Row(filepath.Base(name), n)
			if err := csv.Row(filepath.Base(name), n); err != nil {
				return err
			}
			if n == 0 {
				env.Warn("%s: %q does not occur", filepath.Base(name), word)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	beside := make(chan struct{})
	env.Beside(func() error {
		<-beside
		if act == "damaged" {
			return errors.New("the file is damaged")
		}
		return nil
	}, func() { env.Result.Inputs[0].SHA256 = "digest" })
	close(beside)
	switch act {
	case "fail":
		return errors.New("it failed")
	case "panic":
		panic("it broke")
	case "sleep", "damaged":
		<-ctx.Done()
		return ctx.Err()
	}
	if err := env.Table(table); err != nil {
		return err
	}
	if act == "crowd" {
		return env.Figure("count", crowded{})
	}
	return env.Figure("count", drawing{})
}

// texts makes two files and returns their folder.
func texts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.txt": "one two one", "b.txt": "two"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// start runs the command with {} in the arguments replaced by the folder.
func start(ctx context.Context, dir, args string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run.Run(ctx, count, strings.Fields(strings.ReplaceAll(args, "{}", dir)), &out, &errs)
	return code, out.String(), errs.String()
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestRunWithoutStates(t *testing.T) {
	t.Parallel()
	dir := texts(t)
	code, stdout, stderr := start(t.Context(), dir, "{}/a.txt --word one {}/b.txt --out {}/out --format svg,png --seed 7")
	if code != 0 {
		t.Fatal(stderr)
	}
	if !strings.Contains(stdout, "a.txt") || !strings.Contains(stderr, `count: warning: b.txt: "one" does not occur`) {
		t.Errorf("stdout %s, stderr %s", stdout, stderr)
	}
	if got := files(t, filepath.Join(dir, "out")); !slices.Equal(got, []string{"count.csv", "count.json", "count.png", "count.sha256", "count.svg"}) {
		t.Errorf("files %v", got)
	}
	content, err := os.ReadFile(filepath.Join(dir, "out", "count.json"))
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Analysis string
		Seed     int
		Inputs   []report.Input
		Options  map[string]any
		Models   map[string]map[string]any
		Warnings []string
	}
	if err := json.Unmarshal(content, &result); err != nil {
		t.Fatal(err)
	}
	if result.Analysis != "count" || result.Seed != 7 || len(result.Inputs) != 2 || result.Inputs[0].SHA256 != "digest" || len(result.Warnings) != 1 {
		t.Errorf("result %+v", result)
	}
	if result.Models["a.txt"]["count"] != 2.0 || result.Models["b.txt"]["count"] != 0.0 {
		t.Errorf("models %v", result.Models)
	}
	for _, name := range []string{"frames", "model", "samples", "block", "device", "list", "bootstrap", "threads"} {
		if _, ok := result.Options[name]; ok {
			t.Errorf("option %s is recorded in %v", name, result.Options)
		}
	}
	if result.Options["word"] != "one" {
		t.Errorf("options %v", result.Options)
	}
}

// crowded is a figure into which what it shows does not fit.
type crowded struct{}

func (crowded) Render(io.Writer, string) error { return fmt.Errorf("page 1: %w", crowded{}) }
func (crowded) Error() string                  { return "no room for 100 models" }
func (crowded) NoRoom()                        {}

func TestRunKeepsNumbersWithoutRoom(t *testing.T) {
	t.Parallel()
	dir := texts(t)
	code, _, stderr := start(t.Context(), dir, "{}/a.txt --word one --out {}/out --act crowd")
	if want := "figure count: not drawn: no room for 100 models"; code != 0 || !strings.Contains(stderr, want) {
		t.Fatalf("exit %d, %s; want %q", code, stderr, want)
	}
	if got := files(t, filepath.Join(dir, "out")); !slices.Equal(got, []string{"count.csv", "count.json", "count.sha256"}) {
		t.Errorf("files %v", got)
	}
	if result, err := os.ReadFile(filepath.Join(dir, "out", "count.json")); err != nil || !strings.Contains(string(result), "not drawn: no room") {
		t.Errorf("%v: the warning is not in the result\n%s", err, result)
	}
}

func TestRunWithoutFigures(t *testing.T) {
	t.Parallel()
	dir := texts(t)
	if code, _, stderr := start(t.Context(), dir, "{}/a.txt --word one --out {}/out --format none"); code != 0 {
		t.Fatal(stderr)
	}
	if got := files(t, filepath.Join(dir, "out")); !slices.Equal(got, []string{"count.csv", "count.json", "count.sha256"}) {
		t.Errorf("files %v", got)
	}
}

func TestRunChecksFirst(t *testing.T) {
	t.Parallel()
	dir := texts(t)
	for _, test := range []struct {
		args, message string
		code          int
	}{
		{"--word one", "count: no files\ncount: hint: give them as arguments\n", 2},
		{"{}/none.txt", "count: --word is needed\n", 2},
		{"{}/none.txt --word one --least 3,0", "count: --least 0: want at least 1\n", 2},
		{"{}/none.txt --word one --least 3,3", "count: --least: 3 is given twice\n", 2},
		{"{}/none.txt --wort one", "count: hint: did you mean --word?\n", 2},
		{"{}/none.txt --word one", "none.txt: no such file or directory\n", 1},
		{"{}/a.txt --word one --act fail", "count: it failed\n", 1},
		{"{}/a.txt --word one --act panic", "count: internal error: it broke\n", 1},
		{"{}/a.txt --word one --act damaged", "count: the file is damaged\n", 1},
		{"{}/a.txt --word one --format png,none", "count: --format png,none: none cannot be combined with other formats\n", 2},
		{"{}/a.txt --frames x", "count: unknown flag --frames\n", 2},
	} {
		code, stdout, stderr := start(t.Context(), dir, test.args+" --out {}/out")
		if code != test.code || stdout != "" || !strings.Contains(stderr, test.message) {
			t.Errorf("%s: exit %d, stdout %q, stderr %s; want %d and %q", test.args, code, stdout, stderr, test.code, test.message)
		}
		if got := files(t, filepath.Join(dir, "out")); len(got) > 0 {
			t.Errorf("%s: left %v", test.args, got)
		}
	}
}

func TestInstead(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := start(t.Context(), "x", "{}/a --list {}/b")
	if code != 0 || stdout != "x/a\nx/b\n" || stderr != "" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	code, stdout, _ = start(t.Context(), "x", "--help")
	if code != 0 || !strings.Contains(stdout, "usage:\n  count FILES… [flags]\n  count --list\n") {
		t.Errorf("exit %d, help %s", code, stdout)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	dir := texts(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		code, _, stderr := start(ctx, dir, "{}/a.txt --word one --act sleep --out {}/out")
		if code != 1 || !strings.Contains(stderr, "count: interrupted; no file was written") {
			t.Errorf("exit %d, %s", code, stderr)
		}
	})
	if got := files(t, filepath.Join(dir, "out")); len(got) > 0 {
		t.Errorf("left %v", got)
	}
}

// What a run opened is closed when it ends, also when it fails.
func TestCloseLater(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		var done bool
		c := run.Command{Name: "count", Out: filepath.Join(t.TempDir(), "out"), Setup: func(*run.Flags) run.Job {
			return run.Job{Run: func(_ context.Context, env *run.Env) error {
				env.CloseLater(closed{&done})
				if fails {
					return errors.New("it failed")
				}
				return nil
			}}
		}}
		var stdout, stderr bytes.Buffer
		if code := run.Run(t.Context(), c, nil, &stdout, &stderr); (code != 0) != fails || !done {
			t.Errorf("fails %v: exit %d, closed %v", fails, code, done)
		}
	}
}

// What goes before a run and does not look at its context ends with it, too; a panic there is an error.
func TestAttended(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	defer close(stuck)
	for name, c := range map[string]struct {
		job  run.Job
		code int
		want string
	}{
		"check":   {run.Job{Check: func(*run.Options) error { <-stuck; return nil }}, 1, "interrupted; no file was written"},
		"instead": {run.Job{Instead: func(context.Context, *run.Options, io.Writer) (bool, error) { <-stuck; return true, nil }}, 1, "interrupted"},
		"context": {run.Job{Check: func(o *run.Options) error { <-o.Context().Done(); return run.Usage("%w", o.Context().Err()) }}, 1, "interrupted"},
		"direct": {run.Job{Direct: func(ctx context.Context, _ *run.Options, _, _ io.Writer) error {
			<-ctx.Done()
			return fmt.Errorf("a cluster: %w", ctx.Err())
		}}, 1, "probe: interrupted\n"},
		"panic": {run.Job{Check: func(*run.Options) error { panic("boom") }}, 1, "internal error: boom"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if name != "panic" { // a panic ends the run by itself, however late it begins
			time.AfterFunc(10*time.Millisecond, cancel)
		}
		var stderr bytes.Buffer
		command := run.Command{Name: "probe", Out: t.TempDir(), Setup: func(*run.Flags) run.Job { return c.job }}
		if code := run.Run(ctx, command, nil, io.Discard, &stderr); code != c.code || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit %d, want %d and %q: %s", name, code, c.code, c.want, stderr.String())
		}
		cancel()
	}
}
