package cpu

import (
	"maps"
	"slices"
)

// Operators lists the operators that have a kernel, each as its domain, ".", its name.
func Operators() []string { return slices.Sorted(maps.Keys(kernels)) }
