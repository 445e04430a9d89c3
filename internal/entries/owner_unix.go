// Who may have written a file, on Unix.

//go:build unix

package entries

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// strangers describes the users other than this one and root who may have written a file or into a folder; empty: none.
func strangers(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return ""
	case stat.Uid != 0 && int64(stat.Uid) != int64(os.Geteuid()):
		return fmt.Sprintf("it belongs to user %d", stat.Uid)
	case info.Mode()&0o022 != 0:
		return fmt.Sprintf("other users may write to it (mode %04o); fix with chmod go-w", info.Mode().Perm())
	}
	return ""
}
