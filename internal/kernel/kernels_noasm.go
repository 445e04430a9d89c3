//go:build !amd64 || noasm

package kernel

// Builds without assembly: the pure-Go kernels only.

func implementations() []*implementation { return []*implementation{&generic} }
