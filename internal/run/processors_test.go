// Tests of the number of processors of runs beside each other.

package run

import (
	"runtime"
	"testing"
)

// It changes what the whole process uses, and so runs alone.
func TestUseProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	first := useProcessors(before + 1)
	second := useProcessors(before + 2)
	first()
	if n := runtime.GOMAXPROCS(0); n != before+2 {
		t.Errorf("%d processors while one run has %d", n, before+2)
	}
	second()
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("%d processors after all runs, want %d as before", n, before)
	}
}
