// TIFF files of several pages as arrays: every page is a row.

package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/image/tiff"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
)

// maxPages bounds the pages of a file.
const maxPages = 1 << 22

const (
	tiffHeader   = 8   // bytes: order, magic number, offset of the first directory
	tiffEntry    = 12  // bytes of an entry of a directory
	tiffSubfile  = 254 // the tag of what a page is
	tiffReduced  = 1   // a smaller copy of another page
	tiffMask     = 4   // a mask of another page
	tiffBig      = 43  // magic number of BigTIFF
	tiffOrdinary = 42
)

// tiffPage is a TIFF file whose first page is another one of it: a reader for a decoder that
// knows the first page only.
type tiffPage struct {
	file   io.ReaderAt
	header [tiffHeader]byte
}

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

// tiffPages lists the pages of a file of the given size, without smaller copies and masks.
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
	for at := order.Uint32(header[4:]); at != 0; {
		if seen[at] || len(seen) >= maxPages {
			return nil, fmt.Errorf("corrupt TIFF file: its pages go round, or are more than %d", maxPages)
		}
		seen[at] = true
		if int64(at) >= size {
			return nil, fmt.Errorf("%w: page %d lies at byte %d of %d", ErrTruncated, len(pages), at, size)
		}
		page := &tiffPage{file: file, header: header}
		order.PutUint32(page.header[4:], at)
		kind, next, err := readDirectory(file, order, int64(at))
		if err != nil {
			return nil, tiffError(fmt.Sprintf("the directory of page %d", len(pages)), err)
		}
		if kind&(tiffReduced|tiffMask) == 0 {
			pages = append(pages, page)
		}
		at = next
	}
	if len(pages) == 0 {
		return nil, errors.New("a TIFF file without pages")
	}
	return pages, nil
}

func tiffError(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file ends in %s", ErrTruncated, what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// readDirectory reads what a page is and where the next one lies, 0 for none.
func readDirectory(file io.ReaderAt, order binary.ByteOrder, at int64) (kind, next uint32, err error) {
	var count [2]byte
	if _, err := file.ReadAt(count[:], at); err != nil {
		return 0, 0, err
	}
	entries := make([]byte, int(order.Uint16(count[:]))*tiffEntry+4)
	if _, err := file.ReadAt(entries, at+2); err != nil {
		return 0, 0, err
	}
	last := len(entries) - 4
	for i := 0; i < last; i += tiffEntry {
		if order.Uint16(entries[i:]) == tiffSubfile {
			kind = order.Uint32(entries[i+8:])
		}
	}
	return kind, order.Uint32(entries[last:]), nil
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
	transparent := 0
	for i, page := range pages {
		f := imageFile{path: fmt.Sprintf("%s: page %d", file.Path(), i), page: page}
		config, err := tiff.DecodeConfig(page)
		if err != nil {
			return nil, imageError(f.path, err)
		}
		if err := f.describe(config, nil, file.Size()); err != nil {
			return nil, err
		}
		if first := s.files[0]; i > 0 && f.kind != first.kind {
			return nil, fmt.Errorf("%s: page %d is %v, but page 0 is %v: all pages must agree", file.Path(), i, f.kind, first.kind)
		}
		if f.alpha {
			transparent++
		}
		s.files[i] = f
	}
	s.kind = s.files[0].kind
	shape, t := append([]int{len(pages)}, s.kind.shape()...), s.kind.dtype()
	if _, err := dtype.ArraySize(shape, t); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	s.row = rowBytes(shape, t)
	a := newArray(file.Path(), file.Path(), "", shape, t, dtype.LittleEndian, s)
	if transparent > 0 {
		a.notes = []string{fmt.Sprintf("the alpha channel of %d of %d pages is left out; a pixel that is not opaque is an error", transparent, len(pages))}
	}
	a.close = file.Close
	fromFile(a, file, nil)
	return a, nil
}
