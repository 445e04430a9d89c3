// Tests that any split of the samples gives the same bytes.

package reconstruction

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
)

func TestWork(t *testing.T) {
	t.Parallel()
	s := NewScene(8, 7, 90, 12) // blocks of 520 samples
	open := func(o Options) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(s.Input(map[string]func(state, step int) []float64{"blurred": func(state, step int) []float64 { return s.Blurred(state + step) }}), o)
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	if units := open(Options{})().Units; units != 2 {
		t.Fatalf("%d units, want 2", units)
	}
	shardtest.Check(t, open(Options{Settings: analysis.Settings{Intervals: true}}), asText(t), open(Options{Settings: analysis.Settings{Intervals: true}, MovingThreshold: 0.5}))
}

// asText is everything that a result holds.
func asText(t *testing.T) func(*Result) []byte {
	return func(r *Result) []byte {
		t.Helper()
		var out bytes.Buffer
		if err := report.Encode(&out, r); err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Models {
			if err := report.Encode(&out, []any{m, m.Scores}); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
}

// A study remembers the scores of models by content: of a renamed model, and beside a new one, nothing is scored
// again, nor are the true frames and the baselines.
func TestMemory(t *testing.T) {
	t.Parallel()
	s := NewScene(8, 7, 60, 6)
	open := func(threshold float64, models ...string) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			frames := map[string]func(state, step int) []float64{}
			content := map[string]string{}
			for at, name := range models {
				shown, of, renamed := strings.Cut(name, "=")
				if !renamed {
					of = shown
				}
				shown = fmt.Sprint(at, " ", shown) // which is their order
				content[shown] = of
				frames[shown] = map[string]func(state, step int) []float64{
					"blurred": func(state, step int) []float64 { return s.Blurred(state + step) },
					"late":    func(state, step int) []float64 { return s.Blurred(state) },
					"broken":  func(state, step int) []float64 { return make([]float64, 56) },
				}[of]
			}
			in := s.Input(frames)
			in.Frames.Digest = func() (string, error) { return "scene", nil }
			for i := range in.Models {
				in.Models[i].Frames.Digest = func() (string, error) { return content[in.Models[i].Name], nil }
			}
			work, err := Work(in, Options{Settings: analysis.Settings{Intervals: true}, MovingThreshold: threshold})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	before := open(0.1, "blurred", "late")
	shardtest.CheckMemory(t, before, open(0.1, "broken", "renamed=late", "blurred"), asText(t), 3, 1)
	shardtest.CheckMemory(t, before, open(0.1, "blurred"), asText(t), 2, 0)
	shardtest.CheckMemory(t, before, open(0.2, "late", "broken", "blurred"), asText(t), 0, 4)
}
