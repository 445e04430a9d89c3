// Tests of a command that is several.

package run_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
)

func TestSeveralCommands(t *testing.T) {
	t.Parallel()
	one := func(name string) run.Command {
		return run.Command{Name: name, Summary: "it does " + name, Manual: "Long words on " + name, Out: "out", Arguments: "FILES…", Omit: []string{"seed"},
			Setup: func(flags *run.Flags) run.Job {
				flags.Bool(name+"ing", false, "do it")
				return run.Job{Direct: func(_ context.Context, o *run.Options, stdout, _ io.Writer) error {
					_, err := io.WriteString(stdout, name+" "+strings.Join(o.Args, "+"))
					return err
				}}
			}}
	}
	several := run.Command{Name: "several", Summary: "more than one", Manual: "All of them.", Out: "out", Commands: []run.Command{one("walk"), one("talk")}}
	for args, want := range map[string]struct {
		code           int
		stdout, stderr string
	}{
		"walk a b":         {0, "walk a+b", ""},
		"talk --talking x": {0, "talk x", ""},
		"--help":           {0, "talk FILES… [flags]\n\nAll of them.\n\n  walk     it does walk\n  talk     it does talk\n", ""},
		"walk --help":      {0, "several walk: it does walk", ""},
		"--version":        {0, "several (repscope)", ""},
		"":                 {2, "", "several: no command: want one of walk, talk\nseveral: hint: run several --help, or several walk --help\n"},
		"wlak":             {2, "", "several: unknown command \"wlak\": want one of walk, talk\nseveral: hint: did you mean walk?\n"},
		"walk --talking":   {2, "", "several walk: unknown flag --talking"},
	} {
		var stdout, stderr bytes.Buffer
		code := run.Run(t.Context(), several, strings.Fields(args), &stdout, &stderr)
		if code != want.code || !strings.Contains(stdout.String(), want.stdout) || !strings.Contains(stderr.String(), want.stderr) {
			t.Errorf("%q: exit %d, %q, %q; want %+v", args, code, stdout.String(), stderr.String(), want)
		}
	}
	names := run.FlagNames(several)
	if !slices.IsSorted(names) || !slices.Contains(names, "walking") || !slices.Contains(names, "talking") || slices.Contains(names, "seed") || run.TreeNames(several) != nil {
		t.Errorf("flags %v", names)
	}
}
