// Tests that any split of the samples, any number of threads and any memory give the same
// bytes.

package forecast

import (
	"bytes"
	"math"
	"testing"

	"repscope/analysis"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
)

// asText is everything that a result holds.
func asText(t *testing.T) func(*Result) []byte {
	return func(r *Result) []byte {
		t.Helper()
		var out bytes.Buffer
		for _, m := range r.Models {
			if err := report.Encode(&out, []any{m, m.Scores}); err != nil {
				t.Fatal(err)
			}
		}
		if err := report.Encode(&out, []any{r.Comparisons, r.Warnings, r.Samples, r.Groups}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

func TestWork(t *testing.T) {
	t.Parallel()
	m := newMade(130, 3, 2, 4, 4, 1)
	input := func() Input {
		in := m.input(t)
		in.FromTarget = true
		in.Leads = make([]float64, m.n)
		for i := range in.Leads {
			in.Leads[i] = float64(6 * (i % 2))
		}
		return in
	}
	open := func(o Options) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(input(), o)
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	// One family or more of every kind: of cells, of fields, of all variables, of the whole grid.
	o := Options{Metrics: []string{"errors", "crps", "pairwise_energy_score", "rank_histogram", "probabilities", "fractions"}, Settings: analysis.Settings{Intervals: true, Seed: 7}, Pairs: 5, BatchSize: 9, Thresholds: []float64{0.5}, EventQuantiles: []float64{0.8}}
	if units := open(o)().Units; units != 3 {
		t.Fatalf("%d units, want 3", units)
	}
	other := o
	other.Seed = 8
	shardtest.Check(t, open(o), asText(t), open(other))
	want := asText(t)(analyze(t, input(), o))
	for _, threads := range []int{1, 3} {
		o.Threads, o.Memory = threads, 1
		if got := asText(t)(analyze(t, input(), o)); !bytes.Equal(got, want) {
			t.Errorf("%d threads: other bytes", threads)
		}
	}
}

// A study remembers the sums of forecasts by content: of a renamed one, one from another file, and beside a new one,
// nothing is scored again, nor are baselines. Where samples are left out, which concerns all, nothing is kept.
func TestRemembered(t *testing.T) {
	t.Parallel()
	m := newMade(30, 3, 2, 4, 4, 1)
	forecast := func(name string, seed uint64, bad bool) Forecast {
		other := newMade(m.n, m.s, m.v, m.h, m.w, seed)
		if bad {
			other.members[len(other.members)/2] = math.NaN()
		}
		return Forecast{Name: name, Members: array(t, name+".npy", []int{m.n, m.s, m.v, m.h, m.w}, other.members)}
	}
	open := func(threshold float64, forecasts ...Forecast) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			in := m.input(t)
			in.FromTarget, in.Forecasts = true, forecasts
			work, err := Work(in, Options{Metrics: []string{"errors", "crps", "probabilities"}, Settings: analysis.Settings{Intervals: true, Seed: 7}, SkipNaN: true,
				Thresholds: []float64{threshold}, EventQuantiles: []float64{0.8}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	a, b, c := forecast("a", 2, false), forecast("b", 3, false), forecast("c", 4, false)
	renamed := b
	renamed.Name = "renamed"
	renamed.Members = forecast("moved", 3, false).Members
	before := open(0.5, a, b)
	shardtest.CheckMemory(t, before, open(0.5, renamed, c, a), asText(t), 3, 1)
	shardtest.CheckMemory(t, before, open(0.5, b), asText(t), 2, 0)
	shardtest.CheckMemory(t, before, open(0.6, a, b), asText(t), 0, 3)
	shardtest.CheckMemory(t, before, open(0.5, forecast("bad", 5, true), b), asText(t), 2, 0)
	shardtest.CheckMemory(t, open(0.5, a, forecast("bad", 5, true)), before, asText(t), 0, 3)
}
