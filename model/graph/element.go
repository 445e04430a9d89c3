// ONNX's element types and the types they are computed in.

package graph

import "strconv"

// ONNX element types that Cast rounds to or that readers map to a DType.
const (
	ElementFloat    = 1
	ElementUint8    = 2
	ElementInt8     = 3
	ElementUint16   = 4
	ElementInt16    = 5
	ElementInt32    = 6
	ElementInt64    = 7
	ElementBool     = 9
	ElementFloat16  = 10
	ElementDouble   = 11
	ElementUint32   = 12
	ElementUint64   = 13
	ElementBFloat16 = 16
)

// elementNames are those of ONNX's types that are not supported.
var elementNames = map[int]string{8: "string", 14: "complex64", 15: "complex128", 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2",
	20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1"}

// ElementName names an ONNX element type that is not supported, for messages.
func ElementName(element int) string {
	if name := elementNames[element]; name != "" {
		return name
	}
	return strconv.Itoa(element)
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
	return Invalid, false
}
