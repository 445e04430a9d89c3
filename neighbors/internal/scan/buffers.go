// Memory that is used again.

package scan

import "unsafe"

// Grown returns n elements in s's memory, or in new memory with a quarter to spare. It allocates new memory instead of
// appending, which would write zeros over memory that is already zeroed.
func Grown[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, max(n, cap(s)+cap(s)/4))
}

// Zeroed returns n zeros in s's memory.
func Zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return Grown(s, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// SizeOf is the size of a T in bytes.
func SizeOf[T any]() int64 {
	var zero T
	return int64(unsafe.Sizeof(zero))
}
