// The wall that the kernel holds.

package mcp

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestWall(t *testing.T) {
	t.Parallel()
	if !walls() {
		t.Skip("this kernel has no Landlock")
	}
	_, root, secret := tree(t)
	out := filepath.Join(root, "plain")
	w := wall{reads: []string{root}, writes: []string{out}}
	for line, ok := range map[string]bool{
		"cat x.npy": true, "cat plain/y.npy": true, "ls": true, "cat /etc/hostname /dev/null": true,
		"cat link.npy": false, "cat " + secret: false, "ls " + filepath.Dir(secret): false,
		"touch plain/new": true, "mv plain/new plain/other": true, "touch new": false, "touch folder/new": false,
		"rm x.npy":             false,
		"sh -c 'cat link.npy'": false,
	} {
		command := exec.Command("/bin/sh", "-c", "exec "+line)
		command.Dir = root
		var told bytes.Buffer
		command.Stderr = &told
		err := w.start(command)
		if err == nil {
			err = command.Wait()
		}
		if (err == nil) != ok && !strings.HasPrefix(line, "mv") {
			t.Errorf("%s: %v %s", line, err, told.String())
		}
	}
	// This process is outside of it.
	if _, err := os.ReadFile(secret); err != nil {
		t.Error(err)
	}
}
