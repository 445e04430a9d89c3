// Package dtype names the element types of arrays on disk and converts their
// raw bytes to Go slices. It is shared by the readers of NumPy, safetensors
// and PyTorch files.
//
//	values := make([]float32, len(raw)/dtype.Float16.Size())
//	err := dtype.Float32s(values, raw, dtype.Float16, dtype.LittleEndian)
package dtype

import "fmt"

// DType is the element type of an array. The zero value is Invalid.
type DType uint8

// The element types that the readers understand.
const (
	Invalid DType = iota
	Bool          // one byte, 0 is false
	Uint8
	Int8
	Int16
	Int32
	Int64
	Uint16
	Uint32
	Uint64
	Float16  // IEEE 754 binary16
	BFloat16 // upper half of a binary32
	Float32
	Float64
	E4M3FN   // one byte, see Float8E4M3FN
	E5M2     // one byte, see Float8E5M2
	E4M3FNUZ // one byte, see Float8E4M3FNUZ
	E5M2FNUZ // one byte, see Float8E5M2FNUZ
	count
)

var names = [count]string{"invalid", "bool", "uint8", "int8", "int16", "int32", "int64",
	"uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
	"float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"}

var sizes = [count]int{0, 1, 1, 1, 2, 4, 8, 2, 4, 8, 2, 2, 4, 8, 1, 1, 1, 1}

// Size returns the number of bytes of one element, 0 for Invalid.
func (t DType) Size() int {
	if t >= count {
		return 0
	}
	return sizes[t]
}

// String returns NumPy's name of the type, e.g. "float32".
func (t DType) String() string {
	if t >= count {
		return fmt.Sprintf("dtype(%d)", uint8(t))
	}
	return names[t]
}

// MarshalText writes the name of the type, so that it is a string in JSON.
func (t DType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// IsFloat reports whether t holds floating-point numbers, and so may hold NaN.
func (t DType) IsFloat() bool { return t >= Float16 && t < count }

// Order is the byte order of multi-byte elements.
type Order bool

// The two byte orders.
const (
	LittleEndian Order = false
	BigEndian    Order = true
)

// String returns "little" or "big", as PyTorch's byteorder record does.
func (o Order) String() string {
	if o == BigEndian {
		return "big"
	}
	return "little"
}
