// Tests of the work in units.

package generation

import (
	"testing"

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
	o := Options{Intervals: true, Seed: 3}
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
