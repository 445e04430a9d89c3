// Processes of Linux.

package folderlock

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// boot names what the machine has been doing since it was started, so that a number of a process before counts for nothing.
func boot() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	// Containers of a machine see processes of their own.
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(data)) + " " + space
}

// running reports whether a process exists.
func running(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
