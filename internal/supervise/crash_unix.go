// Limits of the system on Unix.

//go:build unix

package supervise

import (
	"math"
	"syscall"
)

// withoutCore keeps the process from leaving a core file when it crashes, and from handing one to a program of the
// system's, which Linux does unless the limit is 1.
func withoutCore() {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil || limit.Cur <= 1 {
		return
	}
	limit.Cur = 1
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &limit)
}

// openFiles is how many files the process may have open; 0: any number.
func openFiles() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int64(limit.Cur)
}
