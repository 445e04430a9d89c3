// Paths that are no regular files, on Unix.

//go:build unix

package regular

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
)

// special are paths that are no files, by kind.
func special(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{"named pipe": pipe, "device": "/dev/zero", "folder": dir}
	if l, err := net.Listen("unix", filepath.Join(dir, "s")); err == nil { // some systems have short names only
		t.Cleanup(func() { _ = l.Close() })
		paths["socket"] = filepath.Join(dir, "s")
	}
	return paths
}
