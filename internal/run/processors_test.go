// Tests of the number of processors of runs beside each other.

package run

import (
	"context"
	"io"
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

// Two cores with a million threads answer nobody for half an hour. It changes what the whole process uses, and so
// runs alone.
func TestManyThreads(t *testing.T) {
	var threads, processors int
	command := Command{Name: "idle", Summary: "does nothing", Manual: "A stand-in.", Out: "idle_out", Setup: func(*Flags) Job {
		return Job{Instead: func(_ context.Context, o *Options, _ io.Writer) (bool, error) {
			threads, processors = o.Threads, runtime.GOMAXPROCS(0)
			return true, nil
		}}
	}}
	task := Task{Command: command, Args: []string{"--threads", "1000000"}}
	if err := task.Run(t.Context(), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	if most := mostThreads(); threads != most || processors != most {
		t.Errorf("%d threads on %d processors, want %d", threads, processors, most)
	}
}
