// Pooling over windows.

package cpu

import (
	"math"

	"repscope/model/graph"
	"repscope/model/operator"
)

var poolKernels = map[string]constructor{
	".MaxPool": buildMaxPool, ".AveragePool": buildAveragePool,
}

// windows traverses the windows of one plane line by line, a line being the last spatial axis.
type windows struct {
	p        *operator.PoolParams
	in, out  []int // spatial
	strides  []int // of the input
	outer    int   // positions of a kernel without its last axis
	lines    int   // output lines of a plane
	plane    int   // elements of an input plane
	capacity int   // positions of a kernel
}

func newWindows(b *builder) *windows {
	return newWindowsOf(b.Step.Params.(*operator.PoolParams), b.Shape(0)[2:], b.OutShape(0)[2:])
}

func newWindowsOf(p *operator.PoolParams, in, out []int) *windows {
	w := &windows{p: p, in: in, out: out}
	last := len(w.in) - 1
	w.strides = graph.RowMajor(w.in)
	w.outer, w.capacity = graph.Count(w.p.Kernel[:last]), graph.Count(w.p.Kernel)
	w.lines, w.plane = graph.Count(w.out[:last]), graph.Count(w.in)
	return w
}

// line is where the input line begins that kernel position k of an output line reads;
// inside is false if it lies in the padding, and counted if it lies beyond.
func (w *windows) line(line, k int) (offset int, inside, counted bool) {
	p := w.p
	inside, counted = true, true
	for a := len(w.in) - 2; a >= 0; a-- {
		i := line%w.out[a]*p.Strides[a] - p.Before[a] + k%p.Kernel[a]*p.Dilations[a]
		line /= w.out[a]
		k /= p.Kernel[a]
		inside = inside && i >= 0 && i < w.in[a]
		counted = counted && i < w.in[a]+p.After[a]
		offset += i * w.strides[a]
	}
	return offset, inside, counted
}

// cells is the range of a line's outputs whose input at kernel position k lies at 0 … limit−1, and where the output 0
// would read.
func (w *windows) cells(k, limit int) (lo, hi, start int) {
	p, last := w.p, len(w.in)-1
	step, n := p.Strides[last], w.out[last]
	start = k*p.Dilations[last] - p.Before[last]
	if start < 0 {
		lo = (-start + step - 1) / step
	}
	if start >= limit {
		return 0, 0, start
	}
	return min(lo, n), max(min((limit-1-start)/step+1, n), min(lo, n)), start
}

func buildMaxPool(b *builder) (func() error, error) {
	if b.Step.Params.(*operator.PoolParams).ChannelsLast {
		return poolLast(b)
	}
	if b.DType(0) == graph.Float32 && len(b.Step.Out) > 1 && b.Step.Out[1] >= 0 {
		return maxPlaces(b)
	}
	if b.DType(0) == graph.Float32 {
		b.scalar("MaxPool")
	}
	return forType(b, 0, maxPool[float32], maxPool[int64], nil)
}

func maxPool[T number](b *builder) (func() error, error) {
	w := newWindows(b)
	row := w.out[len(w.in)-1]
	lines := maxLines[T](b, w)
	return b.span(b.Shape(0)[0]*b.Shape(0)[1]*w.lines, max(1, grain/4/max(1, w.capacity*row)), func(_, lo, hi int) { lines(lo, hi) }), nil
}

// maxLines writes the output lines lo … hi−1 of all planes: the greatest elements, where they are, or both.
func maxLines[T number](b *builder, w *windows) func(lo, hi int) {
	last := len(w.in) - 1
	row, step := w.out[last], w.p.Strides[last]
	m, in, out, index := b.memory, b.Step.In[0], b.Step.Out[0], -1
	if len(b.Step.Out) > 1 {
		index = b.Step.Out[1]
	}
	lowest := lowest[T]()
	return func(lo, hi int) {
		for t := lo; t < hi; t++ {
			base := t / w.lines * w.plane
			src := slots[T](m)[in][base : base+w.plane]
			var dst []T
			var indices []int64
			if out >= 0 {
				dst = slots[T](m)[out][t*row : (t+1)*row]
				fill(dst, lowest)
			}
			if index >= 0 {
				indices = m.i64[index][t*row : (t+1)*row]
				fill(indices, -1)
			}
			for k := range w.outer {
				offset, inside, _ := w.line(t%w.lines, k)
				if !inside {
					continue
				}
				for x := range w.p.Kernel[last] {
					lo, hi, start := w.cells(x, w.in[last])
					from := offset + start
					if indices == nil {
						for i := lo; i < hi; i++ {
							if v := src[from+i*step]; v > dst[i] || v != v {
								dst[i] = v
							}
						}
						continue
					}
					for i := lo; i < hi; i++ {
						j := from + i*step
						if p := indices[i]; p < 0 || src[j] > src[p] || src[j] != src[j] {
							indices[i] = int64(j)
						}
					}
				}
			}
			for i, j := range indices {
				if dst != nil && j >= 0 {
					dst[i] = src[j]
				}
				if j >= 0 {
					indices[i] = int64(base + w.flat(int(j)))
				}
			}
		}
	}
}

// flat is an element's index in the numbering of the indices of maxima.
func (w *windows) flat(offset int) int {
	if !w.p.ColumnMajor {
		return offset
	}
	sum, stride := 0, 1
	for a, d := range w.in {
		sum += offset / w.strides[a] % d * stride
		stride *= d
	}
	return sum
}

// lowest is below every other number.
func lowest[T number]() T {
	var zero T
	v := any(&zero)
	switch v := v.(type) {
	case *float32:
		*v = float32(math.Inf(-1))
	case *int64:
		*v = math.MinInt64
	}
	return zero
}

func buildAveragePool(b *builder) (func() error, error) {
	if b.Step.Params.(*operator.PoolParams).ChannelsLast {
		return poolLast(b)
	}
	b.scalar("AveragePool")
	w := newWindows(b)
	last := len(w.in) - 1
	row, step := w.out[last], w.p.Strides[last]
	x, y := b.in(0), b.out(0)
	weights := b.weights
	return b.span(b.Shape(0)[0]*b.Shape(0)[1]*w.lines, max(1, grain/4/max(1, w.capacity*row)), func(worker, lo, hi int) {
		s := weights.scratch[worker]
		if cap(s.sums) < 2*row {
			s.sums = make([]float64, 2*row)
		}
		sums, counts := s.sums[:row], s.sums[row:2*row]
		for t := lo; t < hi; t++ {
			src, dst := x()[t/w.lines*w.plane:][:w.plane], y()[t*row:(t+1)*row]
			clear(sums)
			clear(counts)
			for k := range w.outer {
				offset, inside, counted := w.line(t%w.lines, k)
				for q := range w.p.Kernel[last] {
					if inside {
						lo, hi, start := w.cells(q, w.in[last])
						for i := lo; i < hi; i++ {
							sums[i] += float64(src[offset+start+i*step])
							if !w.p.CountPadding {
								counts[i]++
							}
						}
					}
					if counted && w.p.CountPadding {
						// The padding before the image counts, and after it as far as it goes.
						_, hi, _ := w.cells(q, w.in[last]+w.p.After[last])
						for i := range hi {
							counts[i]++
						}
					}
				}
			}
			for i, v := range sums {
				dst[i] = float32(v / counts[i])
			}
		}
	}), nil
}
