// What a process is after Keep: the same one with the same arguments, begun again once, unless the caller chose
// otherwise.

//go:build linux

package memory

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestKeepProcess is the process that TestKeep looks at.
func TestKeepProcess(t *testing.T) {
	if os.Getenv("REPSCOPE_TEST_KEEP") == "" {
		t.Skip("only for TestKeep")
	}
	Keep()
	fmt.Println(os.Getpid(), os.Getenv("GODEBUG"), len(kept), os.Args[1:])
	os.Exit(0)
}

func TestKeep(t *testing.T) {
	t.Parallel()
	limit := min(Available()/64, maxKept)
	if AddressSpace() > 0 {
		t.Skip("the address space of the tests is limited")
	}
	for _, c := range []struct {
		limit, settings, want string
		kept                  int64
	}{
		{"", "", "madvdontneed=0", limit},
		{"", "gctrace=0", "gctrace=0,madvdontneed=0", limit},
		{"", "madvdontneed=1", "madvdontneed=1", limit},
		{"ulimit -v 8000000;", "gctrace=0", "gctrace=0", 0},
	} {
		args := []string{"-test.run=^TestKeepProcess$", "-test.v=false"}
		cmd := exec.Command("/bin/sh", append([]string{"-c", c.limit + `exec "$@"`, "sh", os.Args[0]}, args...)...)
		cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "GODEBUG=") }),
			"REPSCOPE_TEST_KEEP=1", "GODEBUG="+c.settings)
		got, err := cmd.CombinedOutput()
		want := fmt.Sprintln(cmd.Process.Pid, c.want, c.kept, args)
		if err != nil || string(got) != want {
			t.Errorf("%s GODEBUG=%s: %q, %v; want %q", c.limit, c.settings, got, err, want)
		}
	}
}
