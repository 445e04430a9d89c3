// Systems on which the address space is not limited.

//go:build !linux

package run

import "os"

func supervised(string) (stderr *os.File, code int, done bool) { return os.Stderr, 0, false }
