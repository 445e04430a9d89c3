//go:build unix

// Signals to processes that are not children.

package scale_test

import "syscall"

func halt(pid int) { _ = syscall.Kill(pid, syscall.SIGSTOP) }

func end(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
