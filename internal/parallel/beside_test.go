// Tests of what loops leave to others.

package parallel

import (
	"sync/atomic"
	"testing"
)

// Not parallel to other tests, whose loops it would change.
func TestBeside(t *testing.T) {
	made := func() int {
		var made atomic.Int32
		if err := With(t.Context(), 3, 100, func() func(int) error {
			made.Add(1)
			return func(int) error { return nil }
		}); err != nil {
			t.Fatal(err)
		}
		return int(made.Load())
	}
	var ends []func()
	for things, want := range []int{3, 3, 2, 1, 1} {
		if got := made(); got != want || Own(3) != want {
			t.Errorf("%d things beside each other: loops on %d goroutines, told %d; want %d", things, got, Own(3), want)
		}
		ends = append(ends, Beside())
	}
	Idle(func() {
		if Own(5) != 2 {
			t.Errorf("one of five things waits: %d goroutines, want 2", Own(5))
		}
	})
	for _, end := range ends {
		end()
	}
	if got := made(); got != 3 || besides.Load() != 0 {
		t.Errorf("%d goroutines after all, want 3; %d things are left", got, besides.Load())
	}
}
