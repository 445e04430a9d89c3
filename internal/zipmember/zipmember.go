// Package zipmember reads members of zip files whose sizes are not trusted: sizes are checked against the file before
// memory is allocated, and decoded data against their checksum.
//
//	if err := zipmember.Check(member, fileSize); err != nil { … }
//	if member.Method == zip.Store {
//		offset, err := zipmember.Offset(member, fileSize) // read or map in place
//	} else {
//		err := zipmember.Inflate(&buffer, member)
//	}
package zipmember

import (
	"archive/zip"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"repscope/internal/format"
)

// Signatures and lengths of the records at the end of a zip file.
const (
	endSignature, endLength             = 0x06054b50, 22
	locatorSignature, locatorLength     = 0x07064b50, 20
	directory64Signature, directory64At = 0x06064b50, 40 // offsets of the size and offset of the directory
	maxComment                          = 1 << 16
	in64                                = 1<<32 - 1 // marks a number in the record of 64 bits
)

// Whole finds bytes before the first member of a zip file and behind its end: parts of another file, which readers of
// zip files pass over in silence, and so would the numbers in them be. The file is one that [zip.NewReader] takes.
func Whole(r io.ReaderAt, size int64) error {
	tail := make([]byte, min(size, endLength+maxComment))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for i := len(tail) - endLength; i >= 0; i-- {
		if binary.LittleEndian.Uint32(tail[i:]) != endSignature {
			continue
		}
		comment := int(binary.LittleEndian.Uint16(tail[i+endLength-2:]))
		if i+endLength+comment > len(tail) {
			continue
		}
		if rest := len(tail) - i - endLength - comment; rest > 0 {
			return fmt.Errorf("%d bytes follow the end of the zip file: it is two files in one, or damaged; write it again",
				rest)
		}
		return begins(r, tail[i:], size-int64(len(tail)-i))
	}
	return fmt.Errorf("%w: there is no zip directory at the end", format.ErrTruncated)
}

// begins checks that the directory whose record is at this offset counts from the begin of the file.
func begins(r io.ReaderAt, end []byte, index int64) error {
	length, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	if locator := make([]byte, locatorLength); index >= locatorLength {
		if _, err := r.ReadAt(locator, index-locatorLength); err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(locator) == locatorSignature {
			record := make([]byte, directory64At+16)
			at64 := int64(binary.LittleEndian.Uint64(locator[8:]))
			if _, err := r.ReadAt(record, at64); err != nil || binary.LittleEndian.Uint32(record) != directory64Signature {
				return errors.New("corrupt zip file: its directory is not at the recorded offset")
			}
			// The record precedes its locator, unless the offset counts from another begin.
			if before := index - locatorLength - at64 - 12 - int64(binary.LittleEndian.Uint64(record[4:])); before != 0 {
				return moved(before)
			}
			length, offset = int64(binary.LittleEndian.Uint64(record[directory64At:])), int64(binary.LittleEndian.Uint64(record[directory64At+8:]))
			index = at64
		}
	}
	if length == in64 || offset == in64 {
		return nil // the record is missing, which the reader has accepted
	}
	if before := index - length - offset; before != 0 {
		return moved(before)
	}
	return nil
}

func moved(before int64) error {
	return fmt.Errorf("the zip file begins at byte %d, after bytes of another file; write it again", before)
}

// maxDeflate is the largest ratio that deflate can reach.
const maxDeflate = 1032

// Check returns an error for a member with impossible sizes, an encrypted one, or one that is neither stored nor
// deflated.
func Check(m *zip.File, fileSize int64) error {
	if m.Flags&1 != 0 {
		return fmt.Errorf("member %q is encrypted", m.Name)
	}
	compressed, plain := m.CompressedSize64, m.UncompressedSize64
	if compressed > uint64(fileSize) {
		return fmt.Errorf("%w: member %q has %d bytes, the file %d", format.ErrTruncated, m.Name, compressed, fileSize)
	}
	switch m.Method {
	case zip.Store:
		if compressed != plain {
			return fmt.Errorf("member %q is stored, but its sizes %d and %d differ", m.Name, compressed, plain)
		}
	case zip.Deflate:
		if plain > compressed*maxDeflate+64 {
			return fmt.Errorf("member %q declares %d bytes compressed to %d, which deflate cannot do", m.Name, plain, compressed)
		}
	default:
		return fmt.Errorf("member %q is compressed by method %d, want stored or deflate", m.Name, m.Method)
	}
	return nil
}

// Offset returns the offset of a stored member's data in the file.
func Offset(m *zip.File, fileSize int64) (int64, error) {
	offset, err := m.DataOffset()
	if err != nil {
		return 0, fmt.Errorf("member %q: %w", m.Name, err)
	}
	if size := int64(m.UncompressedSize64); offset < 0 || offset > fileSize || size < 0 || size > fileSize-offset {
		return 0, fmt.Errorf("%w: member %q has %d bytes at offset %d, the file %d",
			format.ErrTruncated, m.Name, size, offset, fileSize)
	}
	return offset, nil
}

// Named returns an error unless the name before a member's data matches the directory: an unknown member may be hidden
// by damage.
func Named(file io.ReaderAt, m *zip.File) error {
	const fixed, limit = 30, 1<<16 - 1 // bytes of a header before its name, and of an extra field
	data, err := m.DataOffset()
	if err != nil {
		return fmt.Errorf("member %q: %w", m.Name, err)
	}
	// The start of the header is unknown: its own length must lead to the data.
	before := make([]byte, min(data, int64(fixed+len(m.Name)+limit)))
	if _, err := file.ReadAt(before, data-int64(len(before))); err != nil {
		return fmt.Errorf("member %q: %w", m.Name, err)
	}
	for offset := len(before) - fixed - len(m.Name); offset >= 0; offset-- {
		h := before[offset:]
		name, extra := int(binary.LittleEndian.Uint16(h[26:])), int(binary.LittleEndian.Uint16(h[28:]))
		if string(h[:4]) == "PK\x03\x04" && name == len(m.Name) && fixed+name+extra == len(h) {
			if got := string(h[fixed : fixed+name]); got != m.Name {
				return fmt.Errorf("corrupt zip file: member %q is named %q before its data", m.Name, got)
			}
			return nil
		}
	}
	return fmt.Errorf("corrupt zip file: member %q has no name before its data", m.Name)
}

// Inflate decodes a deflated member that Check has let through into w. Not a
// byte more than its announced size is written.
func Inflate(w io.Writer, m *zip.File) error {
	raw, err := m.OpenRaw()
	if err != nil {
		return fmt.Errorf("member %q: %w", m.Name, err)
	}
	in := flate.NewReader(raw)
	sum := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(in, int64(m.UncompressedSize64)))
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("member %q is corrupt: %w", m.Name, err)
	} else if err != nil {
		return err
	}
	if uint64(n) != m.UncompressedSize64 {
		return fmt.Errorf("member %q decodes to %d bytes, want %d", m.Name, n, m.UncompressedSize64)
	}
	if extra, _ := io.CopyN(io.Discard, in, 1); extra > 0 {
		return fmt.Errorf("member %q decodes to more than its %d bytes", m.Name, n)
	}
	if got := sum.Sum32(); got != m.CRC32 {
		return fmt.Errorf("member %q is corrupt: checksum %08x, want %08x", m.Name, got, m.CRC32)
	}
	return nil
}
