// Tests of what is written of numbers.

package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/report"
)

// The names of numbers that stand for the others are those of metrics, and models are compared by
// them.
func TestMainNames(t *testing.T) {
	t.Parallel()
	var compared []string
	for _, k := range canvas.Usual() {
		for _, key := range k.Keys {
			if key.Compared {
				compared = append(compared, key.Name)
			}
		}
	}
	for _, name := range mainNames {
		if !slices.Contains(compared, name) {
			t.Errorf("models are not compared by %s", name)
		}
	}
	if len(mainNames) > mostMain {
		t.Errorf("%d main numbers, want at most %d", len(mainNames), mostMain)
	}
}

// outcomeOf is what a run of fake cases writes.
func outcomeOf(t *testing.T, f *faketest.Run, kinds []canvas.Kind) *outcome {
	t.Helper()
	settings := &canvas.Setting{Definition: canvas.DefinitionDefault, Seed: 42}
	r := faketest.Analyzed(t, f, func(o *canvas.Options) { o.Kinds, o.Setting = kinds, settings })
	return &outcome{Result: r, kinds: kinds, settings: settings, read: f.Read}
}

// Every case is in the result file once, with its steps, what it lacks and why, and how it was
// improved.
func TestCasesOfResult(t *testing.T) {
	t.Parallel()
	f := faketest.Tree()
	for step := range 3 {
		c := f.Add("gid0-0", "small", "quality=0.25")
		c.Snapshot = step
	}
	f.Add("gid0-0", "unfinished", "quality=0.5").Snapshot = 7
	r := outcomeOf(t, f, faketest.Kinds())
	var text bytes.Buffer
	if err := report.Encode(&text, r.cases()); err != nil {
		t.Fatal(err)
	}
	parsed, err := report.Parse("cases", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	all := parsed.(report.Object)
	if keys := all.Keys(); len(keys) != 28 || keys[0] != "gid0-0-small" {
		t.Errorf("%d cases: %v", len(keys), keys)
	}
	value := func(path string) string {
		v, err := all.Number(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if !v.Defined() {
			return v.Reason
		}
		return fmt.Sprintf("%.4g", v.V)
	}
	for path, want := range map[string]string{
		"gid4-16-large.quality":                      "0.001",
		"gid4-16-large.base.quality":                 "0",
		"gid4-16-large.quality_improvement":          "0.001",
		"gid3-9-large.quality":                       "gid3-9-large.json: no such file",
		"gid1-1-small.calls":                         "no trace is given",
		"gid0-0-small.snapshots[snapshot=2].quality": "0.25",
		"gid0-0-unfinished.snapshots[0].quality":     "0.5",
		"gid0-0-small.snapshots[snapshot=1].double":  "0.5",
		"gid3-9-large.double_improvement":            "quality: gid3-9-large.json: no such file",
	} {
		if got := value(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if !strings.Contains(text.String(), `"words": ["quality=`) {
		t.Error("details are missing")
	}
}
