// The compact protocol of Thrift, in which the headers of Parquet files are written.

package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The types of fields.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// deepest is how deep structures may lie in each other.
const deepest = 32

var errHeader = errors.New("its header ends too early, or is damaged")

// thrift reads a structure. After an error it has only zeros.
type thrift struct {
	raw   []byte
	next  int
	depth int
	err   error
}

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
	}
	t.next = len(t.raw)
}

func (t *thrift) byte() byte {
	if t.next >= len(t.raw) {
		t.fail(errHeader)
		return 0
	}
	t.next++
	return t.raw[t.next-1]
}

func (t *thrift) varint() uint64 {
	v, n := binary.Uvarint(t.raw[t.next:])
	if n <= 0 {
		t.fail(errHeader)
		return 0
	}
	t.next += n
	return v
}

// int is a number of any width.
func (t *thrift) int() int64 {
	v := t.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (t *thrift) bytes() []byte {
	n := t.varint()
	if n > uint64(len(t.raw)-t.next) {
		t.fail(errHeader)
		return nil
	}
	t.next += int(n)
	return t.raw[t.next-int(n) : t.next]
}

func (t *thrift) text() string { return string(t.bytes()) }

// structure calls read for each field, which reads it or returns false.
func (t *thrift) structure(read func(id int, kind byte) bool) {
	if t.depth++; t.depth > deepest {
		t.fail(fmt.Errorf("structures of its header are nested more than %d deep", deepest))
	}
	for id := 0; t.err == nil; {
		head := t.byte()
		kind := head & 15
		if kind == 0 {
			break
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(int16(t.int()))
		}
		if t.err == nil && !read(id, kind) {
			t.skip(kind)
		}
	}
	t.depth--
}

// list calls read for each element of a list.
func (t *thrift) list(read func(kind byte)) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.varint()
	}
	if n > uint64(len(t.raw)-t.next) { // each has a byte at least
		t.fail(errHeader)
		return
	}
	for ; n > 0 && t.err == nil; n-- {
		read(head & 15)
	}
}

// skip passes over a value.
func (t *thrift) skip(kind byte) {
	if t.depth++; t.depth > deepest {
		t.fail(fmt.Errorf("structures of its header are nested more than %d deep", deepest))
		return
	}
	defer func() { t.depth-- }()
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case thriftDouble:
		t.pass(8)
	case thriftUUID:
		t.pass(16)
	case thriftBinary:
		t.bytes()
	case thriftList, thriftSet:
		t.list(t.skipElement)
	case thriftMap:
		n := t.varint()
		if n == 0 {
			return
		}
		kinds := t.byte()
		for ; n > 0 && t.err == nil; n-- {
			t.skipElement(kinds >> 4)
			t.skipElement(kinds & 15)
		}
	case thriftStruct:
		t.structure(func(int, byte) bool { return false })
	case 4, 5, 6:
		t.varint()
	default:
		t.fail(fmt.Errorf("type %d in its header is unknown", kind))
	}
}

// skipElement passes over an element of a list, where truth values have a byte.
func (t *thrift) skipElement(kind byte) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skip(kind)
}

func (t *thrift) pass(n int) {
	if n > len(t.raw)-t.next {
		t.fail(errHeader)
		return
	}
	t.next += n
}
