// Tests of the counts of what was looked at.

package sequence

import (
	"strings"
	"testing"
)

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

// Equal sequences are told where they stand in different clusters only.
func TestInSeveralClusters(t *testing.T) {
	t.Parallel()
	c := newCensus()
	batch := &Batch{}
	for _, tokens := range [][]int32{{4, 5, 6}, {4, 5, 6}, {4, 5, 7}, {6, 5, 4}, {4, 5, 6}} {
		batch.Items = append(batch.Items, &Item{Record: &Record{Tokens: tokens, Special: make([]bool, 3)}})
	}
	if err := c.Update(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if w := c.inSeveralClusters([]int{1, 1, 2, 3, 1}); w != "" {
		t.Errorf("one cluster: %s", w)
	}
	if w := c.inSeveralClusters([]int{1, 1, 2, 3, 4}); !strings.HasPrefix(w, "3 of 5 sequences are equal to one of another cluster: ") {
		t.Errorf("several clusters: %q", w)
	}
}
