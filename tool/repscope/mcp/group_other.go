// A run on systems without groups of processes.

//go:build !unix

package mcp

import "os/exec"

func grouped(*exec.Cmd) {}

// killGroup ends the program; what it has started ends with its standard input.
func killGroup(command *exec.Cmd) { _ = command.Process.Kill() }
