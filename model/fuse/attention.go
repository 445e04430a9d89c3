// Attention: softmax(scale·Q·Kᵀ + mask)·V as one step that reads Q, K and V
// where they lie, whatever splits, reshapes and transpositions made them.

package fuse

import (
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// access is a value as a view of another that exists in memory.
type access struct {
	operator.View
	id       int
	shape    []int
	factor   float32
	cos, sin int   // the tables of a rotary embedding, or −1
	turned   []int // strides of rows and columns when it was applied
}

// access follows a value back through steps that only move elements or multiply by a number.
func (f *fuser) access(id int) access {
	shape := f.Values[id].Shape
	own := access{id: id, shape: shape, View: operator.View{Strides: graph.RowMajor(shape)}, factor: 1, cos: -1, sin: -1}
	if f.producer[id] < 0 || f.Values[id].DType != graph.Float32 {
		return own
	}
	s := &f.Steps[f.producer[id]]
	if s.Node.Domain != "" {
		return own
	}
	through := own
	ok := false
	switch {
	case s.Node.Op == "Transpose":
		through, ok = f.access(s.In[0]), true
		perm := s.Params.(operator.TransposeParams).Perm
		through.shape, through.Strides = permuted(through.shape, perm), permuted(through.Strides, perm)
	case s.Op.View && len(s.Out) == 1:
		through = f.access(s.In[0])
		through.Strides, ok = reshapeStrides(through.shape, through.Strides, shape)
		through.shape = shape
	case s.Node.Op == "Split":
		through, ok = f.throughSplit(s, id)
	case s.Node.Op == "Gather":
		through, ok = f.throughGather(s, shape)
	case s.Node.Op == "Slice":
		through, ok = f.throughSlice(s, shape)
	case s.Node.Op == "Mul" || s.Node.Op == "Div":
		through, ok = f.throughFactor(s, shape)
	case s.Node.Op == "Add":
		return f.rotary(s, own)
	}
	if !ok {
		return own
	}
	return through
}

// throughSplit is one of the pieces of another value.
func (f *fuser) throughSplit(s *graph.Step, id int) (access, bool) {
	p, ok := s.Params.(operator.SplitParams)
	if !ok {
		return access{}, false
	}
	a := f.access(s.In[0])
	for k := range slices.Index(s.Out, id) {
		a.Offset += p.Sizes[k] * a.Strides[p.Axis]
	}
	a.shape = f.Values[id].Shape
	return a, true
}

// throughGather is what lies at one index of another value.
func (f *fuser) throughGather(s *graph.Step, shape []int) (access, bool) {
	p, ok := s.Params.(operator.AxisParams)
	index := f.number(s.In[1])
	rank := len(f.Values[s.In[0]].Shape)
	if !ok || math.IsNaN(index) || len(shape) != rank-1 && len(f.Values[s.In[1]].Shape) != 1 {
		return access{}, false
	}
	a := f.access(s.In[0])
	if index < 0 {
		index += float64(a.shape[p.Axis])
	}
	a.Offset += int(index) * a.Strides[p.Axis]
	a.Strides = slices.Clone(a.Strides)
	if len(shape) == rank-1 {
		a.Strides = slices.Delete(a.Strides, p.Axis, p.Axis+1)
	}
	a.shape = shape
	return a, true
}

func (f *fuser) throughSlice(s *graph.Step, shape []int) (access, bool) {
	p, ok := s.Params.(operator.SliceParams)
	if !ok {
		return access{}, false
	}
	a := f.access(s.In[0])
	a.Strides = slices.Clone(a.Strides)
	for k := range shape {
		a.Offset += p.Start[k] * a.Strides[k]
		a.Strides[k] *= p.Step[k]
	}
	a.shape = shape
	return a, true
}

// throughFactor is another value times or divided by a positive number.
func (f *fuser) throughFactor(s *graph.Step, shape []int) (access, bool) {
	x, c := s.In[0], s.In[1]
	if s.Node.Op == "Mul" && f.constant(x) {
		x, c = c, x
	}
	v := f.number(c)
	if !(v > 0) || math.IsInf(v, 0) || !slices.Equal(f.Values[x].Shape, shape) {
		return access{}, false
	}
	if s.Node.Op == "Div" {
		v = 1 / v
	}
	a := f.access(x)
	a.factor *= float32(v)
	return a, true
}

// rotary recognizes x·cos + (−x₂, x₁)·sin.
func (f *fuser) rotary(s *graph.Step, own access) access {
	rank := len(own.shape)
	if rank < 2 {
		return own
	}
	rows, width := own.shape[rank-2], own.shape[rank-1]
	table := func(id int) bool {
		shape := f.Values[id].Shape
		return f.constant(id) && len(shape) >= 2 && slices.Equal(shape[len(shape)-2:], own.shape[rank-2:]) && graph.Count(shape) == rows*width
	}
	for k := range 2 {
		plain, crossed := f.from(s.In[k], "Mul"), f.from(s.In[1-k], "Mul")
		if plain == nil || crossed == nil {
			return own
		}
		cos, x, ok := pair(plain, table)
		if !ok {
			return own
		}
		sin, swapped, ok := pair(crossed, table)
		if !ok {
			return own
		}
		join := f.from(swapped, "Concat")
		if join == nil || len(join.In) != 2 || join.Params.(operator.AxisParams).Axis != rank-1 {
			continue
		}
		negative := f.from(join.In[0], "Neg")
		if negative == nil || !slices.Equal(f.Values[x].Shape, own.shape) ||
			!f.isHalf(negative.In[0], x, width/2) || !f.isHalf(join.In[1], x, 0) {
			return own
		}
		a := f.access(x)
		if a.cos >= 0 {
			return own
		}
		a.cos, a.sin, a.turned = cos, sin, slices.Clone(a.Strides[rank-2:])
		return a
	}
	return own
}

// isHalf reports whether a value is half of x along the last axis, from the given element on.
func (f *fuser) isHalf(id, x, from int) bool {
	a, b := f.access(id), f.access(x)
	last := len(b.shape) - 1
	half := slices.Clone(b.shape)
	half[last] /= 2
	return b.shape[last]%2 == 0 && a.id == b.id && slices.Equal(a.shape, half) && slices.Equal(a.Strides, b.Strides) &&
		a.Offset == b.Offset+from*b.Strides[last] && a.cos < 0 && b.cos < 0 && a.factor == b.factor
}

// reshapeStrides is how a strided array looks under another shape, if that needs no copy.
func reshapeStrides(shape, strides, to []int) ([]int, bool) {
	out := make([]int, len(to))
	if graph.Count(to) == 0 {
		return nil, false
	}
	i, j := 0, 0
	for i < len(shape) || j < len(to) {
		// Groups of axes with the same number of elements.
		i0, j0 := i, j
		n, m := 1, 1
		if i < len(shape) {
			n, i = shape[i], i+1
		}
		if j < len(to) {
			m, j = to[j], j+1
		}
		for n != m {
			if n < m {
				n, i = n*shape[i], i+1
			} else {
				m, j = m*to[j], j+1
			}
		}
		// The group must be walked evenly; axes of length 1 do not matter.
		step, size := 0, 1
		for k := i - 1; k >= i0; k-- {
			if shape[k] == 1 {
				continue
			}
			if size == 1 {
				step = strides[k]
			} else if strides[k] != step*size {
				return nil, false
			}
			size *= shape[k]
		}
		for k := j - 1; k >= j0; k-- {
			out[k] = step
			step *= to[k]
		}
	}
	return out, true
}

// attention finds softmax(Q·Kᵀ)·V with its scale, mask and rotary embedding.
func (f *fuser) attention(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "MatMul" || s.Node.Domain != "" || len(f.Values[s.Out[0]].Shape) < 3 {
		return false
	}
	weights, zero := f.unguarded(s.In[0])
	softmax := f.from(weights, "Softmax")
	if softmax == nil || !zero && !f.single(weights) {
		return false
	}
	shape := f.Values[softmax.In[0]].Shape
	rank := len(shape)
	if q, ok := softmax.Params.(operator.SoftmaxParams); !ok || q.Inner != 1 || q.Length != shape[rank-1] {
		return false
	}
	p := &operator.AttentionParams{Scale: 1, Batch: shape[:rank-2], Queries: shape[rank-2], Keys: shape[rank-1], ZeroUndefined: zero}
	product, mask := f.scores(softmax.In[0], p, shape)
	if product == nil {
		return false
	}
	q, k, v := f.access(product.In[0]), f.access(product.In[1]), f.access(s.In[1])
	if !f.operands(p, &q, &k, &v, rank) {
		return false
	}
	out, at := f.result(p, i, rank)
	f.Steps[at] = newStep("repscope", "Attention", s.Node.Name, p, []int{q.id, k.id, v.id, mask, q.cos, q.sin, k.cos, k.sin}, []int{out})
	return true
}

// unguarded is the value of attention weights of which undefined ones, of queries that attend to
// nothing, become 0 (the exporters' form of scaled_dot_product_attention); zero is false of a
// value that is not of that form.
func (f *fuser) unguarded(id int) (weights int, zero bool) {
	guard := f.from(id, "Where")
	if !f.processor || guard == nil || guard.Node.Domain != "" || !f.single(id) || f.number(guard.In[1]) != 0 {
		return id, false
	}
	test := f.from(guard.In[0], "IsNaN")
	if weights = guard.In[2]; test == nil || test.In[0] != weights || f.uses[weights] != 2 || !f.single(guard.In[0]) ||
		!slices.Equal(f.Values[id].Shape, f.Values[weights].Shape) {
		return id, false
	}
	return weights, true
}

// scores goes from the operand of the softmax, of the given shape, back to the product Q·Kᵀ (nil if there is none), and
// enters scale and mask; mask is the value, −1 if there is none.
func (f *fuser) scores(id int, p *operator.AttentionParams, shape []int) (product *graph.Step, mask int) {
	mask = -1
	if add := f.from(id, "Add"); add != nil && f.single(id) {
		// The mask is the side that is not a product.
		for k := range 2 {
			if m, ok := f.maskStrides(add.In[1-k], shape); ok && f.isScores(add.In[k], shape) {
				mask, p.Mask, id = add.In[1-k], m, add.In[k]
				break
			}
		}
	}
	for {
		if !f.single(id) {
			return nil, -1
		}
		if product := f.from(id, "MatMul"); product != nil {
			return product, mask
		}
		a := f.producer[id]
		if a < 0 {
			return nil, -1
		}
		step := &f.Steps[a]
		next, v := step.In[0], math.NaN()
		switch {
		case step.Node.Domain != "":
		case step.Node.Op == "Mul" && f.constant(next):
			next, v = step.In[1], f.number(next)
		case step.Node.Op == "Mul":
			v = f.number(step.In[1])
		case step.Node.Op == "Div":
			v = 1 / f.number(step.In[1])
		}
		if !(v > 0) || math.IsInf(v, 0) || !slices.Equal(f.Values[next].Shape, shape) {
			return nil, -1
		}
		p.Scale *= float32(v)
		id = next
	}
}

// operands enters how Q, K (which is transposed) and V lie, if the kernels can read them so.
func (f *fuser) operands(p *operator.AttentionParams, q, k, v *access, rank int) bool {
	if len(q.shape) != rank || len(k.shape) != rank || len(v.shape) != rank || v.cos >= 0 || v.factor != 1 {
		return false
	}
	for _, a := range []*access{q, k, v} {
		if !slices.Equal(a.shape[:rank-2], p.Batch) || f.Values[a.id].DType != graph.Float32 {
			return false
		}
	}
	p.Width, p.Values = q.shape[rank-1], v.shape[rank-1]
	k.Strides = slices.Clone(k.Strides)
	k.Strides[rank-2], k.Strides[rank-1] = k.Strides[rank-1], k.Strides[rank-2]
	for _, a := range []*access{q, k, v} {
		if a.Strides[rank-1] != 1 && a.shape[rank-1] != 1 || slices.Min(a.Strides) < 0 || a.Offset < 0 ||
			a.cos >= 0 && !slices.Equal(a.turned, a.Strides[rank-2:]) {
			return false
		}
	}
	// Rows of one operand must not overlap.
	if p.Width == 0 || p.Values == 0 || p.Keys == 0 || p.Queries == 0 || graph.Count(p.Batch) == 0 ||
		k.Strides[rank-2] < p.Width || v.Strides[rank-2] < p.Values {
		return false
	}
	p.Scale *= q.factor * k.factor
	if !(p.Scale > 0) || math.IsInf(float64(p.Scale), 0) {
		return false
	}
	p.Q, p.K, p.V = q.View, k.View, v.View
	return true
}

// result enters how the result of step i is written: a transposition of it alone can be done at once. It
// returns the value and the step to take the place of.
func (f *fuser) result(p *operator.AttentionParams, i, rank int) (out, at int) {
	out, at = f.Steps[i].Out[0], i
	p.Result.Strides = graph.RowMajor(f.Values[out].Shape)
	if !f.single(out) {
		return out, at
	}
	for j := i + 1; j < len(f.Steps); j++ {
		t := &f.Steps[j]
		if !slices.Contains(t.In, out) {
			continue
		}
		if perm, ok := t.Params.(operator.TransposeParams); ok && perm.Perm[rank-1] == rank-1 {
			own := graph.RowMajor(f.Values[t.Out[0]].Shape)
			for axis, from := range perm.Perm {
				p.Result.Strides[from] = own[axis]
			}
			return t.Out[0], j
		}
		break
	}
	return out, at
}

// isScores reports whether a value is a product, maybe times a number.
func (f *fuser) isScores(id int, shape []int) bool {
	for slices.Equal(f.Values[id].Shape, shape) && f.producer[id] >= 0 {
		s := &f.Steps[f.producer[id]]
		switch {
		case s.Node.Op == "MatMul" && s.Node.Domain == "":
			return true
		case s.Node.Op == "Mul" && f.constant(s.In[0]):
			id = s.In[1]
		case s.Node.Op == "Mul" || s.Node.Op == "Div":
			id = s.In[0]
		default:
			return false
		}
	}
	return false
}

// maskStrides is how a mask is broadcast over scores.
func (f *fuser) maskStrides(id int, shape []int) ([]int, bool) {
	m := f.Values[id]
	if m.DType != graph.Float32 || len(m.Shape) > len(shape) || len(m.Shape) == 0 || m.Shape[len(m.Shape)-1] != shape[len(shape)-1] {
		return nil, false
	}
	strides := make([]int, len(shape))
	own := graph.RowMajor(m.Shape)
	skip := len(shape) - len(m.Shape)
	for k, d := range m.Shape {
		switch {
		case d == shape[skip+k] && d != 1:
			strides[skip+k] = own[k]
		case d != 1:
			return nil, false
		}
	}
	strides[len(shape)-1] = 1
	return strides, true
}
