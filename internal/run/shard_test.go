// Tests of runs that are tasks of several, and of what makes a result of their shards.

package run_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
	"repscope/shard"
)

// letters is a command whose work is divided: how often letters occur in a text.
var letters = run.Command{
	Name: "letters", Summary: "how often letters occur in a text", Manual: "A stand-in for an analysis.", Out: "letters_out",
	Setup: func(flags *run.Flags) run.Job {
		var words, kept []string
		flags.Var(&run.Texts{Values: &words, Whole: true}, "text", "`TEXT` to look at")
		flags.Var(&run.Texts{Values: &kept}, "letters", "`LIST` of letters")
		file := ""
		flags.PathVar(&file, "file", "`FILE` to look at")
		upper := flags.Bool("upper", false, "count upper case too")
		twice := flags.Bool("twice", false, "do the work twice")
		none := flags.Bool("none", false, "do no work")
		scale := 1.0
		flags.Tree("times", func(b *run.Branch) error { scale = b.Member("by").Value.(float64); return nil })
		return run.Job{Divides: true, Run: func(ctx context.Context, env *run.Env) error {
			if file != "" {
				data, err := os.ReadFile(file)
				if err != nil {
					return regular.PathError(err)
				}
				words = append(words, string(data))
				env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "file", Path: file, SHA256: shard.Sum(data)})
			}
			if *none {
				return nil
			}
			for range 1 + map[bool]int{true: 1}[*twice] {
				counts, err := lettersOf(strings.Join(words, ""), kept, *upper).Run(ctx)
				if err != nil {
					return err
				}
				for i, n := range counts {
					env.Result.Models.Set(kept[i], map[string]any{"count": float64(n) * scale})
				}
			}
			return env.Files.CSV("letters.csv", []string{"Divided"}, func(csv *report.CSV) error { return csv.Row(fmt.Sprint(words)) })
		}}
	},
}

// lettersOf counts letters of a text, each in a unit of its own.
func lettersOf(text string, kept []string, upper bool) shard.Work[[]int64, []int64] {
	return shard.Work[[]int64, []int64]{
		Units: len(kept),
		Identity: func() shard.Identity {
			return shard.Identity{Analysis: "letters", Definition: 1, Inputs: []shard.Field{{Name: "text", Value: shard.Sum([]byte(text))}},
				Options: []shard.Field{shard.Option("letters", kept), shard.Option("upper", upper)}}
		},
		Map: func(_ context.Context, r shard.Range) (counts []int64, err error) {
			for _, letter := range kept[r.Lo:r.Hi] {
				n := int64(strings.Count(text, letter))
				if upper {
					n += int64(strings.Count(text, strings.ToUpper(letter)))
				}
				counts = append(counts, n)
			}
			return counts, nil
		},
		Merge: func(_ context.Context, parts [][]int64) ([]int64, error) { return slices.Concat(parts...), nil },
	}
}

// lettersIn runs the command and returns its exit code and what it printed on stderr.
func lettersIn(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run.Run(t.Context(), letters, args, &stdout, &stderr)
	return code, stderr.String()
}

