//go:build !linux

// Elsewhere the time of the last change of a file's content tells.

package evaluate

import "io/fs"

func changed(fs.FileInfo) int64 { return 0 }
