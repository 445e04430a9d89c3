// Memory mapping on Unix systems.

//go:build unix

package mmap

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const mapsAll = true

// readsShow says whether reads show data that another process has written through a mapping.
const readsShow = true

func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

// release takes the pages of a mapping off the program; reading them again
// brings them back. It is only a hint, so that it may fail.
func release(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }

func unmapFile(data []byte) error { return syscall.Munmap(data) }
