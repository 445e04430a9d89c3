// Protobuf's wire format: messages as lists of undecoded fields.

package onnx

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one protobuf field's value, undecoded.
type field struct {
	kind   protowire.Type
	number uint64 // varint, fixed32, fixed64
	bytes  []byte
	at     int64 // of bytes in the file
}

func (f field) text() string { return string(f.bytes) }

func (f field) want(t protowire.Type) error {
	if f.kind != t {
		return fmt.Errorf("field of wire type %d, want %d", f.kind, t)
	}
	return nil
}

// fields calls f for every field of a message.
func (m field) fields(f func(n protowire.Number, v field) error) error {
	for data := m.bytes; len(data) > 0; {
		n, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		v := field{kind: kind}
		switch kind {
		case protowire.VarintType:
			v.number, size = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			var x uint32
			x, size = protowire.ConsumeFixed32(data)
			v.number = uint64(x)
		case protowire.Fixed64Type:
			v.number, size = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			v.bytes, size = protowire.ConsumeBytes(data)
		default:
			size = protowire.ConsumeFieldValue(n, kind, data)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		v.at = m.at + int64(len(m.bytes)-len(data)-len(v.bytes))
		if err := f(n, v); err != nil {
			return err
		}
	}
	return nil
}

// packed decodes a repeated number, which a file may store packed or one by one.
func packed(v field, kind protowire.Type, f func(uint64)) error {
	if v.kind == kind {
		f(v.number)
		return nil
	}
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	for b := v.bytes; len(b) > 0; {
		var x uint64
		var n int
		switch kind {
		case protowire.VarintType:
			x, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var y uint32
			y, n = protowire.ConsumeFixed32(b)
			x = uint64(y)
		default:
			x, n = protowire.ConsumeFixed64(b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		f(x)
		b = b[n:]
	}
	return nil
}
