// Package onnxtest writes ONNX files for tests: the wire format field by field, so
// that broken files can be made too.
//
//	file := onnxtest.Model(17, onnxtest.Message{}.
//		Bytes(1, onnxtest.Node("Relu", []string{"x"}, []string{"y"})).
//		Bytes(11, onnxtest.Port("x", onnxtest.Float, "batch", 3)).
//		Bytes(12, onnxtest.Port("y", onnxtest.Float)))
package onnxtest

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// ONNX's numbers of element types.
const (
	Float  = 1
	Uint8  = 2
	Int32  = 6
	Int64  = 7
	Bool   = 9
	Half   = 10
	Double = 11
)

// Message is a protobuf message under construction.
type Message []byte

// Varint appends an integer field.
func (m Message) Varint(field protowire.Number, v int64) Message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

// Bytes appends a field of bytes: a message, text or packed numbers.
func (m Message) Bytes(field protowire.Number, v []byte) Message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

// Text appends a field of text.
func (m Message) Text(field protowire.Number, v string) Message { return m.Bytes(field, []byte(v)) }

// Model is a file of this opset, usually with one graph: nodes are its fields 1, initializers 5, inputs 11 and outputs
// 12.
func Model(opset int64, graphs ...Message) []byte {
	m := Message{}.Varint(1, 8).Bytes(8, Message{}.Text(1, "").Varint(2, opset))
	for _, g := range graphs {
		m = m.Bytes(7, g)
	}
	return m
}

// Node applies an operator.
func Node(op string, in, out []string, attributes ...Message) Message {
	m := Message{}
	for _, i := range in {
		m = m.Text(1, i)
	}
	for _, o := range out {
		m = m.Text(2, o)
	}
	m = m.Text(3, op+"_1").Text(4, op)
	for _, a := range attributes {
		m = m.Bytes(5, a)
	}
	return m
}

// Int is an integer attribute.
func Int(name string, v int64) Message { return Message{}.Text(1, name).Varint(3, v).Varint(20, 2) }

// Port is an input or output of a graph. An axis is a size (int) or the name (string) of a
// free one; without axes the port has no shape.
func Port(name string, element int64, axes ...any) Message {
	tensor := Message{}.Varint(1, element)
	shape := Message{}
	for _, a := range axes {
		dim := Message{}
		switch a := a.(type) {
		case int:
			dim = dim.Varint(1, int64(a))
		case string:
			dim = dim.Text(2, a)
		default:
			panic(fmt.Sprintf("axis %v of type %T", a, a))
		}
		shape = shape.Bytes(1, dim)
	}
	if axes != nil {
		tensor = tensor.Bytes(2, shape)
	}
	return Message{}.Text(1, name).Bytes(2, Message{}.Bytes(1, tensor))
}

// Tensor is an initializer without its data.
func Tensor(name string, element int64, dims ...int64) Message {
	m := Message{}
	for _, d := range dims {
		m = m.Varint(1, d)
	}
	return m.Varint(2, element).Text(8, name)
}

// Floats is an initializer of float32.
func Floats(name string, values []float32, dims ...int64) Message {
	return Tensor(name, Float, dims...).Bytes(9, FloatBytes(values...))
}

// Ints is an initializer of int64.
func Ints(name string, values []int64, dims ...int64) Message {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return Tensor(name, Int64, dims...).Bytes(9, b)
}

// FloatBytes are float32 as files hold them.
func FloatBytes(v ...float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
