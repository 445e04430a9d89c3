// Package chunk reads rows of arrays that are stored in chunks of one shape. Chunks are expanded in parallel. Those that
// a call needs in part are kept for the next calls.
//
//	reader := chunk.New(shape, chunkShape, 4, nil, source)
//	err := reader.Read(raw, 0, 8) // rows 0 to 7
package chunk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"repscope/internal/memory"
	"repscope/internal/parallel"
)

// Source has the bytes of chunks, by their numbers in C order. Its methods are called by several goroutines.
type Source interface {
	// Use calls use with the bytes of a whole chunk in C order, valid until use returns; found is false, without a call,
	// for a chunk that is not stored.
	Use(number int, use func(raw []byte)) (found bool, err error)
	// Plain reports whether a chunk is stored as it is, so that it is not worth keeping.
	Plain(number int) bool
}

// Reader reads the rows of an array: of its first axis.
type Reader struct {
	shape, chunk, grid []int
	size               int // bytes of a chunk
	fill               []byte
	edge               []int // bytes between neighbors along each axis of a chunk
	wide               []int // the same of rows
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
		grid: make([]int, rank), edge: make([]int, rank), wide: make([]int, rank)}
	edge, wide := element, element
	for i := rank - 1; i >= 0; i-- {
		r.grid[i] = shape[i] / chunk[i]
		if shape[i]%chunk[i] > 0 {
			r.grid[i]++
		}
		r.edge[i], r.wide[i] = edge, wide
		edge *= chunk[i]
		wide *= shape[i]
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
	if len(dst) == 0 {
		return nil
	}
	band := 1 // chunks of one range of rows
	for _, k := range r.grid[1:] {
		band *= k
	}
	height := r.chunk[0]
	first, end := lo/height*band, ((hi-1)/height+1)*band
	return parallel.Try(context.Background(), 0, end-first, func(_, i int) error {
		if err := r.copy(first+i, dst, lo, hi); err != nil {
			return fmt.Errorf("chunk %v: %w", r.Coordinates(first+i), err)
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

// copy copies the elements of a chunk that lie in rows lo to hi-1.
func (r *Reader) copy(number int, dst []byte, lo, hi int) error {
	position := r.Coordinates(number)
	b := box{r: r, dst: dst, from: make([]int, len(position)), to: make([]int, len(position))}
	for i, k := range position {
		n := r.chunk[i]
		position[i] = k * n
		b.to[i] = min(n, r.shape[i]-k*n)
	}
	whole := position[0] >= lo && position[0]+b.to[0] <= hi
	b.from[0], b.to[0] = max(0, lo-position[0]), min(b.to[0], hi-position[0])
	position[0] -= lo
	for i, k := range position {
		b.origin += k * r.wide[i]
	}
	if whole || r.source.Plain(number) {
		found, err := r.source.Use(number, b.copy)
		if err == nil && !found {
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
	from, to []int // along each axis of the chunk
	origin   int   // offset in dst of the chunk's first element, which may lie before it
}

// copy copies the box from the bytes of the chunk, or the fill value if there are none.
func (b *box) copy(raw []byte) {
	// Axes that the chunk spans are one run of bytes with the axis before them.
	axis := len(b.from) - 1
	for axis > 0 && b.r.chunk[axis] == b.r.shape[axis] {
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
		b.axis(raw, i+1, last, source+k*b.r.edge[i], target+k*b.r.wide[i])
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

// Unshuffle puts the bytes of elements together again that a filter separated by their position, into out. Bytes behind the last whole element were left as they are.
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
