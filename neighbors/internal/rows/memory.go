// The memory budget: the memory of a machine, and the number of rows of distances that fit into it.

package rows

import (
	"fmt"

	"repscope/internal/memory"
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
	if available := memory.Available(); available > 0 {
		return available / 4
	}
	return fallbackMemory
}

// rowsWithin is the number of rows of a block when each takes rowBytes.
func rowsWithin(budget, rowBytes int64, n int) (int, error) {
	rows := budget / rowBytes
	if rows < 1 {
		return 0, fmt.Errorf(
			"memory: %d bytes are left for blocks of rows, but one row of distances needs %d: raise the limit",
			max(0, budget), rowBytes)
	}
	return int(min(rows, blockRows, int64(n))), nil
}
