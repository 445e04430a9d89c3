// Tests that any split of the work gives the same bytes.

package sequence

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"repscope/shard"
	"repscope/shard/shardtest"
)

// regional are the metrics that follow the mode of regions.
func regional() []string {
	var out []string
	for _, k := range All() {
		if (k.Needs|k.Either)&NeedRegional != 0 {
			out = append(out, k.Name)
		}
	}
	return out
}

// Any split of the groups, in any order, gives the bytes of one pass: of all registered metrics,
// and of those of regions in every mode.
func TestAnySplit(t *testing.T) {
	t.Parallel()
	for mode, metrics := range map[string][]string{RegionStandard: nil, RegionPerPosition: regional(), RegionLevel: regional()} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			open := func(seed uint64) func() shard.Work[*Part, *Result] {
				return func() shard.Work[*Part, *Result] {
					in := fakeInput(11, 2, metrics...)
					choice := &in.Datasets[0].Choice
					choice.Mode = mode
					choice.Set = set("p_at_l", map[string]any{"logistic": true, "logistic_sequences": 9})
					choice.Substitutions = fakeVariants(t, in.Datasets[0].Models[0].Sequences.(*fakeSequences), 3, 20)
					second := fakeInput(4, 1, "masked_accuracy")
					second.Datasets[0].Name = "other"
					in.Datasets = append(in.Datasets, second.Datasets...)
					w, err := workOf(in, Options{Intervals: true, Family: "metric", Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					return w
				}
			}
			r, err := open(42)().Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := len(metrics); len(r.Datasets[0].Models[0].Metrics) != want && want > 0 || want == 0 && len(r.Datasets[0].Models[0].Metrics) != len(All()) {
				t.Errorf("computed %v; skipped %s", r.Datasets[0].Models[0].Metrics, encoded(t, r.Datasets[0].Models[0].Skipped))
			}
			shardtest.Check(t, open(42), textOf(t), open(43))
		})
	}
}

// Threads, how many sequences are looked at together, and whether the source is asked at once change
// no byte; metrics that say that they hold sequences may take fewer of them in less memory.
func TestThreads(t *testing.T) {
	t.Parallel()
	var metrics []string
	for _, k := range All() {
		if !k.Holds {
			metrics = append(metrics, k.Name)
		}
	}
	for _, of := range []struct {
		metrics []string
		options []Options
	}{{nil, []Options{{Threads: 1}, {Threads: 3}}}, {metrics, []Options{{Threads: 1}, {Threads: 2, Memory: 1 << 18}, {Threads: 3, Memory: 1 << 22}}}} {
		var want []byte
		for i, o := range of.options {
			in := fakeInput(14, 3, of.metrics...)
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
				t.Errorf("options %+v: other bytes", o)
			}
		}
	}
}

// Models that predict other residues are told apart; one that predicts none is not one of them.
func TestOtherMasks(t *testing.T) {
	t.Parallel()
	of := func(masked ...int) *census {
		c := newCensus()
		it := &Item{Record: &Record{Tokens: []int32{0, 4, 5, 6, 2}, Special: make([]bool, 5), Masked: masked}}
		if err := c.Update(t.Context(), &Batch{Items: []*Item{it}}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	got := otherMasks([]string{"clean", "a", "b", "c"}, []*census{of(), of(1, 2), of(1, 2), of(1, 3)})
	if len(got) != 1 || got[0] != "a and c predict other masked residues: their differences are also those of the residues" {
		t.Errorf("%q", got)
	}
}

// A study remembers what the metrics accumulated over a model by content: of a renamed model, and beside a new one, nothing is
// accumulated again.
func TestMemory(t *testing.T) {
	t.Parallel()
	open := func(mask string, names ...string) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			in := fakeInput(11, 3)
			models := &in.Datasets[0].Models
			*models = append(*models, fakeModel("c", (*models)[0].Sequences.(*fakeSequences), newFakeSource(3, 2)))
			for i := range *models {
				content := []shard.Field{{Name: "dump", Value: fmt.Sprint("of ", i)}}
				(*models)[i].Inputs = func() ([]shard.Field, error) { return content, nil }
				(*models)[i].Name = names[i]
			}
			*models = slices.DeleteFunc(*models, func(m Model) bool { return m.Name == "" })
			in.Datasets[0].Choice.Masking = mask
			w, err := workOf(in, Options{Intervals: true, Seed: 42, Memory: int64(len(*models)) << 20})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
	}
	before := open("a", "one", "", "three")
	shardtest.CheckMemory(t, before, open("a", "one", "new", "renamed"), textOf(t), 2, 1)
	shardtest.CheckMemory(t, before, open("b", "one", "new", "three"), textOf(t), 0, 3)
}
