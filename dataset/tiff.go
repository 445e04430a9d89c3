// TIFF files of several pages as arrays: every page is a row.

package dataset

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/image/tiff"

	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/mmap"
)

// maxPages bounds the pages of a file.
const maxPages = 1 << 22

const (
	tiffHeader   = 8   // bytes: order, magic number, offset of the first directory
	tiffEntry    = 12  // bytes of an entry of a directory
	tiffSubfile  = 254 // the tag of the kind of a page
	tiffReduced  = 1   // a smaller copy of another page
	tiffMask     = 4   // a mask of another page
	tiffBig      = 43  // magic number of BigTIFF
	tiffOrdinary = 42

	// The tags of how strips or tiles are compressed, where they lie, and how long they are.
	tiffCompression, tiffStrips, tiffStripSizes, tiffTiles, tiffTileSizes = 259, 273, 279, 324, 325

	tiffAdobeDeflate, tiffOldDeflate = 8, 32946 // compressions
)

// tiffPage is a TIFF file whose first page is another one of it: a reader for a decoder that
// knows the first page only.
type tiffPage struct {
	file     io.ReaderAt
	header   [tiffHeader]byte
	deflated []tiffPart // strips or tiles that deflate compressed, whose checksums the decoder does not look at
}

// tiffPart is bytes of a file.
type tiffPart struct{ offset, size uint32 }

// ReadAt reads from the file, whose header it replaces.
func (p *tiffPage) ReadAt(b []byte, offset int64) (int, error) {
	n, err := p.file.ReadAt(b, offset)
	if offset < tiffHeader {
		copy(b[:n], p.header[offset:])
	}
	return n, err
}

// Read is there to make a reader of it; decoders use ReadAt.
func (p *tiffPage) Read([]byte) (int, error) {
	return 0, errors.New("pages of a TIFF file are read at their offsets")
}

