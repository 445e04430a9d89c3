package cpu

// Operators that read or write at indices, and running sums. They are written
// once for every element type.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

func init() {
	kernels[".OneHot"] = forType(2, buildOneHot[float32], buildOneHot[int64], buildOneHot[bool])
	kernels[".GatherElements"] = forType(0, buildGatherElements[float32], buildGatherElements[int64], buildGatherElements[bool])
	kernels[".GatherND"] = forType(0, buildGatherND[float32], buildGatherND[int64], buildGatherND[bool])
	kernels[".ScatterElements"] = forType(0, buildScatterElements[float32], buildScatterElements[int64], buildScatterElements[bool])
	kernels[".ScatterND"] = forType(0, buildScatterND[float32], buildScatterND[int64], buildScatterND[bool])
	kernels[".TopK"] = forType(0, buildTopK[float32], buildTopK[int64], nil)
	kernels[".CumSum"] = forType(0, buildCumSum[float32], buildCumSum[int64], nil)
}

// element is any type of a value.
type element interface{ float32 | int64 | bool }

// slots are the elements of all values of one type.
func slots[T element](m *memory) [][]T {
	var zero T
	switch any(zero).(type) {
	case float32:
		return *any(&m.f32).(*[][]T)
	case int64:
		return *any(&m.i64).(*[][]T)
	}
	return *any(&m.bits).(*[][]T)
}

// forType chooses a constructor by the type of input i.
func forType(i int, floats, integers, bits func(*builder) (func() error, error)) func(*builder) (func() error, error) {
	return func(b *builder) (func() error, error) {
		switch b.dtype(i) {
		case graph.Float32:
			return floats(b)
		case graph.Int64:
			return integers(b)
		}
		return bits(b)
	}
}

// resolve turns a possibly negative index into a position.
func resolve(index int64, n int) (int, error) {
	if index < int64(-n) || index >= int64(n) {
		return 0, fmt.Errorf("index %d is out of range for an axis of %d", index, n)
	}
	if index < 0 {
		index += int64(n)
	}
	return int(index), nil
}

func buildOneHot[T element](b *builder) (func() error, error) {
	p := b.step.Params.(operator.OneHotParams)
	m, in, values, out := b.memory, b.step.In[0], b.step.In[2], b.step.Out[0]
	outer, depth, inner := blocks(b.outShape(0), p.Axis)
	floats := b.dtype(0) == graph.Float32
	return func() error {
		y, v := slots[T](m)[out], slots[T](m)[values]
		fill(y, v[0])
		for r := range outer {
			for i := range inner {
				var k int64
				if floats {
					k = truncate(m.f32[in][r*inner+i])
				} else {
					k = m.i64[in][r*inner+i]
				}
				if k < 0 {
					k += int64(depth)
				}
				// An index that is out of range leaves all classes off.
				if k >= 0 && k < int64(depth) {
					y[(r*depth+int(k))*inner+i] = v[1]
				}
			}
		}
		return nil
	}, nil
}

// walk visits the positions of a shape in order and gives where each lies
// in an array of the given strides, without the axis (−1: with all of them).
func walk(shape, strides []int, axis int, f func(i, at int) error) error {
	position := make([]int, len(shape))
	at := 0
	for i := range size(shape) {
		if err := f(i, at); err != nil {
			return err
		}
		for a := len(shape) - 1; a >= 0; a-- {
			step := strides[a]
			if a == axis {
				step = 0
			}
			position[a]++
			at += step
			if position[a] < shape[a] {
				break
			}
			at -= shape[a] * step
			position[a] = 0
		}
	}
	return nil
}

func buildGatherElements[T element](b *builder) (func() error, error) {
	axis := b.step.Params.(operator.AxisParams).Axis
	in, index := b.shape(0), b.shape(1)
	strides := contiguous(in)
	m, x, k, y := b.memory, b.step.In[0], b.step.In[1], b.step.Out[0]
	return func() error {
		src, dst, list := slots[T](m)[x], slots[T](m)[y], m.i64[k]
		return walk(index, strides, axis, func(i, at int) error {
			j, err := resolve(list[i], in[axis])
			if err != nil {
				return err
			}
			dst[i] = src[at+j*strides[axis]]
			return nil
		})
	}, nil
}

// offsets computes where the index tuples of GatherND and ScatterND point: tuple
// i of width numbers names a place among the axes from first on.
func tupleOffset(list []int64, in, strides []int, first int) (int, error) {
	at := 0
	for a, index := range list {
		j, err := resolve(index, in[first+a])
		if err != nil {
			return 0, err
		}
		at += j * strides[first+a]
	}
	return at, nil
}

func buildGatherND[T element](b *builder) (func() error, error) {
	batch := b.step.Params.(operator.GatherNDParams).Batch
	in, index := b.shape(0), b.shape(1)
	strides := contiguous(in)
	width := index[len(index)-1]
	block := size(in[batch+width:])
	tuples := size(index[:len(index)-1])
	each := size(index[batch : len(index)-1]) // tuples per batch
	plane := size(in[batch:])
	m, x, k, y := b.memory, b.step.In[0], b.step.In[1], b.step.Out[0]
	return func() error {
		src, dst, list := slots[T](m)[x], slots[T](m)[y], m.i64[k]
		for i := range tuples {
			at, err := tupleOffset(list[i*width:(i+1)*width], in, strides, batch)
			if err != nil {
				return err
			}
			at += i / each * plane
			copy(dst[i*block:(i+1)*block], src[at:])
		}
		return nil
	}, nil
}

