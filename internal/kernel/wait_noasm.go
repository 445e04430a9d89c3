//go:build !amd64 || noasm

// Waiting by the scheduler, without assembly.

package kernel

import "runtime"

func pause() { runtime.Gosched() }
