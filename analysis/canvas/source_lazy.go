// Values that are computed when they are first asked for.

package canvas

import "sync"

// once is a value that is computed when it is first asked for.
type once[T any] struct {
	sync.Once
	value T
	err   error
}

func (o *once[T]) get(compute func() (T, error)) (T, error) {
	o.Do(func() { o.value, o.err = compute() })
	return o.value, o.err
}
