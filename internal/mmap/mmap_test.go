// Tests of mapped files.

package mmap

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// written is the path of a new file.
func written(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A view shows data written to the file after it was opened.
func TestShared(t *testing.T) {
	path := written(t, []byte("0123456789"))
	f, err := Shared(path)
	if err != nil {
		t.Fatal(err)
	}
	view, ok := f.View(2, 3)
	if !ok {
		t.Skip("no mappings on this system")
	}
	other, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.WriteAt([]byte("abc"), 2); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if string(view) != "abc" {
		t.Errorf("the view shows %q", view)
	}
	if err := f.Unmap(); err != nil {
		t.Error(err)
	}
	if _, err := Shared(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
}

func TestReads(t *testing.T) {
	want := []byte("0123456789")
	path := written(t, want)
	for _, mapped := range []bool{true, false} {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !mapped && f.data != nil {
			if err := unmapFile(f.data); err != nil {
				t.Fatal(err)
			}
			f.data = nil
		}
		err = f.Use(2, 3, func(raw []byte) error {
			if string(raw) != "234" {
				t.Errorf("Use gave %q", raw)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(f, 0, 100))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("read %q, %v", got, err)
		}
		for _, r := range [][2]int64{{8, 3}, {-1, 2}, {11, 0}, {0, -1}} {
			if err := f.Use(r[0], r[1], func([]byte) error { return nil }); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("range %v: %v", r, err)
			}
		}
		view, ok := f.View(5, 5)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if ok && string(view) != "56789" {
			t.Errorf("the view after Close is %q", view)
		}
		if err := f.Use(0, 1, func([]byte) error { return nil }); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestUnchanged(t *testing.T) {
	path := written(t, []byte("0123456789"))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Unchanged(); err != nil {
		t.Error(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if err := f.Unchanged(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that was written to: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Unchanged(); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	f, err := Open(written(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Use(0, 0, func(raw []byte) error { return nil }); err != nil {
		t.Error(err)
	}
}

// A file that is larger than what may stay resident reads the same from end to
// end, twice.
func TestLetGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	const size = resident + resident/2
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte("last"), size-4)
	if _, e := file.WriteAt([]byte("first"), 0); err == nil {
		err = e
	}
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		const step = 1 << 20
		for offset := int64(0); offset < size; offset += step {
			err := f.Use(offset, step, func(raw []byte) error {
				if offset == 0 && string(raw[:5]) != "first" || offset == size-step && string(raw[step-4:]) != "last" {
					t.Errorf("other bytes at %d", offset)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if f.data != nil && f.used.Load() >= resident {
			t.Errorf("%d bytes used and not let go", f.used.Load())
		}
	}
}

// Large reads, which are mapped at once, begin and end anywhere and may be at work together.
func TestLargeReads(t *testing.T) {
	t.Parallel()
	want := make([]byte, 3*large+777)
	for i := range want {
		want[i] = byte(i * 2654435761 >> 13)
	}
	f, err := Open(written(t, want))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var group sync.WaitGroup
	for _, r := range [][2]int{{0, len(want)}, {1, large}, {4095, large + 1}, {4097, large}, {len(want) - large, large}, {12345, 2 * large}} {
		group.Go(func() {
			offset, n := r[0], r[1]
			for range 3 {
				err := f.Use(int64(offset), int64(n), func(raw []byte) error {
					if !bytes.Equal(raw, want[offset:offset+n]) {
						t.Errorf("other bytes at %d … %d", offset, offset+n)
					}
					return nil
				})
				got := make([]byte, n)
				if m, readErr := f.ReadAt(got, int64(offset)); err != nil || readErr != nil || m != n || !bytes.Equal(got, want[offset:offset+n]) {
					t.Errorf("%d bytes at %d: %v, %d, %v", n, offset, err, m, readErr)
				}
			}
		})
	}
	group.Wait()
}
