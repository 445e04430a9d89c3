// The memory budget: what a machine has, and how many rows of distances fit into it.

package rows

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// blockRows is the largest number of rows of a block: enough for the matrix
// kernels to run at full speed.
const blockRows = 960

// fallbackMemory is the default budget where the machine's memory is unknown.
const fallbackMemory = 2 << 30

// Budget is the working memory in bytes.
func (o *Options) Budget() int64 {
	if o.Memory > 0 {
		return o.Memory
	}
	if total := machineMemory(); total > 0 {
		return total / 4
	}
	return fallbackMemory
}

// machineMemory is the machine's memory or, where smaller, the control group's
// limit; 0 when neither can be read.
func machineMemory() int64 {
	var total int64
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var kib int64
			if _, err := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kib); err == nil {
				total = kib << 10
				break
			}
		}
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			limit, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
			if err == nil && limit > 0 && (total == 0 || limit < total) {
				total = limit
			}
		}
	}
	return total
}

// rowsWithin is the number of rows of a block when each takes rowBytes.
func rowsWithin(budget, rowBytes int64, n int) (int, error) {
	rows := budget / rowBytes
	if rows < 1 {
		return 0, fmt.Errorf("memory: %d bytes are left for blocks of rows and one row of distances takes %d: allow more",
			max(0, budget), rowBytes)
	}
	return int(min(rows, blockRows, int64(n))), nil
}
