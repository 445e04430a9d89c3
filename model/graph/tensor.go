// Typed arrays: the constants of a graph and the values that operators see.

package graph

import (
	"fmt"
	"math"
	"slices"
)

// DType is the type a value is computed in. ONNX's narrower and wider types
// are mapped to these: every float type to Float32, every integer type to Int64, whose arithmetic wraps at the file's
// width; see [Type].
type DType uint8

const (
	Invalid DType = iota // an absent optional operand
	Float32
	Int64
	Bool
)

func (t DType) String() string {
	switch t {
	case Float32:
		return "float32"
	case Int64:
		return "int64"
	case Bool:
		return "bool"
	}
	return "absent"
}

// Size is the number of bytes of one element.
func (t DType) Size() int {
	switch t {
	case Float32:
		return 4
	case Int64:
		return 8
	case Bool:
		return 1
	}
	return 0
}

// Tensor is a dense row-major array; the slice of its DType holds the elements,
// unless they are deferred (see Defer).
type Tensor struct {
	DType DType
	Bits  int // of integers, as [Type] has it
	Shape []int
	F32   []float32
	I64   []int64
	Bool  []bool

	// Of a deferred tensor, either: read writes the elements from first on to dst,
	// compute writes all of them and may use spare, which is of any length.
	read    func(dst []float32, first int) error
	compute func(dst, spare []float32) error

	transposed *Tensor   // if deferred: the matrix that this one is the transpose of, or nil
	parts      []*Tensor // matrices that it was cut into when the graph was prepared, or nil
	buffer     int
	steps      int // computed on the way from the files
}

// Resident is the number of elements up to which constants are held and not deferred.
const Resident = 1 << 14

// Defer returns a float32 tensor that holds no elements; read writes the elements from first on to dst, the same at
// every call.
//
// Weights are in memory once: readers and folding defer large constants, so that a graph has hardly any. An executor
// that binds a program reads them, in parts if it can. It keeps them only in its own form (packed, or on a device), and
// reads them again if another program needs another form.
func Defer(read func(dst []float32, first int) error, shape ...int) *Tensor {
	return &Tensor{DType: Float32, Shape: shape, steps: 1, buffer: Count(shape), read: read}
}

// Deferred reports whether the elements must be loaded.
func (t *Tensor) Deferred() bool { return t.read != nil || t.compute != nil }

// Transposed is the deferred matrix's transpose as its file has it, or nil.
func (t *Tensor) Transposed() *Tensor { return t.transposed }

// Buffer is the length of a buffer with which Load allocates nothing.
func (t *Tensor) Buffer() int { return t.buffer }

// Load returns the float32 elements, which must not be changed. They are the tensor's own or, if deferred, loaded to
// the beginning of the buffer, or to a new one if it is too short; the rest of the buffer is overwritten.
func (t *Tensor) Load(buffer []float32) ([]float32, error) {
	if !t.Deferred() {
		return t.F32, nil
	}
	n := t.Len()
	if len(buffer) < n {
		buffer = make([]float32, n)
	}
	if t.read != nil {
		return buffer[:n], t.read(buffer[:n], 0)
	}
	return buffer[:n], t.compute(buffer[:n], buffer[n:])
}

// InParts reports whether Part can be used: the elements need not be loaded all at once.
func (t *Tensor) InParts() bool { return t.compute == nil }

// Part returns n float32 elements from first on, which must not be changed: the tensor's own or, if deferred, read to
// the buffer, which must be long enough.
func (t *Tensor) Part(first, n int, buffer []float32) ([]float32, error) {
	if t.read == nil {
		return t.F32[first : first+n], nil
	}
	return buffer[:n], t.read(buffer[:n], first)
}

// maxSteps bounds the work of loading a deferred tensor: a chain of folded operators, each of them repeated at every
// load.
const maxSteps = 8

// DeferFrom defers a tensor that is computed from others. It returns nil if there is
// nothing to gain, or too much to do at every load.
func DeferFrom(from []*Tensor, compute func(dst, spare []float32) error, shape ...int) *Tensor {
	t := &Tensor{DType: Float32, Shape: shape, compute: compute, buffer: Count(shape), steps: 1}
	gain := false
	for _, f := range from {
		if f != nil {
			t.buffer += f.buffer
			t.steps += f.steps
			gain = gain || f.Deferred()
		}
	}
	if !gain || t.Len() <= Resident || t.steps > maxSteps {
		return nil
	}
	return t
}

