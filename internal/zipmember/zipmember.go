// Package zipmember reads members of zip files whose sizes are not trusted:
// sizes are checked against the file before memory is taken, and what is
// decoded against its checksum.
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

// maxDeflate is the largest ratio that deflate can reach.
const maxDeflate = 1032

// Check returns an error for a member that cannot be what it says, is
// encrypted, or is neither stored nor deflated.
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
			return fmt.Errorf("member %q says that %d bytes were compressed to %d, which deflate cannot do", m.Name, plain, compressed)
		}
	default:
		return fmt.Errorf("member %q is compressed by method %d, want stored or deflate", m.Name, m.Method)
	}
	return nil
}

// Offset returns the place of a stored member's data in the file.
func Offset(m *zip.File, fileSize int64) (int64, error) {
	offset, err := m.DataOffset()
	if err != nil {
		return 0, fmt.Errorf("member %q: %w", m.Name, err)
	}
	if size := int64(m.UncompressedSize64); offset < 0 || offset > fileSize || size < 0 || size > fileSize-offset {
		return 0, fmt.Errorf("%w: member %q has %d bytes at offset %d, the file %d", format.ErrTruncated, m.Name, size, offset, fileSize)
	}
	return offset, nil
}

// Named returns an error unless the name that stands before a member's data is that of the directory: of a member that
// nobody knows it may be damage that hides one.
func Named(file io.ReaderAt, m *zip.File) error {
	const fixed, most = 30, 1<<16 - 1 // bytes of a header before its name, and of an extra field
	data, err := m.DataOffset()
	if err != nil {
		return fmt.Errorf("member %q: %w", m.Name, err)
	}
	// The header does not say where it begins: what it says of its own length must lead to the data.
	before := make([]byte, min(data, int64(fixed+len(m.Name)+most)))
	if _, err := file.ReadAt(before, data-int64(len(before))); err != nil {
		return fmt.Errorf("member %q: %w", m.Name, err)
	}
	for at := len(before) - fixed - len(m.Name); at >= 0; at-- {
		h := before[at:]
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