// join is how a scattered update meets what is there.
func join[T element](reduction string) func(old, update T) T {
	var f any
	switch any(*new(T)).(type) {
	case float32:
		f = map[string]func(x, y float32) float32{"add": add[float32], "mul": mul[float32], "max": maximum, "min": minimum}[reduction]
	case int64:
		f = map[string]func(x, y int64) int64{"add": add[int64], "mul": mul[int64],
			"max": func(x, y int64) int64 { return max(x, y) }, "min": func(x, y int64) int64 { return min(x, y) }}[reduction]
	}
	if g, ok := f.(func(x, y T) T); ok && g != nil {
		return g
	}
	return func(_, update T) T { return update }
}

func buildScatterElements[T element](b *builder) (func() error, error) {
	p := b.step.Params.(operator.ScatterParams)
	in, index := b.shape(0), b.shape(1)
	strides := contiguous(in)
	m, x, k, u, y := b.memory, b.step.In[0], b.step.In[1], b.step.In[2], b.step.Out[0]
	meet := join[T](p.Reduction)
	return func() error {
		dst, updates, list := slots[T](m)[y], slots[T](m)[u], m.i64[k]
		copy(dst, slots[T](m)[x])
		return walk(index, strides, p.Axis, func(i, at int) error {
			j, err := resolve(list[i], in[p.Axis])
			if err != nil {
				return err
			}
			at += j * strides[p.Axis]
			dst[at] = meet(dst[at], updates[i])
			return nil
		})
	}, nil
}

func buildScatterND[T element](b *builder) (func() error, error) {
	p := b.step.Params.(operator.ScatterParams)
	in, index := b.shape(0), b.shape(1)
	strides := contiguous(in)
	width := index[len(index)-1]
	block := size(in[width:])
	m, x, k, u, y := b.memory, b.step.In[0], b.step.In[1], b.step.In[2], b.step.Out[0]
	meet := join[T](p.Reduction)
	return func() error {
		dst, updates, list := slots[T](m)[y], slots[T](m)[u], m.i64[k]
		copy(dst, slots[T](m)[x])
		for i := range size(index[:len(index)-1]) {
			at, err := tupleOffset(list[i*width:(i+1)*width], in, strides, 0)
			if err != nil {
				return err
			}
			for j := range block {
				dst[at+j] = meet(dst[at+j], updates[i*block+j])
			}
		}
		return nil
	}, nil
}

func buildCumSum[T number](b *builder) (func() error, error) {
	p := b.step.Params.(operator.CumSumParams)
	outer, n, inner := blocks(b.shape(0), p.Axis)
	m, in, out := b.memory, b.step.In[0], b.step.Out[0]
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

// ranked is an element with a key in the order of the elements.
type ranked struct {
	key   int64
	index int
}

// key orders numbers: NaN is above all others.
func key[T number](v T) int64 {
	switch v := any(v).(type) {
	case int64:
		return v
	case float32:
		if v != v {
			return math.MaxInt32
		}
		bits := int32(math.Float32bits(v + 0)) // −0 is 0
		if bits < 0 {
			bits = math.MinInt32 - bits
		}
		return int64(bits)
	}
	return 0
}

// buildTopK sorts the elements along an axis, equal ones by index, and keeps the first.
func buildTopK[T number](b *builder) (func() error, error) {
	p := b.step.Params.(operator.TopKParams)
	outer, n, inner := blocks(b.shape(0), p.Axis)
	if outer*inner*p.K == 0 {
		return func() error { return nil }, nil
	}
	m, in, out, index := b.memory, b.step.In[0], b.step.Out[0], -1
	if len(b.step.Out) > 1 {
		index = b.step.Out[1]
	}
	ascending := func(a, b ranked) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.index, b.index)) }
	descending := func(a, b ranked) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.index, b.index)) }
	order := ascending
	if p.Largest {
		order = descending
	}
	weights := b.weights
	return b.span(outer*inner, max(1, grain/16/n), func(worker, lo, hi int) {
		s := &weights.scratch[worker]
		if cap(s.ranks) < n {
			s.ranks = make([]ranked, n)
		}
		list := s.ranks[:n]
		for r := lo; r < hi; r++ {
			x := slots[T](m)[in][r/inner*n*inner+r%inner:]
			for i := range list {
				list[i] = ranked{key(x[i*inner]), i}
			}
			slices.SortFunc(list, order)
			at := r/inner*p.K*inner + r%inner
			for i, e := range list[:p.K] {
				if out >= 0 {
					slots[T](m)[out][at+i*inner] = x[e.index*inner]
				}
				if index >= 0 {
					m.i64[index][at+i*inner] = int64(e.index)
				}
			}
		}
	}), nil
}
