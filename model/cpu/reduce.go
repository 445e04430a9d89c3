// Reductions over axes, indices of extremes, and running sums. Sums are taken in float64 in a fixed order.

package cpu

import (
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

var reduceKernels = map[string]constructor{
	".ReduceMean": buildReduce, ".ReduceSum": buildReduce, ".ReduceMax": buildReduce, ".ReduceMin": buildReduce,
	".ReduceProd": buildReduce, ".ReduceL1": buildReduce, ".ReduceL2": buildReduce, ".ReduceSumSquare": buildReduce,
	".ReduceLogSum": buildReduce, ".ReduceLogSumExp": buildReduce, ".GlobalAveragePool": buildReduce, ".GlobalMaxPool": buildReduce,
	".ArgMax": buildArg, ".ArgMin": buildArg, ".CumSum": buildCumSum,
}

// reducer is a reduction of floats and its final operations.
type reducer struct {
	vector.Reduction
	finish func(acc float64, n int) float64
}

func keep(acc float64, _ int) float64 { return acc }

func mean(acc float64, n int) float64 { return acc / float64(n) }

var reducers = map[string]reducer{
	"ReduceSum":         {vector.ReduceSum, keep},
	"ReduceMean":        {vector.ReduceSum, mean},
	"GlobalAveragePool": {vector.ReduceSum, mean},
	"ReduceMax":         {vector.ReduceMax, keep},
	"GlobalMaxPool":     {vector.ReduceMax, keep},
	"ReduceMin":         {vector.ReduceMin, keep},
	"ReduceProd":        {vector.ReduceProduct, keep},
	"ReduceL1":          {vector.ReduceAbsolutes, keep},
	"ReduceSumSquare":   {vector.ReduceSquares, keep},
	"ReduceL2":          {vector.ReduceSquares, func(acc float64, _ int) float64 { return math.Sqrt(acc) }},
	"ReduceLogSum":      {vector.ReduceSum, func(acc float64, _ int) float64 { return math.Log(acc) }},
}

func buildReduce(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.ReduceParams)
	axes := p.Split(b.Shape(0))
	reduced, kept := newStrided(axes.Reduced, axes.ReducedStrides, 0), newStrided(axes.Kept, axes.KeptStrides, 0)
	n, total := graph.Count(axes.Reduced), graph.Count(axes.Kept)
	op := b.Step.Node.Op
	m, x, y := b.memory, b.Step.In[0], b.Step.Out[0]
	if b.DType(0) == graph.Int64 {
		return b.span(total, max(1, grain/max(n, 1)), func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				m.i64[y][r] = reduceIntegers(op, reduced, m.i64[x], kept.at(r), n)
			}
		}), nil
	}
	if b.Values[x].Levels != nil {
		return meansOfBytes(b, op, p), nil
	}
	if run := meanLast(b, reduced, kept, n); run != nil {
		return run, nil
	}
	floats, results := b.in(0), b.out(0)
	w := newReduction(op, reduced, kept, n)
	scratches := b.weights
	return b.span(total, max(1, grain/max(n, 1)), func(worker, lo, hi int) {
		w.compute(scratches.scratch[worker], results(), floats(), lo, hi)
	}), nil
}

// meansOfBytes is a mean over all pixels of images with channels last that are kept as bytes.
func meansOfBytes(b *builder, op string, p operator.ReduceParams) func() error {
	shape := append([]int{1}, b.Shape(0)[1:]...)
	axes := p.Split(shape)
	n, channels := graph.Count(axes.Reduced), graph.Count(axes.Kept)
	w := newReduction(op, newStrided(axes.Reduced, axes.ReducedStrides, 0), newStrided(axes.Kept, axes.KeptStrides, 0), n)
	x, y, scratches := b.operand(b.Step.In[0]), b.out(0), b.weights
	return b.each(b.Shape(0)[0], func(worker, lo, hi int) {
		s := scratches.scratch[worker]
		for i := lo; i < hi; i++ {
			image := x.part(&s.decoded, i*n*channels, (i+1)*n*channels)
			w.compute(s, y()[i*channels:(i+1)*channels], image, 0, channels)
		}
	})
}

func newReduction(op string, reduced, kept *strided, n int) *reduction {
	w := &reduction{reducer: reducers[op], reduced: reduced, kept: kept, n: n, logSumExp: op == "ReduceLogSumExp"}
	last := len(reduced.shape) - 1
	if w.columns = reduced.strides[last] != 1; w.columns || n == 0 {
		last++ // each element is a run of its own
	}
	w.run = graph.Count(reduced.shape[last:])
	if n == 0 {
		w.run = 0
	} else if runs := n / w.run; runs <= rowBlock*rowBlock {
		w.offsets = w.locate(nil, 0, runs)
	}
	return w
}

