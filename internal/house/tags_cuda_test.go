//go:build cuda

// The tags of builds for GPUs.

package house

// buildTags are the arguments of the go command for what this test is built with.
var buildTags = []string{"-tags", "cuda fakecuda"}
