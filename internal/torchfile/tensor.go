// Tensors: a window with strides onto a storage in the file.

package torchfile

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"repscope/internal/bound"
	"repscope/internal/dtype"
)

// Tensor is a strided view of a storage. Its elements are read from the file on demand. Tensors that share a storage
// are tied: they read the same bytes.
type Tensor struct {
	Shape, Stride []int // in elements; both empty for a scalar
	DType         dtype.DType

	storage *storage
	offset  int // of the first element, in elements
	length  int
}

// maxRank is larger than any framework's limit.
const maxRank = 32

// newTensor checks that the window lies within the storage.
func newTensor(s *storage, t dtype.DType, offset int64, shape, stride []int) (*Tensor, error) {
	describe := func() string {
		return fmt.Sprintf("tensor %v of shape %v, stride %v, offset %d in storage %s", t, shape, stride, offset, s.name)
	}
	if len(shape) != len(stride) || len(shape) > maxRank {
		return nil, fmt.Errorf("%s: want as many strides as axes, at most %d", describe(), maxRank)
	}
	length, err := product(shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", describe(), err)
	}
	available := s.size / int64(t.Size())
	if offset < 0 || offset > available {
		return nil, fmt.Errorf("%s: the storage has %d elements", describe(), available)
	}
	last := uint64(offset)
	for i, n := range shape {
		if stride[i] < 0 {
			return nil, fmt.Errorf("%s: negative stride", describe())
		}
		if length == 0 || n == 1 {
			continue
		}
		high, low := bits.Mul64(uint64(n-1), uint64(stride[i]))
		if high != 0 || low > math.MaxInt64 {
			return nil, fmt.Errorf("%s: does not fit in memory", describe())
		}
		if last += low; last >= uint64(available) {
			return nil, fmt.Errorf("%s: the storage has %d elements", describe(), available)
		}
	}
	if length > 0 && last >= uint64(available) {
		return nil, fmt.Errorf("%s: the storage has %d elements", describe(), available)
	}
	// An expanded tensor (stride 0) may be larger than its storage, within reason.
	if more := int64(length)*int64(t.Size()) - s.size; more > 0 {
		budget := s.budget
		if budget == nil {
			budget = bound.NewBudget(s.size)
		}
		if err := budget.Take("the repeated part of a tensor of stride 0", more); err != nil {
			return nil, fmt.Errorf("%s: %w", describe(), err)
		}
	}
	return &Tensor{Shape: shape, Stride: stride, DType: t, storage: s, offset: int(offset), length: length}, nil
}

// product multiplies the lengths of axes, refusing negative ones and more elements
// than float64 values fit in memory.
func product(shape []int) (int, error) {
	size, err := dtype.ArraySize(shape, dtype.Float64)
	return int(size / 8), err
}

// Len returns the number of elements, the product of the shape (1 for a scalar).
func (t *Tensor) Len() int { return t.length }

// Order is the byte order of the bytes in Use.
func (t *Tensor) Order() dtype.Order { return t.storage.order }

// Select returns the view t[i] with the first axis removed.
func (t *Tensor) Select(i int) (*Tensor, error) {
	if len(t.Shape) == 0 || i < 0 || i >= t.Shape[0] {
		return nil, fmt.Errorf("no element %d in a tensor of shape %v", i, t.Shape)
	}
	part := *t
	part.Shape, part.Stride = slices.Clone(t.Shape[1:]), slices.Clone(t.Stride[1:])
	part.offset, part.length = t.offset+i*t.Stride[0], t.length/t.Shape[0]
	return &part, nil
}

// contiguous reports whether the axes from this one on lie in C order without gaps.
func (t *Tensor) contiguous(from int) bool {
	step := 1
	for i := len(t.Shape) - 1; i >= from; i-- {
		if t.Shape[i] != 1 && t.Stride[i] != step {
			return false
		}
		step *= t.Shape[i]
	}
	return true
}