// reduction is a reduction over some axes: of runs of contiguous elements, or of neighboring columns.
type reduction struct {
	reducer
	reduced, kept *strided
	n, run        int   // elements of an output, and the contiguous ones among them
	columns       bool  // the outputs' elements follow each other instead
	offsets       []int // of runs; nil if they are too many
	logSumExp     bool
}

// locate is the offsets of runs lo … hi−1.
func (w *reduction) locate(buffer []int, lo, hi int) []int {
	if w.offsets != nil {
		return w.offsets[lo:hi]
	}
	buffer = buffer[:0]
	for i := lo; i < hi; i++ {
		buffer = append(buffer, w.reduced.at(i*w.run))
	}
	return buffer
}

// reducedTogether is the number of offsets that are known together.
const reducedTogether = 1 << 10

// compute writes outputs lo … hi−1, some at a time that lie evenly.
func (w *reduction) compute(s *scratch, y, x []float32, lo, hi int) {
	last := len(w.kept.shape) - 1
	length, stride := w.kept.shape[last], w.kept.strides[last]
	for r := lo; r < hi; {
		count := min(hi-r, length-r%length, reducedPart)
		dst, from := y[r:r+count], x
		if w.n > 0 {
			from = x[w.kept.at(r):]
		}
		var sums [reducedPart]float64
		if w.logSumExp {
			w.logarithms(s, &sums, from, count, stride)
		} else {
			w.reduce(s, w.reducer, &sums, from, count, stride)
			for i, v := range sums[:count] {
				sums[i] = w.finish(v, w.n)
			}
		}
		for i, v := range sums[:count] {
			dst[i] = float32(v)
		}
		r += count
	}
}

// reduce writes the reductions of outputs that are stride elements apart.
func (w *reduction) reduce(s *scratch, f reducer, sums *[reducedPart]float64, x []float32, count, stride int) {
	for i := range sums {
		sums[i] = f.Start()
	}
	w.each(s, func(offsets []int) {
		if w.columns {
			f.Columns(sums[:], x, offsets, count)
			return
		}
		var part [reducedPart]float64
		for _, offset := range offsets {
			f.Rows(part[:], x[offset:], w.run, count, stride)
			for i, v := range part[:count] {
				sums[i] = f.Join(sums[i], v)
			}
		}
	})
}

// each calls f with the offsets of runs in order.
func (w *reduction) each(s *scratch, f func(offsets []int)) {
	if w.run == 0 {
		return
	}
	for runs, i := w.n/w.run, 0; i < runs; i += reducedTogether {
		s.base = slices.Grow(s.base[:0], reducedTogether)
		f(w.locate(s.base, i, min(i+reducedTogether, runs)))
	}
}

// logarithms writes log Σ exp x as m + log Σ exp(x − m), m being the largest.
func (w *reduction) logarithms(s *scratch, sums *[reducedPart]float64, x []float32, count, stride int) {
	var tops [reducedPart]float64
	w.reduce(s, reducer{Reduction: vector.ReduceMax}, &tops, x, count, stride)
	s.scores = grow(s.scores, exponentials)
	buffer, top := s.scores[:exponentials], make([]float32, reducedPart)
	for i, v := range tops[:count] {
		top[i] = float32(v)
	}
	powers := func(x, top []float32, step int) []float32 {
		e := buffer[:len(x)]
		vector.SubRows(e, x, top, 1, step)
		vector.Exp(buffer[:roundUp(len(x), vector.Lanes)], buffer[:roundUp(len(x), vector.Lanes)])
		return e
	}
	w.each(s, func(offsets []int) {
		for _, offset := range offsets {
			if w.columns {
				vector.ReduceSum.Columns(sums[:], powers(x[offset:offset+count], top, 1), []int{0}, count)
				continue
			}
			for i := range count {
				row := x[offset+i*stride:][:w.run]
				for len(row) > 0 {
					k := min(len(row), exponentials)
					sums[i] += vector.Sum(powers(row[:k], top[i:], 0))
					row = row[k:]
				}
			}
		}
	})
	for i, v := range sums[:count] {
		sums[i] = tops[i] + math.Log(v)
	}
}

// exponentials is the number of elements whose exponentials are added up together.
const exponentials = 256

// at is where element i lies.
func (s *strided) at(i int) int {
	offset := s.base
	for k := len(s.shape) - 1; k >= 0; k-- {
		offset += i % s.shape[k] * s.strides[k]
		i /= s.shape[k]
	}
	return offset
}

