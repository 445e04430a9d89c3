//go:build cuda

// Constants on the device, in the forms that kernels want.

package cuda

import (
	"errors"
	"fmt"

	device "repscope/internal/cuda"
	"repscope/model/graph"
)

// weightKey names a constant in one form; the empty form is the constant itself.
type weightKey struct {
	tensor *graph.Tensor
	form   string
}

// weights keeps each constant in each form once for all programs of an executor.
type weights map[weightKey]device.Pointer

// raw is the elements of a tensor that is not deferred.
func raw(t *graph.Tensor) []byte {
	switch t.DType {
	case graph.Float32:
		return bytesOf(t.F32)
	case graph.Int64:
		return bytesOf(t.I64)
	}
	return bytesOf(t.Bool)
}

// keep uploads the missing constants of a program to the device, one by one, so that the host holds at most one
// deferred constant.
func (w weights) keep(c *device.Context, r *recording) error {
	var buffer []float32
	for _, key := range r.weights {
		if _, ok := w[key]; ok {
			continue
		}
		values, err := r.form(key, &buffer)
		if err != nil {
			return err
		}
		p, err := c.Alloc(max(len(values), 1))
		if err != nil {
			return fmt.Errorf("%w: %d bytes: %w", errWeights, len(values), err)
		}
		w[key] = p
		if err := device.Upload(c, p, values); err != nil {
			return err
		}
	}
	return nil
}

// errWeights is the cause of errors that a smaller batch does not mend.
var errWeights = errors.New("no memory for the model's weights")

// form makes a constant in the form of the key; the buffer is for deferred ones.
func (r *recording) form(key weightKey, buffer *[]float32) ([]byte, error) {
	t := key.tensor
	if t.DType != graph.Float32 {
		return raw(t), nil
	}
	elements, err := t.Load(*buffer)
	if err != nil {
		return nil, err
	}
	if t.Deferred() && len(elements) > len(*buffer) {
		*buffer = elements
	}
	if prepare := r.prepare[key]; prepare != nil {
		return prepare(elements)
	}
	return bytesOf(elements), nil
}

// trim frees the constants that no program uses.
func (w weights) trim(c *device.Context, programs []*program) error {
	used := map[weightKey]bool{}
	for _, p := range programs {
		for _, key := range p.weights {
			used[key] = true
		}
	}
	var all error
	for key, p := range w {
		if !used[key] {
			all = errors.Join(all, c.Free(p))
			delete(w, key)
		}
	}
	return all
}
