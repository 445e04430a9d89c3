// Participation ratios without a block against those of the points that are left.

package spectrum

import (
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func TestParticipationRatiosWithoutEqualDeletion(t *testing.T) {
	t.Parallel()
	_, z := measuretest.ReadDimension(t)
	blocks, err := stat.NewBlocks(z.N, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 48})
	if err != nil {
		t.Fatal(err)
	}
	for b, got := range ParticipationRatiosWithout(z, blocks) {
		var kept []int
		for i := range z.N {
			if !slices.Contains(blocks.Block(b), i) {
				kept = append(kept, i)
			}
		}
		want, err := New(z.Select(kept))
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, "participation ratio", got, want.ParticipationRatio, 1e-9)
	}
}
