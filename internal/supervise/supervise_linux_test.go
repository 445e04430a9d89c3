// Tests of what is said of a run with limits of the address space or of threads.

package supervise

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	const ran, wrong, failed, aborted = syscall.WaitStatus(0), syscall.WaitStatus(2 << 8), syscall.WaitStatus(1 << 8), syscall.WaitStatus(syscall.SIGABRT)
	trace := "\ngoroutine 1 [running]:\nruntime.throw({0x52, 0x16})\n"
	space, threads := bounds{space: 1500e6}, bounds{threads: 100}
	both := bounds{1500e6, 100}
	for _, test := range []struct {
		bounds
		said   string
		status syscall.WaitStatus
		code   int
		text   string
	}{
		{space, "", ran, 0, ""},
		{space, "", failed, 1, ""},
		{space, "", wrong, 2, ""}, // wrong usage: the message is written already
		{space, "runtime: out of memory: cannot allocate 4194304-byte block (3899392 in use)\nfatal error: out of memory\n" + trace, wrong, 1, "limit of the address space is 1.5 GB"},
		{space, "runtime: out of memory: cannot allocate 4194304-byte block (3899392 in use)\nfatal error: out of memory\n" + trace, aborted, 1, "limit of the address space is 1.5 GB"},
		{both, "fatal error: runtime: cannot allocate memory\n" + trace, wrong, 1, "out of memory"},
		{space, "runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n" + trace, wrong, 1, "out of memory"},
		{space, "runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n" + trace, wrong, 1, "out of memory"},
		{space, "fatal error: failed to reserve page summary memory\n" + trace, wrong, 1, "out of memory"},
		{threads, "runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n" + trace, wrong, 1, "out of threads: the limit is 100 processes"},
		{both, "runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n" + trace, aborted, 1, "out of threads: the limit is 100 processes"},
		{space, "fatal error: all goroutines are asleep - deadlock!\n" + trace, wrong, 1, "deadlock!\n\ngoroutine 1"},
		{space, "SIGQUIT: quit\nPC=0x48bc21 m=0 sigcode=0\n" + trace, wrong, 1, "SIGQUIT"},
		{space, "panic: runtime error: index out of range\n" + trace, wrong, 1, "panic"},
		{space, "fatal error: unlock of out of memory mutex\n", ran, 0, "unlock"}, // it did not end so
		{space, "", syscall.WaitStatus(syscall.SIGKILL), 1, "killed"},
		{space, "x\n", syscall.WaitStatus(syscall.SIGSEGV), 1, "segmentation fault\nx"},
	} {
		code, text := test.verdict("fake", []byte(test.said), test.status)
		if code != test.code || !strings.Contains(text, test.text) || test.text == "" && text != "" {
			t.Errorf("%q, status %#x: exit %d, %q; want %d, %q", test.said, test.status, code, text, test.code, test.text)
		}
		if one := strings.Contains(test.text, "memory") || strings.Contains(test.text, "limited") || strings.Contains(test.text, "threads"); one && strings.Count(text, "\n") != 1 {
			t.Errorf("%q: %q is not one line", test.said, text)
		}
	}
}

// A limit of processes in a control group counts where it is small.
func TestThreads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"max": 0, "90": 90, "10": 0, "4096": 0} {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "sys/fs/cgroup"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "sys/fs/cgroup/pids.max"), []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := Threads(root); got != want && Threads(t.TempDir()) == 0 {
			t.Errorf("pids.max %s: %d, want %d", text, got, want)
		}
	}
}
