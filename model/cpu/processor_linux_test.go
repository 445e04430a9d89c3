// Tests of where threads run.

package cpu

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLeaveProcessorMovesTheThreadAndKeepsItsMask(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Skip(err)
	}
	moved := false
	for range 100 {
		n := processor()
		if n < 0 || !before.IsSet(n) {
			t.Fatalf("processor %d is none of the %d that are permitted", n, before.Count())
		}
		leaveProcessor(n)
		moved = moved || processor() != n
		if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
			t.Fatalf("%d processors are permitted, %d before (%v)", after.Count(), before.Count(), err)
		}
	}
	if before.Count() > 1 && !moved {
		t.Errorf("the thread stays where it is")
	}
	n := processor()
	leaveProcessor(n + 1 + before.Count()) // another one: nothing to leave
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("%d processors are permitted, %d before (%v)", after.Count(), before.Count(), err)
	}
}
