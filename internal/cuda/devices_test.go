//go:build !fakecuda

// Tests of the list of devices on whatever machine this is.

package cuda

import (
	"errors"
	"testing"
)

// With or without the tag, a machine without a GPU gets an error that says why.
func TestDevices(t *testing.T) {
	devices, err := Devices()
	switch {
	case err == nil && len(devices) > 0:
		t.Logf("found %v", devices)
	case errors.Is(err, ErrNoDevice) && len(err.Error()) > len(ErrNoDevice.Error())+2:
		t.Log(err)
	default:
		t.Fatalf("%v, %v", devices, err)
	}
}
