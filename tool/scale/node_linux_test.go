// A node of a cluster as a process of the test: what is started on it can be found.

package scale_test

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// setChildSubreaper is PR_SET_CHILD_SUBREAPER: orphans below this process become its children, not those of process 1.
const setChildSubreaper = 36

// node runs a program and ends with it. Daemons of Slurm leave the tree of processes; with node they remain below it.
func node(command []string) {
	if _, _, code := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); code != 0 {
		panic(code)
	}
	if err := os.Unsetenv(asNode); err != nil {
		panic(err)
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		panic(err)
	}
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if pid == c.Process.Pid || err != nil && !errors.Is(err, syscall.EINTR) {
			os.Exit(status.ExitStatus())
		}
	}
}
