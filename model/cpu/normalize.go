package cpu

// Normalisations, softmax and reductions. Sums are taken in float64
// in a fixed order.

import (
	"errors"
	"math"
	"slices"

	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

func init() {
	kernels[".LayerNormalization"] = buildLayerNorm
	kernels[".BatchNormalization"] = buildBatchNorm
	kernels[".InstanceNormalization"] = buildGroupNorm
	kernels[".GroupNormalization"] = buildGroupNorm
	kernels[".Softmax"] = buildSoftmax
	kernels[".LogSoftmax"] = buildSoftmax
	for _, name := range []string{"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
		"ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp", "GlobalAveragePool", "GlobalMaxPool"} {
		kernels["."+name] = buildReduce
	}
	kernels[".ArgMax"] = buildArg
	kernels[".ArgMin"] = buildArg
	kernels[".LRN"] = buildLRN
}

func buildLayerNorm(b *builder) (func() error, error) {
	p := b.step.Params.(operator.NormParams)
	s := b.shape(0)
	width := size(s[p.Axis:])
	for i := 1; i < len(b.step.In); i++ {
		if b.has(i) && size(b.shape(i)) != width {
			return nil, errors.New("scale and bias that are broadcast are not supported")
		}
	}
	x, scale, bias, y := b.in(0), b.in(1), b.in(2), b.out(0)
	mean, inverse := b.out(1), b.out(2)
	return b.span(size(s[:p.Axis]), max(1, grain/4/max(width, 1)), func(_, lo, hi int) {
		src, dst, w, v := x(), y(), scale(), bias()
		means, inverses := mean(), inverse()
		if means == nil && inverses == nil {
			vector.NormalizeRows(dst[lo*width:], src[lo*width:], w, v, width, hi-lo, p.Epsilon)
			return
		}
		for r := lo; r < hi; r++ {
			m, i := vector.Normalize(dst[r*width:(r+1)*width], src[r*width:(r+1)*width], w, v, p.Epsilon)
			if means != nil {
				means[r] = m
			}
			if inverses != nil {
				inverses[r] = i
			}
		}
	}), nil
}

func buildBatchNorm(b *builder) (func() error, error) {
	p := b.step.Params.(operator.NormParams)
	s := b.shape(0)
	channels, inner := s[1], size(s[2:])
	x, scale, bias, mean, variance, y := b.in(0), b.in(1), b.in(2), b.in(3), b.in(4), b.out(0)
	return b.span(s[0]*channels, max(1, grain/max(inner, 1)), func(_, lo, hi int) {
		src, dst := x(), y()
		for r := lo; r < hi; r++ {
			c := r % channels
			factor := float64(scale()[c]) / math.Sqrt(float64(variance()[c])+float64(p.Epsilon))
			shift := float64(bias()[c]) - float64(mean()[c])*factor
			for i := r * inner; i < (r+1)*inner; i++ {
				dst[i] = float32(float64(float64(src[i])*factor) + shift)
			}
		}
	}), nil
}

func buildGroupNorm(b *builder) (func() error, error) {
	p := b.step.Params.(operator.NormParams)
	s := b.shape(0)
	channels, inner := s[1], size(s[2:])
	each := channels / p.Groups
	width := each * inner
	x, scale, bias, y := b.in(0), b.in(1), b.in(2), b.out(0)
	return b.span(s[0]*p.Groups, 1, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			dst := y()[r*width : (r+1)*width]
			vector.Normalize(dst, x()[r*width:(r+1)*width], nil, nil, p.Epsilon)
			group := r % p.Groups
			for c := range each {
				at := group
				if p.PerChannel {
					at = group*each + c
				}
				w, v := scale()[at], bias()[at]
				part := dst[c*inner : (c+1)*inner]
				for i := range part {
					part[i] = float32(part[i]*w) + v
				}
			}
		}
	}), nil
}

