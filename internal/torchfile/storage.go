// Storages: the flat memory behind tensors, somewhere in the file.

package torchfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"sync"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/zipmember"
)

// storage is a run of bytes: a range of the file, a compressed member of it, or
// memory.
type storage struct {
	name  string // for messages
	dtype dtype.DType
	order dtype.Order
	size  int64 // bytes

	file   *mmap.File
	offset int64
	parent *storage // of a view, until its place is known
	crc    uint32
	hasCRC bool

	member *zip.File // set for a compressed member, until it is decoded
	once   sync.Once
	data   []byte
	err    error

	verify    sync.Once
	verifyErr error
}

// use calls fn with n bytes at offset. They must not be kept or changed.
func (s *storage) use(offset, n int64, fn func(raw []byte) error) error {
	if offset < 0 || n < 0 || offset > s.size || n > s.size-offset {
		return fmt.Errorf("storage %s: bytes %d..%d of %d", s.name, offset, offset+n, s.size)
	}
	if s.member != nil {
		s.once.Do(func() { s.data, s.err = inflate(s.member) })
		if s.err != nil {
			return fmt.Errorf("storage %s: %w", s.name, s.err)
		}
	}
	if s.data != nil {
		return fn(s.data[offset : offset+n : offset+n])
	}
	if n == 0 {
		return fn(nil)
	}
	return s.file.Use(s.offset+offset, n, fn)
}

// maxVerified is the largest storage whose checksum is verified when one of its
// tensors is read whole; larger ones are for reading in parts.
const maxVerified = 1 << 28

// check verifies the checksum of a stored member, once.
func (s *storage) check() error {
	if !s.hasCRC || s.member != nil || s.size > maxVerified {
		return nil
	}
	s.verify.Do(func() {
		s.verifyErr = s.use(0, s.size, func(raw []byte) error {
			if got := crc32.ChecksumIEEE(raw); got != s.crc {
				return fmt.Errorf("storage %s is corrupt: checksum %08x, want %08x", s.name, got, s.crc)
			}
			return nil
		})
	})
	return s.verifyErr
}

// inflate decodes a member whose sizes have been checked. Memory grows with
// what is really decoded.
func inflate(m *zip.File) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(int(min(m.UncompressedSize64, 1<<20)))
	err := zipmember.Inflate(&out, m)
	return out.Bytes(), err
}
