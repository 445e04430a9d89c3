// Tables as Parquet files.

package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"repscope/report"
)

// kind is the type of a column, as the format numbers it.
type kind int32

const (
	booleans kind = 0
	integers kind = 2
	doubles  kind = 5
	texts    kind = 6
)

// column is a column of a table. A cell is a string, int, bool, float64 or [report.Value]; nil, NaN and a value without
// a number are missing.
type column struct {
	name  string
	kind  kind
	cells []any
}

// writeParquet writes columns of equal length as a Parquet file of one row group: all columns may have missing cells,
// values are plain and not compressed.
func writeParquet(w io.Writer, columns []column) error {
	rows := 0
	if len(columns) > 0 {
		rows = len(columns[0].cells)
	}
	file := []byte("PAR1")
	var chunks []thrift
	total := 0
	for i := range columns {
		c := &columns[i]
		page, err := c.page()
		if err != nil {
			return err
		}
		start := len(file)
		var data, header thrift
		data.int(1, len(c.cells))
		data.int(2, 0) // plain
		data.int(3, 3) // levels: run lengths and bits
		data.int(4, 3)
		header.int(1, 0) // a page of data
		header.int(2, len(page))
		header.int(3, len(page))
		header.structure(5, &data)
		file = append(append(file, header.end()...), page...)
		size := len(file) - start
		total += size
		var meta, chunk thrift
		meta.int(1, int(c.kind))
		meta.list(2, thriftInt, zigzag(0), zigzag(3))
		meta.list(3, thriftText, lengthed(c.name))
		meta.int(4, 0) // not compressed
		meta.long(5, len(c.cells))
		meta.long(6, size)
		meta.long(7, size)
		meta.long(9, start)
		chunk.long(2, start)
		chunk.structure(3, &meta)
		chunks = append(chunks, chunk)
	}
	var group, footer thrift
	group.structures(1, chunks)
	group.long(2, total)
	group.long(3, rows)
	footer.int(1, 1) // version of the format
	footer.structures(2, schemaOf(columns))
	footer.long(3, rows)
	footer.structures(4, []thrift{group})
	footer.text(6, "repscope version "+report.Version)
	end := footer.end()
	file = append(file, end...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(end)))
	_, err := w.Write(append(file, "PAR1"...))
	return err
}

// schemaOf describes the columns below a root.
func schemaOf(columns []column) []thrift {
	var root thrift
	root.text(4, "schema")
	root.int(5, len(columns))
	schema := []thrift{root}
	for i := range columns {
		var e thrift
		e.int(1, int(columns[i].kind))
		e.int(3, 1) // optional
		e.text(4, columns[i].name)
		if columns[i].kind == texts {
			var none, logical thrift
			e.int(6, 0) // UTF-8
			logical.structure(1, &none)
			e.structure(10, &logical)
		}
		schema = append(schema, e)
	}
	return schema
}

// page are the levels and the values of the cells.
func (c *column) page() ([]byte, error) {
	groups := (len(c.cells) + 7) / 8
	levels := append(binary.AppendUvarint(nil, uint64(groups)<<1|1), make([]byte, groups)...)
	first := len(levels) - groups
	var values []byte
	trues := 0 // of a column of booleans: how many bits there are
	for i, cell := range c.cells {
		if v, ok := cell.(report.Value); ok {
			cell = v.Float()
		}
		if v, ok := cell.(float64); ok && math.IsNaN(v) {
			cell = nil
		}
		if cell == nil {
			continue
		}
		levels[first+i/8] |= 1 << (i % 8)
		switch v := cell.(type) {
		case string:
			values = append(values, lengthed32(v)...)
		case float64:
			values = binary.LittleEndian.AppendUint64(values, math.Float64bits(v))
		case int:
			values = binary.LittleEndian.AppendUint64(values, uint64(v))
		case bool:
			if trues%8 == 0 {
				values = append(values, 0)
			}
			if v {
				values[len(values)-1] |= 1 << (trues % 8)
			}
			trues++
		default:
			return nil, fmt.Errorf("column %s, row %d: a cell cannot be of type %T", c.name, i+1, cell)
		}
	}
	page := binary.LittleEndian.AppendUint32(nil, uint32(len(levels)))
	return append(append(page, levels...), values...), nil
}

func lengthed32(text string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// The types of fields of Thrift's compact protocol, in which headers are written.
const (
	thriftInt    = 5
	thriftLong   = 6
	thriftText   = 8
	thriftList   = 9
	thriftStruct = 12
)

// thrift is a structure that is being written; fields go up.
type thrift struct {
	raw  []byte
	last int
}

func (t *thrift) field(id, kind int) {
	t.raw = append(t.raw, byte(id-t.last)<<4|byte(kind))
	t.last = id
}

func zigzag(v int) []byte {
	return binary.AppendUvarint(nil, bits.RotateLeft64(uint64(v), 1)) // of no negative numbers
}

func lengthed(text string) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(text))), text...)
}

func (t *thrift) int(id, v int) {
	t.field(id, thriftInt)
	t.raw = append(t.raw, zigzag(v)...)
}

func (t *thrift) long(id, v int) {
	t.field(id, thriftLong)
	t.raw = append(t.raw, zigzag(v)...)
}

func (t *thrift) text(id int, text string) {
	t.field(id, thriftText)
	t.raw = append(t.raw, lengthed(text)...)
}

func (t *thrift) structure(id int, s *thrift) {
	t.field(id, thriftStruct)
	t.raw = append(t.raw, s.end()...)
}

func (t *thrift) list(id, kind int, items ...[]byte) {
	t.field(id, thriftList)
	if len(items) < 15 {
		t.raw = append(t.raw, byte(len(items))<<4|byte(kind))
	} else {
		t.raw = binary.AppendUvarint(append(t.raw, 0xf0|byte(kind)), uint64(len(items)))
	}
	for _, item := range items {
		t.raw = append(t.raw, item...)
	}
}

func (t *thrift) structures(id int, list []thrift) {
	var items [][]byte
	for i := range list {
		items = append(items, list[i].end())
	}
	t.list(id, thriftStruct, items...)
}

// end are the bytes of the structure.
func (t *thrift) end() []byte { return append(t.raw[:len(t.raw):len(t.raw)], 0) }
