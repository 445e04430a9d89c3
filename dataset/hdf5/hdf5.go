// Package hdf5 reads HDF5 files: the datasets of a file with shape, type and attributes, and rows of their values. It
// reads superblocks 0 to 3, groups and object headers of all versions, contiguous, compact and chunked layouts with
// every chunk index, and the filters gzip, shuffle, fletcher32 and LZF. Sizes in a file are checked against the file
// before memory is taken.
//
//	mapped, err := mmap.Open("run.h5")
//	…
//	file, err := hdf5.Read(mapped)
//	…
//	d, err := file.Dataset("obs/frames")
//	…
//	raw := make([]byte, 64*d.RowBytes())
//	err = d.Read(raw, 0, 64) // rows 0 to 63, in the byte order d.Type.Order
package hdf5

import (
	"bytes"
	"fmt"
	"sync"

	"repscope/internal/format"
	"repscope/internal/mmap"
)

// signature is the beginning of a superblock.
const signature = "\x89HDF\r\n\x1a\n"

// File is an open HDF5 file. It may be used by several goroutines.
type File struct {
	mapped  *mmap.File
	base    uint64 // of all addresses
	root    uint64 // object header of the root group
	offsets int    // bytes of an address
	lengths int    // bytes of a length

	lock        sync.Mutex
	budget      int64               // bytes of metadata that may still be read
	collections map[uint64][]byte   // of the global heap
	groups      map[uint64][]member // by address
}

// Read reads the superblock of a file.
func Read(mapped *mmap.File) (*File, error) {
	f := &File{mapped: mapped, budget: 64<<20 + 32*mapped.Size()}
	f.collections, f.groups = map[uint64][]byte{}, map[uint64][]member{}
	if err := f.superblock(); err != nil {
		return nil, fmt.Errorf("%s: %w", mapped.Path(), err)
	}
	return f, nil
}

// Begins reports whether a file has a superblock at an offset where one may be: 0, or behind a user block.
func Begins(mapped *mmap.File) bool {
	_, ok := start(mapped)
	return ok
}

// start is the offset of the superblock.
func start(mapped *mmap.File) (offset int64, ok bool) {
	head := make([]byte, len(signature))
	for offset <= mapped.Size()-int64(len(head)) {
		if _, err := mapped.ReadAt(head, offset); err != nil {
			return 0, false
		}
		if string(head) == signature {
			return offset, true
		}
		offset = max(512, 2*offset)
	}
	return 0, false
}

func (f *File) superblock() error {
	offset, ok := start(f.mapped)
	if !ok {
		head := make([]byte, min(f.mapped.Size(), int64(len(signature))))
		if _, err := f.mapped.ReadAt(head, 0); err == nil && bytes.HasPrefix([]byte(signature), head) {
			return fmt.Errorf("%w: the file ends inside the signature of HDF5", format.ErrTruncated)
		}
		return fmt.Errorf("it has no superblock: not an HDF5 file")
	}
	head := make([]byte, min(128, f.mapped.Size()-offset))
	if _, err := f.mapped.ReadAt(head, offset); err != nil {
		return err
	}
	c := &cursor{data: head, next: len(signature)}
	version := c.uint(1)
	switch version {
	case 0, 1:
		c.skip(4)
		f.offsets, f.lengths = int(c.uint(1)), int(c.uint(1))
		c.skip(9)
		if version == 1 {
			c.skip(4)
		}
	case 2, 3:
		f.offsets, f.lengths = int(c.uint(1)), int(c.uint(1))
		c.skip(1)
	default:
		return fmt.Errorf("superblock version %d, want 0 to 3", version)
	}
	if !c.short && (!sizeOK(f.offsets) || !sizeOK(f.lengths)) {
		return fmt.Errorf("addresses of %d bytes and lengths of %d, want 2, 4 or 8", f.offsets, f.lengths)
	}
	f.base = c.uint(f.offsets)
	c.skip(f.offsets)
	end := c.uint(f.offsets)
	if version < 2 {
		c.skip(2 * f.offsets) // driver information; offset of the root's name
	}
	f.root = c.uint(f.offsets)
	if version >= 2 {
		sum := checksum(head[:min(c.next, len(head))])
		if got := uint32(c.uint(4)); !c.short && got != sum {
			return fmt.Errorf("corrupt: the superblock has checksum %08x, want %08x", sum, got)
		}
	}
	switch {
	case c.short:
		return fmt.Errorf("%w: the file ends inside the superblock", format.ErrTruncated)
	case end != undefined(f.offsets) && end > uint64(f.mapped.Size()):
		return fmt.Errorf("%w: the file has %d bytes, its superblock says %d", format.ErrTruncated, f.mapped.Size(), end)
	}
	if f.base != 0 && f.base != uint64(offset) {
		return fmt.Errorf("corrupt: base address %d of a superblock at offset %d", f.base, offset)
	}
	return nil
}

