// This file is for locks: of a file while it grows, of a folder while its files
// are exchanged.

package atomicfile

import (
	"errors"
	"os"
)

// ErrLocked says that a file is being written by somebody else.
var ErrLocked = errors.New("another run is writing this file")

// TryLock takes the exclusive advisory lock of a file, which closing it
// releases. It returns [ErrLocked] when another has it. Systems and file
// systems without locks are used without one.
func TryLock(f *os.File) error { return tryLock(f) }

// LockFolder waits for the exclusive lock of a folder. File systems without
// locks are used without one; on systems without them it is a file, which is
// waited for at most ten seconds.
func LockFolder(dir string) (unlock func(), err error) { return lockFolder(dir) }
