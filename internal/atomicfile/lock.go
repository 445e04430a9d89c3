// This file is for locks: of a file while it grows, of a folder while its files
// are exchanged.

package atomicfile

import (
	"errors"
	"os"

	"repscope/internal/regular"
)

// ErrLocked reports that another process is writing a file.
var ErrLocked = errors.New("another run is writing this file")

// TryLock takes the exclusive advisory lock of a file, which closing it
// releases. It returns [ErrLocked] when another has it. Systems and file
// systems without locks are used without one.
func TryLock(f *os.File) error { return tryLock(f) }

// OpenLocked opens a file that one process at a time writes, and creates it if it is missing, with its lock: see
// [TryLock]. The holder of the lock may remove the file.
func OpenLocked(path string) (*os.File, error) {
	for {
		f, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := TryLock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		// The run that held the lock may have ended, and have removed the file.
		mine, err := f.Stat()
		if there, gone := os.Stat(path); err == nil && gone == nil && os.SameFile(mine, there) {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}

// LockFolder waits for the exclusive lock of a folder. File systems without
// locks are used without one; on systems without them it is a file, which is
// waited for at most ten seconds.
func LockFolder(dir string) (unlock func(), err error) { return lockFolder(dir) }
