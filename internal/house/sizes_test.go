// No built program and no large file is a part of the project.

package house

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostBytes is the size of the largest file, a network of the example.
const mostBytes = 2 << 20

// magic begins programs of Linux, Windows and macOS.
var magic = [][]byte{[]byte("\x7fELF"), []byte("MZ"), {0xcf, 0xfa, 0xed, 0xfe}, {0xca, 0xfe, 0xba, 0xbe}}

func TestNoLargeFiles(t *testing.T) {
	t.Parallel()
	list := exec.Command("git", "-C", "../..", "ls-files", "-z")
	out, err := list.Output()
	if err != nil {
		t.Skipf("git lists no files here (%v): a copy without its history", err)
	}
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		full := filepath.Join("../..", path)
		info, err := os.Lstat(full)
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, and not yet committed
		}
		if info.Size() > mostBytes {
			t.Errorf("%s has %d bytes, want at most %d", path, info.Size(), mostBytes)
		}
		head := make([]byte, 4)
		file, err := os.Open(full)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.ReadFull(file, head)
		file.Close()
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			t.Fatal(err)
		}
		for _, m := range magic {
			if bytes.HasPrefix(head[:n], m) && info.Size() > 4096 {
				t.Errorf("%s is a built program", path)
			}
		}
	}
}
