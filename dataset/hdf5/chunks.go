// Rows of values: read from where the layout has them.

package hdf5

import (
	"fmt"
	"slices"
	"sync"

	"repscope/dataset/chunk"
	"repscope/internal/format"
)

// chunks are the stored chunks of a dataset.
type chunks struct {
	d        *Dataset
	list     []stored // by number
	size     int      // bytes of a chunk
	reader   *chunk.Reader
	decoders sync.Pool
}

// largestChunk is how large compressed chunks may be.
const largestChunk = 2 << 30

// prepare reads what values need beyond the header.
func (d *Dataset) prepare() (err error) {
	if d.reason != nil {
		return d.reason
	}
	if err := d.check(); err != nil || d.layout.class != layoutChunked || d.chunks != nil {
		return err
	}
	c := &chunks{d: d, size: int(d.chunkBytes())}
	if len(d.filter) > 0 && c.size > largestChunk {
		return fmt.Errorf("compressed chunks of %d bytes, want at most %d; repack it: %s", c.size, largestChunk, d.recipe())
	}
	if c.list, err = d.index(); err != nil {
		return err
	}
	c.decoders.New = func() any { return new(decoder) }
	c.reader = chunk.New(d.Shape[:len(d.space.dims)], d.layout.chunk, d.Type.Size, d.fill, c)
	d.chunks = c
	return nil
}

// Prepare checks the layout against the file and reads the index of chunks, once; [Dataset.Read] may then be called
// from several goroutines.
func (d *Dataset) Prepare() error {
	if err := d.prepare(); err != nil {
		return fmt.Errorf("%s:%s: %w", d.file.mapped.Path(), d.Path, err)
	}
	return nil
}

// Read reads rows lo to hi-1 in C order and the byte order of the type. dst has (hi-lo)·RowBytes bytes.
func (d *Dataset) Read(dst []byte, lo, hi int) error {
	if lo < 0 || hi < lo || hi > d.Rows() || len(dst) != (hi-lo)*d.RowBytes() {
		return fmt.Errorf("rows %d to %d of %d into %d bytes", lo, hi, d.Rows(), len(dst))
	}
	if len(dst) == 0 {
		return nil
	}
	row := int64(d.RowBytes())
	switch d.layout.class {
	case layoutCompact:
		copy(dst, d.layout.data[int64(lo)*row:])
		return nil
	case layoutContiguous:
		if !d.file.defined(d.layout.address) {
			chunk.Fill(dst, d.fill)
			return nil
		}
		offset, err := d.file.position(d.layout.address, int64(d.Rows())*row)
		if err != nil {
			return err
		}
		_, err = d.file.mapped.ReadAt(dst, offset+int64(lo)*row)
		return err
	}
	if d.chunks == nil {
		return fmt.Errorf("%s is not prepared", d.Path)
	}
	return d.chunks.reader.Read(dst, lo, hi)
}

// ReadBox reads the elements from to to-1 along each axis, which lie in the dataset; not ok if it has no chunks.
func (d *Dataset) ReadBox(dst []byte, from, to []int) (ok bool, err error) {
	if d.chunks == nil || len(d.Type.Shape) > 0 {
		return false, nil
	}
	return true, d.chunks.reader.ReadBox(dst, from, to)
}

// search finds the stored chunk of a number.
func (c *chunks) search(number int) (*stored, bool) {
	i, ok := slices.BinarySearchFunc(c.list, number, func(s stored, n int) int { return s.number - n })
	if !ok {
		return nil, false
	}
	return &c.list[i], true
}

// Plain reports whether a chunk is stored without filters.
func (c *chunks) Plain(number int) bool {
	return len(c.d.filter) == 0 || c.d.layout.wholeEdges && c.partial(number)
}

// partial reports whether a chunk lies at an edge that it crosses.
func (c *chunks) partial(number int) bool {
	for i, k := range c.reader.Coordinates(number) {
		if (k+1)*c.d.layout.chunk[i] > int(c.d.space.dims[i]) {
			return true
		}
	}
	return false
}

// Use calls use with the bytes of a chunk after its filters.
func (c *chunks) Use(number int, use func(raw []byte)) (bool, error) {
	s, ok := c.search(number)
	switch {
	case !ok:
		return false, nil
	case c.Plain(number):
		return true, c.plain(s, use)
	}
	return true, c.decode(s, use)
}

// plain uses the bytes of a chunk that is not filtered.
func (c *chunks) plain(s *stored, use func(raw []byte)) error {
	if s.size != int64(c.size) {
		return fmt.Errorf("corrupt: %d bytes, want %d", s.size, c.size)
	}
	offset, err := c.d.file.position(s.address, s.size)
	if err != nil {
		return err
	}
	return c.d.file.mapped.Use(offset, s.size, func(raw []byte) error { use(raw); return nil })
}

// decode uses the bytes of a chunk after its filters.
func (c *chunks) decode(s *stored, use func(raw []byte)) error {
	decoder := c.decoders.Get().(*decoder)
	defer c.decoders.Put(decoder)
	offset, err := c.d.file.position(s.address, s.size)
	if err != nil {
		return fmt.Errorf("%w: %w", format.ErrTruncated, err)
	}
	return c.d.file.mapped.Use(offset, s.size, func(raw []byte) error {
		out, err := decoder.decode(c.d.filter, s.mask, raw, c.size)
		if err == nil {
			use(out)
		}
		return err
	})
}