func reduceIntegers(op string, s *strided, src []int64, base, n int) int64 {
	var acc int64
	if op == "ReduceProd" {
		acc = 1
	}
	for i := range n {
		v := src[base+s.at(i)]
		switch op {
		case "ReduceMax":
			if i == 0 || v > acc {
				acc = v
			}
		case "ReduceMin":
			if i == 0 || v < acc {
				acc = v
			}
		case "ReduceProd":
			acc *= v
		case "ReduceL1":
			acc += max(v, -v)
		case "ReduceSumSquare":
			acc += v * v
		default:
			acc += v
		}
	}
	if op == "ReduceMean" && n > 0 {
		return acc / int64(n)
	}
	return acc
}

func buildArg(b *builder) (func() error, error) {
	if b.DType(0) == graph.Int64 {
		return argument[int64](b), nil
	}
	return floatArgument(b), nil
}

// floatArgument is argument for adjacent columns, and for rows whose extreme is computed before its index.
func floatArgument(b *builder) func() error {
	p := b.Step.Params.(operator.ArgParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	smallest := b.Step.Node.Op == "ArgMin"
	if n > math.MaxInt32 {
		return argument[float32](b)
	}
	order, top := vector.Greater, vector.ReduceMax
	if smallest {
		order, top = vector.Less, vector.ReduceMin
	}
	if p.Last {
		order++
	}
	m, y, floats := b.memory, b.Step.Out[0], b.in(0)
	if inner == 1 {
		return b.span(outer, max(1, grain/max(n, 1)), func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				m.i64[y][r] = int64(place(floats()[r*n:(r+1)*n], order, top))
			}
		})
	}
	parts := (inner + reducedPart - 1) / reducedPart
	return b.span(outer*parts, max(1, grain/(reducedPart*max(n, 1))), func(_, lo, hi int) {
		var best [reducedPart]float32
		var indices [reducedPart]int32
		for t := lo; t < hi; t++ {
			c := t % parts * reducedPart
			width := min(reducedPart, inner-c)
			x := floats()[t/parts*n*inner+c:]
			copy(best[:width], x)
			clear(indices[:])
			for i := 1; i < n; i++ {
				order.Overtake(best[:width], x[i*inner:], indices[:width], int32(i))
			}
			for k, v := range indices[:width] {
				m.i64[y][t/parts*inner+c+k] = int64(v)
			}
		}
	})
}

// place is the index of a row's extreme, from the first or last piece that has it. With a NaN, it examines the elements
// one by one.
func place(x []float32, order vector.Order, f vector.Reduction) int {
	var tops [reducedPart]float64
	size := roundUp((len(x)+reducedPart-1)/reducedPart, vector.Lanes)
	whole := len(x) / size
	f.Rows(tops[:], x, size, whole, size)
	pieces := whole
	if rest := x[whole*size:]; len(rest) > 0 {
		f.Rows(tops[whole:], rest, len(rest), 1, 0)
		pieces++
	}
	best, last := 0, order == vector.GreaterOrEqual || order == vector.LessOrEqual
	for i, v := range tops[:pieces] {
		if v != v {
			return placeAmong(x, order)
		}
		if f.Join(v, tops[best]) == v && (v != tops[best] || last) {
			best = i
		}
	}
	return best*size + placeAmong(x[best*size:min(len(x), (best+1)*size)], order)
}

// placeAmong goes through the elements; a NaN in front stays.
func placeAmong(x []float32, order vector.Order) int {
	best := 0
	for i, v := range x {
		w := x[best]
		if i > 0 && (v > w && order <= vector.GreaterOrEqual || v < w && order >= vector.Less ||
			v == w && (order == vector.GreaterOrEqual || order == vector.LessOrEqual)) {
			best = i
		}
	}
	return best
}

