//go:build cuda && !fakecuda

// How tests get a device on a machine with a GPU.

package cuda

import "testing"

// openDevice takes the first GPU into use; without one the test is skipped.
func openDevice(t *testing.T) *Context {
	t.Helper()
	devices, err := Devices()
	if err != nil {
		t.Skip(err)
	}
	c, err := Open(devices[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func seeds(run func(seed int)) { run(0) }

func why() string { return "" }
