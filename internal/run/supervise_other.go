// Systems on which the address space is not limited.

//go:build !linux

package run

import "os"

const underWatch = false

func supervised(string) (stderr *os.File, code int, done bool) { return os.Stderr, 0, false }
