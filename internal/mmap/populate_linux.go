// Pages of a mapping brought in at once: a fault for every few pages takes several times as long.

package mmap

import "golang.org/x/sys/unix"

// populate maps pages of the file. It is only a hint, so that it may fail: systems before Linux 5.14 do not know it,
// and of a file that was cut there are none.
func populate(data []byte) { _ = unix.Madvise(data, unix.MADV_POPULATE_READ) }
