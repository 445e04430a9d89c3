// This file is for writing .safetensors files.

package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"repscope/internal/dtype"
)

// Data is an array to write: its values are little-endian, in C order.
type Data struct {
	Name  string
	DType dtype.DType
	Shape []int
	Raw   []byte
}

// Encode writes arrays as a .safetensors file, wide types first, so that every array is aligned. Errors: a name that is
// empty, reserved or used twice, a number of bytes that does not match the shape, a failed write.
func Encode(w io.Writer, arrays ...Data) error {
	arrays = slices.Clone(arrays)
	slices.SortStableFunc(arrays, func(a, b Data) int { return b.DType.Size() - a.DType.Size() })
	list := make([]Tensor, len(arrays))
	for i, a := range arrays {
		size, err := dtype.ArraySize(a.Shape, a.DType)
		if err != nil || size != int64(len(a.Raw)) {
			return fmt.Errorf("array %q: %d bytes do not make shape %v of type %v", a.Name, len(a.Raw), a.Shape, a.DType)
		}
		list[i] = Tensor{Name: a.Name, DType: a.DType, Shape: a.Shape}
	}
	header, err := Header(list...)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, a := range arrays {
		if _, err := w.Write(a.Raw); err != nil {
			return err
		}
	}
	return nil
}

// Header returns the part before the values of arrays with these names, types and shapes, which follow one another: the
// length and the JSON object. It is for writers of arrays that come in parts; its length is a multiple of eight.
func Header(list ...Tensor) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 8))
	b.WriteByte('{')
	seen := map[string]bool{"": true, "__metadata__": true}
	offset := int64(0)
	for i, t := range list {
		if seen[t.Name] {
			return nil, fmt.Errorf("array name %q is empty, reserved or used twice", t.Name)
		}
		seen[t.Name] = true
		size, err := dtype.ArraySize(t.Shape, t.DType)
		if err == nil && TypeName(t.DType) == "" {
			err = fmt.Errorf("type %v cannot be written", t.DType)
		}
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", t.Name, err)
		}
		name, err := json.Marshal(t.Name)
		if err != nil {
			return nil, err
		}
		e, err := json.Marshal(entry{TypeName(t.DType), append([]int{}, t.Shape...), []int64{offset, offset + size}})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(e)
		offset += size
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	header := b.Bytes()
	binary.LittleEndian.PutUint64(header, uint64(len(header)-8))
	return header, nil
}
