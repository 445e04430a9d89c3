// Tests that any split of the samples, any number of threads and any memory give the same
// bytes.

package forecast

import (
	"bytes"
	"testing"

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
	o := Options{Metrics: []string{"errors", "crps", "pairwise_energy_score", "rank_histogram", "probabilities", "fractions"}, Intervals: true, Seed: 7, Pairs: 5, BatchSize: 9, Thresholds: []float64{0.5}, EventQuantiles: []float64{0.8}}
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
