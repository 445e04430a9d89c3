// Memory that is used again.

package scan

import (
	"slices"
	"unsafe"
)

// Grown returns n elements in s's memory.
func Grown[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return slices.Grow(s[:0], n)[:n]
}

// Zeroed returns n zeros in s's memory.
func Zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// SizeOf is the size of a T in bytes.
func SizeOf[T any]() int64 {
	var zero T
	return int64(unsafe.Sizeof(zero))
}
