package cpu

// Pooling over windows and sampling of images at given points.

import (
	"math"

	"repscope/model/operator"
)

func init() {
	kernels[".MaxPool"] = forType(0, buildMaxPool[float32], buildMaxPool[int64], nil)
	kernels[".AveragePool"] = buildAveragePool
	kernels[".GridSample"] = buildGridSample
}

// windows walks the windows of one plane line by line, a line being the last spatial axis.
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
	w := &windows{p: b.step.Params.(*operator.PoolParams), in: b.shape(0)[2:], out: b.outShape(0)[2:]}
	last := len(w.in) - 1
	w.strides = contiguous(w.in)
	w.outer, w.capacity = size(w.p.Kernel[:last]), size(w.p.Kernel)
	w.lines, w.plane = size(w.out[:last]), size(w.in)
	return w
}

// line is where the input line begins that kernel position k of an output line reads;
// inside is false if it lies in the padding, and counted if it lies beyond.
func (w *windows) line(line, k int) (at int, inside, counted bool) {
	p := w.p
	inside, counted = true, true
	for a := len(w.in) - 2; a >= 0; a-- {
		i := line%w.out[a]*p.Strides[a] - p.Before[a] + k%p.Kernel[a]*p.Dilations[a]
		line /= w.out[a]
		k /= p.Kernel[a]
		inside = inside && i >= 0 && i < w.in[a]
		counted = counted && i < w.in[a]+p.After[a]
		at += i * w.strides[a]
	}
	return at, inside, counted
}

// cells is the range of a line's outputs whose input at kernel position k lies at 0 … limit−1, and where the output 0 would read.
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

func buildMaxPool[T number](b *builder) (func() error, error) {
	w := newWindows(b)
	last := len(w.in) - 1
	row, step := w.out[last], w.p.Strides[last]
	m, in, out, index := b.memory, b.step.In[0], b.step.Out[0], -1
	if len(b.step.Out) > 1 {
		index = b.step.Out[1]
	}
	lowest := lowest[T]()
	return b.span(b.shape(0)[0]*b.shape(0)[1]*w.lines, max(1, grain/4/max(1, w.capacity*row)), func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			base := t / w.lines * w.plane
			src := slots[T](m)[in][base : base+w.plane]
			var dst []T
			var places []int64
			if out >= 0 {
				dst = slots[T](m)[out][t*row : (t+1)*row]
				fill(dst, lowest)
			}
			if index >= 0 {
				places = m.i64[index][t*row : (t+1)*row]
				fill(places, -1)
			}
			for k := range w.outer {
				at, inside, _ := w.line(t%w.lines, k)
				if !inside {
					continue
				}
				for x := range w.p.Kernel[last] {
					lo, hi, start := w.cells(x, w.in[last])
					from := at + start
					if places == nil {
						for i := lo; i < hi; i++ {
							if v := src[from+i*step]; v > dst[i] || v != v {
								dst[i] = v
							}
						}
						continue
					}
					for i := lo; i < hi; i++ {
						j := from + i*step
						if p := places[i]; p < 0 || src[j] > src[p] || src[j] != src[j] {
							places[i] = int64(j)
						}
					}
				}
			}
			for i, j := range places {
				if dst != nil && j >= 0 {
					dst[i] = src[j]
				}
				if j >= 0 {
					places[i] = int64(base + w.flat(int(j)))
				}
			}
		}
	}), nil
}

