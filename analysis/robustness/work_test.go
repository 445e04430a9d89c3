// Tests that any split of levels and draws gives the same bytes.

package robustness

import (
	"bytes"
	"testing"

	"repscope/dataset"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
)

func TestWork(t *testing.T) {
	t.Parallel()
	open := func(levels ...float64) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			states := greys(60, []int{4, 4}, 0, 255)
			work, err := Work(Input{
				States: states, PixelRange: dataset.PixelRange{High: 255},
				Models: []Encoder{linear("identity", states, identity(16)), linear("two", states, identity(16)[:32]), linear("collapsed", states, make([]float32, 16))},
			}, Options{Levels: levels, Draws: 3, Intervals: true, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	if units := open(0, 0.1)().Units; units != 6 {
		t.Fatalf("%d units, want 6", units)
	}
	shardtest.Check(t, open(0, 0.1), asText(t), open(0, 0.2))
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
			if err := report.Encode(&out, []any{m, m.Distances}); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
}
