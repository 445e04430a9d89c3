// Tests of transactions that write what is there.

package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<12) // two buffers to the byte
	try := func(name string, content []byte) bool {
		tr, err := Begin(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Abort()
		if !tr.Unchanged() {
			t.Error("nothing has changed something")
		}
		if err := tr.File(name, func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
			t.Fatal(err)
		}
		return tr.Unchanged()
	}
	for _, test := range []struct {
		there, now []byte
	}{
		{[]byte("a"), []byte("a")}, {nil, nil}, {[]byte("a"), []byte("b")}, {long, long}, {long, long[:len(long)-1]},
		{long, append([]byte("x"), long[1:]...)}, {long, append(bytes.Clone(long), '\n')}, {nil, []byte("a")},
		{[]byte("a"), nil},
	} {
		if err := os.WriteFile(filepath.Join(dir, "file"), test.there, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := try("file", test.now); got != bytes.Equal(test.there, test.now) {
			t.Errorf("%d and %d bytes: unchanged %v", len(test.there), len(test.now), got)
		}
	}
	if try("missing", nil) {
		t.Error("a file that is not there is unchanged")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := FileSum(filepath.Join(dir, "folder")); err == nil {
		t.Error("a folder is a file")
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, long, 0o666); err != nil {
		t.Fatal(err)
	}
	tr, err := Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Abort()
	if err := tr.Elsewhere(other, func(w io.Writer) error { _, err := w.Write(long); return err }); err != nil {
		t.Fatal(err)
	}
	if !tr.Unchanged() {
		t.Error("a file elsewhere that is the same has changed")
	}
}
