// Operators that read or write at indices, or give them. They are written
// once for every element type.

package cpu

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

var indexKernels = map[string]constructor{
	".Gather": buildGather, ".GatherElements": buildGatherElements, ".GatherND": buildGatherND,
	".ScatterElements": buildScatterElements, ".ScatterND": buildScatterND, ".OneHot": buildOneHot, ".TopK": buildTopK,
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

func buildOneHot(b *builder) (func() error, error) {
	return forType(b, 2, oneHot[float32], oneHot[int64], oneHot[bool])
}

func oneHot[T element](b *builder) (func() error, error) {
	p := b.Step.Params.(operator.OneHotParams)
	m, in, values, out := b.memory, b.Step.In[0], b.Step.In[2], b.Step.Out[0]
	outer, depth, inner := graph.Around(b.OutShape(0), p.Axis)
	floats := b.DType(0) == graph.Float32
	return func() error {
		y, v := slots[T](m)[out], slots[T](m)[values]
		fill(y, v[0])
		for r := range outer {
			for i := range inner {
				var k int64
				if floats {
					k = integerOf(float64(m.f32[in][r*inner+i]), 0)
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

// walk visits the positions of a shape in order with their offsets in an array of these strides, without the axis (−1:
// with all of them).
func walk(shape, strides []int, axis int, f func(i, offset int) error) error {
	position := make([]int, len(shape))
	index := 0
	for i := range graph.Count(shape) {
		if err := f(i, index); err != nil {
			return err
		}
		for a := len(shape) - 1; a >= 0; a-- {
			step := strides[a]
			if a == axis {
				step = 0
			}
			position[a]++
			index += step
			if position[a] < shape[a] {
				break
			}
			index -= shape[a] * step
			position[a] = 0
		}
	}
	return nil
}

func buildGatherElements(b *builder) (func() error, error) {
	return forType(b, 0, gatherElements[float32], gatherElements[int64], gatherElements[bool])
}

func gatherElements[T element](b *builder) (func() error, error) {
	axis := b.Step.Params.(operator.AxisParams).Axis
	in, index := b.Shape(0), b.Shape(1)
	strides := graph.RowMajor(in)
	m, x, k, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.Out[0]
	return func() error {
		src, dst, list := slots[T](m)[x], slots[T](m)[y], m.i64[k]
		return walk(index, strides, axis, func(i, offset int) error {
			j, err := resolve(list[i], in[axis])
			if err != nil {
				return err
			}
			dst[i] = src[offset+j*strides[axis]]
			return nil
		})
	}, nil
}

// tupleOffset computes the offset of an index tuple of GatherND and ScatterND: tuple i of width numbers is a position
// along the axes from first on.
func tupleOffset(list []int64, in, strides []int, first int) (int, error) {
	offset := 0
	for a, index := range list {
		j, err := resolve(index, in[first+a])
		if err != nil {
			return 0, err
		}
		offset += j * strides[first+a]
	}
	return offset, nil
}

func buildGatherND(b *builder) (func() error, error) {
	return forType(b, 0, gatherND[float32], gatherND[int64], gatherND[bool])
}

func gatherND[T element](b *builder) (func() error, error) {
	batch := b.Step.Params.(operator.GatherNDParams).Batch
	in, index := b.Shape(0), b.Shape(1)
	strides := graph.RowMajor(in)
	width := index[len(index)-1]
	block := graph.Count(in[batch+width:])
	tuples := graph.Count(index[:len(index)-1])
	each := graph.Count(index[batch : len(index)-1]) // tuples per batch
	plane := graph.Count(in[batch:])
	m, x, k, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.Out[0]
	return func() error {
		src, dst, list := slots[T](m)[x], slots[T](m)[y], m.i64[k]
		for i := range tuples {
			offset, err := tupleOffset(list[i*width:(i+1)*width], in, strides, batch)
			if err != nil {
				return err
			}
			offset += i / each * plane
			copy(dst[i*block:(i+1)*block], src[offset:])
		}
		return nil
	}, nil
}

// join combines a scattered update with the old element.
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

func buildScatterElements(b *builder) (func() error, error) {
	return forType(b, 0, scatterElements[float32], scatterElements[int64], scatterElements[bool])
}

func scatterElements[T element](b *builder) (func() error, error) {
	p := b.Step.Params.(operator.ScatterParams)
	in, index := b.Shape(0), b.Shape(1)
	strides := graph.RowMajor(in)
	m, x, k, u, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.In[2], b.Step.Out[0]
	meet := join[T](p.Reduction)
	return func() error {
		dst, updates, list := slots[T](m)[y], slots[T](m)[u], m.i64[k]
		copy(dst, slots[T](m)[x])
		return walk(index, strides, p.Axis, func(i, offset int) error {
			j, err := resolve(list[i], in[p.Axis])
			if err != nil {
				return err
			}
			offset += j * strides[p.Axis]
			dst[offset] = meet(dst[offset], updates[i])
			return nil
		})
	}, nil
}

func buildScatterND(b *builder) (func() error, error) {
	return forType(b, 0, scatterND[float32], scatterND[int64], scatterND[bool])
}

func scatterND[T element](b *builder) (func() error, error) {
	p := b.Step.Params.(operator.ScatterParams)
	in, index := b.Shape(0), b.Shape(1)
	strides := graph.RowMajor(in)
	width := index[len(index)-1]
	block := graph.Count(in[width:])
	m, x, k, u, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.In[2], b.Step.Out[0]
	meet := join[T](p.Reduction)
	return func() error {
		dst, updates, list := slots[T](m)[y], slots[T](m)[u], m.i64[k]
		copy(dst, slots[T](m)[x])
		for i := range graph.Count(index[:len(index)-1]) {
			offset, err := tupleOffset(list[i*width:(i+1)*width], in, strides, 0)
			if err != nil {
				return err
			}
			for j := range block {
				dst[offset+j] = meet(dst[offset+j], updates[i*block+j])
			}
		}
		return nil
	}, nil
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
func buildTopK(b *builder) (func() error, error) {
	return forType(b, 0, topK[float32], topK[int64], nil)
}

func topK[T number](b *builder) (func() error, error) {
	p := b.Step.Params.(operator.TopKParams)
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	if outer*inner*p.K == 0 {
		return func() error { return nil }, nil
	}
	m, in, out, index := b.memory, b.Step.In[0], b.Step.Out[0], -1
	if len(b.Step.Out) > 1 {
		index = b.Step.Out[1]
	}
	ascending := func(a, b ranked) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.index, b.index)) }
	descending := func(a, b ranked) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.index, b.index)) }
	order := ascending
	if p.Largest {
		order = descending
	}
	weights := b.weights
	return b.span(outer*inner, max(1, grain/16/n), func(worker, lo, hi int) {
		s := weights.scratch[worker]
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
			offset := r/inner*p.K*inner + r%inner
			for i, e := range list[:p.K] {
				if out >= 0 {
					slots[T](m)[out][offset+i*inner] = x[e.index*inner]
				}
				if index >= 0 {
					m.i64[index][offset+i*inner] = int64(e.index)
				}
			}
		}
	}), nil
}

func buildGather(b *builder) (func() error, error) {
	axis := b.Step.Params.(operator.AxisParams).Axis
	m, x, index, y := b.memory, b.Step.In[0], b.Step.In[1], b.Step.Out[0]
	outer, n, inner := graph.Around(b.Shape(0), axis)
	count := graph.Count(b.Shape(1))
	if inner == 0 {
		return func() error { return nil }, nil // nothing is read, wherever it is
	}
	t, pool := b.DType(0), b.pool
	return b.span(outer*count, max(1, grain/max(inner, 1)), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			k := int(m.i64[index][r%count])
			if k < -n || k >= n {
				(*pool).fail(fmt.Errorf("index %d is out of range for an axis of %d", k, n))
				return
			}
			if k < 0 {
				k += n
			}
			offset := (r/count*n + k) * inner
			switch t {
			case graph.Float32:
				copy(m.f32[y][r*inner:(r+1)*inner], m.f32[x][offset:])
			case graph.Int64:
				copy(m.i64[y][r*inner:(r+1)*inner], m.i64[x][offset:])
			case graph.Bool:
				copy(m.bits[y][r*inner:(r+1)*inner], m.bits[x][offset:])
			}
		}
	}), nil
}
