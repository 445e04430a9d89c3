// Files that other files name: where they may lie, and what they may be.

//go:build unix

package regular

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOpenBeside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folders := []string{"model", "model/inside", "cache/blobs", "cache/snapshots/1", "loose"}
	for _, name := range folders {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"model/m", "model/w", "model/inside/w", "outside", "cache/blobs/aa", "cache/blobs/bb", "loose/m"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"model/out": "../outside", "model/absolute": filepath.Join(dir, "outside"), "model/within": "inside/w", "model/zero": "/dev/zero",
		"model/self": "self", "model/up": "..", "cache/snapshots/1/m": "../../blobs/aa", "cache/snapshots/1/w": "../../blobs/bb",
		"cache/snapshots/1/out": "../../../outside", "loose/w": "../cache/blobs/bb",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "model", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, name, want string }{
		{"model/m", "w", "model/w"},
		{"model/m", "inside/w", "model/inside/w"},
		{"model/m", "within", "model/inside/w"},
		{"cache/snapshots/1/m", "w", "cache/blobs/bb"}, // links to files that lie together
	} {
		file, err := OpenBeside(filepath.Join(dir, c.path), c.name)
		if err != nil {
			t.Errorf("%s names %s: %v", c.path, c.name, err)
			continue
		}
		if content, err := io.ReadAll(file); err != nil || string(content) != c.want {
			t.Errorf("%s names %s: %s, %v", c.path, c.name, content, err)
		}
		file.Close()
	}
	for _, c := range []struct{ path, name, want string }{
		{"model/m", "../outside", "want a path inside the folder"},
		{"model/m", filepath.Join(dir, "outside"), "want a path inside the folder"},
		{"model/m", "", "want a path inside the folder"},
		{"model/m", "out", "outside its folder"},
		{"model/m", "absolute", "outside its folder"},
		{"model/m", "zero", "outside its folder"},
		{"model/m", "up/outside", "outside its folder"},
		{"model/m", "self", ""},
		{"model/m", "pipe", "named pipe"},
		{"model/m", "inside", "folder"},
		{"model/m", "none", "none: no such file"},
		{"cache/snapshots/1/m", "out", "outside its folder"},
		{"loose/m", "w", "outside its folder"}, // the file that names it is no link
	} {
		file, err := OpenBeside(filepath.Join(dir, c.path), c.name)
		if err == nil {
			file.Close()
			t.Errorf("%s names %s, and it is opened", c.path, c.name)
		} else if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "statat") {
			t.Errorf("%s names %s: %v, want %s", c.path, c.name, err, c.want)
		}
	}
}
