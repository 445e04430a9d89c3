// The values of a page.

package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"repscope/internal/bound"
	"repscope/internal/dtype"
)

// values are values in memory: of numbers the bytes of each in the column's type, of others its bytes.
type values struct {
	raw  []byte
	list [][]byte
	null []int // the numbers of values that are null and have no representation
	err  error
}

func (v *values) size() int64 {
	n := int64(len(v.raw)) + 24*int64(len(v.list))
	for _, b := range v.list {
		n += int64(len(b))
	}
	return n
}

// decode reads the values of a page, with those that are null, in the buffers of s.
func (p *page) decode(s *scratch) (v values, err error) {
	c := p.chunk.column
	b, err := p.open(true, s)
	if err != nil {
		return v, err
	}
	if err := c.regular(p, &b); err != nil {
		return v, err
	}
	stored := int(p.values)
	if b.def != nil {
		stored = bytes.Count(b.def, []byte{byte(c.leaf.def)})
	}
	if v, err = p.stored(b.values, stored, s); err != nil || stored == int(p.values) {
		return v, err
	}
	return c.spread(v, b.def), nil
}

// spread puts null between the values that are stored.
func (c *Leaf) spread(v values, def []byte) (out values) {
	if c.Text {
		out.list = make([][]byte, len(def))
	} else {
		out.raw = make([]byte, len(def)*c.DType.Size())
	}
	null, represented := c.null()
	size, next := c.DType.Size(), 0
	for i, level := range def {
		there := int(level) == c.leaf.def
		switch {
		case c.Text && there:
			out.list[i] = v.list[next]
		case c.Text:
		case there:
			copy(out.raw[i*size:][:size], v.raw[next*size:])
		default:
			if copy(out.raw[i*size:][:size], null); !represented {
				out.null = append(out.null, i)
			}
		}
		if there {
			next++
		}
	}
	return out
}

// null is the value for null: NaN, NaT, or zero where the type has no such value.
func (c *Leaf) null() (raw []byte, represented bool) {
	raw = make([]byte, max(8, c.DType.Size()))
	switch {
	case c.Time != "":
		binary.LittleEndian.PutUint64(raw, 1<<63)
	case c.DType == dtype.Float64:
		binary.LittleEndian.PutUint64(raw, 0x7ff8<<48) // as NumPy has it
	case c.DType == dtype.Float32:
		binary.LittleEndian.PutUint32(raw, 0x7fc00000)
	case c.DType == dtype.Float16:
		binary.LittleEndian.PutUint16(raw, 0x7e00)
	default:
		return raw, false
	}
	return raw, true
}

// stored reads n values.
func (p *page) stored(data []byte, n int, s *scratch) (v values, err error) {
	c := p.chunk.column
	if p.encoding == encodingDictionary || p.encoding == encodingDictionary0 && p.kind != pageDictionary {
		return p.chunk.look(data, n, s)
	}
	if c.Text {
		v.list, err = p.byteArrays(data, n)
		return v, err
	}
	if v.raw, err = p.numbers(data, n, s); err == nil {
		v.raw = c.convert(v.raw, n)
	}
	return v, err
}

// look looks values up in the dictionary.
func (k *chunk) look(data []byte, n int, s *scratch) (v values, err error) {
	if n == 0 {
		return v, nil
	}
	if k.dict == nil || len(data) == 0 {
		return v, errors.New("refers to a dictionary, which is missing")
	}
	dict := k.column.cache.get(k.dict, func() (values, error) {
		buffers := new(scratch)
		b, err := k.dict.open(true, buffers)
		if err != nil {
			return values{}, err
		}
		return k.dict.stored(b.values, int(k.dict.values), buffers)
	})
	if dict.err != nil {
		return v, fmt.Errorf("dictionary: %w", dict.err)
	}
	s.indices = sized(s.indices, n)
	indices := s.indices
	if err := hybrid(indices, int(data[0]), data[1:]); err != nil {
		return v, err
	}
	highest := uint32(0)
	for _, i := range indices {
		highest = max(highest, i)
	}
	if int64(highest) >= k.dict.values {
		return v, fmt.Errorf("refers to value %d of a dictionary of %d", highest, k.dict.values)
	}
	if k.column.Text {
		v.list = make([][]byte, n)
		for i, index := range indices {
			v.list[i] = dict.list[index]
		}
		return v, nil
	}
	size := k.column.DType.Size()
	s.raw = sized(s.raw, n*size)
	v.raw = s.raw
	switch size {
	case 4:
		for i, index := range indices {
			binary.LittleEndian.PutUint32(v.raw[4*i:], binary.LittleEndian.Uint32(dict.raw[4*int(index):]))
		}
	case 8:
		for i, index := range indices {
			binary.LittleEndian.PutUint64(v.raw[8*i:], binary.LittleEndian.Uint64(dict.raw[8*int(index):]))
		}
	default:
		for i, index := range indices {
			copy(v.raw[i*size:(i+1)*size], dict.raw[int(index)*size:])
		}
	}
	return v, nil
}

