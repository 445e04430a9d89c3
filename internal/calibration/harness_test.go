// The short form of the tables of results of lm-evaluation-harness: exact counts of few draws.

package main

import (
	"context"
	"io"
	"math"
	"testing"

	"repscope/stat"
)

// Counts of means with standard errors change only with -update.
func TestHarnessShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it counts intervals of many samples, and analyses have tests of their own")
	}
	t.Parallel()
	holdShort(t, "harness.md", func(w io.Writer, threads int) error {
		return writeHarness(context.Background(), w, []harnessSize{20, 200}, 20, 42, threads)
	})
}

// The true means of the tables agree with means of very many scores.
func TestScoreKinds(t *testing.T) {
	t.Parallel()
	const grid = 200000
	for _, k := range scoreKinds() {
		sum := 0.0
		for i := range grid {
			sum += k.score(stat.NormalQuantile((float64(i) + 0.5) / grid))
		}
		if got := sum / grid; math.Abs(got-k.mean) > 1e-3*k.mean {
			t.Errorf("%s: mean %v, in truth %v", k.name, k.mean, got)
		}
	}
}
