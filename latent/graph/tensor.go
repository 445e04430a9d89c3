package graph

// Typed arrays: the constants of a graph and the values that operators see.

import (
	"fmt"
	"math"
)

// DType is the type a value is computed in. ONNX's narrower and wider types
// are mapped to these: every float type to Float32, every integer type to Int64.
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
	Shape []int
	F32   []float32
	I64   []int64
	Bool  []bool

	// Of a deferred tensor: load writes the elements to dst and may use spare, which is
	// of any length; steps counts what is computed on the way from the files.
	load   func(dst, spare []float32) error
	buffer int
	steps  int
}

// Resident is the number of elements up to which constants are held and not deferred.
const Resident = 1 << 14

// Defer returns a float32 tensor that holds no elements; load writes all of them
// into dst, the same at every call.
//
// Weights are in memory once: readers and folding defer large constants, so that
// a graph has hardly any. An executor that binds a program loads them, in any
// buffer, keeps them only in the form it computes with (packed, or on a device),
// and loads them again if another program wants another form.
func Defer(load func(dst []float32) error, shape ...int) *Tensor {
	return &Tensor{DType: Float32, Shape: shape, steps: 1, buffer: elements(shape),
		load: func(dst, _ []float32) error { return load(dst) }}
}

// Deferred reports whether the elements must be loaded.
func (t *Tensor) Deferred() bool { return t.load != nil }

// Buffer is the length of a buffer with which Load allocates nothing.
func (t *Tensor) Buffer() int { return t.buffer }

// Load returns the float32 elements, which must not be changed: the tensor's own or,
// if they are deferred, those loaded to the beginning of the buffer, or a new one if it is
// too short; the rest of the buffer is overwritten.
func (t *Tensor) Load(buffer []float32) ([]float32, error) {
	if t.load == nil {
		return t.F32, nil
	}
	n := t.Len()
	if len(buffer) < n {
		buffer = make([]float32, n)
	}
	return buffer[:n], t.load(buffer[:n], buffer[n:])
}

// maxSteps bounds what loading a deferred tensor computes: a chain of folded
// operators, each of which is done again at every load.
const maxSteps = 8

// deferFrom defers a tensor that load makes of others. It returns nil if there is
// nothing to gain, or too much to do at every load.
func deferFrom(from []*Tensor, load func(dst, spare []float32) error, shape ...int) *Tensor {
	t := &Tensor{DType: Float32, Shape: shape, load: load, buffer: elements(shape), steps: 1}
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

// maxElements bounds one value; a larger one is a broken or hostile file.
const maxElements = 1 << 32

// Elements is the number of elements of a shape. A negative axis, an overflow
// and an absurd size are errors.
func Elements(shape []int) (int, error) {
	n, zero := 1, false
	for _, d := range shape {
		switch {
		case d < 0:
			return 0, fmt.Errorf("shape %v has a negative axis", shape)
		case d == 0:
			zero = true
		case n > maxElements/d:
			return 0, fmt.Errorf("shape %v has more than %d elements", shape, maxElements)
		default:
			n *= d
		}
	}
	if zero {
		return 0, nil
	}
	return n, nil
}

// elements is Elements of a shape that was checked before.
func elements(shape []int) int {
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
func (t *Tensor) Len() int { return elements(t.Shape) }

// scalar returns the only element as a float64.
func (t *Tensor) scalar() (float64, bool) {
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
