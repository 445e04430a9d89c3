//go:build !amd64 || noasm

// Builds without assembly: the pure-Go kernels only, and waiting by the scheduler.

package kernel

import "runtime"

func implementations() []*implementation { return []*implementation{&generic} }

func pause() { runtime.Gosched() }
