// Pooling with the indices of the greatest elements.

package cpu

import (
	"math"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
)

// placesTogether is the number of planes that are pooled together, interleaved by element.
const placesTogether = vector.Lanes

// planesBeside is a worker's memory for them.
type planesBeside struct {
	elements []float32 // of the planes, interleaved
	tops     []float32 // of an output line
	places   []int32
	turned   []int32 // the same, plane by plane
}

// maxPlaces is maxPool with indices. Planes with a NaN, which is the greatest of its windows, are processed element by
// element.
func maxPlaces(b *builder) (func() error, error) {
	w := newWindows(b)
	planes := b.Shape(0)[0] * b.Shape(0)[1]
	if w.plane > math.MaxInt32 {
		return maxPool[float32](b)
	}
	lines := maxLines[float32](b, w)
	m, x, y, index := b.memory, b.in(0), func() []float32 { return nil }, b.Step.Out[1]
	if b.Step.Out[0] >= 0 {
		y = b.out(0)
	}
	row := w.out[len(w.in)-1]
	size := w.lines * row
	scratches := b.weights
	return b.span((planes+placesTogether-1)/placesTogether, 1, func(worker, lo, hi int) {
		s := &scratches.scratch[worker].planes
		for t := lo; t < hi; t++ {
			first := t * placesTogether
			count := min(placesTogether, planes-first)
			src := x()[first*w.plane:][:count*w.plane]
			var top [1]float64
			if vector.ReduceMax.Rows(top[:], src, len(src), 1, len(src)); len(src) == 0 || top[0] != top[0] {
				lines(first*w.lines, (first+count)*w.lines)
				continue
			}
			s.reserve(w.plane, row)
			kernel.Transpose(s.elements, placesTogether, src, w.plane, count, w.plane)
			for line := range w.lines {
				w.greatest(s, line)
				offset := first*size + line*row
				if dst := y(); dst != nil {
					kernel.Transpose(dst[offset:], size, s.tops, placesTogether, row, count)
				}
				kernel.Transpose(s.turned, row, s.places, placesTogether, row, count)
				for k := range count {
					for i, j := range s.turned[k*row : (k+1)*row] {
						if j >= 0 {
							m.i64[index][offset+k*size+i] = int64((first+k)*w.plane + w.flat(int(j)))
						} else {
							m.i64[index][offset+k*size+i] = -1
						}
					}
				}
			}
		}
	}), nil
}

// reserve allocates planes, and a line of outputs.
func (s *planesBeside) reserve(plane, row int) {
	s.elements, s.tops = grow(s.elements, plane*placesTogether), grow(s.tops, row*placesTogether)
	if cap(s.places) < row*placesTogether {
		s.places, s.turned = make([]int32, row*placesTogether), make([]int32, row*placesTogether)
	}
	s.places, s.turned = s.places[:row*placesTogether], s.turned[:row*placesTogether]
}

// greatest finds the greatest elements of a line of outputs: of equals the first one.
func (w *windows) greatest(s *planesBeside, line int) {
	last := len(w.in) - 1
	step := w.p.Strides[last]
	fill(s.tops, float32(math.Inf(-1)))
	fill(s.places, -1)
	for k := range w.outer {
		offset, inside, _ := w.line(line, k)
		if !inside {
			continue
		}
		for q := range w.p.Kernel[last] {
			lo, hi, start := w.cells(q, w.in[last])
			for i := lo; i < hi; i++ {
				index := offset + start + i*step
				x, to := s.elements[index*placesTogether:][:placesTogether], i*placesTogether
				if s.places[to] < 0 {
					copy(s.tops[to:], x)
					fill(s.places[to:to+placesTogether], int32(index))
					continue
				}
				vector.Greater.Overtake(s.tops[to:to+placesTogether], x, s.places[to:to+placesTogether], int32(index))
			}
		}
	}
}
