// CPU placement of the threads of a pool.
//
// A system may put two threads that wake each other on one CPU and leave them there for tenths of a second, though
// another one is idle. Then one waits for work that the other has no time to do.

package cpu

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// yield lets another thread run that waits for this one's processor.
func yield() { _, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// processor is the number of the processor that this thread runs on, or -1.
func processor() int {
	var n uint32
	if _, _, e := syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&n)), 0, 0); e != 0 {
		return -1
	}
	return int(n)
}

// leaveProcessor moves this thread off CPU n if it runs there and may run elsewhere. Its later affinity does not
// change.
func leaveProcessor(n int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if processor() != n {
		return
	}
	var all unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return
	}
	others := all
	if others.Clear(n); others.Count() > 0 && unix.SchedSetaffinity(0, &others) == nil {
		_ = unix.SchedSetaffinity(0, &all)
	}
}
