// Package chunk reads rows of arrays that are stored in chunks of one shape. Chunks are expanded in parallel. Chunks
// that a call needs in part are kept for the next calls.
//
//	var source chunk.Source // expands chunks of 2 rows
//	reader := chunk.New([]int{100, 3}, []int{2, 3}, 4, nil, source)
//	raw := make([]byte, 8*3*4)
//	err := reader.Read(raw, 0, 8) // rows 0 to 7
package chunk

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zlib"

	"repscope/internal/memory"
	"repscope/internal/parallel"
)

// Source has the bytes of chunks, by their numbers in C order. Its methods are called by several goroutines.
type Source interface {
	// Use calls use with the bytes of a whole chunk in C order, valid until use returns; stored is false,
	// without a call, for a chunk that is not stored.
	Use(number int, use func(raw []byte)) (stored bool, err error)
	// Plain reports whether a chunk is stored as it is, so that it is not worth keeping.
	Plain(number int) bool
}

// Reader reads the rows of an array: of its first axis.
type Reader struct {
	shape, chunk, grid []int
	size               int // bytes of a chunk
	fill               []byte
	edge               []int // bytes between neighbors along each axis of a chunk
	source             Source

	lock   sync.Mutex
	recent []*expanded // from the least recently used on
	held   int64
	limit  int64 // of held
}

// expanded is a chunk in memory.
type expanded struct {
	number int
	once   sync.Once
	data   []byte // nil: not stored
	err    error
}

// available is the memory of the process.
var available = sync.OnceValue(memory.Available)

// New returns the reader of an array. The size of an element is in bytes; fill is one element, nil for zeros. Shapes
// have the same number of axes, chunks are not empty, and the sizes of an array and of a chunk are numbers of 62 bits.
func New(shape, chunk []int, element int, fill []byte, source Source) *Reader {
	if len(shape) == 0 {
		shape, chunk = []int{1}, []int{1}
	}
	rank := len(shape)
	r := &Reader{shape: shape, chunk: chunk, fill: fill, source: source,
		grid: make([]int, rank), edge: make([]int, rank)}
	edge := element
	for i := rank - 1; i >= 0; i-- {
		r.grid[i] = shape[i] / chunk[i]
		if shape[i]%chunk[i] > 0 {
			r.grid[i]++
		}
		r.edge[i] = edge
		edge *= chunk[i]
	}
	r.size = edge
	// Calls for a few rows need the chunks of the rows before again. A file is read well with the chunks of one range of
	// rows in memory, and never with more than a sixteenth of it.
	band := int64(r.size)
	for _, k := range r.grid[1:] {
		band = min(band*int64(k), 1<<40)
	}
	r.limit = min(2*band, max(64<<20, available()/16))
	return r
}

// Read reads rows lo to hi-1 in C order; dst has their length.
func (r *Reader) Read(dst []byte, lo, hi int) error {
	from, to := make([]int, len(r.shape)), slices.Clone(r.shape)
	from[0], to[0] = lo, hi
	return r.ReadBox(dst, from, to)
}

// ReadBox reads the elements from to to-1 along each axis, in C order; dst has their length.
func (r *Reader) ReadBox(dst []byte, from, to []int) error {
	if len(dst) == 0 {
		return nil
	}
	if len(from) == 0 { // a single value
		from, to = []int{0}, []int{1}
	}
	rank := len(r.shape)
	first, count, total := make([]int, rank), make([]int, rank), 1
	for i := range rank {
		first[i] = from[i] / r.chunk[i]
		count[i] = (to[i]-1)/r.chunk[i] + 1 - first[i]
		total *= count[i]
	}
	wide := make([]int, rank) // bytes between neighbors along each axis of dst
	step := r.edge[rank-1]
	for i := rank - 1; i >= 0; i-- {
		wide[i] = step
		step *= to[i] - from[i]
	}
	return parallel.Try(context.Background(), 0, total, func(_, k int) error {
		position := make([]int, rank)
		for i := rank - 1; i >= 0; i-- {
			position[i], k = first[i]+k%count[i], k/count[i]
		}
		b := box{r: r, dst: dst, wide: wide}
		if err := b.read(position, from, to); err != nil {
			return fmt.Errorf("chunk %v: %w", position, err)
		}
		return nil
	})
}

// Coordinates are the position of a chunk in the grid.
func (r *Reader) Coordinates(number int) []int {
	out := make([]int, len(r.grid))
	for i := len(r.grid) - 1; i >= 0; i-- {
		out[i], number = number%r.grid[i], number/r.grid[i]
	}
	return out
}

