// Tests that any split of the work gives the same bytes.

package sequence_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/metrics"
	"repscope/shard"
	"repscope/shard/shardtest"
)

// regional are the metrics that follow the mode of regions.
func regional() []string {
	var out []string
	for _, k := range metrics.All() {
		if (k.Needs|k.Either)&sequence.NeedRegional != 0 {
			out = append(out, k.Name)
		}
	}
	return out
}

// Any split of the groups, in any order, gives the bytes of one pass: of all registered metrics,
// and of those of regions in every mode.
func TestAnySplit(t *testing.T) {
	t.Parallel()
	for mode, names := range map[string][]string{sequence.RegionStandard: nil, sequence.RegionPerPosition: regional(), sequence.RegionLevel: regional()} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			open := func(seed uint64) func() shard.Work[*sequence.Part, *sequence.Result] {
				return func() shard.Work[*sequence.Part, *sequence.Result] {
					in := sequencetest.Input(metrics.All(), 11, 2, names...)
					choice := &in.Datasets[0].Choice
					choice.Mode = mode
					choice.Set = map[string]map[string]any{"p_at_l": {"logistic": true, "logistic_sequences": 9}}
					choice.Substitutions = sequencetest.Variants(t, in.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences), 3, 20)
					second := sequencetest.Input(metrics.All(), 4, 1, "masked_accuracy")
					second.Datasets[0].Name = "other"
					in.Datasets = append(in.Datasets, second.Datasets...)
					w, err := sequencetest.Work(in, sequence.Options{Settings: analysis.Settings{Intervals: true, Family: "metric", Seed: seed}})
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
			if want := len(names); len(r.Datasets[0].Models[0].Metrics) != want && want > 0 || want == 0 && len(r.Datasets[0].Models[0].Metrics) != len(metrics.All()) {
				t.Errorf("computed %v; skipped %s", r.Datasets[0].Models[0].Metrics, sequencetest.Encoded(t, r.Datasets[0].Models[0].Skipped))
			}
			shardtest.Check(t, open(42), sequencetest.Text(t), open(43))
		})
	}
}

// Threads, how many sequences are looked at together, and whether the source is asked at once change
// no byte; metrics that say that they hold sequences may take fewer of them in less memory.
func TestThreads(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range metrics.All() {
		if !k.Holds {
			names = append(names, k.Name)
		}
	}
	for _, of := range []struct {
		names   []string
		options []sequence.Options
	}{{nil, []sequence.Options{{Settings: analysis.Settings{Threads: 1}}, {Settings: analysis.Settings{Threads: 3}}}}, {names, []sequence.Options{{Settings: analysis.Settings{Threads: 1}}, {Settings: analysis.Settings{Threads: 2, Memory: 1 << 18}}, {Settings: analysis.Settings{Threads: 3, Memory: 1 << 22}}}}} {
		var want []byte
		for i, o := range of.options {
			in := sequencetest.Input(metrics.All(), 14, 3, of.names...)
			for m := range in.Datasets[0].Models {
				in.Datasets[0].Models[m].Source.(*sequencetest.Source).AtOnce = i > 0
			}
			o.Intervals, o.Seed = true, 42
			r, err := sequence.Analyze(t.Context(), in, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := sequencetest.Text(t)(r); want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("options %+v: other bytes", o)
			}
		}
	}
}

// A study remembers what the metrics accumulated over a model by content: of a renamed model, and beside a new one,
// nothing is accumulated again.
func TestMemory(t *testing.T) {
	t.Parallel()
	open := func(mask string, names ...string) func() shard.Work[*sequence.Part, *sequence.Result] {
		return func() shard.Work[*sequence.Part, *sequence.Result] {
			in := sequencetest.Input(metrics.All(), 11, 3)
			models := &in.Datasets[0].Models
			*models = append(*models, sequencetest.Model("c", (*models)[0].Sequences.(*sequencetest.Sequences), sequencetest.NewSource(3, 2)))
			for i := range *models {
				content := []shard.Field{{Name: "dump", Value: fmt.Sprint("of ", i)}}
				(*models)[i].Inputs = func() ([]shard.Field, error) { return content, nil }
				(*models)[i].Name = names[i]
			}
			*models = slices.DeleteFunc(*models, func(m sequence.Model) bool { return m.Name == "" })
			in.Datasets[0].Choice.Masking = mask
			w, err := sequencetest.Work(in, sequence.Options{Settings: analysis.Settings{Intervals: true, Seed: 42, Memory: int64(len(*models)) << 20}})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
	}
	before := open("a", "one", "", "three")
	shardtest.CheckMemory(t, before, open("a", "one", "new", "renamed"), sequencetest.Text(t), 2, 1)
	shardtest.CheckMemory(t, before, open("b", "one", "new", "three"), sequencetest.Text(t), 0, 3)
}
