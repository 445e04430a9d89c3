// Tests of the work in units.

package generation

import (
	"testing"

	"repscope/analysis"
	"repscope/shard"
	"repscope/shard/shardtest"
)

// Any split of the metrics and generators gives the same bytes.
func TestWork(t *testing.T) {
	t.Parallel()
	open := func(o Options) shard.Work[*Part, *Result] {
		work, err := Work(madeInput(), o)
		if err != nil {
			t.Fatal(err)
		}
		return work
	}
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 3}}
	other := o
	other.Threshold = 0.4
	shardtest.Check(t, func() shard.Work[*Part, *Result] { return open(o) }, written, func() shard.Work[*Part, *Result] { return open(other) })
}

// The identity follows from what was read, not from names of files.
func TestIdentity(t *testing.T) {
	t.Parallel()
	of := func(change func(in *Input)) shard.Identity {
		in := madeInput()
		change(&in)
		work, err := Work(in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return work.Identity()
	}
	same := of(func(*Input) {})
	if d := same.Difference(of(func(in *Input) { in.Real.Name = "elsewhere" })); d != "" {
		t.Errorf("another name: %s", d)
	}
	for name, change := range map[string]func(in *Input){
		"a cell":       func(in *Input) { in.Real.Rows.U8[0] ^= 1 },
		"a label":      func(in *Input) { in.Generators[1].Generated.Labels[0] = 2 },
		"a name":       func(in *Input) { in.LabelNames[0] = "x" },
		"validity":     func(in *Input) { in.Generators[0].Generated.Valid = make([]bool, 45) },
		"a target":     func(in *Input) { in.Generators[0].Predictions.Target[0] = 1 },
		"real guesses": func(in *Input) { in.RealPredictions = nil },
		"statistics":   func(in *Input) { in.Real.Statistics = []Statistic{{Name: "x", Values: make([]float64, 60)}} },
	} {
		if d := same.Difference(of(change)); d == "" {
			t.Errorf("%s does not change the identity", name)
		}
	}
}

// A study remembers metrics of generators by content: of a renamed one, one from another file, and beside a new one,
// nothing is computed again.
func TestMemory(t *testing.T) {
	t.Parallel()
	open := func(threshold float64, change func(in *Input)) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			in := madeInput()
			change(&in)
			work, err := Work(in, Options{Settings: analysis.Settings{Intervals: true, Seed: 3}, Threshold: threshold})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	first := func(in *Input) { in.Generators = in.Generators[:1] }
	both := func(in *Input) {
		if len(in.Generators) != 2 {
			t.Fatalf("%d generators", len(in.Generators))
		}
		in.Generators[0], in.Generators[1] = in.Generators[1], in.Generators[0]
		in.Generators[1].Name, in.Generators[1].Generated.Name, in.Real.Name = "renamed", "elsewhere", "moved"
	}
	computed := func(in func(*Input)) (n int) {
		memory := &shard.Memory{Dir: t.TempDir()}
		if _, err := open(0.3, in)().Run(memory.In(t.Context())); err != nil {
			t.Fatal(err)
		}
		n, _ = memory.Counts()
		return n
	}
	one, all := computed(first), computed(both)
	if one < 3 || all <= one {
		t.Fatalf("%d metrics are remembered of the first generator, %d of all", one, all)
	}
	shardtest.CheckMemory(t, open(0.3, first), open(0.3, both), written, one, all-one)
	shardtest.CheckMemory(t, open(0.3, first), open(0.4, both), written, 0, all)
}
