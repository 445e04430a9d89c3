// Tests of the outcome of a study.

package evaluate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/run"
)

const withOutcome = `
outcome: first.score
defaults:
  frames: "{}/f.npy"
  model: {a: a.onnx, b: b.onnx, c: c.onnx}
analyses: [second, first]
datasets:
  x: {seed: 1}
`

// validation stands for validate: its sentence has the rows of the table and the flags.
var validation = run.Command{Name: "validate", Summary: "stands for validate", Out: "out", Arguments: "TABLE",
	Setup: func(flags *run.Flags) run.Job {
		var outcome string
		var higher []string
		flags.StringVar(&outcome, "outcome", "", "`COLUMN`")
		flags.Var(&run.Texts{Values: &higher}, "higher", "`LIST`")
		return run.Job{Run: func(_ context.Context, env *run.Env) error {
			table, err := os.ReadFile(env.Options.Args[0])
			if err != nil {
				return err
			}
			if !strings.Contains(string(table), strings.ReplaceAll(outcome, ".", ",a,")) {
				return fmt.Errorf("there is no column %q", outcome)
			}
			env.Result.Extra.Set("sentence", fmt.Sprintf("%d lines, %s, %v", strings.Count(string(table), "\n"), outcome, higher))
			return nil
		}}
	}}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"outcome: first.score":                            "validation: 7 lines, first.score, []",
		"outcome: {outcome: first.score, higher: [x, y]}": "validation: 7 lines, first.score, [x y]",
	} {
		dir := suiteFolder(t, strings.Replace(withOutcome, "outcome: first.score", from, 1))
		code, _, messages := evaluate(t, &probe{}, dir)
		if code != 0 || !strings.Contains(messages, want) {
			t.Errorf("%s: exit status %d: %s", from, code, messages)
		}
		if _, err := os.Stat(filepath.Join(dir, "out", "validation", "validate.json")); err != nil {
			t.Error(err)
		}
	}
}

func TestOutcome_Wrong(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"outcome: first.none":                          `there is no column "first.none"`,
		"outcome: {higher: x}":                         "outcome names no number",
		"outcome: {outcome: first.score, hihger: x}":   "hihger",
		"outcome: [first.score]":                       "outcome",
		"outcome: {outcome: first.score, run: {a: 1}}": "want a list of plain values",
	} {
		dir := suiteFolder(t, strings.Replace(withOutcome, "outcome: first.score", from, 1))
		code, _, messages := evaluate(t, &probe{}, dir)
		if code == 0 || !strings.Contains(messages, want) {
			t.Errorf("%s: exit status %d: %s", from, code, messages)
		}
	}
}
