package neighbors

// This file holds the memory budget of a pass.

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"

	"repscope/internal/kernel"
)

// blockRows is the largest number of rows of a block: enough for the matrix
// kernels to run at full speed.
const blockRows = 960

// fallbackMemory is the default budget where the machine's memory is unknown.
const fallbackMemory = 2 << 30

// budget is the working memory in bytes.
func (o *Options) budget() int64 {
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
		return 0, fmt.Errorf("memory: %d bytes are left for blocks of rows and one row of distances takes %d: allow more", max(0, budget), rowBytes)
	}
	return int(min(rows, blockRows, int64(n))), nil
}

// tallRows is the largest number of rows of a block of a pass over all pairs: the
// columns are packed once for each block.
const tallRows = 16 * kernel.Align

// flatRows is the largest number of rows of an embedded space held at a time, where
// distances are cheap.
const flatRows = 5 * kernel.Align

// muchKept is what may be kept between blocks without being asked for. Of more, the last third is
// in use for a short while only, half way through, and saves a seventh of the distances.
const muchKept = 512 << 20

// layout says how a pass goes through its rows: in blocks of rows, within which
// embedded space e is computed in parts of flat[e] rows.
type layout struct {
	rows int
	flat []int
	kept int64 // what the original keeps between blocks
}

// layout divides the budget for rows lo … hi−1 among blocks of rows and what
// symmetric spaces keep between blocks, and tells the spaces.
func (o *Options) layout(n, lo, hi int, original space, embedded []space) (layout, error) {
	// What each point takes in each space, and each worker's tables of a row.
	budget := o.budget() - int64(1+len(embedded))*int64(n)*int64(32+12*o.threads())
	spaces := append([]space{original}, embedded...)
	flat := make([]bool, len(spaces))
	for e, s := range spaces {
		flat[e] = e > 0 && s.keepable(0, 2*flatRows, flatRows) == 0
	}
	held := func(e, rows int) int {
		if flat[e] {
			return min(rows, flatRows)
		}
		return rows
	}
	blocks := func(rows int) (bytes int64) {
		for e, s := range spaces {
			bytes += int64(held(e, rows)) * s.rowBytes()
		}
		return bytes
	}
	kept := func(rows int) (bytes int64) {
		for _, s := range spaces {
			bytes += s.keepable(lo, hi, rows)
		}
		return bytes
	}
	// The tallest blocks that leave room for all that can be kept; else half of
	// the budget goes to each.
	// Where nothing is worth keeping, short blocks that stay in the cache.
	tall := min(tallRows, hi-lo)
	if !slices.ContainsFunc(spaces, func(s space) bool { return s.keepable(0, 2*flatRows, flatRows) > 0 }) {
		tall = min(3*kernel.Align, hi-lo)
	}
	rows := tall
	for rows > kernel.Align && blocks(rows)+kept(rows) > budget {
		rows = (rows - 1) / kernel.Align * kernel.Align
	}
	if blocks(rows)+kept(rows) > budget {
		rows = tall
		for rows > 1 && blocks(rows) > budget/2 {
			rows -= max(1, min(kernel.Align, rows-kernel.Align))
		}
	}
	if blocks(rows) > budget {
		return layout{}, fmt.Errorf("memory: %d bytes are left for blocks of rows and one row of distances takes %d: allow more", max(0, budget), blocks(1))
	}
	if o.maxRows > 0 {
		rows = min(rows, o.maxRows)
	}
	l := layout{rows: rows}
	left := budget - blocks(rows)
	for e, s := range spaces {
		if e > 0 {
			l.flat = append(l.flat, held(e, rows))
		}
		share := min(left, s.keepable(lo, hi, rows))
		if o.Memory == 0 && share > muchKept {
			share = max(muchKept, share/3*2)
		}
		if e == 0 {
			l.kept = share
		}
		left -= share
		s.plan(held(e, rows), hi, share)
	}
	return l, nil
}
