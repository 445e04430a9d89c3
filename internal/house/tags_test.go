//go:build !cuda

// The tags of builds without GPUs.

package house

// buildTags are the arguments of the go command for what this test is built with.
var buildTags []string
