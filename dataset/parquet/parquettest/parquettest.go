// Package parquettest writes small Parquet files for tests: columns of numbers and bytes, and lists of one size, in
// plain pages of version 1.
//
//	c := parquettest.Leaf{Name: "frames", Kind: parquettest.Float, Shape: []int{5, 3}, Raw: make([]byte, 60)}
//	data := parquettest.File(2, c)
package parquettest

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// The physical types of columns.
const (
	Int32     = 1
	Int64     = 2
	Float     = 4
	Double    = 5
	ByteArray = 6
)

// Leaf is a column; the first number of its shape is its rows.
type Leaf struct {
	Name  string
	Kind  int
	Uint8 bool // stored as Int32
	Shape []int
	Raw   []byte   // little-endian, as stored
	Bytes [][]byte // of ByteArray
}

// thrift writes a structure of the compact protocol.
type thrift struct {
	b    []byte
	last int
}

func (t *thrift) head(id, kind int) *thrift {
	t.b = append(t.b, byte((id-t.last)<<4|kind))
	t.last = id
	return t
}

func (t *thrift) int(id int, v int64) *thrift {
	t.head(id, 6).b = binary.AppendUvarint(t.b, uint64(v<<1)^uint64(v>>63))
	return t
}

func (t *thrift) text(id int, s string) *thrift {
	t.head(id, 8).b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
	return t
}

func (t *thrift) structure(id int, s *thrift) *thrift {
	t.head(id, 12).b = append(append(t.b, s.b...), 0)
	return t
}

func (t *thrift) list(id, kind int, elements ...[]byte) *thrift {
	t.head(id, 9).b = binary.AppendUvarint(append(t.b, byte(0xf0|kind)), uint64(len(elements)))
	for _, e := range elements {
		t.b = append(t.b, e...)
	}
	return t
}

func (t *thrift) end() []byte { return append(t.b, 0) }

func text(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

// packed are levels in one packed run, with their size in front.
func packed(list []byte, largest int) []byte {
	if largest == 0 {
		return nil
	}
	width := bits.Len(uint(largest))
	groups := (len(list) + 7) / 8
	raw := make([]byte, groups*width)
	for i, v := range list {
		for k := range width {
			raw[(i*width+k)/8] |= v >> k & 1 << ((i*width + k) % 8)
		}
	}
	run := append(binary.AppendUvarint(nil, uint64(groups<<1|1)), raw...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...)
}

// schema are the elements of a column.
func (c *Leaf) schema() (elements [][]byte, path []string) {
	lists := len(c.Shape) - 1
	name := c.Name
	for range lists {
		elements = append(elements, new(thrift).int(3, 0).text(4, name).int(5, 1).int(6, 3).end(),
			new(thrift).int(3, 2).text(4, "list").int(5, 1).end())
		path = append(path, name, "list")
		name = "element"
	}
	leaf := new(thrift).int(1, int64(c.Kind)).int(3, 0).text(4, name)
	if c.Uint8 {
		leaf.int(6, 11)
	}
	return append(elements, leaf.end()), append(path, name)
}

// page is a page of rows lo to hi-1, with its header.
func (c *Leaf) page(lo, hi int) []byte {
	lists, row := len(c.Shape)-1, 1
	for _, n := range c.Shape[1:] {
		row *= n
	}
	var rep, def, values []byte
	for i := range (hi - lo) * row {
		level, step := lists, 1
		for axis := lists; axis > 0; axis-- {
			if step *= c.Shape[axis]; i%step == 0 {
				level = axis - 1
			}
		}
		rep, def = append(rep, byte(level)), append(def, byte(lists))
	}
	if c.Kind == ByteArray {
		for _, b := range c.Bytes[lo:hi] {
			values = append(binary.LittleEndian.AppendUint32(values, uint32(len(b))), b...)
		}
	} else {
		size := len(c.Raw) / max(1, c.Shape[0])
		values = c.Raw[lo*size : hi*size]
	}
	body := append(append(packed(rep, lists), packed(def, lists)...), values...)
	data := new(thrift).int(1, int64((hi-lo)*row)).int(2, 0).int(3, 3).int(4, 3)
	head := new(thrift).int(1, 0).int(2, int64(len(body))).int(3, int64(len(body))).
		int(4, int64(int32(crc32.ChecksumIEEE(body)))).structure(5, data)
	return append(head.end(), body...)
}

// File is a file whose row groups and pages have this many rows.
func File(rows int, columns ...Leaf) []byte {
	file := []byte("PAR1")
	total := columns[0].Shape[0]
	root := new(thrift).text(4, "schema").int(5, int64(len(columns))).end()
	elements, groups := [][]byte{root}, [][]byte(nil)
	for i := range columns {
		list, _ := columns[i].schema()
		elements = append(elements, list...)
	}
	for lo := 0; lo < total; lo += rows {
		hi := min(lo+rows, total)
		var chunks [][]byte
		for i := range columns {
			c := &columns[i]
			_, path := c.schema()
			var names [][]byte
			for _, name := range path {
				names = append(names, text(name))
			}
			values := hi - lo
			for _, n := range c.Shape[1:] {
				values *= n
			}
			page := c.page(lo, hi)
			meta := new(thrift).int(1, int64(c.Kind)).list(2, 5, []byte{0}).list(3, 8, names...).int(4, 0).int(5, int64(values)).
				int(6, int64(len(page))).int(7, int64(len(page))).int(9, int64(len(file)))
			chunks = append(chunks, new(thrift).int(2, int64(len(file))).structure(3, meta).end())
			file = append(file, page...)
		}
		groups = append(groups, new(thrift).list(1, 12, chunks...).int(2, 0).int(3, int64(hi-lo)).end())
	}
	header := new(thrift).int(1, 1).list(2, 12, elements...).int(3, int64(total)).list(4, 12, groups...).end()
	file = binary.LittleEndian.AppendUint32(append(file, header...), uint32(len(header)))
	return append(file, "PAR1"...)
}
