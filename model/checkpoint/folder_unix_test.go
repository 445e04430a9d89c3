// Parts of a folder's weights that are no files of the folder.

//go:build unix

package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"repscope/internal/torchfile/torchtest"
)

// TestOpenFolder_NoFile: a part that is a pipe, a folder or a link that leads out is refused at once; in a cache, whose
// links lead to files that lie together, parts are read.
func TestOpenFolder_NoFile(t *testing.T) {
	t.Parallel()
	all := weights(3, "")
	parts := map[string]torchtest.Dict{"a.safetensors": all[:5], "b.safetensors": all[5:]}
	files := map[string]any{"model.safetensors.index.json": index(parts), "a.safetensors": all[:5]}
	outside := writeFolder(t, map[string]any{"b.safetensors": all[5:]})
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"a pipe":   {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "got a named pipe"},
		"a folder": {func(path string) error { return os.Mkdir(path, 0o700) }, "got a folder"},
		"a device": {func(path string) error { return os.Symlink("/dev/zero", path) }, "outside its folder"},
		"outside":  {func(path string) error { return os.Symlink(filepath.Join(outside, "b.safetensors"), path) }, "outside its folder"},
	} {
		dir := writeFolder(t, files)
		if err := c.make(filepath.Join(dir, "b.safetensors")); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	files["b.safetensors"] = all[5:]
	blobs, snapshot := writeFolder(t, files), t.TempDir()
	for name := range files {
		if err := os.Symlink(filepath.Join(blobs, name), filepath.Join(snapshot, name)); err != nil {
			t.Fatal(err)
		}
	}
	n, err := Open(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	// Weights and configurations that are pipes, which the folder itself has.
	for _, name := range []string{"model.safetensors", "config.json"} {
		dir := writeFolder(t, map[string]any{"pytorch_model.bin": all})
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := Open(dir, Options{})
		if name == "config.json" && (err == nil || !strings.Contains(err.Error(), "named pipe")) {
			t.Errorf("a pipe as %s: %v", name, err)
		}
		if err == nil {
			n.Close()
		}
	}
}
