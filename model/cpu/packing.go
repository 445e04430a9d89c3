// Constants in the form that kernels take: packed as the right operand of a
// product, from their files in parts, so that no matrix is in memory twice.

package cpu

import (
	"sync"

	"repscope/internal/kernel"
	"repscope/model/graph"
)

// weights keeps constants in the form that kernels take, for all programs, and the
// workers' scratch.
type weights struct {
	packed map[packKey]*kernel.Packed[float32]
	bytes  map[packKey]*integerWeights // nil where they hold no integers
	late   sync.Mutex                  // of packed, once the program runs
	// Deferred constants that are used as they are.
	held    map[*graph.Tensor][]float32
	scratch []*scratch // by worker; memory kept by a product must not move

	// While a program is built: the arena, for constants that are loaded as a whole on
	// their way to being packed; the last of these; and parts of one.
	arena  []float32
	last   *graph.Tensor
	loaded *graph.Tensor
	part   []float32

	// scalar, if not nil, is called with steps that are computed element by element: see builder.scalar.
	scalar func(step string)
}

type packKey struct {
	tensor *graph.Tensor
	form   string
	group  int
}

// release drops the memory used only while a program is built.
func (w *weights) release() { w.arena, w.last, w.loaded, w.part = nil, nil, nil, nil }

// hold loads a deferred constant and keeps it.
func (w *weights) hold(t *graph.Tensor) ([]float32, error) {
	if v, ok := w.held[t]; ok {
		return v, nil
	}
	v, err := t.Load(nil)
	if err == nil {
		w.held[t] = v
	}
	return v, err
}

// right returns a constant packed as the right operand.
func (w *weights) right(key packKey, m *matrix) (*kernel.Packed[float32], error) {
	if p := w.packed[key]; p != nil {
		return p, nil
	}
	t, err := w.inParts(key.tensor)
	if err != nil {
		return nil, err
	}
	p, err := m.pack(t, &w.part)
	if err == nil {
		w.packed[key] = p
	}
	return p, err
}

// inParts returns a constant that can be read in parts, until it is called for another one.
func (w *weights) inParts(t *graph.Tensor) (*graph.Tensor, error) {
	if t.InParts() {
		return t, nil
	}
	if w.last != t {
		values, err := t.Load(w.arena)
		if err != nil {
			return nil, err
		}
		w.last, w.loaded = t, graph.Floats(values, t.Shape...)
	}
	return w.loaded, nil
}

// matrix is the layout in a constant of n vectors of length k, the columns of a right operand.
type matrix struct {
	first  int   // element where they begin
	n, k   int   // stored n×k: one vector after another …
	turned bool  // … or k×n
	depth  []int // of the stored element i of a vector; nil: i
	// of, if not 0, is the number of stored vectors; the matrix begins at vector from.
	of, from int
}

// partElements is about the part of a constant read at a time; it stays in the second-level cache.
const partElements = 1 << 16

// pack reads the matrix part by part; the buffer is kept between calls.
func (m *matrix) pack(t *graph.Tensor, buffer *[]float32) (*kernel.Packed[float32], error) {
	p, err := kernel.NewRight[float32](m.n, m.k)
	if err != nil {
		return nil, err
	}
	rows, length, step := m.n, m.k, roundUp(max(1, partElements/max(m.k, 1)), kernel.ColumnAlign)
	stored := max(m.of, m.n)
	if m.turned {
		rows, length, step = m.k, stored, max(1, partElements/max(stored, 1))
		if m.depth != nil {
			step = 1
		}
	}
	step = min(step, rows)
	first := m.first
	if !m.turned {
		first += m.from * m.k
	}
	*buffer = grow(*buffer, step*length)
	var row []float32
	if m.depth != nil {
		row = make([]float32, m.k)
	}
	for lo := 0; lo < rows; lo += step {
		count := min(step, rows-lo)
		part, err := t.Part(first+lo*length, count*length, *buffer)
		if err != nil {
			return nil, err
		}
		switch {
		case m.turned && m.depth != nil:
			err = p.Put(kernel.Columns(part[m.from:], length), 0, m.n, m.depth[lo], 1)
		case m.turned:
			err = p.Put(kernel.Columns(part[m.from:], length), 0, m.n, lo, count)
		default:
			if m.depth != nil {
				part = m.ordered(part, row, *buffer)
			}
			err = p.Put(kernel.Rows(part, length), lo, count, 0, m.k)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// ordered writes stored vectors to dst in the order of their depths; row is scratch memory for one.
func (m *matrix) ordered(src, row, dst []float32) []float32 {
	for offset := 0; offset < len(src); offset += m.k {
		for i, d := range m.depth {
			row[d] = src[offset+i]
		}
		copy(dst[offset:], row)
	}
	return dst[:len(src)]
}