// read reads the part of a chunk that lies in a box.
func (b *box) read(position, from, to []int) error {
	r, rank := b.r, len(position)
	b.from, b.to = make([]int, rank), make([]int, rank)
	number, whole := 0, true
	for i, k := range position {
		number = number*r.grid[i] + k
		begin := k * r.chunk[i]
		end := min(r.chunk[i], r.shape[i]-begin)
		b.from[i], b.to[i] = max(0, from[i]-begin), min(end, to[i]-begin)
		whole = whole && b.from[i] == 0 && b.to[i] == end
		b.origin += (begin - from[i]) * b.wide[i]
	}
	if whole || r.source.Plain(number) {
		stored, err := r.source.Use(number, b.copy)
		if err == nil && !stored {
			b.copy(nil)
		}
		return err
	}
	e := r.keep(number)
	e.once.Do(func() {
		_, e.err = r.source.Use(number, func(raw []byte) { e.data = slices.Clone(raw) })
	})
	if e.err == nil {
		b.copy(e.data)
	}
	return e.err
}

// keep returns the memory of a chunk, which later calls find again.
func (r *Reader) keep(number int) *expanded {
	r.lock.Lock()
	defer r.lock.Unlock()
	for i, e := range r.recent {
		if e.number == number {
			r.recent = append(append(r.recent[:i:i], r.recent[i+1:]...), e)
			return e
		}
	}
	e := &expanded{number: number}
	r.recent = append(r.recent, e)
	r.held += int64(r.size)
	for r.held > r.limit && len(r.recent) > 1 {
		r.recent = r.recent[1:]
		r.held -= int64(r.size)
	}
	return e
}

// box is the part of a chunk that is copied.
type box struct {
	r        *Reader
	dst      []byte
	wide     []int // bytes between neighbors along each axis of dst
	from, to []int // along each axis of the chunk
	origin   int   // offset in dst of the chunk's first element, which may lie before it
}

// copy copies the box from the bytes of the chunk, or the fill value if there are none.
func (b *box) copy(raw []byte) {
	// Axes that the chunk spans are one run of bytes with the axis before them.
	axis := len(b.from) - 1
	for axis > 0 && b.wide[axis-1] == b.r.edge[axis-1] && b.from[axis] == 0 && b.to[axis] == b.r.chunk[axis] {
		axis--
	}
	b.axis(raw, 0, axis, 0, b.origin)
}

// axis copies along an axis and, up to the last one, those after it.
func (b *box) axis(raw []byte, i, last, source, target int) {
	if i == last {
		begin, n := b.from[i]*b.r.edge[i], (b.to[i]-b.from[i])*b.r.edge[i]
		if run := b.dst[target+begin:][:n]; raw != nil {
			copy(run, raw[source+begin:])
		} else {
			Fill(run, b.r.fill)
		}
		return
	}
	for k := b.from[i]; k < b.to[i]; k++ {
		b.axis(raw, i+1, last, source+k*b.r.edge[i], target+k*b.wide[i])
	}
}

// Fill sets elements to a value, zeros if it is nil.
func Fill(dst, value []byte) {
	if value == nil {
		clear(dst)
		return
	}
	for n := copy(dst, value); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// Unshuffle puts the bytes of elements together again that a filter separated by their position, into out. Bytes behind
// the last whole element were not moved.
func Unshuffle(out, raw []byte, size int) {
	n := len(raw) / size
	switch size {
	case 1:
		copy(out, raw)
		return
	case 2:
		a, b := raw[:n], raw[n:2*n]
		for i := range a {
			binary.LittleEndian.PutUint16(out[2*i:], uint16(a[i])|uint16(b[i])<<8)
		}
	case 4:
		a, b, c, e := raw[:n], raw[n:2*n], raw[2*n:3*n], raw[3*n:4*n]
		for i := range a {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(e[i])<<24)
		}
	default:
		for k := range size {
			for i, v := range raw[k*n : (k+1)*n] {
				out[i*size+k] = v
			}
		}
	}
	copy(out[n*size:], raw[n*size:])
}

// Rows is the length of the first axis of a shape; 1 for a single value.
func Rows[T int | uint64](shape []T) int {
	if len(shape) == 0 {
		return 1
	}
	return int(shape[0])
}

// RowBytes is the number of bytes of a row of elements of some bytes: of one index of the first axis.
func RowBytes[T int | uint64](shape []T, element int) int {
	for i, k := range shape {
		if i > 0 {
			element *= int(k)
		}
	}
	return element
}

// Zlib expands one stored chunk after the other. It belongs to one goroutine.
type Zlib struct {
	reader io.ReadCloser
	source bytes.Reader
}

// Reader expands a chunk in the format of zlib, until the next call.
func (z *Zlib) Reader(stored []byte) (io.Reader, error) {
	z.source.Reset(stored)
	if z.reader != nil {
		return z.reader, z.reader.(zlib.Resetter).Reset(&z.source, nil)
	}
	var err error
	z.reader, err = zlib.NewReader(&z.source)
	return z.reader, err
}
