// Tests of the locks.

//go:build unix && !solaris && !aix && !illumos

package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTryLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if err := TryLock(first); err != nil {
		t.Fatal(err)
	}
	if err := TryLock(second); err != ErrLocked {
		t.Errorf("got %v, want ErrLocked", err)
	}
	first.Close()
	if err := TryLock(second); err != nil {
		t.Errorf("after the first was closed: %v", err)
	}
}

func TestLockFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan struct{})
	go func() {
		defer close(got)
		if second, err := LockFolder(dir); err != nil {
			t.Error(err)
		} else {
			second()
		}
	}()
	select {
	case <-got:
		t.Error("two have the lock")
	case <-time.After(20 * time.Millisecond):
	}
	unlock()
	<-got
	if _, err := LockFolder(filepath.Join(dir, "missing")); err == nil {
		t.Error("locked a folder that is not there")
	}
}
