// Tests that only regular files are opened, and only so much of them read.

package regular

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	content := strings.Repeat("0123456789", 300_000)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{path, filepath.Join(dir, "link")} {
		data, err := Read(name, int64(len(content)))
		if err != nil || string(data) != content {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	_, err := Read(path, int64(len(content))-1)
	if !errors.Is(err, ErrTooLarge) || !strings.HasPrefix(err.Error(), path+": too large: it has 3 MB") {
		t.Errorf("one byte too many: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadContext(ctx, path, Table); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), Table); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A stream whose size nothing says, as some files of the system, ends at the bound.
func TestAll_Endless(t *testing.T) {
	t.Parallel()
	endless := endlessReader{}
	if _, err := All(t.Context(), "endless", endless, 3e6); !errors.Is(err, ErrTooLarge) {
		t.Errorf("endless: %v", err)
	}
	if data, err := All(t.Context(), "short", iotest.OneByteReader(strings.NewReader("abc")), 3); err != nil || string(data) != "abc" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := All(t.Context(), "broken", iotest.ErrReader(fs.ErrClosed), 3); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("broken: %v", err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) { return len(p), nil }

// Every call returns at once for a path that is no regular file, and describes it.
func TestOpen_NoFile(t *testing.T) {
	t.Parallel()
	for kind, path := range special(t) {
		root, err := os.OpenRoot(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for name, open := range map[string]func() (*os.File, error){
			"Open":     func() (*os.File, error) { return Open(path) },
			"OpenFile": func() (*os.File, error) { return OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) },
			"OpenIn":   func() (*os.File, error) { return OpenIn(root, filepath.Base(path)) },
		} {
			f, err := open()
			if f != nil || err == nil || !strings.HasSuffix(err.Error(), ": want a file, got a "+kind) {
				t.Errorf("%s of a %s: %v", name, kind, err)
			}
			var p *fs.PathError
			if !errors.As(err, &p) {
				t.Errorf("%s of a %s: %v is no path error", name, kind, err)
			}
		}
		if err := root.Close(); err != nil {
			t.Error(err)
		}
		if _, err := Read(path, Settings); err == nil {
			t.Errorf("a %s was read", kind)
		}
	}
}
