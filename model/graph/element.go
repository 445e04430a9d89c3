// ONNX's element types and the types they are computed in.

package graph

import (
	"fmt"
	"math"
	"strconv"

	"repscope/internal/dtype"
)

// ONNX element types that Cast rounds to or that readers map to a DType.
const (
	ElementFloat          = 1
	ElementUint8          = 2
	ElementInt8           = 3
	ElementUint16         = 4
	ElementInt16          = 5
	ElementInt32          = 6
	ElementInt64          = 7
	ElementBool           = 9
	ElementFloat16        = 10
	ElementDouble         = 11
	ElementUint32         = 12
	ElementUint64         = 13
	ElementBFloat16       = 16
	ElementFloat8E4M3FN   = 17
	ElementFloat8E4M3FNUZ = 18
	ElementFloat8E5M2     = 19
	ElementFloat8E5M2FNUZ = 20
	ElementUint4          = 21
	ElementInt4           = 22
	ElementFloat4E2M1     = 23
	ElementFloat8E8M0     = 24
	ElementUint2          = 25
	ElementInt2           = 26
)

// elementNames are the names of ONNX's unsupported types.
var elementNames = map[int]string{8: "string", 14: "complex64", 15: "complex128", 27: "float6e2m3", 28: "float6e3m2"}

// ElementName names an ONNX element type that is not supported, for messages.
func ElementName(element int) string {
	if name := elementNames[element]; name != "" {
		return name
	}
	return strconv.Itoa(element)
}

// narrowElements are ONNX's types that are stored as codes of at most 8 bits.
var narrowElements = map[int]*dtype.Narrow{
	ElementFloat8E4M3FN: dtype.Float8E4M3FN, ElementFloat8E4M3FNUZ: dtype.Float8E4M3FNUZ, ElementFloat8E5M2: dtype.Float8E5M2,
	ElementFloat8E5M2FNUZ: dtype.Float8E5M2FNUZ, ElementFloat4E2M1: dtype.Float4E2M1, ElementFloat8E8M0: dtype.Float8E8M0,
	ElementUint4: dtype.Uint4, ElementInt4: dtype.Int4, ElementUint2: dtype.Uint2, ElementInt2: dtype.Int2,
}

// NarrowElement is an ONNX type that is stored as codes of at most 8 bits; nil for other ones.
func NarrowElement(element int) *dtype.Narrow { return narrowElements[element] }

// integerBits are the bits of integer types; negative: unsigned. int64 has none, since all are computed in it.
var integerBits = map[int]int{
	ElementUint2: -2, ElementInt2: 2, ElementUint4: -4, ElementInt4: 4, ElementUint8: -8, ElementInt8: 8, ElementUint16: -16, ElementInt16: 16,
	ElementInt32: 32, ElementUint32: -32, ElementUint64: Uint64,
}

// Uint64 is the Bits of a [Type] of uint64, whose elements are held as the int64 of the same bits.
const Uint64 = -64

// IntegerBits are the bits of an ONNX type of integers, negative if it is unsigned; 0 for int64 and for other types.
func IntegerBits(element int) int { return integerBits[element] }

// IntegerElement returns the ONNX type of integers with this number of bits; see [IntegerBits].
func IntegerElement(bits int) int {
	for element, b := range integerBits {
		if b == bits {
			return element
		}
	}
	return ElementInt64
}

// Range returns the smallest and the largest integer with this number of bits, as elements store them; see [Type].
func Range(bits int) (least, greatest int64) {
	switch {
	case bits == Uint64:
		return 0, -1
	case bits < 0:
		return 0, 1<<-bits - 1
	case bits > 0:
		return -1 << (bits - 1), 1<<(bits-1) - 1
	}
	return math.MinInt64, math.MaxInt64
}

// Element names the element type as a file does: integers with their width.
func (t Type) Element() string {
	switch {
	case t.DType != Int64 || t.Bits == 0:
		return t.DType.String()
	case t.Bits < 0:
		return fmt.Sprint("uint", -t.Bits)
	}
	return fmt.Sprint("int", t.Bits)
}

// Narrow reports whether elements are integers of less than 64 bits.
func (t Type) Narrow() bool { return t.DType == Int64 && t.Bits != 0 && t.Bits != Uint64 }

// Same reports whether two types have the same elements, integers of the same width.
func (t Type) Same(other Type) bool { return t.DType == other.DType && t.Bits == other.Bits }

// Wrap keeps the low bits of an integer, as arithmetic with this number of bits does; see [Type].
func Wrap(v int64, bits int) int64 {
	switch {
	case bits > 0:
		return v << (64 - bits) >> (64 - bits)
	case bits < 0 && bits > Uint64:
		return v & (1<<-bits - 1)
	}
	return v
}

// ElementDType is the DType in which an ONNX element type is computed.
func ElementDType(element int) (DType, bool) {
	switch element {
	case ElementFloat, ElementFloat16, ElementDouble, ElementBFloat16:
		return Float32, true
	case ElementUint8, ElementInt8, ElementUint16, ElementInt16, ElementInt32, ElementInt64, ElementUint32, ElementUint64:
		return Int64, true
	case ElementBool:
		return Bool, true
	}
	switch n := narrowElements[element]; {
	case n == nil:
		return Invalid, false
	case n.IsFloat():
		return Float32, true
	}
	return Int64, true
}
