// Tests that any split of the work gives the same bytes.

package sequence

import (
	"bytes"
	"testing"

	"repscope/shard"
	"repscope/shard/shardtest"
)

// Any split of the groups, in any order, gives the bytes of one pass, of all metrics.
func TestAnySplit(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{RegionStandard, RegionPerPosition, RegionLevel} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			open := func(seed uint64) func() shard.Work[*Part, *Result] {
				return func() shard.Work[*Part, *Result] {
					in := fakeInput(15, 2)
					in.Datasets[0].Choice.Mode = mode
					in.Datasets[0].Choice.Set = set("p_at_l", map[string]any{"logistic": true, "logistic_sequences": 9})
					second := fakeInput(4, 1, "masked_accuracy")
					second.Datasets[0].Name = "other"
					in.Datasets = append(in.Datasets, second.Datasets...)
					w, err := Work(in, Options{Intervals: true, Family: "metric", Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					return w
				}
			}
			shardtest.Check(t, open(42), textOf(t), open(43))
		})
	}
}

// Threads, memory and whether the source is asked at once change no byte.
func TestThreads(t *testing.T) {
	t.Parallel()
	var want []byte
	for i, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2}} {
		in := fakeInput(40, 3)
		for m := range in.Datasets[0].Models {
			in.Datasets[0].Models[m].Source.(*fakeSource).concurrent = i > 0
		}
		o.Intervals, o.Seed = true, 42
		r, err := Analyze(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(t)(r); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("options %d: other bytes", i)
		}
	}
}
