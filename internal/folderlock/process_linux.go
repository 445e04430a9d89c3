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

// boot identifies the machine's current boot, so that process numbers of earlier ones do not count.
func boot() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	// Containers of a machine have their own process numbers.
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
	// The name, in parentheses, may hold anything; the third field follows it.
	_, rest, _ := strings.Cut(string(data[max(0, bytes.LastIndexByte(data, ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}