func sizeOK(n int) bool { return n == 2 || n == 4 || n == 8 }

// undefined is the address of something that is not stored.
func undefined(size int) uint64 { return 1<<(8*size-1)<<1 - 1 }

// defined reports whether an address names something stored.
func (f *File) defined(address uint64) bool { return address != undefined(f.offsets) }

// read returns n bytes of metadata. All reads of one file have a limit, so that structures that are referred to again
// and again end.
func (f *File) read(address uint64, n int64) ([]byte, error) {
	offset, err := f.position(address, n)
	if err != nil {
		return nil, err
	}
	f.lock.Lock()
	f.budget -= n + 64
	spent := f.budget < 0
	f.lock.Unlock()
	if spent {
		return nil, fmt.Errorf("corrupt: the structures of the file are larger than the file")
	}
	data := make([]byte, n)
	_, err = f.mapped.ReadAt(data, offset)
	return data, err
}

// position is the place in the file of n bytes at an address.
func (f *File) position(address uint64, n int64) (int64, error) {
	size := f.mapped.Size()
	if n < 0 || address > uint64(size) || f.base > uint64(size)-address || n > size-int64(address+f.base) {
		return 0, fmt.Errorf("%w: %d bytes at address %d, the file has %d bytes", format.ErrTruncated, n, address, size)
	}
	return int64(address + f.base), nil
}

// cursor reads numbers from bytes. Past their end it returns zeros and sets short.
type cursor struct {
	data  []byte
	next  int
	short bool
}

// bytes returns the next n bytes.
func (c *cursor) bytes(n int) []byte {
	if c.short || n < 0 || n > len(c.data)-c.next {
		c.short = true
		return nil
	}
	c.next += n
	return c.data[c.next-n : c.next : c.next]
}

func (c *cursor) skip(n int) { c.bytes(n) }

// pad skips to a multiple of 8 bytes from the beginning.
func (c *cursor) pad() { c.skip(-c.next & 7) }

// uint returns a number of n bytes, at most 8, little-endian.
func (c *cursor) uint(n int) (v uint64) {
	for i, b := range c.bytes(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// int returns a number of n bytes, which must be one of Go's int.
func (c *cursor) int(n int) int {
	v := c.uint(n)
	if v > 1<<62 {
		c.short = true
		return 0
	}
	return int(v)
}

// text returns the text up to a zero byte, and skips that.
func (c *cursor) text() string {
	n := bytes.IndexByte(c.data[min(c.next, len(c.data)):], 0)
	if n < 0 {
		c.short = true
		return ""
	}
	text := string(c.bytes(n))
	c.skip(1)
	return text
}

// err is the error of reading past the end of something.
func (c *cursor) err(what string) error {
	if c.short {
		return fmt.Errorf("corrupt: the %s is too short", what)
	}
	return nil
}

// block reads a structure that begins with a signature and a version.
func (f *File) block(address uint64, n int64, sign string, version uint64) (*cursor, error) {
	data, err := f.read(address, n)
	if err != nil {
		return nil, err
	}
	c := &cursor{data: data}
	if got := c.bytes(4); string(got) != sign {
		return nil, fmt.Errorf("corrupt: %q at address %d, want %s", got, address, sign)
	}
	if got := c.uint(1); got != version {
		return nil, fmt.Errorf("version %d of %s, want %d", got, sign, version)
	}
	return c, nil
}

// checked is block for a structure whose last four bytes are its checksum.
func (f *File) checked(address uint64, n int64, sign string) (*cursor, error) {
	c, err := f.block(address, n, sign, 0)
	if err != nil {
		return nil, err
	}
	return c, c.verify(sign)
}

// verify compares the checksum in the last four bytes, which are cut off.
func (c *cursor) verify(what string) error {
	n := len(c.data) - 4
	if n < 0 {
		return fmt.Errorf("corrupt: %s has %d bytes", what, len(c.data))
	}
	sum := (&cursor{data: c.data, next: n}).uint(4)
	c.data = c.data[:n]
	if got := checksum(c.data); uint64(got) != sum {
		return fmt.Errorf("corrupt: %s has checksum %08x, want %08x", what, got, sum)
	}
	return nil
}
