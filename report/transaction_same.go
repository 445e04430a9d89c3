// This file is for finding out that a run writes what is there already.

package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"repscope/internal/regular"
)

// Unchanged reports whether every file so far has the bytes of the one whose name it is to get.
func (t *Transaction) Unchanged() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.files {
		if !f.done || f.temp == "" || !sameBytes(f.temp, filepath.Join(t.dir, f.name)) {
			return false
		}
	}
	return true
}

// sameBytes reports whether two files can be read and have the same bytes.
func sameBytes(a, b string) bool {
	var files [2]*os.File
	for i, path := range []string{a, b} {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
		f, err := regular.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		files[i] = f
	}
	x, y := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err := io.ReadFull(files[0], x)
		m, _ := io.ReadFull(files[1], y)
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if err != nil { // the end of both, as fewer bytes than asked for were read
			return true
		}
	}
}
