// Tests that any split of the samples gives the same bytes.

package reconstruction

import (
	"bytes"
	"testing"

	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
)

func TestWork(t *testing.T) {
	t.Parallel()
	s := newScene(8, 7, 90, 12) // blocks of 520 samples
	open := func(o Options) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(s.input(map[string]func(state, step int) []float64{"blurred": func(state, step int) []float64 { return s.blurred(state + step) }}), o)
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	if units := open(Options{})().Units; units != 2 {
		t.Fatalf("%d units, want 2", units)
	}
	shardtest.Check(t, open(Options{Intervals: true}), asText(t), open(Options{Intervals: true, MovingThreshold: 0.5}))
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
