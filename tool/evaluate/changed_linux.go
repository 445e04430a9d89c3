// The time of the last change of a file's content, name or rights, which no program can set.

package evaluate

import (
	"io/fs"
	"syscall"
)

func changed(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