// tiffPages lists the pages of a file of this size, without smaller copies and masks.
func tiffPages(file io.ReaderAt, size int64) ([]*tiffPage, error) {
	var header [tiffHeader]byte
	if _, err := file.ReadAt(header[:], 0); err != nil {
		return nil, tiffError("its header", err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if header[0] == 'M' {
		order = binary.BigEndian
	}
	switch magic := order.Uint16(header[2:]); magic {
	case tiffOrdinary:
	case tiffBig:
		return nil, errors.New("is a BigTIFF file, which is not supported; convert it, as with tiffcp or tifffile")
	default:
		return nil, fmt.Errorf("corrupt TIFF file: magic number %d, want %d", magic, tiffOrdinary)
	}
	var pages []*tiffPage
	seen := map[uint32]bool{}
	budget := bound.NewBudget(size)
	for offset := order.Uint32(header[4:]); offset != 0; {
		if seen[offset] || len(seen) >= maxPages {
			return nil, fmt.Errorf("corrupt TIFF file: its pages form a cycle, or are more than %d", maxPages)
		}
		seen[offset] = true
		if int64(offset) >= size {
			return nil, fmt.Errorf("%w: page %d begins at byte %d of %d", ErrTruncated, len(pages), offset, size)
		}
		page := &tiffPage{file: file, header: header}
		order.PutUint32(page.header[4:], offset)
		d, err := readDirectory(file, order, int64(offset), budget)
		if err == nil && d.kind&(tiffReduced|tiffMask) == 0 {
			page.deflated, err = d.parts(file, budget)
			pages = append(pages, page)
		}
		if err != nil {
			return nil, tiffError(fmt.Sprintf("the directory of page %d", len(pages)), err)
		}
		offset = d.next
	}
	if len(pages) == 0 {
		return nil, errors.New("the TIFF file has no pages")
	}
	return pages, nil
}

func tiffError(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file ends in %s", ErrTruncated, what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// tiffDirectory holds the needed entries of the directory of a page.
type tiffDirectory struct {
	order    binary.ByteOrder
	kind     uint32 // the kind of the page
	next     uint32 // where the next one lies, 0 for none
	deflate  bool
	of, size []byte // the entries of the offsets of strips or tiles, and of their lengths
}

// readDirectory reads a directory. Directories of a file may overlap, but all of them together are bounded.
func readDirectory(file io.ReaderAt, order binary.ByteOrder, offset int64, budget *bound.Budget) (d tiffDirectory,
	err error) {
	var count [2]byte
	if _, err := file.ReadAt(count[:], offset); err != nil {
		return d, err
	}
	entries := make([]byte, int(order.Uint16(count[:]))*tiffEntry+4)
	if err := budget.Take("directories", int64(len(entries))); err != nil {
		return d, err
	}
	if _, err := file.ReadAt(entries, offset+2); err != nil {
		return d, err
	}
	last := len(entries) - 4
	d.order, d.next = order, order.Uint32(entries[last:])
	for i := 0; i < last; i += tiffEntry {
		switch e := entries[i : i+tiffEntry]; order.Uint16(e) {
		case tiffSubfile:
			d.kind = order.Uint32(e[8:])
		case tiffCompression:
			how := order.Uint16(e[8:])
			d.deflate = how == tiffAdobeDeflate || how == tiffOldDeflate
		case tiffStrips, tiffTiles:
			d.of = e
		case tiffStripSizes, tiffTileSizes:
			d.size = e
		}
	}
	return d, nil
}

// parts are the strips or tiles of a page that deflate compressed; none of others.
func (d *tiffDirectory) parts(file io.ReaderAt, budget *bound.Budget) (parts []tiffPart, err error) {
	if !d.deflate || d.of == nil || d.size == nil {
		return nil, nil
	}
	offsets, err := d.numbers(file, d.of, budget)
	if err != nil {
		return nil, err
	}
	sizes, err := d.numbers(file, d.size, budget)
	for i := range min(len(offsets), len(sizes)) {
		parts = append(parts, tiffPart{offsets[i], sizes[i]})
	}
	return parts, err
}

// numbers are the numbers of an entry: stored in it, or at its offset.
func (d *tiffDirectory) numbers(file io.ReaderAt, entry []byte, budget *bound.Budget) ([]uint32, error) {
	width := map[uint16]int64{3: 2, 4: 4}[d.order.Uint16(entry[2:])]
	n := int64(d.order.Uint32(entry[4:]))
	if err := budget.Take("strips", 4*n); err != nil || width == 0 {
		return nil, err // the decoder reports other types
	}
	raw := entry[8:]
	if n*width > 4 {
		raw = make([]byte, n*width)
		if _, err := file.ReadAt(raw, int64(d.order.Uint32(entry[8:]))); err != nil {
			return nil, err
		}
	}
	list := make([]uint32, n)
	for i := range list {
		if width == 2 {
			list[i] = uint32(d.order.Uint16(raw[2*i:]))
		} else {
			list[i] = d.order.Uint32(raw[4*i:])
		}
	}
	return list, nil
}

// verify compares compressed strips or tiles with their checksums; nil has none.
func (p *tiffPage) verify() error {
	if p == nil {
		return nil
	}
	for i, part := range p.deflated {
		in, err := zlib.NewReader(io.NewSectionReader(p.file, int64(part.offset), int64(part.size)))
		if err == nil {
			_, err = io.Copy(io.Discard, io.LimitReader(in, maxPixels*8))
		}
		if err != nil {
			return fmt.Errorf("strip %d: %w", i, err)
		}
	}
	return nil
}

// openTIFF opens the pages of a file as rows.
func openTIFF(file *mmap.File, key string) (*Array, error) {
	if key != "" {
		return nil, fmt.Errorf("%s: the pages of a TIFF file are one array without a name, not %q", file.Path(), key)
	}
	pages, err := tiffPages(file, file.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	s := &images{files: make([]imageFile, len(pages))}
	for i, page := range pages {
		f := imageFile{path: fmt.Sprintf("%s: page %d", file.Path(), i), page: page}
		config, err := tiff.DecodeConfig(page)
		if err != nil {
			return nil, imageError(f.path, err)
		}
		if err := f.describe(config, nil, page, file.Size()); err != nil {
			return nil, err
		}
		s.files[i] = f
	}
	widenPalettes(s.files)
	for i, f := range s.files {
		if first := s.files[0]; f.kind != first.kind {
			return nil, fmt.Errorf("%s: page %d is %v, but page 0 is %v: all pages must agree",
				file.Path(), i, f.kind, first.kind)
		}
	}
	s.kind = s.files[0].kind
	shape, t := append([]int{len(pages)}, s.kind.shape()...), s.kind.dtype()
	if _, err := dtype.ArraySize(shape, t); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	s.row = rowBytes(shape, t)
	a := newArray(file.Path(), file.Path(), "", shape, t, dtype.LittleEndian, s)
	a.notes = leftOut(s.files, "pages")
	a.close = file.Close
	fromFile(a, file, nil)
	return a, nil
}