// numbers reads n values of one size, as they are stored.
func (p *page) numbers(data []byte, n int, s *scratch) ([]byte, error) {
	leaf := &p.chunk.column.leaf
	size := leaf.length
	integers := leaf.kind == int32s || leaf.kind == int64s
	switch e := p.encoding; {
	case leaf.kind == boolean && (e == encodingPlain || e == encodingRuns):
		return p.truths(data, n)
	case e == encodingPlain || e == encodingDictionary0:
		if len(data) < n*size {
			return nil, errValues
		}
		return data[:n*size], nil
	case e == encodingDeltas && integers:
		list, _, err := deltas(n, data)
		if err == nil && len(list) != n {
			err = errValues
		}
		if err != nil {
			return nil, err
		}
		s.raw = sized(s.raw, n*size)
		out := s.raw
		for i, v := range list {
			if size == 4 {
				binary.LittleEndian.PutUint32(out[4*i:], uint32(v))
			} else {
				binary.LittleEndian.PutUint64(out[8*i:], uint64(v))
			}
		}
		return out, nil
	case e == encodingSplit && (integers || leaf.kind == floats || leaf.kind == doubles || leaf.kind == fixedArrays):
		if len(data) < n*size {
			return nil, errValues
		}
		s.raw = sized(s.raw, n*size)
		out := s.raw
		for k := range size {
			for i, b := range data[k*n : (k+1)*n] {
				out[i*size+k] = b
			}
		}
		return out, nil
	case e == encodingPrefixes && leaf.kind == fixedArrays:
		list, err := p.prefixed(data, n)
		if err != nil {
			return nil, err
		}
		out := make([]byte, 0, n*size)
		for _, b := range list {
			if len(b) != size {
				return nil, fmt.Errorf("a value of %d bytes, want %d", len(b), size)
			}
			out = append(out, b...)
		}
		return out, nil
	}
	return nil, p.unknown()
}

func (p *page) unknown() error {
	return fmt.Errorf("has encoding %d of %v, which is unknown", p.encoding, p.chunk.column.leaf.kind)
}

// truths reads truth values, of a bit each.
func (p *page) truths(data []byte, n int) ([]byte, error) {
	out := make([]byte, n)
	if p.encoding == encodingRuns {
		if n == 0 {
			return out, nil
		}
		if len(data) < 4 {
			return nil, errValues
		}
		return out, hybrid(out, 1, data[4:])
	}
	if len(data) < packedBytes(n, 1) {
		return nil, errValues
	}
	unpack(out, 1, data)
	return out, nil
}

// convert makes the column's type of n values as they are stored.
func (c *Leaf) convert(raw []byte, n int) []byte {
	from, to := c.leaf.length, c.DType.Size()
	if c.leaf.kind == boolean || from == to {
		return raw
	}
	out := make([]byte, n*to)
	for i := range n {
		v := raw[i*from : (i+1)*from]
		switch {
		case c.leaf.kind == int96s: // nanoseconds of the day, and Julian day
			const unix, day = 2440588, 24 * 60 * 60 * 1_000_000_000
			days := int64(binary.LittleEndian.Uint32(v[8:])) - unix
			binary.LittleEndian.PutUint64(out[8*i:], uint64(days*day+int64(binary.LittleEndian.Uint64(v))))
		case to == 8:
			binary.LittleEndian.PutUint64(out[8*i:], uint64(int64(int32(binary.LittleEndian.Uint32(v)))))
		default:
			copy(out[i*to:(i+1)*to], v)
		}
	}
	return out
}

// byteArrays reads n values of any size.
func (p *page) byteArrays(data []byte, n int) ([][]byte, error) {
	switch p.encoding {
	case encodingPlain, encodingDictionary0:
		if n > len(data)/4 {
			return nil, errValues
		}
		list := make([][]byte, n)
		for i := range list {
			if len(data) < 4 {
				return nil, errValues
			}
			size := binary.LittleEndian.Uint32(data)
			if data = data[4:]; uint64(size) > uint64(len(data)) {
				return nil, errValues
			}
			list[i] = data[:size:size]
			data = data[size:]
		}
		return list, nil
	case encodingLengths:
		list, _, err := lengths(data, n)
		return list, err
	case encodingPrefixes:
		return p.prefixed(data, n)
	}
	return nil, p.unknown()
}

// lengths reads n values whose sizes are packed in front.
func lengths(data []byte, n int) (list [][]byte, rest []byte, err error) {
	sizes, rest, err := deltas(n, data)
	if err != nil {
		return nil, nil, err
	}
	if len(sizes) != n {
		return nil, nil, errValues
	}
	list = make([][]byte, n)
	for i, size := range sizes {
		if size < 0 || size > int64(len(rest)) {
			return nil, nil, errValues
		}
		list[i] = rest[:size:size]
		rest = rest[size:]
	}
	return list, rest, nil
}

// prefixed reads n values that begin like the one before.
func (p *page) prefixed(data []byte, n int) ([][]byte, error) {
	shared, rest, err := deltas(n, data)
	if err != nil {
		return nil, err
	}
	if len(shared) != n {
		return nil, errValues
	}
	list, _, err := lengths(rest, n)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	var last []byte
	for i, b := range list {
		if shared[i] < 0 || shared[i] > int64(len(last)) {
			return nil, fmt.Errorf("a value shares %d bytes with one of %d", shared[i], len(last))
		}
		if shared[i] > 0 {
			if total += shared[i] + int64(len(b)); total > bound.Free {
				if err := bound.Check("values", total, p.chunk.file.Size()); err != nil {
					return nil, err
				}
			}
			b = append(last[:shared[i]:shared[i]], b...)
		}
		list[i], last = b, b
	}
	return list, nil
}
