// Tests of what is kept of measurements.

package scale

import (
	"context"
	"testing"
)

// What was measured is kept run by run, so that a plan that is interrupted does not begin anew.
func TestTimesAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := readRates(dir)
	ran := &trial{source: &source{analysis: "neighborhood"}, rates: r, key: "neighborhood uint8"}
	run := "neighborhood uint8: 2048 states, frames of 64, 16 latents of 1 models "
	r.Times[run], r.fresh = 1.5, []string{"neighborhood"}
	if err := r.keep(); err != nil {
		t.Fatal(err)
	}
	again := readRates(dir)
	ran.rates = again
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	if taken, err := ran.time(interrupted, 2048, tried); err != nil || taken != 1.5 || ran.done != 1 {
		t.Errorf("%v, %v: a time that was kept is taken again", taken, err)
	}
}
