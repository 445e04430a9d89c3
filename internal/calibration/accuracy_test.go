// The short form of the table of tests of equal accuracy: exact counts of few draws.

package main

import (
	"context"
	"io"
	"testing"
)

// Rejections of tests of equal accuracy change only with -update, and do not depend on the
// number of threads.
func TestAccuracyShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: thousands of studies")
	}
	t.Parallel()
	holdShort(t, "accuracy.md", func(w io.Writer, threads int) error {
		return writeAccuracy(context.Background(), w, []accuracyDesign{{60, 0}, {80, 0.8}}, 20, 42, threads)
	})
}
