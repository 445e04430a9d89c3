//go:build !amd64 || noasm

// Builds without assembly: the pure-Go kernels only.

package kernel

func implementations() []*implementation { return []*implementation{&generic} }
