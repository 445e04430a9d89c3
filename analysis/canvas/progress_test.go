// Tests of scores over the steps of a design.

package canvas_test

import (
	"fmt"
	"math"
	"testing"

	"repscope/analysis/canvas/internal/faketest"
)

// snapshots is a run of cases with different numbers of steps.
func snapshots() *faketest.Run {
	f := faketest.NewRun()
	for s := range 5 {
		sample := fmt.Sprint("s", s)
		steps := 2 + s
		for k := range steps {
			c := f.Add(sample, "m", "")
			c.Snapshot = 10 * (steps - k) // in the order of their numbers, not of the files
			c.Generated.Design = fmt.Sprint(sample, "-", c.Snapshot)
			f.Files[c.Generated.Design] = fmt.Sprintf("quality=%g", float64(steps-k-1)/float64(steps))
		}
		f.Add(sample, "m", "quality=1")
	}
	return f
}

// Cases whose scores rise evenly over any number of steps have them at every part of the way, and
// snapshots are no part of the mean.
func TestProgress(t *testing.T) {
	t.Parallel()
	f := snapshots()
	r := faketest.Analyzed(t, f)
	if n := faketest.Number(t, r, "m", "quality"); n.N != 5 || n.Value.V != 1 {
		t.Errorf("mean %v of %d cases", n.Value.V, n.N)
	}
	points := 0
	for _, p := range r.Models[0].Progress {
		if p.Key != "quality" {
			continue
		}
		points++
		if p.N != 5 || math.Abs(p.Value.V-p.At) > 1e-12 {
			t.Errorf("%v at %v of %d cases", p.Value.V, p.At, p.N)
		}
	}
	if points != 11 {
		t.Errorf("%d points of the curve", points)
	}
	v, err := encodedModel(t, r, "m").Number("snapshots.by_progress[progress=0.5].quality")
	if err != nil || math.Abs(v.V-0.5) > 1e-12 {
		t.Errorf("%v in the result file (%v)", v, err)
	}
}
