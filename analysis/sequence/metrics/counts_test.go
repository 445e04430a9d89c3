// States of counts: merging, and states of another shape.

package metrics

import (
	"slices"
	"testing"

	"repscope/analysis/sequence"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	a, b := &perPositionMetric{sequence.Counts{Grows: true}}, &perPositionMetric{sequence.Counts{Values: []int64{1, 2, 3}, Grows: true}}
	a.Grow(2)
	a.Values[1] = 5
	for range 2 {
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(a.Values, []int64{2, 9, 6}) {
		t.Errorf("counts %v, want 2 9 6", a.Values)
	}
	data, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	read := &perPositionMetric{sequence.Counts{Grows: true}}
	if err := read.UnmarshalBinary(data); err != nil || !slices.Equal(read.Values, a.Values) {
		t.Errorf("counts read are %v (%v)", read.Values, err)
	}
	fixed := sequence.NewCounts(2)
	if fixed.UnmarshalBinary(data) == nil || fixed.UnmarshalBinary(data[:3]) == nil || fixed.Add(&a.Counts) == nil {
		t.Error("three counts are taken as two")
	}
	if a.Reset(); len(a.Values) != 0 {
		t.Errorf("%v after a reset", a.Values)
	}
	both := &calibrationMetric{sumsAndCounts{sequence.NewSums(2), sequence.NewCounts(2)}, 1}
	if both.Merge(a) == nil || a.Merge(&lossMetric{}) == nil {
		t.Error("metrics of other kinds merge")
	}
}
