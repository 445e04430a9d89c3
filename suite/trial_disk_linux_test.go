// File systems of a trial that are small, or cannot be written.

package suite

import (
	"fmt"
	"os"
	"syscall"
)

func init() {
	mountSmall = func(dir string, size int) (unmount func() error, err error) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
			return nil, err
		}
		// Detached, because a process that another goroutine has just begun may still hold a file of it.
		return func() error { return syscall.Unmount(dir, syscall.MNT_DETACH) }, nil
	}
	remountSmall = func(dir string, size int, readOnly bool) error {
		flags := uintptr(syscall.MS_REMOUNT)
		if readOnly {
			flags |= syscall.MS_RDONLY
		}
		return syscall.Mount("tmpfs", dir, "tmpfs", flags, fmt.Sprintf("size=%d", size))
	}
}
