// The short form of the tables of intervals of logarithms: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"
)

// Counts of intervals of logarithms, and of missing ones, change only with -update.
func TestLogarithmsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: thousands of studies")
	}
	t.Parallel()
	holdShort(t, "logarithms.md", func(w io.Writer, threads int) error {
		return writeLogarithms(context.Background(), w, []logarithmDesign{2, 3, 8}, 40, 42, threads)
	})
}
