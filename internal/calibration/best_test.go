// The short form of the tables of decisions: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"
)

// Counts of confidence sets and of families of tests change only with -update, and do not depend on the number of
// threads.
func TestDecisionsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it counts intervals of many samples, and analyses have tests of their own")
	}
	t.Parallel()
	holdShort(t, "decisions.md", func(w io.Writer, threads int) error {
		ctx := context.Background()
		designs := []bestDesign{
			{Name: "all equal", Models: 4, Shift: level0}, {Name: "one clearly worse", Models: 4, Shift: lastWorse, Lag: 0.9, Uneven: 0.7},
			{Name: "3 runs of each", Models: 3, Shift: level0, Runs: 3, Tail: 3},
		}
		if err := writeBest(ctx, w, designs, 20, 42, threads); err != nil {
			return err
		}
		families := []familyDesign{{"3 × 4 × 4 runs", 3, 4, 1, 4, 0}, {"3 × 2 × 2 × 2 runs", 3, 2, 2, 2, 6}}
		if err := writeFamilies(ctx, w, families, 8, 42, threads); err != nil {
			return err
		}
		if err := writeOneRun(ctx, w, 8, 42, threads); err != nil {
			return err
		}
		return writeBounded(ctx, w, 20, 42, threads)
	})
}
