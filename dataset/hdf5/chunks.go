// Rows of values: read from where the layout has them, chunks expanded in parallel and the last ones kept.

package hdf5

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"repscope/internal/format"
	"repscope/internal/memory"
	"repscope/internal/parallel"
)

// chunks reads the values of a chunked dataset.
type chunks struct {
	d    *Dataset
	grid []int
	list []chunk // stored, by number
	size int     // bytes of a chunk
	edge []int   // bytes between neighbors along each axis of a chunk
	wide []int   // the same of rows

	decoders sync.Pool
	lock     sync.Mutex
	recent   []*expanded // from the least recently used on
	held     int64
	limit    int64 // of held
}

// expanded is a chunk in memory.
type expanded struct {
	number int
	once   sync.Once
	data   []byte
	err    error
}

// available is the memory of the process.
var available = sync.OnceValue(memory.Available)

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
	c.grid, _ = d.gridOf()
	if c.list, err = d.index(); err != nil {
		return err
	}
	rank := len(c.grid)
	c.edge, c.wide = make([]int, rank), make([]int, rank)
	for i, edge, wide := rank-1, d.Type.Size, d.Type.Size; i >= 0; i-- {
		c.edge[i], c.wide[i] = edge, wide
		edge *= d.layout.chunk[i]
		wide *= int(d.space.dims[i])
	}
	c.decoders.New = func() any { return new(decoder) }
	// Calls for a few rows need the chunks of the rows before again. A file is read well with the chunks of one range of
	// rows in memory, and never with more than a sixteenth of it.
	band := int64(c.size)
	for _, k := range c.grid[1:] {
		band = min(band*int64(k), 1<<40)
	}
	c.limit = min(2*band, max(64<<20, available()/16))
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
			d.filled(dst)
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
	return d.chunks.read(dst, lo, hi)
}

// filled sets elements to the fill value.
func (d *Dataset) filled(dst []byte) {
	if d.fill == nil {
		clear(dst)
		return
	}
	for n := copy(dst, d.fill); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// read reads rows from the chunks that hold them, in parallel.
func (c *chunks) read(dst []byte, lo, hi int) error {
	band := 1 // chunks of one range of rows
	for _, k := range c.grid[1:] {
		band *= k
	}
	height := c.d.layout.chunk[0]
	first, end := lo/height*band, ((hi-1)/height+1)*band
	begin, _ := c.search(first)
	stop, _ := c.search(end)
	if stop-begin < end-first {
		c.d.filled(dst)
	}
	return parallel.Try(context.Background(), 0, stop-begin, func(_, i int) error {
		s := &c.list[begin+i]
		if err := c.copy(s, dst, lo, hi); err != nil {
			return fmt.Errorf("chunk %v: %w", c.coordinates(s.number), err)
		}
		return nil
	})
}

// search finds the first stored chunk of a number or a higher one.
func (c *chunks) search(number int) (int, bool) {
	return slices.BinarySearchFunc(c.list, number, func(s chunk, n int) int { return s.number - n })
}

// coordinates are the position of a chunk in the grid.
func (c *chunks) coordinates(number int) []int {
	out := make([]int, len(c.grid))
	for i := len(c.grid) - 1; i >= 0; i-- {
		out[i], number = number%c.grid[i], number/c.grid[i]
	}
	return out
}

// copy copies the elements of a stored chunk that lie in rows lo to hi-1.
func (c *chunks) copy(s *chunk, dst []byte, lo, hi int) error {
	position := c.coordinates(s.number)
	partial := false
	b := box{c: c, dst: dst, from: make([]int, len(position)), to: make([]int, len(position))}
	for i, k := range position {
		n := c.d.layout.chunk[i]
		position[i] = k * n
		b.to[i] = min(n, int(c.d.space.dims[i])-k*n)
		partial = partial || b.to[i] < n
	}
	whole := position[0] >= lo && position[0]+b.to[0] <= hi
	b.from[0], b.to[0] = max(0, lo-position[0]), min(b.to[0], hi-position[0])
	position[0] -= lo
	for i, k := range position {
		b.origin += k * c.wide[i]
	}
	if len(c.d.filter) == 0 || partial && c.d.layout.wholeEdges {
		return c.stored(s, func(raw []byte) error { b.copy(raw); return nil })
	}
	if !whole {
		e := c.keep(s)
		e.once.Do(func() {
			e.err = c.decode(s, func(raw []byte) { e.data = slices.Clone(raw) })
		})
		if e.err == nil {
			b.copy(e.data)
		}
		return e.err
	}
	return c.decode(s, b.copy)
}

// stored uses the bytes of a chunk that is not filtered.
func (c *chunks) stored(s *chunk, use func(raw []byte) error) error {
	if s.size != int64(c.size) {
		return fmt.Errorf("corrupt: %d bytes, want %d", s.size, c.size)
	}
	offset, err := c.d.file.position(s.address, s.size)
	if err != nil {
		return err
	}
	return c.d.file.mapped.Use(offset, s.size, use)
}

// decode uses the bytes of a chunk after its filters.
func (c *chunks) decode(s *chunk, use func(raw []byte)) error {
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

// keep returns the place of a chunk in memory, which later calls find again.
func (c *chunks) keep(s *chunk) *expanded {
	c.lock.Lock()
	defer c.lock.Unlock()
	for i, e := range c.recent {
		if e.number == s.number {
			c.recent = append(append(c.recent[:i:i], c.recent[i+1:]...), e)
			return e
		}
	}
	e := &expanded{number: s.number}
	c.recent = append(c.recent, e)
	c.held += int64(c.size)
	for c.held > c.limit && len(c.recent) > 1 {
		c.recent = c.recent[1:]
		c.held -= int64(c.size)
	}
	return e
}

// box is the part of a chunk that is copied.
type box struct {
	c        *chunks
	dst      []byte
	from, to []int // along each axis of the chunk
	origin   int   // offset in dst of the chunk's first element, which may lie before it
}

// copy copies the box from the bytes of the chunk.
func (b *box) copy(raw []byte) {
	// Axes that the chunk spans are one run of bytes with the axis before them.
	axis := len(b.from) - 1
	for axis > 0 && b.c.grid[axis] == 1 && b.c.d.layout.chunk[axis] == int(b.c.d.space.dims[axis]) {
		axis--
	}
	b.axis(raw, 0, axis, 0, b.origin)
}

// axis copies along an axis and, up to the last one, those after it.
func (b *box) axis(raw []byte, i, last, source, target int) {
	if i == last {
		begin, n := b.from[i]*b.c.edge[i], (b.to[i]-b.from[i])*b.c.edge[i]
		copy(b.dst[target+begin:][:n], raw[source+begin:])
		return
	}
	for k := b.from[i]; k < b.to[i]; k++ {
		b.axis(raw, i+1, last, source+k*b.c.edge[i], target+k*b.c.wide[i])
	}
}
