// The short form of the tables of lines: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"
)

// Counts of decisions, and of p values withdrawn because few pairs decide, change only with -update.
func TestLinesShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: thousands of studies")
	}
	t.Parallel()
	holdShort(t, "lines.md", func(w io.Writer, threads int) error {
		return writeLines(context.Background(), w, []Design{short, {Name: "far", N: 200, Episodes: 10, Rho: 0.8, Far: 0.01}}, 4, 42, threads)
	})
}

// In designs with far states few pairs decide the line, and some p values are withdrawn.
func TestFarStates(t *testing.T) {
	t.Parallel()
	d := Design{Name: "far", N: 200, Episodes: 10, Rho: 0.8, Far: 0.01}
	got, err := tally(context.Background(), Analysis{"smoothness", smooth}, d, 6, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Cells["leverage.without.slope"]; c.Intervals == 0 {
		t.Error("no draw has pairs that decide the line")
	}
}
