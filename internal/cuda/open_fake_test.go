//go:build cuda && fakecuda

// How tests get a device on the fake driver.

package cuda

import (
	"testing"

	"repscope/internal/cuda/fakecuda"
)

// openDevice takes the only fake device into use.
func openDevice(t *testing.T) *Context { return openFake(t, 1, 1<<30) }

// openFake resets the fake driver and takes its last device into use.
func openFake(t *testing.T, devices int, memory int64) *Context {
	t.Helper()
	fakecuda.Reset(devices, memory)
	list, err := Devices()
	if err != nil || len(list) != devices {
		t.Fatalf("%v, %v", list, err)
	}
	c, err := Open(list[devices-1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// seeds runs a test with several orders between streams, and of threads.
func seeds(run func(seed int)) {
	for seed := range 20 {
		fakecuda.Seed(seed)
		fakecuda.Reverse(seed%2 == 1)
		run(seed)
	}
	fakecuda.Reverse(false)
}

// why is what the fake driver knows of the last error.
func why() string { return fakecuda.Message() }

// execute chooses for one test what executes kernels: mistakes show in other ways.
func execute(t *testing.T, mode fakecuda.Mode) {
	before := fakecuda.Executes()
	fakecuda.Execute(mode)
	t.Cleanup(func() { fakecuda.Execute(before) })
}
