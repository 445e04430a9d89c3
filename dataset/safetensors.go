// Reading .safetensors files: the length of a JSON header, the header, raw bytes.

package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
)

// maxSafetensorsHeader is the format's own limit.
const maxSafetensorsHeader = 100 << 20

var safetensorsTypes = map[string]DType{"BOOL": Bool, "U8": Uint8, "I8": Int8, "I16": Int16, "U16": Uint16, "I32": Int32, "U32": Uint32,
	"I64": Int64, "U64": Uint64, "F16": Float16, "BF16": BFloat16, "F32": Float32, "F64": Float64}

// safetensors is a file whose header has been read and checked.
type safetensors struct {
	file   *mmap.File
	base   int64    // of the data in the file
	names  []string // in the order of their data
	arrays map[string]safetensor
}

type safetensor struct {
	DType   string  `json:"dtype"`
	Shape   []int   `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

func readSafetensors(file *mmap.File) (*safetensors, error) {
	fail := func(err error) (*safetensors, error) { return nil, fmt.Errorf("%s: %w", file.Path(), err) }
	var start [8]byte
	if n, err := file.ReadAt(start[:], 0); err != nil {
		return fail(shortRead(err, "a safetensors file of %d bytes", n))
	}
	length := binary.LittleEndian.Uint64(start[:])
	if length > maxSafetensorsHeader {
		return fail(fmt.Errorf("the header has %d bytes, want at most %d: not a safetensors file, or corrupt", length, maxSafetensorsHeader))
	}
	base := 8 + int64(length)
	if base > file.Size() {
		return fail(fmt.Errorf("%w: the header has %d bytes, the file %d in all", ErrTruncated, length, file.Size()))
	}
	s := &safetensors{file: file, base: base, arrays: map[string]safetensor{}}
	if err := file.Use(8, int64(length), s.parse); err != nil {
		return fail(err)
	}
	data := file.Size() - base
	for _, name := range s.names {
		t := s.arrays[name]
		if len(t.Offsets) != 2 || t.Offsets[0] < 0 || t.Offsets[1] < t.Offsets[0] {
			return fail(fmt.Errorf("array %q: data_offsets %v, want a begin and an end", name, t.Offsets))
		}
		if t.Offsets[1] > data {
			return fail(fmt.Errorf("%w: array %q ends at byte %d of the data, which has %d", ErrTruncated, name, t.Offsets[1], data))
		}
		if d, ok := safetensorsTypes[t.DType]; ok {
			size, err := sizeOf(t.Shape, d)
			if err != nil {
				return fail(fmt.Errorf("array %q: %w", name, err))
			}
			if have := t.Offsets[1] - t.Offsets[0]; have != size {
				return fail(fmt.Errorf("array %q: shape %v of type %s takes %d bytes, data_offsets %v give %d", name, t.Shape, t.DType, size, t.Offsets, have))
			}
		}
	}
	sort.SliceStable(s.names, func(i, j int) bool {
		return s.arrays[s.names[i]].Offsets[0] < s.arrays[s.names[j]].Offsets[0]
	})
	end, last := int64(0), ""
	for _, name := range s.names {
		t := s.arrays[name]
		if t.Offsets[0] == t.Offsets[1] {
			continue
		}
		if t.Offsets[0] < end {
			return fail(fmt.Errorf("arrays %q and %q overlap", last, name))
		}
		end, last = t.Offsets[1], name
	}
	return s, nil
}

// parse reads the header, which is one JSON object. Names must not repeat.
func (s *safetensors) parse(header []byte) error {
	d := json.NewDecoder(bytes.NewReader(header))
	bad := func(err error) error {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("the header is no valid JSON object: %w", err)
	}
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return bad(fmt.Errorf("it begins with %v %w", token, errOr(err)))
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return bad(err)
		}
		name, ok := token.(string)
		if !ok {
			return bad(fmt.Errorf("unexpected %v", token))
		}
		if name == "__metadata__" {
			var ignored map[string]string
			if err := d.Decode(&ignored); err != nil {
				return bad(err)
			}
			continue
		}
		if _, twice := s.arrays[name]; twice {
			return fmt.Errorf("the header has array %q twice", name)
		}
		var t safetensor
		if err := d.Decode(&t); err != nil {
			return bad(fmt.Errorf("array %q: %w", name, err))
		}
		s.arrays[name] = t
		s.names = append(s.names, name)
	}
	if _, err := d.Token(); err != nil {
		return bad(err)
	}
	if rest := bytes.TrimRight(header[d.InputOffset():], " \t\r\n\x00"); len(rest) > 0 {
		return bad(fmt.Errorf("%q follows it", rest[:min(len(rest), 10)]))
	}
	return nil
}

// errOr returns err, or an error that says the token is wrong.
func errOr(err error) error {
	if err != nil {
		return err
	}
	return errors.New("(want a brace)")
}

// open returns one array of the file.
func (s *safetensors) open(name string) (*Array, error) {
	t := s.arrays[name]
	full := s.file.Path() + ":" + name
	d, ok := safetensorsTypes[t.DType]
	if !ok {
		return nil, fmt.Errorf("%s: type %.20q is not supported", full, t.DType)
	}
	shape := t.Shape
	if shape == nil {
		shape = []int{}
	}
	a := newArray(full, s.file.Path(), name, shape, d, dtype.LittleEndian, &region{s.file, s.base + t.Offsets[0], rowBytes(shape, d)})
	fromFile(a, s.file, nil)
	a.close = s.file.Close
	return a, nil
}