// Shards remember the options that they were made with, of the command line and of a
// configuration, and what is merged is what one process writes.
func TestShardsRememberOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"in.txt": "aAbbbcd", "c.yaml": "times: {by: 0.5, of: [1, {x: null}]}\nletters: [b, a]\nupper: true\nseed: 7\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"--config", at("c.yaml"), "--text", "a,b ", "--file", at("in.txt"), "--text=cab", "--quiet"}
	if code, message := lettersIn(t, append(args, "--out", at("whole"))...); code != 0 {
		t.Fatal(message)
	}
	var states []*shard.State
	for i := range 3 { // of 2 units
		if code, message := lettersIn(t, append(args, "--out", at("s"), "--threads", "1", "--shard", fmt.Sprint(i, "/3"))...); code != 0 {
			t.Fatal(message)
		}
		state, err := shard.Open(filepath.Join(at("s"), run.Shard{Index: i, Of: 3}.File("letters")))
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, state)
	}
	if found := files(t, at("s")); len(found) != 3 {
		t.Errorf("files %v", found)
	}
	want := []shard.Field{{Name: "file", Value: at("in.txt")}, {Name: "seed", Value: "7"}, {Name: "upper", Value: "true"},
		{Name: "text", Value: "a,b "}, {Name: "text", Value: "cab"}, {Name: "letters", Value: "b"}, {Name: "letters", Value: "a"}}
	origin := states[1].Origin
	if !slices.Equal(origin.Settings, want) || origin.Command != "letters" || origin.Index != 1 || origin.Of != 3 || origin.Folder == "" ||
		len(origin.Inputs) != 1 || origin.Inputs[0].SHA256 == "" || !strings.Contains(origin.Config, "by: 0.5") {
		t.Errorf("%+v", origin)
	}
	if err := os.Remove(at("c.yaml")); err != nil { // what it said is in the shards
		t.Fatal(err)
	}
	task, err := run.Merged(letters, origin, states, "--out", at("m"), "--quiet")
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Run(t.Context(), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"letters.json", "letters.csv"} {
		a, err := os.ReadFile(filepath.Join(at("whole"), name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(at("m"), name))
		if err != nil {
			t.Fatal(err)
		}
		if withoutTimes(a) != withoutTimes(b) {
			t.Errorf("%s: %s\nwant %s", name, b, a)
		}
	}
}

// withoutTimes is a result without its time stamps.
func withoutTimes(text []byte) string {
	var kept []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, `"started"`) && !strings.Contains(line, `"elapsed_s"`) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// A run that cannot be divided, and shards of what a run does not do, are refused.
func TestRefusedDivision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	base := []string{"--text", "abc", "--letters", "a,b", "--out", at("out")}
	for args, want := range map[string]string{
		"--shard 0/2 --none":   "nothing computed with these options can be divided",
		"--shard 0/2 --json":   "--shard and --json cannot be used together: a shard is not a result",
		"--shard 2/2":          "want i/n: one of n shards",
		"--shard 1":            "want i/n: one of n shards",
		"--shard 0/0":          "want i/n: one of n shards",
		"--shard 0/2 --shar 1": "unknown flag --shar",
	} {
		code, message := lettersIn(t, append(base, strings.Fields(args)...)...)
		if code != 2 || !strings.Contains(message, want) {
			t.Errorf("%s: exit %d: %s, want %q", args, code, message, want)
		}
	}
	if code, message := lettersIn(t, append(base, "--twice", "--shard", "0/1")...); code != 0 { // the first ends the run
		t.Fatal(message)
	}
	state, err := shard.Open(at("out/letters.0-of-1.shard"))
	if err != nil {
		t.Fatal(err)
	}
	merge := func(args ...string) string {
		task, err := run.Merged(letters, state.Origin, []*shard.State{state}, append(args, "--out", at("m"))...)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(task.Run(t.Context(), io.Discard, io.Discard))
	}
	for arg, want := range map[string]string{
		"":             "the analysis has several parts",
		"--none":       "the shards are parts of an analysis that these options do not run",
		"--text=d":     "belongs to a different run: input text = ",
		"--file=/none": "/none: no such file",
	} {
		var args []string
		if arg != "" {
			args = []string{arg}
		}
		if message := merge(args...); !strings.Contains(message, want) {
			t.Errorf("%s: %s, want %q", arg, message, want)
		}
	}
	state.Origin.Config = "{"
	if _, err := run.Merged(letters, state.Origin, []*shard.State{state}); err == nil {
		t.Error("a damaged configuration: no error")
	}
}

func TestAffectsFiles(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]bool{"letters": true, "seed": true, "format": true, "threads": false, "out": false, "shard": false, "json": false} {
		if got := run.AffectsFiles(letters, option); got != want {
			t.Errorf("%s: %v, want %v", option, got, want)
		}
	}
}
