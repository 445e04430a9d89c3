// Processes of Linux.

package folderlock

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// boot names what the machine has been doing since it was started, so that a number of a process before counts for
// nothing.
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

// started is when a process began, in ticks since the machine did; empty where that cannot be read.
func started(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name, in parentheses, may hold anything; what follows it begins with the third field.
	_, rest, _ := strings.Cut(string(data[max(0, bytes.LastIndexByte(data, ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}
