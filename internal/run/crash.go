// How a crash of package runtime ends the program: not with the status of wrong usage.

package run

import (
	"fmt"
	"runtime/debug"
)

// crashApart makes a crash of package runtime (no thread, no memory, SIGQUIT, a deadlock) end the program by SIGABRT.
// By itself the runtime ends it with status 2, which is that of wrong usage. No core file is written.
func crashApart() {
	debug.SetTraceback("crash")
	withoutCore()
}

// leastFiles is how many files a run opens at a time at least. Package runtime crashes where it gets none.
const leastFiles = 32

// enoughFiles is an error where the system allows too few open files for any run.
func enoughFiles() error {
	if n := openFiles(); n > 0 && n < leastFiles {
		return Hint(fmt.Errorf("the limit of open files is %d (ulimit -n), want at least %d", n, leastFiles), fmt.Sprintf("raise it: ulimit -n %d", 8*leastFiles))
	}
	return nil
}
