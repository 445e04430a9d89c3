// This file is for keeping two runs from committing into one folder at once.

//go:build unix && !solaris && !aix && !illumos

package report

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFolder waits for the exclusive advisory lock of a folder. File systems
// without locks are used without one.
func lockFolder(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(d.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	// Closing the folder releases the lock, if there is one.
	return func() { _ = d.Close() }, nil
}
