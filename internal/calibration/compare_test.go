// The short form of the table of comparisons: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"
)

// Counts of compare for equal models change only with -update, and do not depend on the
// number of threads.
func TestComparisonsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: thousands of studies")
	}
	t.Parallel()
	holdShort(t, "comparisons.md", func(w io.Writer, threads int) error {
		return writeComparisons(context.Background(), w, []studyDesign{{1, 8, false}, {3, 6, false}}, 20, 42, threads)
	})
}
