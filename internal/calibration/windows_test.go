// The short form of the tables of exclusion windows: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"
)

// Counts by window change only with -update.
func TestWindowsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it counts intervals of many samples, and analyses have tests of their own")
	}
	t.Parallel()
	holdShort(t, "windows.md", func(w io.Writer, threads int) error {
		return writeWindows(context.Background(), w, []Design{short}, 3, 42, threads)
	})
}
