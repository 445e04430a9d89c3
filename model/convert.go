// Conversion of arrays of any element type to the types that models compute in.

package model

import (
	"fmt"
	"math"
	"slices"

	"repscope/model/graph"
)

// Element is a type of elements that TensorOf takes.
type Element interface {
	bool | int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// TensorOf returns a tensor of row-major data with this shape. float32, int64 and bool are used without a copy. Other
// integers become int64, uint64 with the same bits (see Tensor.Bits), and float64 is rounded to float32. Errors: values
// outside the range of float32, and a shape with another number of elements.
func TensorOf[T Element](data []T, shape ...int) (*Tensor, error) {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return nil, fmt.Errorf("shape %v has a negative axis", shape)
		}
		n *= d
	}
	if n != len(data) {
		return nil, fmt.Errorf("%d elements do not have the shape %v", len(data), shape)
	}
	t := &Tensor{Shape: slices.Clone(shape)}
	var err error
	switch data := any(data).(type) {
	case []float32:
		t.DType, t.F32 = Float32, data
	case []int64:
		t.DType, t.I64 = Int64, data
	case []bool:
		t.DType, t.Bool = Bool, data
	case []float64:
		t.DType = Float32
		t.F32, err = narrow(data)
	case []int8:
		t.DType, t.I64 = Int64, widen(data)
	case []int16:
		t.DType, t.I64 = Int64, widen(data)
	case []int32:
		t.DType, t.I64 = Int64, widen(data)
	case []int:
		t.DType, t.I64 = Int64, widen(data)
	case []uint8:
		t.DType, t.I64 = Int64, widen(data)
	case []uint16:
		t.DType, t.I64 = Int64, widen(data)
	case []uint32:
		t.DType, t.I64 = Int64, widen(data)
	case []uint:
		t.DType, t.Bits, t.I64 = Int64, graph.Uint64, widen(data)
	case []uint64:
		t.DType, t.Bits, t.I64 = Int64, graph.Uint64, widen(data)
	}
	return t, err
}

func widen[T int8 | int16 | int32 | int | uint8 | uint16 | uint32 | uint | uint64](data []T) []int64 {
	out := make([]int64, len(data))
	for i, v := range data {
		out[i] = int64(v)
	}
	return out
}

func narrow(data []float64) ([]float32, error) {
	out := make([]float32, len(data))
	for i, v := range data {
		out[i] = float32(v)
		if math.IsInf(float64(out[i]), 0) && !math.IsInf(v, 0) {
			return nil, fmt.Errorf("element %d is %g, outside the range of float32", i, v)
		}
	}
	return out, nil
}

// convert returns a tensor for input i in the type that the model computes it in: the
// tensor itself or, if it is of another type, one in memory of the model.
func (m *Model) convert(i int, t *Tensor) (*Tensor, error) {
	p := &m.inputs[i]
	if t.DType == Int64 && p.DType == Int64 {
		return t, inRange(t, p)
	}
	if t.DType == p.DType {
		return t, nil
	}
	c := m.bound.converted[i]
	if c == nil {
		c = &Tensor{DType: p.DType}
		m.bound.converted[i] = c
	}
	c.Shape = append(c.Shape[:0], t.Shape...)
	return c, fill(c, t)
}

// fill writes the elements of t to c, which is of another type.
func fill(c, t *Tensor) error {
	switch {
	case c.DType == Float32 && t.DType == Int64:
		c.F32 = c.F32[:0]
		if err := inRange(t, &Port{}); err != nil {
			return err
		}
		for i, v := range t.I64 {
			x := float32(v)
			if v > 1<<53 || v < -1<<53 || int64(x) != v {
				return fmt.Errorf("element %d of the int64 array is %d, which float32 cannot represent", i, v)
			}
			c.F32 = append(c.F32, x)
		}
	case c.DType == Float32 && t.DType == Bool:
		c.F32 = c.F32[:0]
		for _, v := range t.Bool {
			c.F32 = append(c.F32, float32(oneIf(v)))
		}
	case c.DType == Int64 && t.DType == Bool:
		c.I64 = c.I64[:0]
		for _, v := range t.Bool {
			c.I64 = append(c.I64, oneIf(v))
		}
	case c.DType == Bool && t.DType == Int64:
		c.Bool = c.Bool[:0]
		for i, v := range t.I64 {
			if v != 0 && v != 1 {
				return fmt.Errorf("element %d of the int64 array is %d, want 0 or 1", i, v)
			}
			c.Bool = append(c.Bool, v == 1)
		}
	default:
		return fmt.Errorf("the tensor has type %v", t.DType)
	}
	return nil
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// inRange reports the first integer that an input's declared type cannot hold.
func inRange(t *Tensor, p *Port) error {
	low, high := graph.Range(p.Bits)
	switch {
	case t.Bits == p.Bits && (p.Bits == 0 || p.Bits == graph.Uint64):
		return nil
	case p.Bits == graph.Uint64:
		low, high = 0, math.MaxInt64
	case t.Bits == graph.Uint64:
		low = 0 // a negative int64 represents a value beyond int64
	}
	for i, v := range t.I64 {
		switch {
		case v >= low && v <= high:
		case t.Bits == graph.Uint64:
			return fmt.Errorf("element %d is %d, outside %d to %d", i, uint64(v), low, high)
		default:
			return fmt.Errorf("element %d is %d, outside %d to %d", i, v, low, high)
		}
	}
	return nil
}
