// Storages: the flat memory behind tensors, somewhere in the file.

package torchfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"sync"

	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/zipmember"
)

// storage is a run of bytes: a range of the file, a compressed member of it, or
// memory.
type storage struct {
	name  string // for messages
	dtype dtype.DType
	order dtype.Order
	size  int64 // bytes

	file   part
	offset int64
	parent *storage // of a view, until its offset is known
	crc    uint32
	hasCRC bool
	budget *bound.Budget // of the file; nil: in memory

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

// verifiedPart is how much of a storage is read at a time to verify it.
const verifiedPart = 1 << 26

// check verifies the checksum of a stored member, once.
func (s *storage) check() error {
	if !s.hasCRC || s.member != nil {
		return nil
	}
	s.verify.Do(func() {
		sum := uint32(0)
		for offset := int64(0); offset < s.size && s.verifyErr == nil; offset += verifiedPart {
			s.verifyErr = s.use(offset, min(verifiedPart, s.size-offset), func(raw []byte) error {
				sum = crc32.Update(sum, crc32.IEEETable, raw)
				return nil
			})
		}
		if s.verifyErr == nil && sum != s.crc {
			s.verifyErr = fmt.Errorf("storage %s is corrupt: checksum %08x, want %08x", s.name, sum, s.crc)
		}
	})
	return s.verifyErr
}

// inflate decodes a member whose sizes have been checked.
func inflate(m *zip.File) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(int(m.UncompressedSize64) + bytes.MinRead)
	err := zipmember.Inflate(&out, m)
	return out.Bytes(), err
}
