// Package safetensors reads and writes .safetensors files: the length of a JSON header, the header, raw little-endian
// values. The header is checked against the size of the file.
//
//	file, err := mmap.Open("encoder.safetensors")
//	…
//	list, err := safetensors.Read(file)
//	…
//	for _, t := range list {
//		err = file.Use(t.Offset, t.Size, func(raw []byte) error { … })
//	}
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"

	"repscope/internal/text"
)

// Tensor is one array of a file.
type Tensor struct {
	Name  string
	Type  string      // the format's own name, such as BF16
	DType dtype.DType // Invalid where the type is not one that can be read
	Shape []int
	// Offset and Size say where its bytes are in the file.
	Offset, Size int64
}

var types = map[string]dtype.DType{"BOOL": dtype.Bool, "U8": dtype.Uint8, "I8": dtype.Int8, "I16": dtype.Int16, "U16": dtype.Uint16,
	"I32": dtype.Int32, "U32": dtype.Uint32, "I64": dtype.Int64, "U64": dtype.Uint64, "F16": dtype.Float16, "BF16": dtype.BFloat16,
	"F32": dtype.Float32, "F64": dtype.Float64, "F8_E4M3": dtype.E4M3FN, "F8_E5M2": dtype.E5M2,
	"F8_E4M3FNUZ": dtype.E4M3FNUZ, "F8_E5M2FNUZ": dtype.E5M2FNUZ}

// others are the format's unsupported types, and the types to save instead.
var others = map[string][2]string{"F8_E8M0": {"powers of two of 8 bits", "x.float()"},
	"F6_E2M3": {"floats of 6 bits", "x.float()"}, "F6_E3M2": {"floats of 6 bits", "x.float()"},
	"F4":  {"floats of 4 bits", "the numbers as float32"},
	"C64": {"complex numbers", "torch.view_as_real(x)"}}

// Readable is an error that names the type if it is not one that can be read.
func (t Tensor) Readable() error {
	if t.DType != dtype.Invalid {
		return nil
	}
	if other, ok := others[t.Type]; ok {
		return fmt.Errorf("type %q (%s) is not supported; save %s", t.Type, other[0], other[1])
	}
	return fmt.Errorf("type %.20q is not supported; save x.float()", t.Type)
}

// TypeName is the format's name of a type.
func TypeName(t dtype.DType) string {
	for name, d := range types {
		if d == t {
			return name
		}
	}
	return ""
}

