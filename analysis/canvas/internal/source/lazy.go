// Values that are computed when they are first asked for.

package source

import "sync"

// Lazy is a value that is computed when it is first asked for.
type Lazy[T any] struct {
	sync.Once
	value T
	err   error
}

// Get is the value, which the first call computes.
func (o *Lazy[T]) Get(compute func() (T, error)) (T, error) {
	o.Do(func() { o.value, o.err = compute() })
	return o.value, o.err
}
