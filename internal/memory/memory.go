// Package memory determines how much memory this process may use: the machine's memory, or a lower limit of a control
// group or of the address space. It reads files of the system and changes nothing except in [Apply].
//
//	budget := memory.Available() / 4 // 0 if nothing is known
package memory

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Available is the number of bytes this process may still allocate under its limits: the machine's memory or, if
// smaller, the limit of its control groups, or the rest of the address space. 0: nothing is known.
func Available() int64 {
	bytes := Physical()
	if left, ok := left(); ok && (bytes == 0 || left < bytes) {
		bytes = max(left, 1)
	}
	return bytes
}

// Remaining is the rest of [Available] for a process that uses this many bytes; limits of the address space already are
// the rest. At least 1; 0: nothing is known.
func Remaining(used int64) int64 {
	bytes := Physical()
	if bytes > 0 {
		bytes = max(bytes-used, 1)
	}
	if left, ok := left(); ok && (bytes == 0 || left < bytes) {
		bytes = max(left, 1)
	}
	return bytes
}

// Physical is the machine's memory in bytes or, where smaller, the least of the limits of
// the control groups that the process is in; 0 when neither can be read.
func Physical() int64 {
	total, limit := machine("/"), groups("/")
	if limit > 0 && (total == 0 || limit < total) {
		return limit
	}
	return total
}

// Apply makes the garbage collector keep the limits of the control groups and of the address space, if there are any;
// the environment variable GOMEMLIMIT has priority. Without it a heap grows to twice the memory in use, whatever the
// limit.
func Apply() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := int64(math.MaxInt64)
	if group := groups("/"); group > 0 {
		limit = group / 10 * 9
	}
	if left, ok := left(); ok {
		limit = min(limit, left/10*8)
	}
	if limit < math.MaxInt64 {
		debug.SetMemoryLimit(max(limit, 16<<20))
	}
}

// kept is not written, so that it takes no memory; the garbage collector counts it as used.
var kept []byte

// Keep makes a process that does one large task after another keep the memory of one for the next. The system takes
// back unused memory only when it needs it, whereas package runtime would return it and fetch it again several times
// for each task. The heap is collected when it has grown by at least a 64th of the memory, 256 MiB at most. Short
// processes do not need it. Call it first of all: on Linux the process restarts. With a limited address space, nothing
// changes.
func Keep() {
	if AddressSpace() > 0 {
		return
	}
	restart()
	kept = make([]byte, min(Available()/64, maxKept))
}

// maxKept bounds by how much a small heap grows before it is collected.
const maxKept = 256 << 20

// machine is the memory of the machine whose file system has this root; 0: unknown.
func machine(root string) int64 {
	text, err := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var kib int64
		if _, err := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	return 0
}

// groups is the least memory limit of the control groups that the process is in; 0: none.
func groups(root string) int64 {
	limit := Group(root, "memory", "memory.max")
	if first := Group(root, "memory", "memory.limit_in_bytes"); first > 0 && (limit == 0 || first < limit) {
		return first
	}
	return limit
}

// Group is the least limit in a file such as "memory.max" of the process's control groups, of both versions, and of
// their parents; 0: none. root is the root of the file system; groups of version 1 belong to the controller.
func Group(root, controller, file string) int64 {
	least := int64(0)
	look := func(folder string) {
		text, err := os.ReadFile(filepath.Join(root, "sys/fs/cgroup", folder, file))
		if err != nil {
			return
		}
		limit, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64) // not "max"
		if err == nil && limit > 0 && (least == 0 || limit < least) {
			least = limit
		}
	}
	// In a container the group's own folder is often the visible root.
	look("")
	look(controller)
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		for group := path.Clean("/" + part[2]); group != "/"; group = path.Dir(group) {
			switch {
			case part[0] == "0" && part[1] == "":
				look(group)
			case strings.Contains(","+part[1]+",", ","+controller+","):
				look(path.Join(controller, group))
			}
		}
	}
	return least
}