// softmaxRows writes the softmax of rows of n elements; buffer holds one row.
func softmaxRows(dst, src []float32, n int, buffer *[]float32) {
	padded := roundUp(n, vector.Lanes)
	*buffer = grow(*buffer, padded)
	row := *buffer
	for i := 0; i < len(src); i += n {
		copy(row, src[i:i+n])
		for k := n; k < padded; k++ {
			row[k] = float32(math.Inf(-1))
		}
		factor := 1 / vector.SoftmaxRow(row, 1)
		for k, v := range row[:n] {
			dst[i+k] = v * factor
		}
	}
}

func buildSoftmax(b *builder) (func() error, error) {
	p := b.step.Params.(operator.SoftmaxParams)
	n, inner := p.Length, p.Inner
	total := size(b.outShape(0))
	if total == 0 {
		return func() error { return nil }, nil
	}
	logarithm := b.step.Node.Op == "LogSoftmax"
	x, y := b.in(0), b.out(0)
	weights := b.weights
	return b.span(total/n, max(1, grain/4/n), func(worker, lo, hi int) {
		src, dst := x(), y()
		if inner == 1 && !logarithm {
			softmaxRows(dst[lo*n:hi*n], src[lo*n:hi*n], n, &weights.scratch[worker].scores)
			return
		}
		for r := lo; r < hi; r++ {
			base := r/inner*n*inner + r%inner
			top := float32(math.Inf(-1))
			for i := range n {
				top = maximum(src[base+i*inner], top)
			}
			sum := 0.0
			for i := range n {
				e := vector.ExpOf(src[base+i*inner] - top)
				sum += float64(e)
				if !logarithm {
					dst[base+i*inner] = e
				}
			}
			if logarithm {
				l := float32(math.Log(sum))
				for i := range n {
					dst[base+i*inner] = src[base+i*inner] - top - l
				}
				continue
			}
			scale := float32(1 / sum)
			for i := range n {
				dst[base+i*inner] *= scale
			}
		}
	}), nil
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
	p := b.step.Params.(operator.ReduceParams)
	in := b.shape(0)
	strides := contiguous(in)
	var inner, outer []int // shapes of the reduced and of the kept axes
	var innerStride, outerStride []int
	for i, d := range in {
		if slices.Contains(p.Axes, i) {
			inner, innerStride = append(inner, d), append(innerStride, strides[i])
		} else {
			outer, outerStride = append(outer, d), append(outerStride, strides[i])
		}
	}
	reduced := newStrided(inner, innerStride, 0)
	kept := newStrided(outer, outerStride, 0)
	n, total := size(inner), size(outer)
	op := b.step.Node.Op
	m, x, y := b.memory, b.step.In[0], b.step.Out[0]
	if b.dtype(0) == graph.Int64 {
		return b.span(total, max(1, grain/max(n, 1)), func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				m.i64[y][r] = reduceIntegers(op, reduced, m.i64[x], kept.at(r), n)
			}
		}), nil
	}
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
	if b.dtype(0) == graph.Int64 {
		return argument[int64](b), nil
	}
	return argument[float32](b), nil
}

func argument[T number](b *builder) func() error {
	p := b.step.Params.(operator.ArgParams)
	outer, n, inner := blocks(b.shape(0), p.Axis)
	m, in, y := b.memory, b.step.In[0], b.step.Out[0]
	smallest := b.step.Node.Op == "ArgMin"
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

func buildLRN(b *builder) (func() error, error) {
	p := b.step.Params.(operator.LRNParams)
	s := b.shape(0)
	channels, inner := s[1], size(s[2:])
	before, after := (p.Size-1)/2, p.Size/2
	x, y := b.in(0), b.out(0)
	return b.span(s[0]*channels, max(1, grain/16/max(inner, 1)), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			c := r % channels
			first := r - min(before, c)
			last := r + min(after, channels-1-c)
			src, dst := x(), y()[r*inner:(r+1)*inner]
			for i := range dst {
				sum := 0.0
				for k := first; k <= last; k++ {
					v := float64(src[k*inner+i])
					sum += float64(v * v)
				}
				factor := math.Pow(float64(p.Bias)+float64(float64(p.Alpha)*sum/float64(p.Size)), float64(p.Beta))
				dst[i] = float32(float64(src[r*inner+i]) / factor)
			}
		}
	}), nil
}
