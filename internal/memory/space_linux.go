// The limit of the address space on Linux.

package memory

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// rlimitData is RLIMIT_DATA, which counts private writable memory.
const rlimitData = 2

// AddressSpace is the limit of the address space in bytes (ulimit -v) or, where smaller,
// of the data in it (ulimit -d); 0: none.
func AddressSpace() int64 {
	space, data := limitOf(syscall.RLIMIT_AS), limitOf(rlimitData)
	if space == 0 || data > 0 && data < space {
		return data
	}
	return space
}

func limitOf(which int) int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(which, &limit); err != nil || limit.Cur > math.MaxInt64/2 {
		return 0
	}
	return int64(limit.Cur)
}

// left is the rest of the address space and of the data in it; ok is false if neither is limited.
func left() (bytes int64, ok bool) {
	var size, resident, shared, text, library, data int64
	if used, err := os.ReadFile("/proc/self/statm"); err == nil {
		_, _ = fmt.Sscan(string(used), &size, &resident, &shared, &text, &library, &data) // 0 where unknown
	}
	bytes = math.MaxInt64
	for _, l := range [][2]int64{{limitOf(syscall.RLIMIT_AS), size}, {limitOf(rlimitData), data}} {
		if limit, pages := l[0], l[1]; limit > 0 {
			bytes, ok = min(bytes, max(limit-pages*int64(os.Getpagesize()), 0)), true
		}
	}
	return bytes, ok
}
