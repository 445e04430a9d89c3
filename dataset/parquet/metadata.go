// The header of a file: schema, row groups, chunks of columns.

package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"repscope/internal/bound"
	"repscope/internal/format"
)

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
	trailer        = 8 // bytes: length of the header, magic number
)

// physical is how values are stored.
type physical int

// The physical types.
const (
	boolean physical = iota
	int32s
	int64s
	int96s
	floats
	doubles
	byteArrays
	fixedArrays
)

var physicalNames = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE",
	"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

func (p physical) String() string {
	if p >= 0 && int(p) < len(physicalNames) {
		return physicalNames[p]
	}
	return fmt.Sprintf("type %d", int(p))
}

// repetition is how often a field is there.
const (
	required = iota
	optional
	repeated
)

// logical is what values mean.
type logical int

// The meanings.
const (
	plain logical = iota
	text
	list
	mapping
	decimal
	date
	timeOfDay
	timestamp
	integer
	uuid
	float16
	otherLogical
)

var logicalNames = []string{"", "text", "list", "map", "decimal", "date", "time", "timestamp",
	"integer", "UUID", "float16", "other"}

// element is an element of the schema.
type element struct {
	kind       physical
	length     int // of fixed arrays
	repetition int
	name       string
	children   int
	group      bool
	meaning    logical
	unit       string // of times: ms, us, ns
	bits       int    // of integers
	unsigned   bool
}

// chunkHeader is a column of a row group.
type chunkHeader struct {
	elsewhere bool // in another file
	encrypted bool
	kind      physical
	path      []string
	codec     int
	values    int64 // with null and levels
	size      int64
	data      int64 // offset of the first page of data
	dict      int64 // offset of the dictionary, 0 for none
}

type rowGroup struct {
	columns []chunkHeader
	rows    int64
}

// header is the header of a file.
type header struct {
	elements  []element
	rows      int64
	groups    []rowGroup
	keys      []Property
	encrypted bool
}

// Property is a text of the file under a name.
type Property struct{ Name, Value string }

// readHeader reads the header at the end of a file.
func readHeader(file Source) (h *header, err error) {
	size := file.Size()
	end := make([]byte, trailer)
	if size < int64(len(magic))+trailer {
		return nil, fmt.Errorf("%w: it has %d bytes", format.ErrTruncated, size)
	}
	if _, err := file.ReadAt(end, size-trailer); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	switch mark := string(end[4:]); {
	case mark == magicEncrypted:
		return nil, errors.New("is encrypted, which is not supported; write it without encryption")
	case mark != magic:
		return nil, fmt.Errorf("%w: a Parquet file ends with its header and %q, this one with %q",
			format.ErrTruncated, magic, mark)
	case n > size-trailer-int64(len(magic)):
		return nil, fmt.Errorf("%w: its header has %d bytes, the file %d", format.ErrTruncated, n, size)
	}
	// Elements, chunks and names take more memory than in the file.
	if err := bound.Check("its header", 64*n, size); err != nil {
		return nil, err
	}
	raw := make([]byte, n)
	if _, err := file.ReadAt(raw, size-trailer-n); err != nil {
		return nil, err
	}
	t := &thrift{raw: raw}
	h = &header{}
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 2 && kind == thriftList:
			t.list(func(byte) { h.elements = append(h.elements, readElement(t)) })
		case id == 3:
			h.rows = t.int()
		case id == 4 && kind == thriftList:
			t.list(func(byte) { h.groups = append(h.groups, readGroup(t)) })
		case id == 5 && kind == thriftList:
			t.list(func(byte) { h.keys = append(h.keys, readProperty(t)) })
		case id == 8:
			h.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	if h.encrypted {
		return nil, errors.New("its columns are encrypted, which is not supported; write it without encryption")
	}
	return h, t.err
}

func readProperty(t *thrift) (p Property) {
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftBinary:
			p.Name = t.text()
		case id == 2 && kind == thriftBinary:
			p.Value = t.text()
		default:
			return false
		}
		return true
	})
	return p
}

func readElement(t *thrift) element {
	e := element{group: true}
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 1:
			e.kind, e.group = physical(t.int()), false
		case id == 2:
			e.length = int(t.int())
		case id == 3:
			e.repetition = int(t.int())
		case id == 4 && kind == thriftBinary:
			e.name = t.text()
		case id == 5:
			e.children = int(t.int())
		case id == 6:
			if v := t.int(); e.meaning == plain {
				e.convert(v)
			}
		case id == 10 && kind == thriftStruct:
			e.readMeaning(t)
		default:
			return false
		}
		return true
	})
	return e
}

// convert sets the meaning by the older number for it.
func (e *element) convert(v int64) {
	switch v {
	case 0, 4, 19, 20: // UTF8, ENUM, JSON, BSON
		e.meaning = text
	case 1, 2:
		e.meaning = mapping
	case 3:
		e.meaning = list
	case 5:
		e.meaning = decimal
	case 6:
		e.meaning = date
	case 7, 8:
		e.meaning, e.unit = timeOfDay, []string{"ms", "us"}[v-7]
	case 9, 10:
		e.meaning, e.unit = timestamp, []string{"ms", "us"}[v-9]
	case 11, 12, 13, 14, 15, 16, 17, 18:
		e.meaning, e.unsigned, e.bits = integer, v < 15, 8<<((v-11)%4)
	default:
		e.meaning = otherLogical
	}
}

// readMeaning reads the logical type.
func (e *element) readMeaning(t *thrift) {
	t.structure(func(id int, kind byte) bool {
		meanings := map[int]logical{1: text, 2: mapping, 3: list, 4: text, 5: decimal, 6: date, 7: timeOfDay, 8: timestamp,
			10: integer, 11: plain, 12: text, 13: text, 14: uuid, 15: float16}
		meaning, ok := meanings[id]
		if !ok {
			meaning = otherLogical
		}
		if e.meaning = meaning; kind != thriftStruct {
			return false
		}
		t.structure(func(id int, kind byte) bool {
			switch {
			case meaning == integer && id == 1:
				e.bits = int(t.byte())
			case meaning == integer && id == 2:
				e.unsigned = kind == thriftFalse
			case (meaning == timestamp || meaning == timeOfDay) && id == 2 && kind == thriftStruct:
				t.structure(func(id int, _ byte) bool {
					if id >= 1 && id <= 3 {
						e.unit = []string{"ms", "us", "ns"}[id-1]
					}
					return false
				})
			default:
				return false
			}
			return true
		})
		return true
	})
}

func readGroup(t *thrift) (g rowGroup) {
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftList:
			t.list(func(byte) { g.columns = append(g.columns, readChunk(t)) })
		case id == 3:
			g.rows = t.int()
		default:
			return false
		}
		return true
	})
	return g
}

func readChunk(t *thrift) (c chunkHeader) {
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftBinary:
			c.elsewhere = len(t.bytes()) > 0
		case id == 3 && kind == thriftStruct:
			c.readValues(t)
		case id == 8, id == 9:
			c.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	return c
}

// readValues reads where the values of a chunk are.
func (c *chunkHeader) readValues(t *thrift) {
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 1:
			c.kind = physical(t.int())
		case id == 3 && kind == thriftList:
			t.list(func(byte) { c.path = append(c.path, t.text()) })
		case id == 4:
			c.codec = int(t.int())
		case id == 5:
			c.values = t.int()
		case id == 7:
			c.size = t.int()
		case id == 9:
			c.data = t.int()
		case id == 11:
			c.dict = t.int()
		default:
			return false
		}
		return true
	})
}

func (c *chunkHeader) name() string { return strings.Join(c.path, ".") }