// Change returns the float32 tensor with every element changed by f, which gets the elements in parts, with the index
// of the first element. The result is deferred if t is.
func (t *Tensor) Change(f func(part []float32, first int)) (*Tensor, error) {
	if !t.Deferred() || t.steps == maxSteps {
		values, err := t.Load(nil)
		if err != nil {
			return nil, err
		}
		values = slices.Clone(values)
		f(values, 0)
		return Floats(values, t.Shape...), nil
	}
	changed := *t
	changed.transposed = nil
	changed.steps++
	if t.read != nil {
		changed.read = func(dst []float32, first int) error {
			err := t.read(dst, first)
			f(dst, first)
			return err
		}
	} else {
		changed.compute = func(dst, spare []float32) error {
			err := t.compute(dst, spare)
			f(dst, 0)
			return err
		}
	}
	return &changed, nil
}

// Cut returns the float32 tensor's elements as matrices of these heights, one below the other. Kept ones are the same
// at every call; see [Tensor.KeepParts].
func (t *Tensor) Cut(heights []int, width int) []*Tensor {
	if slices.EqualFunc(t.parts, heights, func(p *Tensor, height int) bool { return slices.Equal(p.Shape, []int{height, width}) }) {
		return t.parts
	}
	var parts []*Tensor
	row := 0
	for _, height := range heights {
		first, n := row*width, height*width
		row += height
		part := &Tensor{DType: Float32, Shape: []int{height, width}, steps: t.steps}
		switch {
		case t.read != nil:
			part.buffer = n
			part.read = func(dst []float32, from int) error { return t.read(dst, first+from) }
		case t.compute != nil:
			part.buffer = n + t.buffer
			part.compute = func(dst, spare []float32) error {
				all, err := t.Load(spare)
				if err == nil {
					copy(dst, all[first:])
				}
				return err
			}
		default:
			part.F32 = t.F32[first : first+n]
		}
		parts = append(parts, part)
	}
	return parts
}

// KeepParts cuts the tensor and keeps the parts: Cut with the same heights then returns the same ones.
func (t *Tensor) KeepParts(heights []int, width int) { t.parts = t.Cut(heights, width) }

// MaxElements bounds one value; a larger one is a broken or hostile file.
const MaxElements = 1 << 32

// maxRank bounds the axes of a value, as NumPy does: a program keeps every shape.
const maxRank = 64

// Elements is the number of elements of a shape. A negative axis, an overflow,
// an absurd size and more than 64 axes are errors.
func Elements(shape []int) (int, error) {
	if len(shape) > maxRank {
		return 0, fmt.Errorf("a shape of %d axes, want at most %d", len(shape), maxRank)
	}
	n, zero := 1, false
	for _, d := range shape {
		switch {
		case d < 0:
			return 0, fmt.Errorf("shape %v has a negative axis", shape)
		case d == 0:
			zero = true
		case n > MaxElements/d:
			return 0, fmt.Errorf("shape %v has more than %d elements", shape, MaxElements)
		default:
			n *= d
		}
	}
	if zero {
		return 0, nil
	}
	return n, nil
}

// Type is the tensor's type.
func (t *Tensor) Type() Type { return Type{DType: t.DType, Bits: t.Bits, Shape: t.Shape} }

// Count is Elements of a shape that was checked before.
func Count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// NewTensor allocates a tensor of zeros.
func NewTensor(t DType, shape ...int) (*Tensor, error) {
	n, err := Elements(shape)
	if err != nil {
		return nil, err
	}
	x := &Tensor{DType: t, Shape: shape}
	switch t {
	case Float32:
		x.F32 = make([]float32, n)
	case Int64:
		x.I64 = make([]int64, n)
	case Bool:
		x.Bool = make([]bool, n)
	default:
		return nil, fmt.Errorf("no tensor of type %v", t)
	}
	return x, nil
}

// Floats is a float32 tensor over data, which is not copied and must fit the shape.
func Floats(data []float32, shape ...int) *Tensor {
	return &Tensor{DType: Float32, Shape: shape, F32: data}
}

// Ints is an int64 vector over data, which is not copied.
func Ints(data ...int64) *Tensor {
	return &Tensor{DType: Int64, Shape: []int{len(data)}, I64: data}
}

// Len is the number of elements.
func (t *Tensor) Len() int { return Count(t.Shape) }

// Scalar returns the only element as a float64.
func (t *Tensor) Scalar() (float64, bool) {
	if t == nil || t.Len() != 1 {
		return math.NaN(), false
	}
	switch t.DType {
	case Float32:
		return float64(t.F32[0]), true
	case Int64:
		return float64(t.I64[0]), true
	case Bool:
		if t.Bool[0] {
			return 1, true
		}
		return 0, true
	}
	return math.NaN(), false
}

// Position is the index, axis by axis, of the element at this row-major offset; no axis may be empty.
func Position(shape []int, offset int) []int {
	index := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		index[k] = offset % shape[k]
		offset /= shape[k]
	}
	return index
}