// Use calls fn with the bytes of the elements t[lo:hi] along the first axis (of a
// scalar: 0, 1), in C order and in the byte order Order(). The bytes must not
// be kept or changed. Nothing else of the tensor is read.
func (t *Tensor) Use(lo, hi int, fn func(raw []byte) error) error {
	rows, row := 1, t.length
	shape, stride := t.Shape, t.Stride
	if len(shape) > 0 {
		rows = shape[0]
		if rows > 0 {
			row = t.length / rows
		}
	}
	if lo < 0 || hi < lo || hi > rows {
		return fmt.Errorf("rows %d..%d of %d", lo, hi, rows)
	}
	count := (hi - lo) * row
	if count == 0 {
		return fn(nil)
	}
	size := int64(t.DType.Size())
	first := int64(t.offset)
	if len(shape) > 0 {
		first += int64(lo) * int64(stride[0])
		shape = append([]int{hi - lo}, shape[1:]...)
	}
	part := Tensor{Shape: shape, Stride: stride}
	if part.contiguous(0) {
		return t.storage.use(first*size, int64(count)*size, fn)
	}
	span := int64(1)
	for i, n := range shape {
		span += int64(n-1) * int64(stride[i])
	}
	return t.storage.use(first*size, span*size, func(raw []byte) error {
		dst := make([]byte, int64(count)*size)
		gather(dst, raw, shape, stride, int(size))
		return fn(dst)
	})
}

// gather copies strided elements to C order.
func gather(dst, src []byte, shape, stride []int, size int) {
	last := len(shape) - 1
	inner, step := shape[last], stride[last]*size
	index := make([]int, last)
	offset, to := 0, 0
	for {
		if step == size {
			copy(dst[to:to+inner*size], src[offset:])
		} else {
			for k, from := 0, offset; k < inner; k, from = k+1, from+step {
				copy(dst[to+k*size:to+(k+1)*size], src[from:from+size])
			}
		}
		to += inner * size
		axis := last - 1
		for ; axis >= 0; axis-- {
			index[axis]++
			offset += stride[axis] * size
			if index[axis] < shape[axis] {
				break
			}
			offset -= index[axis] * stride[axis] * size
			index[axis] = 0
		}
		if axis < 0 {
			return
		}
	}
}

// all calls fn with the bytes of the whole tensor.
func (t *Tensor) all(fn func(raw []byte) error) error {
	if err := t.storage.check(); err != nil {
		return err
	}
	hi := 1
	if len(t.Shape) > 0 {
		hi = t.Shape[0]
	}
	return t.Use(0, hi, fn)
}

// Float32 returns all elements in C order, converted to float32.
func (t *Tensor) Float32() ([]float32, error) {
	var out []float32
	err := t.all(func(raw []byte) error {
		out = make([]float32, t.length)
		return dtype.Float32s(out, raw, t.DType, t.Order())
	})
	return out, err
}

// Verify compares the bytes in the file with their checksum, if they have one.
func (t *Tensor) Verify() error { return t.storage.check() }

// Checksum is the part of the file that holds the tensor's storage, and the CRC-32 that the file gives it; false if it
// has none, or is verified as it is decoded.
func (t *Tensor) Checksum() (offset, size int64, crc uint32, ok bool) {
	s := t.storage
	return s.offset, s.size, s.crc, s.hasCRC && s.member == nil
}

// Float64 returns all elements in C order, converted to float64.
func (t *Tensor) Float64() ([]float64, error) {
	var out []float64
	err := t.all(func(raw []byte) error {
		out = make([]float64, t.length)
		return dtype.Float64s(out, raw, t.DType, t.Order())
	})
	return out, err
}

// Int64 returns all elements in C order; floating-point ones must be whole.
func (t *Tensor) Int64() ([]int64, error) {
	var out []int64
	err := t.all(func(raw []byte) error {
		out = make([]int64, t.length)
		return dtype.Int64s(out, raw, t.DType, t.Order())
	})
	return out, err
}
