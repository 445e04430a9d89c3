// Package supervise ends a program that package runtime crashes with one line and the status of a failed run, not with
// the status of wrong usage.
//
//	supervise.CrashApart()
//	stderr, code, done := supervise.Run("smoothness")
//	if done {
//		os.Exit(code)
//	}
package supervise

import (
	"fmt"
	"runtime/debug"

	"repscope/internal/text"
)

// The exit codes that tell a failed run from wrong usage.
const exitFailed, exitUsage = 1, 2

// CrashApart makes a crash of package runtime (no thread, no memory, SIGQUIT, a deadlock) end the program by SIGABRT.
// By itself the runtime ends it with status 2, the status of wrong usage. No core file is written.
func CrashApart() {
	debug.SetTraceback("crash")
	withoutCore()
}

// leastFiles is how many files a run opens at a time at least. Package runtime crashes where it gets none.
const leastFiles = 32

// EnoughFiles returns an error where the system allows too few open files for any run.
func EnoughFiles() error {
	if n := openFiles(); n > 0 && n < leastFiles {
		return text.WithHint(fmt.Errorf("the limit of open files is %d (ulimit -n), want at least %d", n, leastFiles),
			fmt.Sprintf("raise it: ulimit -n %d", 8*leastFiles))
	}
	return nil
}
