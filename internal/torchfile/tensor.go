// Tensors: a window with strides onto a storage in the file.

package torchfile

import "repscope/internal/dtype"

// Tensor is a strided view of a storage. Its elements are read from the file
// when asked for. Tensors that share a storage are tied: they read the same bytes.
type Tensor struct {
	Shape, Stride []int // in elements; both empty for a scalar
	DType         dtype.DType
}

// Len returns the number of elements, the product of the shape (1 for a scalar).
func (t *Tensor) Len() int { return 0 }

// Float32 returns all elements in C order, converted to float32.
func (t *Tensor) Float32() ([]float32, error) { return nil, nil }

// Float64 returns all elements in C order, converted to float64.
func (t *Tensor) Float64() ([]float64, error) { return nil, nil }

// Int64 returns all elements in C order; floating-point ones must be whole.
func (t *Tensor) Int64() ([]int64, error) { return nil, nil }

// ReadRows fills dst with the bytes of t[lo:hi] along the first axis, in C
// order and in the byte order Order(), without reading the rest of the tensor.
func (t *Tensor) ReadRows(dst []byte, lo, hi int) error { return nil }

// Order is the byte order of what ReadRows returns.
func (t *Tensor) Order() dtype.Order { return dtype.LittleEndian }
