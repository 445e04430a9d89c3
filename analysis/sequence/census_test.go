// Tests of the counts of what was looked at.

package sequence

import "testing"

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
	if len(got) != 1 || got[0] != "a and c predict different masked residues, which adds to their difference; give "+
		"both models the same masks" {
		t.Errorf("%q", got)
	}
}
