// Two-NN without a block against the points that are left.

package dimension

import (
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

// Deleting a block by hand gives the same estimates.
func TestWithoutBlocksEqualsDeletion(t *testing.T) {
	t.Parallel()
	g, z := measuretest.ReadDimension(t)
	blocks, err := stat.NewBlocks(z.N, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 48})
	if err != nil {
		t.Fatal(err)
	}
	// 3 neighbors only: most deletions exhaust the list and look again.
	d, err := NewDistinct(t.Context(), spaceOf(t, z), 3, 1e-7*g.Spectrum.RMSDistance, Search{})
	if err != nil {
		t.Fatal(err)
	}
	mle, fit, err := d.WithoutBlocks(blocks)
	if err != nil {
		t.Fatal(err)
	}
	for j := range blocks.Count() {
		deleted := blocks.Block(j)
		kept := slices.DeleteFunc(slices.Clone(d.Index), func(i int) bool { return slices.Contains(deleted, i) })
		reduced, err := NewDistinct(t.Context(), spaceOf(t, z.Select(kept)), 3, 0, Search{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := NewTwoNN(reduced.Ratios(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, "mle", mle[j], want.MLE, 1e-9)
		measuretest.Near(t, "fit", fit[j], want.Fit, 1e-9)
	}
	few, err := stat.NewBlocks(9, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.WithoutBlocks(few); err == nil || !strings.Contains(err.Error(), "blocks of 9 points for 240") {
		t.Errorf("other blocks: %v", err)
	}
}
