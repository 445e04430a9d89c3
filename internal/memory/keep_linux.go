// Memory that stays with the process on Linux.

package memory

import (
	"os"
	"strings"
	"syscall"
)

// lazily is the setting of package runtime by which memory that it gives back stays with the process until the system
// needs it (MADV_FREE); by default it is gone at once. The runtime reads settings when a process begins.
const lazily = "madvdontneed=0"

// restart restarts the process with memory returned lazily. It returns if that is already so, if the caller of the
// program chose otherwise, or if it fails.
func restart() {
	settings := os.Getenv("GODEBUG")
	if strings.Contains(settings, "madvdontneed=") {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	if settings != "" {
		settings += ","
	}
	if os.Setenv("GODEBUG", settings+lazily) == nil {
		_ = syscall.Exec(program, os.Args, os.Environ())
	}
}
