// Subsets, exactly and in the approximate mode.

package dimension

import (
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/neighbors"
	"repscope/stat"
)

// The ratios within a subset come from the lists of all latents, from those members that
// have too few there, or from a search of the subset: always the same numbers.
func TestRatiosWithinASubset(t *testing.T) {
	t.Parallel()
	z := measuretest.Curved(1200)
	d, err := NewDistinct(t.Context(), spaceOf(t, z), 32, Within(1e-7), Search{})
	if err != nil {
		t.Fatal(err)
	}
	order := stat.NewRandom(stat.NewKey(1)).Perm(len(d.Index))
	for _, size := range []int{len(order), len(order) / 2, len(order) / 10, len(order) / 20} {
		members := order[:size]
		got, err := d.ratiosWithin(t.Context(), members, size)
		if err != nil {
			t.Fatal(err)
		}
		for _, asking := range []int{1, size / 3, size * 2 / 3} {
			some, err := d.ratiosWithin(t.Context(), members, asking)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(some, got[:asking]) {
				t.Errorf("%d of %d members: other ratios than of all", asking, size)
			}
		}
		index := make([]int, size)
		for i, m := range members {
			index[i] = d.Index[m]
		}
		nearest, err := neighbors.KNearest(t.Context(), z.Select(index), 2, neighbors.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := ratios(nearest, 1, 2); !slices.Equal(got, want) {
			t.Errorf("%d members: other ratios than by a search among them", size)
		}
	}
}

// The approximate mode looks at some of many subsets.
func TestApproximateDecimation(t *testing.T) {
	t.Parallel()
	z := measuretest.Curved(3000)
	curve := func(s Search) []Decimation {
		d, err := NewDistinct(t.Context(), spaceOf(t, z), 32, Within(1e-7), s)
		if err != nil {
			t.Fatal(err)
		}
		curve, err := d.Decimate(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return curve
	}
	exact, some := curve(Search{}), curve(Search{Approximate: true})
	for i, row := range exact {
		if some[i].Size != row.Size || row.Subsets != 1<<i || some[i].Subsets > row.Subsets || some[i].Subsets < min(row.Subsets, decimatedSubsets) {
			t.Errorf("%+v, exactly %+v", some[i], row)
		}
		if some[i].Subsets == row.Subsets && some[i].ID != row.ID {
			t.Errorf("size %d: dimension %v, exactly %v", row.Size, some[i].ID, row.ID)
		}
	}
}
