// A run with all that it starts, on Unix.

//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// grouped makes a group of a program and of what it starts.
func grouped(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the group.
func killGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
