// This file is for systems without advisory locks.

//go:build !unix || solaris || aix || illumos

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

func tryLock(*os.File) error { return nil }

// lockFolder holds a lock file.
func lockFolder(dir string) (unlock func(), err error) {
	path := filepath.Join(dir, ".repscope.lock")
	for range 100 {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return func() { _ = f.Close(); _ = os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, fmt.Errorf("another run has held the lock for ten seconds; remove %s if no other run is active", path)
}
