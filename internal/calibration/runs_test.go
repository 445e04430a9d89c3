// The short form of the tables of runs: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"
)

// Counts of intervals and tests of runs change only with -update.
func TestRunsShort(t *testing.T) {
	t.Parallel()
	holdShort(t, "runs.md", func(w io.Writer, threads int) error {
		return writeRuns(context.Background(), w, []runDesign{{2, 10}, {4, 4}}, 10, 42, threads)
	})
}