// entry is a tensor as the header describes it.
type entry struct {
	DType   string  `json:"dtype"`
	Shape   []int   `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// Read returns the tensors of a file in the order of their data. Errors, which
// name the file: [format.ErrTruncated], a header that is no valid JSON object, a
// name used twice, sizes that do not fit the shape or the file, tensors that
// overlap.
func Read(file *mmap.File) ([]Tensor, error) {
	list, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	return list, nil
}

func read(file *mmap.File) ([]Tensor, error) {
	var start [8]byte
	if n, err := file.ReadAt(start[:], 0); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%w: a safetensors file of %d bytes", format.ErrTruncated, n)
	} else if err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint64(start[:])
	if length > format.MaxSafetensorsHeader {
		return nil, fmt.Errorf("the header has %d bytes, want at most %d: not a safetensors file, or corrupt",
			length, format.MaxSafetensorsHeader)
	}
	base := 8 + int64(length)
	if base > file.Size() {
		return nil, fmt.Errorf("%w: the header has %d bytes, the file %d in all", format.ErrTruncated, length, file.Size())
	}
	var list []Tensor
	err := file.Use(8, int64(length), func(header []byte) error {
		var err error
		list, err = parse(header, base, file.Size()-base)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b Tensor) int { return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Size, b.Size)) })
	return list, gapless(list, base, file.Size())
}

// parse reads the header, which is one JSON object. Names must not repeat. The
// data begins at base and has size bytes.
func parse(header []byte, base, size int64) ([]Tensor, error) {
	if len(header) > 0 && header[0] != '{' {
		return nil, invalid(fmt.Errorf("it begins with %.10q, want a brace", header))
	}
	d := json.NewDecoder(bytes.NewReader(header))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, invalid(fmt.Errorf("it begins with %v %w", token, errOr(err)))
	}
	var list []Tensor
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, invalid(err)
		}
		name, ok := token.(string)
		if !ok {
			return nil, invalid(fmt.Errorf("unexpected %v", token))
		}
		if name == "__metadata__" {
			var ignored map[string]string
			if err := d.Decode(&ignored); err != nil {
				return nil, invalid(fmt.Errorf("%s: %w", name, text.JSONError(err)))
			}
			continue
		}
		if seen[name] {
			return nil, fmt.Errorf("the header has array %q twice", name)
		}
		seen[name] = true
		var e entry
		if err := d.Decode(&e); err != nil {
			return nil, invalid(fmt.Errorf("array %q: %w", name, text.JSONError(err)))
		}
		t, err := e.tensor(base, size)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", name, err)
		}
		t.Name = name
		list = append(list, t)
	}
	if _, err := d.Token(); err != nil {
		return nil, invalid(err)
	}
	if rest := bytes.TrimRight(header[d.InputOffset():], " \t\r\n\x00"); len(rest) > 0 {
		return nil, invalid(fmt.Errorf("%q follows it", rest[:min(len(rest), 10)]))
	}
	return list, nil
}

func invalid(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the header is not a valid JSON object: %w", err)
}

// errOr returns err, or else an error for an invalid token.
func errOr(err error) error {
	if err != nil {
		return err
	}
	return errors.New("(want a brace)")
}

// tensor checks an entry against the data that the file has.
func (e entry) tensor(base, data int64) (Tensor, error) {
	if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] {
		return Tensor{}, fmt.Errorf("data_offsets %v, want a start and an end", e.Offsets)
	}
	if e.Offsets[1] > data {
		return Tensor{}, fmt.Errorf("%w: it ends at byte %d of the data, which has %d",
			format.ErrTruncated, e.Offsets[1], data)
	}
	t := Tensor{Type: e.DType, DType: types[e.DType], Shape: e.Shape, Offset: base + e.Offsets[0], Size: e.Offsets[1] - e.Offsets[0]}
	if t.Shape == nil {
		t.Shape = []int{}
	}
	if t.DType == dtype.Invalid {
		return t, nil // one cannot read it, but the others
	}
	size, err := dtype.ArraySize(t.Shape, t.DType)
	if err == nil && size != t.Size {
		err = fmt.Errorf("shape %v of type %s takes %d bytes, data_offsets %v give %d",
			e.Shape, e.DType, size, e.Offsets, t.Size)
	}
	return t, err
}

// gapless checks that tensors, in the order of their data, fill it from its begin to the end of the file, as the
// format wants: each byte belongs to one tensor.
func gapless(list []Tensor, end, size int64) error {
	base, last := end, ""
	const repair = "the file is damaged, or its writer breaks the rules of the format; write it again"
	for _, t := range list {
		switch {
		case t.Offset < end:
			return fmt.Errorf("arrays %q and %q overlap", last, t.Name)
		case t.Offset > end && last == "":
			return fmt.Errorf("the first %d bytes of the data, before array %q, belong to no array: %s",
				t.Offset-end, t.Name, repair)
		case t.Offset > end:
			return fmt.Errorf("%d bytes between arrays %q and %q, from byte %d of the data, belong to no array: %s",
				t.Offset-end, last, t.Name, end-base, repair)
		}
		end, last = t.Offset+t.Size, t.Name
	}
	if end < size {
		return fmt.Errorf("the last %d of %d bytes of the data belong to no array: %s", size-end, size-base, repair)
	}
	return nil
}