// flat is an element's place as the indices of maxima count it.
func (w *windows) flat(at int) int {
	if !w.p.ColumnMajor {
		return at
	}
	sum, stride := 0, 1
	for a, d := range w.in {
		sum += at / w.strides[a] % d * stride
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
	w := newWindows(b)
	last := len(w.in) - 1
	row, step := w.out[last], w.p.Strides[last]
	x, y := b.in(0), b.out(0)
	weights := b.weights
	return b.span(b.shape(0)[0]*b.shape(0)[1]*w.lines, max(1, grain/4/max(1, w.capacity*row)), func(worker, lo, hi int) {
		s := &weights.scratch[worker]
		if cap(s.sums) < 2*row {
			s.sums = make([]float64, 2*row)
		}
		sums, counts := s.sums[:row], s.sums[row:2*row]
		for t := lo; t < hi; t++ {
			src, dst := x()[t/w.lines*w.plane:][:w.plane], y()[t*row:(t+1)*row]
			clear(sums)
			clear(counts)
			for k := range w.outer {
				at, inside, counted := w.line(t%w.lines, k)
				for q := range w.p.Kernel[last] {
					if inside {
						lo, hi, start := w.cells(q, w.in[last])
						for i := lo; i < hi; i++ {
							sums[i] += float64(src[at+start+i*step])
							if !w.p.CountPadding {
								counts[i]++
							}
						}
					}
					if counted && w.p.CountPadding {
						// What is before the image counts, and after it as far as the padding goes.
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

func buildGridSample(b *builder) (func() error, error) {
	p := b.step.Params.(operator.GridSampleParams)
	s, points := b.shape(0), size(b.shape(1)[1:3])
	channels, height, width := s[1], s[2], s[3]
	image, grid, y := b.in(0), b.in(1), b.out(0)
	return b.span(s[0]*points, max(1, grain/32/max(channels, 1)), func(_, lo, hi int) {
		var rows, columns taps
		for t := lo; t < hi; t++ {
			rows.set(&p, grid()[2*t+1], height)
			columns.set(&p, grid()[2*t], width)
			n, at := t/points, t%points
			for c := range channels {
				plane := image()[(n*channels+c)*height*width:][:height*width]
				var sum float32
				for j := range rows.count {
					i := rows.index[j]
					if i < 0 {
						continue
					}
					var line float32
					for k := range columns.count {
						if x := columns.index[k]; x >= 0 {
							line += float32(columns.weight[k] * plane[i*width+x])
						}
					}
					sum += float32(rows.weight[j] * line)
				}
				y()[(n*channels+c)*points+at] = sum
			}
		}
	}), nil
}

// taps are the pixels along one axis that make up a sample, and their weights; −1 is outside the image.
type taps struct {
	count  int
	index  [4]int
	weight [4]float32
}

// set finds the pixels of a point between −1 and 1, the two ends of an axis of n pixels.
func (t *taps) set(p *operator.GridSampleParams, point float32, n int) {
	x := (float32((point+1)*float32(n)) - 1) / 2
	low, high := float32(-0.5), float32(n)-0.5
	if p.AlignCorners {
		x = float32((point+1)*float32(n-1)) / 2
		low, high = 0, float32(n-1)
	}
	switch {
	case !(math.Abs(float64(x)) < 1<<30):
		x = -1 << 30 // neither infinite nor NaN
	case p.Mode == "cubic":
	case p.Padding == "border":
		x = min(max(x, 0), float32(n-1))
	case p.Padding == "reflection":
		x = reflect(x, low, high)
	}
	pixel := func(i int) int {
		switch p.Padding {
		case "border":
			return min(max(i, 0), n-1)
		case "reflection":
			return min(max(int(reflect(float32(i), low, high)), 0), n-1)
		}
		if i < 0 || i >= n {
			return -1
		}
		return i
	}
	floor := float32(math.Floor(float64(x)))
	d := x - floor
	switch p.Mode {
	case "nearest":
		t.count = 1
		t.index[0], t.weight[0] = pixel(int(math.RoundToEven(float64(x)))), 1
	case "linear":
		t.count = 2
		t.weight[0], t.weight[1] = 1-d, d
		for k := range 2 {
			t.index[k] = pixel(int(floor) + k)
		}
	case "cubic":
		t.count = 4
		operator.Cubic(t.weight[:], d, -0.75)
		for k := range 4 {
			t.index[k] = pixel(int(floor) + k - 1)
		}
	}
}

// reflect folds x back between two mirrors.
func reflect(x, low, high float32) float32 {
	span := high - low
	if span == 0 {
		return low
	}
	distance := x - low
	if distance < 0 {
		distance = -distance
	}
	turns := float32(math.Floor(float64(distance / span)))
	rest := distance - float32(turns*span)
	if int(turns)%2 == 0 {
		return low + rest
	}
	return high - rest
}
