// This file is for keeping two runs from appending to one file at once.

//go:build unix && !solaris && !aix && !illumos

package dataset

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the exclusive advisory lock of a file, which closing it releases.
// File systems without locks are used without one.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return nil
		}
	}
}
