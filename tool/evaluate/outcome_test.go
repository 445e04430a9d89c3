// Tests of the outcome of a study.

package evaluate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const withOutcome = `
outcome: first.score
defaults:
  frames: "{}/f.npy"
  model: {a: a.onnx, b: b.onnx, c: c.onnx, d: d.onnx, e: e.onnx, f: f.onnx}
analyses: [second, first]
datasets:
  x: {seed: 1}
`

func TestOutcome(t *testing.T) {
	t.Parallel()
	dir := suiteFolder(t, withOutcome)
	code, _, messages := evaluate(t, &probe{}, dir)
	if code != 0 || !strings.Contains(messages, "validation: second.score predicts first.score") {
		t.Fatalf("exit status %d: %s", code, messages)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out", "validation", "validate.json"))
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Numbers map[string]struct {
			Spearman  float64
			Direction string
		}
	}
	if err := json.Unmarshal(data, &result); err != nil || result.Numbers["second.score"].Spearman != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestOutcome_Wrong(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"outcome: first.scor":                          `there is no column "first.scor"`,
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
