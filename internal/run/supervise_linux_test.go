// Tests of what is said of a run in a limited address space.

package run

import (
	"strings"
	"syscall"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	const ran, wrong, failed = syscall.WaitStatus(0), syscall.WaitStatus(2 << 8), syscall.WaitStatus(1 << 8)
	trace := "\ngoroutine 1 [running]:\nruntime.throw({0x52, 0x16})\n"
	for _, test := range []struct {
		said   string
		status syscall.WaitStatus
		code   int
		text   string
	}{
		{"", ran, 0, ""},
		{"", failed, 1, ""},
		{"", wrong, 2, ""}, // wrong usage: the message is written already
		{"runtime: out of memory: cannot allocate 4194304-byte block (3899392 in use)\nfatal error: out of memory\n" + trace, wrong, 1, "limited to 1.5 GB"},
		{"fatal error: runtime: cannot allocate memory\n" + trace, wrong, 1, "out of memory"},
		{"runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n" + trace, wrong, 1, "out of memory"},
		{"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n" + trace, wrong, 1, "out of memory"},
		{"fatal error: failed to reserve page summary memory\n" + trace, wrong, 1, "out of memory"},
		{"fatal error: all goroutines are asleep - deadlock!\n" + trace, wrong, 2, "deadlock!\n\ngoroutine 1"},
		{"fatal error: unlock of out of memory mutex\n", ran, 0, "unlock"}, // it did not end so
		{"", syscall.WaitStatus(syscall.SIGKILL), 1, "killed"},
		{"x\n", syscall.WaitStatus(syscall.SIGSEGV), 1, "segmentation fault\nx"},
	} {
		code, text := verdict("fake", 1500e6, []byte(test.said), test.status)
		if code != test.code || !strings.Contains(text, test.text) || test.text == "" && text != "" {
			t.Errorf("%q, status %#x: exit %d, %q; want %d, %q", test.said, test.status, code, text, test.code, test.text)
		}
		if memory := strings.Contains(test.text, "memory") || strings.Contains(test.text, "limited"); memory && strings.Count(text, "\n") != 1 {
			t.Errorf("%q: %q is not one line", test.said, text)
		}
	}
}
