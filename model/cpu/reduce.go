// Reductions over axes, places of extremes, and running sums. Sums are taken in float64 in a fixed order.

package cpu

import (
	"math"

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

// reducer is a reduction of float64 terms: the start, each step and the end.
type reducer struct {
	start  float64
	step   func(acc, x float64) float64
	finish func(acc float64, n int) float64
}

func keep(acc float64, _ int) float64 { return acc }

func plus(acc, x float64) float64 { return acc + x }

func larger(acc, x float64) float64 { return max(acc, x) } // NaN wins

func mean(acc float64, n int) float64 { return acc / float64(n) }

var reducers = map[string]reducer{
	"ReduceSum":         {0, plus, keep},
	"ReduceMean":        {0, plus, mean},
	"GlobalAveragePool": {0, plus, mean},
	"ReduceMax":         {math.Inf(-1), larger, keep},
	"GlobalMaxPool":     {math.Inf(-1), larger, keep},
	"ReduceMin":         {math.Inf(1), func(acc, x float64) float64 { return min(acc, x) }, keep},
	"ReduceProd":        {1, func(acc, x float64) float64 { return acc * x }, keep},
	"ReduceL1":          {0, func(acc, x float64) float64 { return acc + math.Abs(x) }, keep},
	"ReduceSumSquare":   {0, func(acc, x float64) float64 { return acc + float64(x*x) }, keep},
	"ReduceL2":          {0, func(acc, x float64) float64 { return acc + float64(x*x) }, func(acc float64, _ int) float64 { return math.Sqrt(acc) }},
	"ReduceLogSum":      {0, plus, func(acc float64, _ int) float64 { return math.Log(acc) }},
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
	if run := meanLast(b, reduced, kept, n); run != nil {
		return run, nil
	}
	b.scalar(op)
	f := reducers[op]
	logSumExp := op == "ReduceLogSumExp"
	last := len(reduced.shape) - 1
	return b.span(total, max(1, grain/max(n, 1)), func(_, lo, hi int) {
		src := m.f32[x]
		for r := lo; r < hi; r++ {
			base := kept.at(r)
			if logSumExp {
				top := math.Inf(-1)
				for i := range n {
					top = max(top, float64(src[base+reduced.at(i)]))
				}
				sum := 0.0
				for i := range n {
					sum += math.Exp(float64(src[base+reduced.at(i)]) - top)
				}
				m.f32[y][r] = float32(top + math.Log(sum))
				continue
			}
			acc := f.start
			if n > 0 && op == "ReduceMean" && last == 0 && reduced.strides[0] == 1 {
				acc = vector.Sum(src[base : base+n])
			} else if n > 0 {
				row, step := reduced.shape[last], reduced.strides[last]
				for i := 0; i < n; i += row {
					at := base + reduced.at(i)
					for range row {
						acc = f.step(acc, float64(src[at]))
						at += step
					}
				}
			}
			m.f32[y][r] = float32(f.finish(acc, n))
		}
	}), nil
}

// at is where element i lies.
func (s *strided) at(i int) int {
	at := s.base
	for k := len(s.shape) - 1; k >= 0; k-- {
		at += i % s.shape[k] * s.strides[k]
		i /= s.shape[k]
	}
	return at
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
	return argument[float32](b), nil
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

// meanLast is sums and means over axes before the last one, which is taken as the channels of an image; nil for others.
// The order of the terms is that of the loop over one output.
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
