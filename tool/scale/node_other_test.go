// Systems without the clusters of the tests.

//go:build !linux

package scale_test

func node([]string) { panic("nodes are for Linux") }