func argument[T number](b *builder) func() error {
	p := b.Step.Params.(operator.ArgParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	m, in, y := b.memory, b.Step.In[0], b.Step.Out[0]
	smallest := b.Step.Node.Op == "ArgMin"
	return b.span(outer*inner, max(1, grain/max(n, 1)), func(_, lo, hi int) {
		x := slots[T](m)[in]
		for r := lo; r < hi; r++ {
			base := r/inner*n*inner + r%inner
			best := 0
			for i := 1; i < n; i++ {
				v, w := x[base+i*inner], x[base+best*inner]
				if smallest {
					v, w = w, v
				}
				if v > w || p.Last && v == w {
					best = i
				}
			}
			m.i64[y][r] = int64(best)
		}
	})
}

func buildCumSum(b *builder) (func() error, error) {
	return forType(b, 0, cumSum[float32], cumSum[int64], nil)
}

func cumSum[T number](b *builder) (func() error, error) {
	p := b.Step.Params.(operator.CumSumParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	m, in, out := b.memory, b.Step.In[0], b.Step.Out[0]
	switch {
	case b.DType(0) != graph.Float32 || outer*n*inner == 0:
	case inner > 1:
		return sumColumns(b, p, outer, n, inner), nil
	case outer >= vector.Lanes && n > 1:
		return sumTurned(b, p, outer, n), nil
	}
	return b.span(outer*inner, max(1, grain/max(n, 1)), func(_, lo, hi int) {
		x, y := slots[T](m)[in], slots[T](m)[out]
		for r := lo; r < hi; r++ {
			base := r/inner*n*inner + r%inner
			var sum T
			for i := range n {
				if p.Reverse {
					i = n - 1 - i
				}
				before := sum
				sum += x[base+i*inner]
				if p.Exclusive {
					y[base+i*inner] = before
				} else {
					y[base+i*inner] = sum
				}
			}
		}
	}), nil
}

// sumColumns is running sums of adjacent columns.
func sumColumns(b *builder, p operator.CumSumParams, outer, n, inner int) func() error {
	parts := (inner + reducedPart - 1) / reducedPart
	x, y := b.in(0), b.out(0)
	return b.span(outer*parts, max(1, grain/(reducedPart*max(n, 1))), func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			c := t % parts * reducedPart
			at := t/parts*n*inner + c
			var sums [reducedPart]float32
			runningSums(sums[:min(reducedPart, inner-c)], y()[at:], x()[at:], n, inner, p)
		}
	})
}

// turnedDepth is how many elements of a row running sums take at a time.
const turnedDepth = 256

// sumTurned is running sums of rows, processed in groups as columns because each addition depends on the one before.
func sumTurned(b *builder, p operator.CumSumParams, outer, n int) func() error {
	x, y, weights := b.in(0), b.out(0), b.weights
	return b.span((outer+reducedPart-1)/reducedPart, max(1, grain/(reducedPart*n)), func(worker, lo, hi int) {
		s := weights.scratch[worker]
		s.frames = grow(s.frames, min(n, turnedDepth)*reducedPart)
		for t := lo; t < hi; t++ {
			from := t * reducedPart
			var sums [reducedPart]float32
			sum := sums[:min(reducedPart, outer-from)]
			for d := 0; d < n; d += turnedDepth {
				depth := min(turnedDepth, n-d)
				offset := from*n + d
				if p.Reverse {
					offset = from*n + n - d - depth
				}
				kernel.Transpose(s.frames, reducedPart, x()[offset:], n, len(sum), depth)
				runningSums(sum, s.frames, s.frames, depth, reducedPart, p)
				kernel.Transpose(y()[offset:], n, s.frames, reducedPart, depth, len(sum))
			}
		}
	})
}

// runningSums continues the sums of neighboring columns by n elements each. dst and src may be the same.
func runningSums(sums, dst, src []float32, n, stride int, p operator.CumSumParams) {
	var before [reducedPart]float32
	for i := range n {
		if p.Reverse {
			i = n - 1 - i
		}
		to := sums
		if p.Exclusive {
			to = before[:copy(before[:], sums)]
		}
		vector.AddRows(sums, sums, src[i*stride:], 1, 1)
		copy(dst[i*stride:], to)
	}
}

// meanLast is sums and means over axes before the last one, treated as the channels of an image; nil for others. The
// order of the terms is the order of the loop over one output.
func meanLast(b *builder, reduced, kept *strided, n int) func() error {
	op := b.Step.Node.Op
	inner := len(kept.shape) - 1
	channels := kept.shape[inner]
	if op != "ReduceMean" && op != "ReduceSum" && op != "GlobalAveragePool" || n == 0 || n > rowBlock*rowBlock ||
		kept.strides[inner] != 1 || reduced.strides[len(reduced.strides)-1] == 1 || channels == 1 {
		return nil
	}
	count := float64(n)
	if op == "ReduceSum" {
		count = 1
	}
	offsets := make([]int, n)
	for i := range offsets {
		offsets[i] = reduced.at(i)
	}
	parts := (channels + reducedPart - 1) / reducedPart
	x, y := b.in(0), b.out(0)
	return b.span(graph.Count(kept.shape[:inner])*parts, max(1, grain/(n*reducedPart/4)), func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			first := t / parts * channels
			c := t % parts * reducedPart
			width := min(reducedPart, channels-c)
			vector.MeanWindows(y()[first+c:][:width], x()[kept.at(first+c):], offsets, width, 0, 1, count)
		}
	})
}

// reducedPart is the number of neighboring sums that a worker takes together.
const reducedPart = 64
