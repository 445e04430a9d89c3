// Other systems than Linux bring pages in as they are read.

//go:build unix && !linux

package mmap

func populate([]byte) {}
