//go:build amd64 && !noasm

package kernel

// Processors of the amd64 family: assembly chosen by feature.

func implementations() []*implementation { return []*implementation{&generic} }
