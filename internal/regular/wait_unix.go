// Opening without waiting, on Unix.

//go:build unix

package regular

import "syscall"

// withoutWaiting opens a pipe that has no writer at once.
const withoutWaiting = syscall.O_NONBLOCK
