// Pages: where they are, their levels, and their values.

package parquet

import (
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"repscope/internal/bound"
)

// The kinds of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageData2      = 3
)

// The encodings of values.
const (
	encodingPlain       = 0
	encodingDictionary0 = 2 // the number of files of version 1
	encodingRuns        = 3
	encodingDeltas      = 5
	encodingLengths     = 6
	encodingPrefixes    = 7
	encodingDictionary  = 8
	encodingSplit       = 9
)

// pageHeader is the header of a page.
type pageHeader struct {
	kind                 int
	expanded, compressed int64
	checksum             uint32
	checked              bool
	values               int64
	encoding             int
	levelEncodings       [2]int // of version 1
	levelBytes           [2]int // of version 2: repetition, definition
	plainBytes           bool   // version 2: not compressed
}

// readPageHeader reads a header and returns its size.
func readPageHeader(raw []byte) (h pageHeader, size int, err error) {
	t := &thrift{raw: raw}
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 1:
			h.kind = int(t.int())
		case id == 2:
			h.expanded = t.int()
		case id == 3:
			h.compressed = t.int()
		case id == 4:
			h.checksum, h.checked = uint32(t.int()), true
		case (id == 5 || id == 7 || id == 8) && kind == thriftStruct:
			h.readParts(t, id)
		default:
			return false
		}
		return true
	})
	return h, t.next, t.err
}

// readParts reads the part for a kind of pages: 5 for data, 7 for dictionaries, 8 for data of version 2.
func (h *pageHeader) readParts(t *thrift, part int) {
	encoding := 2
	if part == 8 {
		encoding = 4
	}
	h.levelEncodings = [2]int{encodingRuns, encodingRuns}
	t.structure(func(id int, kind byte) bool {
		switch {
		case id == 1:
			h.values = t.int()
		case id == encoding:
			h.encoding = int(t.int())
		case part == 5 && (id == 3 || id == 4):
			h.levelEncodings[id-3] = int(t.int())
		case part == 8 && id == 5:
			h.levelBytes[1] = int(t.int())
		case part == 8 && id == 6:
			h.levelBytes[0] = int(t.int())
		case part == 8 && id == 7:
			h.plainBytes = kind == thriftFalse
			return false
		default:
			return false
		}
		return true
	})
}

// page is a page of a chunk.
type page struct {
	pageHeader
	chunk  *chunk
	offset int64 // of its content
	first  int64 // number of its first value in the chunk
}

// chunk is the values of a column in a row group.
type chunk struct {
	column   *Leaf
	file     Source
	head     chunkHeader
	start    int64
	firstRow int
	rows     int

	once  sync.Once
	pages []page
	dict  *page
	err   error
}

// Sizes of the headers of pages, which may hold extremes.
const (
	nearHeader = 1 << 14
	mostHeader = 1 << 24
)

// index reads the headers of the pages, once.
func (k *chunk) index() error {
	k.once.Do(func() { k.err = k.readIndex() })
	return k.err
}

func (k *chunk) readIndex() error {
	offset, end := k.start, k.start+k.head.size
	var values int64
	for values < k.head.values {
		var p page
		var size int
		var err error
		for window := int64(nearHeader); ; window = mostHeader {
			window = min(window, end-offset)
			if window <= 0 {
				return fmt.Errorf("has %d values, its header says %d", values, k.head.values)
			}
			err = k.file.Use(offset, window, func(raw []byte) (err error) {
				p.pageHeader, size, err = readPageHeader(raw)
				return err
			})
			if !errors.Is(err, errHeader) || window == min(mostHeader, end-offset) {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("page at offset %d: %w", offset, err)
		}
		p.chunk, p.offset, p.first = k, offset+int64(size), values
		if p.compressed < 0 || p.compressed > end-p.offset || p.expanded < 0 || p.values < 0 {
			return fmt.Errorf("page at offset %d has %d bytes, the column has %d", offset, p.compressed, end-p.offset)
		}
		offset = p.offset + p.compressed
		if err := bound.Check("a page", p.expanded+8*p.values, k.file.Size()); err != nil {
			return err
		}
		switch p.kind {
		case pageDictionary:
			if k.dict != nil || len(k.pages) > 0 {
				return errors.New("has a dictionary behind its first page")
			}
			k.dict = &p
		case pageData, pageData2:
			if values += p.values; values > k.head.values {
				return fmt.Errorf("has %d values, its header says %d", values, k.head.values)
			}
			k.pages = append(k.pages, p)
		}
	}
	return nil
}

// scratch are buffers that are used again, once the values of a page are copied.
type scratch struct {
	page, raw []byte
	indices   []uint32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// body is a page without compression.
type body struct {
	rep, def []byte // levels; nil where there are none
	values   []byte
}

// open reads the levels of a page, and expands its values if they are wanted, into the buffers of s.
func (p *page) open(wanted bool, s *scratch) (b body, err error) {
	err = p.chunk.file.Use(p.offset, p.compressed, func(raw []byte) error {
		if p.checked && crc32.ChecksumIEEE(raw) != p.checksum {
			return errors.New("its checksum does not match")
		}
		if p.kind == pageData2 {
			return p.openParts(&b, raw, wanted, s)
		}
		data, err := expand(p.chunk.head.codec, raw, int(p.expanded), s.page)
		if err != nil {
			return err
		}
		s.page = data
		if p.kind == pageDictionary {
			b.values = data
			return nil
		}
		leaf, n := &p.chunk.column.leaf, int(p.values)
		for i, largest := range []int{leaf.def, leaf.rep} {
			if largest > 0 && p.levelEncodings[i] != encodingRuns {
				return fmt.Errorf("has levels of encoding %d, want runs (3)", p.levelEncodings[i])
			}
		}
		if b.rep, data, err = levels(n, leaf.rep, data, -1); err != nil {
			return err
		}
		b.def, b.values, err = levels(n, leaf.def, data, -1)
		return err
	})
	if err == nil && b.def != nil {
		for _, v := range b.def {
			if int(v) > p.chunk.column.leaf.def {
				return b, fmt.Errorf("a definition level of %d, want at most %d", v, p.chunk.column.leaf.def)
			}
		}
	}
	return b, err
}

// openParts reads a page of version 2, whose levels are not compressed.
func (p *page) openParts(b *body, raw []byte, wanted bool, s *scratch) (err error) {
	leaf, n := &p.chunk.column.leaf, int(p.values)
	before := len(raw)
	for i, largest := range []int{leaf.rep, leaf.def} {
		size := p.levelBytes[i]
		if size < 0 || size > len(raw) {
			return errValues
		}
		list, _, err := levels(n, largest, raw[:size], size)
		if err != nil {
			return err
		}
		if raw = raw[size:]; i == 0 {
			b.rep = list
		} else {
			b.def = list
		}
	}
	if !wanted {
		return nil
	}
	codec, size := p.chunk.head.codec, int(p.expanded)-(before-len(raw))
	if p.plainBytes {
		codec = uncompressed
	}
	if size < 0 {
		return errValues
	}
	if size == 0 && len(raw) == 0 {
		return nil
	}
	b.values, err = expand(codec, raw, size, s.page)
	s.page = b.values
	return err
}
