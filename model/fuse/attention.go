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
	id     int
	offset int
	shape  []int
	axes   [][]run // how each axis is walked, from its outermost part on
	factor float32
	rotation
}

// run is a traversal of n elements stride apart. An axis needs several if it was made of axes that do not follow each
// other in memory, such as the heads of all elements of a batch.
type run struct{ n, stride int }

// rotation is a rotary embedding.
type rotation struct {
	cos, sin    int // the tables, or −1
	turned      int // elements of each row
	interleaved bool
	rows        [][]run // the axes of rows and columns when it was applied
}

// merged joins the contiguous runs of an axis.
func merged(axis []run) []run {
	var out []run
	for _, r := range axis {
		switch last := len(out) - 1; {
		case r.n == 1:
		case last >= 0 && out[last].stride == r.n*r.stride:
			out[last] = run{out[last].n * r.n, r.stride}
		default:
			out = append(out, r)
		}
	}
	return out
}

// stride is the stride of an axis, if one run suffices.
func stride(axis []run) (int, bool) {
	switch len(axis) {
	case 0:
		return 0, true
	case 1:
		return axis[0].stride, true
	}
	return 0, false
}

// reshape gives a view another shape, if it can be walked in it.
func (a *access) reshape(shape []int) bool {
	if graph.Count(shape) == 0 {
		return false
	}
	rest := slices.Concat(a.axes...)
	axes := make([][]run, len(shape))
	for i, n := range shape {
		for n > 1 {
			r := rest[0]
			switch {
			case n%r.n == 0:
				axes[i], rest = append(axes[i], r), rest[1:]
				n /= r.n
			case r.n%n == 0:
				inner := r.n / n
				axes[i] = append(axes[i], run{n, r.stride * inner})
				rest = slices.Concat([]run{{inner, r.stride}}, rest[1:])
				n = 1
			default:
				return false
			}
		}
		axes[i] = merged(axes[i])
	}
	a.shape, a.axes = shape, axes
	return true
}

// cut takes n elements of an axis from one on, step apart.
func (a *access) cut(axis, from, step, n int) bool {
	if from == 0 && step == 1 && n == a.shape[axis] {
		return true
	}
	s, ok := stride(a.axes[axis])
	a.offset += from * s
	a.shape, a.axes = slices.Clone(a.shape), slices.Clone(a.axes)
	a.shape[axis], a.axes[axis] = n, merged([]run{{n, s * step}})
	return ok
}

// broadcast repeats axes of length 1, and the whole, until a view has a shape.
func (a *access) broadcast(shape []int) bool {
	more := len(shape) - len(a.shape)
	if more < 0 || graph.Count(shape) == 0 {
		return false
	}
	axes := make([][]run, len(shape))
	for i, n := range shape {
		switch {
		case i >= more && a.shape[i-more] == n:
			axes[i] = a.axes[i-more]
		case i < more || a.shape[i-more] == 1:
			axes[i] = merged([]run{{n, 0}})
		default:
			return false
		}
	}
	a.shape, a.axes = shape, axes
	return true
}

// access follows a value back through steps that only move elements or multiply by a number.
func (f *fuser) access(id int) access {
	shape := f.Values[id].Shape
	direct := access{id: id, shape: shape, factor: 1, rotation: rotation{cos: -1, sin: -1}}
	for i, s := range graph.RowMajor(shape) {
		direct.axes = append(direct.axes, merged([]run{{shape[i], s}}))
	}
	if f.producer[id] < 0 || f.Values[id].DType != graph.Float32 {
		return direct
	}
	s := &f.Steps[f.producer[id]]
	if s.Node.Domain != "" {
		return direct
	}
	through := direct
	ok := false
	switch {
	case s.Node.Op == "Transpose":
		through, ok = f.access(s.In[0]), true
		perm := s.Params.(operator.TransposeParams).Perm
		through.shape, through.axes = permuted(through.shape, perm), permuted(through.axes, perm)
	case s.Op.View && len(s.Out) == 1:
		through = f.access(s.In[0])
		ok = through.reshape(shape)
	case s.Node.Op == "Expand":
		through = f.access(s.In[0])
		ok = through.broadcast(shape)
	case s.Node.Op == "Split":
		through, ok = f.throughSplit(s, id)
	case s.Node.Op == "Gather":
		through, ok = f.throughGather(s, shape)
	case s.Node.Op == "Slice":
		through, ok = f.throughSlice(s, shape)
	case s.Node.Op == "Mul" || s.Node.Op == "Div":
		through, ok = f.throughFactor(s, shape)
	case s.Node.Op == "Add":
		return f.rotary(s, direct)
	case s.Node.Op == "Concat":
		return f.partlyTurned(s, direct)
	}
	if !ok {
		return direct
	}
	return through
}

// throughSplit is one of the pieces of another value.
func (f *fuser) throughSplit(s *graph.Step, id int) (access, bool) {
	p, ok := s.Params.(operator.SplitParams)
	if !ok {
		return access{}, false
	}
	a, k := f.access(s.In[0]), slices.Index(s.Out, id)
	from := 0
	for _, n := range p.Sizes[:k] {
		from += n
	}
	ok = a.cut(p.Axis, from, 1, p.Sizes[k])
	return a, ok
}

// throughGather is the element at one index of another value.
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
	ok = a.cut(p.Axis, int(index), 1, 1)
	if len(shape) == rank-1 {
		a.axes = slices.Delete(slices.Clone(a.axes), p.Axis, p.Axis+1)
	}
	a.shape = shape
	return a, ok
}

func (f *fuser) throughSlice(s *graph.Step, shape []int) (access, bool) {
	p, ok := s.Params.(operator.SliceParams)
	if !ok {
		return access{}, false
	}
	a := f.access(s.In[0])
	for k, n := range shape {
		ok = ok && a.cut(k, p.Start[k], p.Step[k], n)
	}
	return a, ok
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
func (f *fuser) rotary(s *graph.Step, direct access) access {
	rank := len(direct.shape)
	if rank < 2 {
		return direct
	}
	rows, width := direct.shape[rank-2], direct.shape[rank-1]
	table := func(id int) bool { return f.isTable(id, rows, width) }
	for k := range 2 {
		plain, crossed := f.from(s.In[k], "Mul"), f.from(s.In[1-k], "Mul")
		if plain == nil || crossed == nil {
			return direct
		}
		cos, x, ok := pair(plain, table)
		if !ok {
			return direct
		}
		sin, swapped, ok := pair(crossed, table)
		if !ok {
			return direct
		}
		join := f.from(swapped, "Concat")
		interleaved := join == nil
		if interleaved { // the pairs were an axis of their own
			if view := f.step(swapped); f.processor && view != nil && view.Op.View {
				join = f.from(view.In[0], "Concat")
			}
		}
		if join == nil || len(join.In) != 2 {
			continue
		}
		axis := len(f.Values[join.Out[0]].Shape) - 1
		negative := f.from(f.beneath(join.In[0]), "Neg")
		if negative == nil || join.Params.(operator.AxisParams).Axis != axis || interleaved == (axis == rank-1) ||
			!slices.Equal(f.Values[x].Shape, direct.shape) ||
			!f.isHalf(negative.In[0], x, 1, interleaved) || !f.isHalf(join.In[1], x, 0, interleaved) {
			return direct
		}
		a := f.access(x)
		if a.cos >= 0 {
			return direct
		}
		a.rotation = rotation{cos, sin, width, interleaved, a.axes[rank-2:]}
		return a
	}
	return direct
}

// step returns the step that makes a value, or nil.
func (f *fuser) step(id int) *graph.Step {
	if id < 0 || f.producer[id] < 0 {
		return nil
	}
	return &f.Steps[f.producer[id]]
}

// beneath is the value that a value is a view of, if it is one.
func (f *fuser) beneath(id int) int {
	if s := f.step(id); s != nil && s.Op.View {
		return s.In[0]
	}
	return id
}

// isTable reports whether a value is a constant [rows, width], or copies of one.
func (f *fuser) isTable(id, rows, width int) bool {
	if !f.constant(id) || f.Values[id].DType != graph.Float32 {
		return false
	}
	shape, n := f.Values[id].Shape, rows*width
	if len(shape) < 2 || !slices.Equal(shape[len(shape)-2:], []int{rows, width}) {
		return false
	}
	if graph.Count(shape) == n {
		return true
	}
	data := f.Values[id].Const.F32
	for offset := n; offset < len(data); offset += n {
		if !slices.Equal(data[:n], data[offset:offset+n]) {
			return false
		}
	}
	return len(data) > 0
}

// table is a constant [rows, width] that isTable has found; −1 if there is none.
func (f *fuser) table(id, rows, width int) int {
	if id < 0 || graph.Count(f.Values[id].Shape) == rows*width {
		return id
	}
	first := f.temporary([]int{rows, width})
	f.Values[first].Name, f.Values[first].Const = f.Values[id].Name, graph.Floats(f.Values[id].Const.F32[:rows*width], rows, width)
	return first
}

// isHalf reports whether a value is half of x along the last axis: the first or second one, or every other element.
func (f *fuser) isHalf(id, x, which int, interleaved bool) bool {
	a, b := f.access(id), f.access(x)
	last := len(b.shape) - 1
	if b.shape[last]%2 != 0 || a.id != b.id || a.cos >= 0 || b.cos >= 0 || a.factor != b.factor {
		return false
	}
	half := b.shape[last] / 2
	from, step := which*half, 1
	if interleaved {
		from, step = which, 2
	}
	return b.cut(last, from, step, half) && a.reshape(b.shape) && a.offset == b.offset && slices.EqualFunc(a.axes, b.axes, slices.Equal)
}

// partlyTurned is a value of whose rows a rotary embedding turns the first elements.
func (f *fuser) partlyTurned(s *graph.Step, direct access) access {
	last := len(direct.shape) - 1
	if !f.processor || len(s.In) != 2 || s.Params.(operator.AxisParams).Axis != last {
		return direct
	}
	a, b := f.access(s.In[0]), f.access(s.In[1])
	if a.cos < 0 || b.cos >= 0 || a.id != b.id || a.factor != b.factor || a.turned != a.shape[last] {
		return direct
	}
	// Both parts are contiguous rows.
	whole := a
	whole.shape, whole.axes = direct.shape, slices.Clone(a.axes)
	whole.axes[last] = merged([]run{{direct.shape[last], 1}})
	left, right := whole, whole
	if !left.cut(last, 0, 1, a.shape[last]) || !right.cut(last, a.shape[last], 1, b.shape[last]) || right.offset != b.offset ||
		!slices.EqualFunc(left.axes, a.axes, slices.Equal) || !slices.EqualFunc(right.axes, b.axes, slices.Equal) {
		return direct
	}
	whole.rows = whole.axes[last-1:]
	return whole
}

// attention finds softmax(Q·Kᵀ)·V with its scale, mask and rotary embedding.
func (f *fuser) attention(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "MatMul" || s.Node.Domain != "" || len(f.Values[s.Out[0]].Shape) < 3 {
		return false
	}
	guard := f.unguarded(s.In[0])
	softmax := f.from(guard.weights, "Softmax")
	if softmax == nil || !f.single(guard.weights) && !guard.undefined {
		return false
	}
	shape := f.Values[softmax.In[0]].Shape
	rank := len(shape)
	if q, ok := softmax.Params.(operator.SoftmaxParams); !ok || q.Inner != 1 || q.Length != shape[rank-1] {
		return false
	}
	p := &operator.AttentionParams{Scale: 1, Batch: slices.Clone(shape[:rank-2]), Queries: shape[rank-2], Keys: shape[rank-1], ZeroUndefined: guard.undefined, ZeroMasked: guard.bias >= 0 || guard.rows >= 0}
	product, mask := f.scores(softmax.In[0], p, shape)
	if product == nil || guard.bias >= 0 && guard.bias != mask || guard.rows >= 0 && !f.hides(mask, guard.rows) {
		return false
	}
	q, k, v := f.access(product.In[0]), f.access(product.In[1]), f.access(s.In[1])
	if !f.operands(p, &q, &k, &v, rank) {
		return false
	}
	p.Turned, p.Interleaved = max(q.turned, k.turned), q.interleaved || k.interleaved
	out, step := f.result(p, i, rank)
	if !batch(p, &q, &k, &v) {
		return false
	}
	f.Steps[step] = newStep("repscope", "Attention", s.Node.Name, p, []int{q.id, k.id, v.id, mask,
		f.table(q.cos, p.Queries, p.Turned), f.table(q.sin, p.Queries, p.Turned), f.table(k.cos, p.Keys, p.Turned), f.table(k.sin, p.Keys, p.Turned)}, []int{out})
	return true
}

// guard sets the weights of queries without any key to 0.
type guard struct {
	weights   int
	undefined bool // where they are no numbers (the exporters' form of scaled_dot_product_attention)
	bias      int  // where a row of this value, a mask, is −Inf; −1 if none is looked at
	rows      int  // where this constant is true; −1 if there is none
}

// unguarded is the value of attention weights and its guard.
func (f *fuser) unguarded(id int) guard {
	none := guard{weights: id, bias: -1, rows: -1}
	choice := f.from(id, "Where")
	if !f.processor || choice == nil || choice.Node.Domain != "" || !f.single(id) || f.number(choice.In[1]) != 0 ||
		!slices.Equal(f.Values[id].Shape, f.Values[choice.In[2]].Shape) {
		return none
	}
	weights := choice.In[2]
	if test := f.from(choice.In[0], "IsNaN"); test != nil {
		if test.In[0] != weights || f.uses[weights] != 2 || !f.single(choice.In[0]) {
			return none
		}
		return guard{weights: weights, undefined: true, bias: -1, rows: -1}
	}
	if f.constant(choice.In[0]) {
		return guard{weights: weights, bias: -1, rows: choice.In[0]}
	}
	test := f.from(choice.In[0], "Equal")
	if test == nil {
		return none
	}
	_, top, ok := pair(test, func(id int) bool { return math.IsInf(f.number(id), -1) })
	if !ok || f.from(top, "ReduceMax") == nil {
		return none
	}
	reduce := f.from(top, "ReduceMax")
	shape := f.Values[reduce.In[0]].Shape
	if q := reduce.Params.(operator.ReduceParams); !q.KeepDims || !slices.Equal(q.Axes, []int{len(shape) - 1}) {
		return none
	}
	return guard{weights: weights, bias: reduce.In[0], rows: -1}
}

// hides reports whether the −Inf rows of a constant mask are the true rows of another constant.
func (f *fuser) hides(mask, rows int) bool {
	if !f.constant(mask) {
		return false
	}
	m, r := f.Values[mask].Const, f.Values[rows].Const
	last := len(m.Shape) - 1
	if m.Deferred() || !slices.Equal(r.Shape, slices.Concat(m.Shape[:last], []int{1})) {
		return false
	}
	n := m.Shape[last]
	for i, hidden := range r.Bool {
		if hidden == slices.ContainsFunc(m.F32[i*n:(i+1)*n], func(w float32) bool { return !math.IsInf(float64(w), -1) }) {
			return false
		}
	}
	return true
}

// decided drops a choice that is always the same.
func (f *fuser) decided(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Where" || s.Node.Domain != "" || !f.constant(s.In[0]) || slices.Contains(f.Outputs, s.Out[0]) {
		return false
	}
	taken := f.Values[s.In[0]].Const.Bool
	if len(taken) == 0 || slices.Contains(taken, !taken[0]) {
		return false
	}
	value := s.In[2]
	if taken[0] {
		value = s.In[1]
	}
	if !slices.Equal(f.Values[value].Shape, f.Values[s.Out[0]].Shape) {
		return false
	}
	f.replace(s.Out[0], value)
	f.Steps = slices.Delete(f.Steps, i, i+1)
	return true
}

// scores goes from the operand of the softmax, of this shape, back to the product Q·Kᵀ (nil if there is none), and
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
	if limit, within := f.capped(id); limit > 0 {
		p.Cap, id = limit, within
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

// capped recognizes c·tanh(x/c); the number is 0 if a value is not of this form.
func (f *fuser) capped(id int) (limit float32, x int) {
	outer := f.from(id, "Mul")
	if !f.processor || outer == nil || !f.single(id) {
		return 0, id
	}
	c, bent, ok := pair(outer, func(id int) bool { return f.number(id) > 0 })
	if !ok || f.from(bent, "Tanh") == nil || !f.single(bent) {
		return 0, id
	}
	inside := f.from(bent, "Tanh").In[0]
	if d := f.from(inside, "Div"); d != nil && f.single(inside) && f.number(d.In[1]) == f.number(c) {
		return float32(f.number(c)), d.In[0]
	}
	return 0, id
}

// operands enters how Q, K (which is transposed) and V lie, if the kernels can read them so.
func (f *fuser) operands(p *operator.AttentionParams, q, k, v *access, rank int) bool {
	if len(q.shape) != rank || len(k.shape) != rank || len(v.shape) != rank || v.cos >= 0 || v.factor != 1 ||
		q.cos >= 0 && k.cos >= 0 && (q.turned != k.turned || q.interleaved != k.interleaved) {
		return false
	}
	p.Width, p.Values = q.shape[rank-1], v.shape[rank-1]
	if p.Width == 0 || p.Values == 0 || p.Keys == 0 || p.Queries == 0 || graph.Count(p.Batch) == 0 {
		return false
	}
	swapped := []int{1, 0}
	k.shape = slices.Concat(k.shape[:rank-2], permuted(k.shape[rank-2:], swapped))
	k.axes = slices.Concat(k.axes[:rank-2], permuted(k.axes[rank-2:], swapped))
	for _, o := range []struct {
		*access
		view *operator.View
	}{{q, &p.Q}, {k, &p.K}, {v, &p.V}} {
		if !o.broadcast(slices.Concat(p.Batch, o.shape[rank-2:])) || f.Values[o.id].DType != graph.Float32 || o.offset < 0 ||
			o.cos >= 0 && !slices.EqualFunc(o.rows, o.axes[rank-2:], slices.Equal) {
			return false
		}
		width := o.shape[rank-1]
		row, oneRow := stride(o.axes[rank-2])
		column, oneColumn := stride(o.axes[rank-1])
		if o.shape[rank-2] == 1 {
			row = width
		}
		// Rows must not overlap.
		if !oneRow || !oneColumn || column != 1 && width > 1 || row < width {
			return false
		}
		o.view.Offset, o.view.Strides = o.offset, []int{row, 1}
	}
	p.Scale *= q.factor * k.factor
	return p.Scale > 0 && !math.IsInf(float64(p.Scale), 0)
}

// batch enters the axes of the batch from the scores, in parts that all operands traverse evenly.
func batch(p *operator.AttentionParams, operands ...*access) bool {
	views := []*operator.View{&p.Q, &p.K, &p.V}
	strides := make([][]int, len(views))
	var lengths, result, mask []int
	for axis := range p.Batch {
		ends := breaks(operands, axis)
		for e := len(ends) - 1; e > 0; e-- {
			inner := ends[e-1]
			if ends[e]%inner != 0 {
				return false
			}
			lengths = append(lengths, ends[e]/inner)
			result = append(result, p.Result.Strides[axis]*inner)
			if p.Mask != nil {
				mask = append(mask, p.Mask[axis]*inner)
			}
			for i, o := range operands {
				s := at(o.axes[axis], inner)
				if s < 0 {
					return false
				}
				strides[i] = append(strides[i], s)
			}
		}
	}
	for i, view := range views {
		view.Strides = append(strides[i], view.Strides...)
	}
	p.Result.Strides = append(result, p.Result.Strides[len(p.Batch):]...)
	if p.Mask != nil {
		p.Mask = append(mask, p.Mask[len(p.Batch):]...)
	}
	p.Batch = lengths
	return true
}

// breaks are the lengths, ascending from 1, of the ends of an axis at which the traversal of an operand breaks, and of
// the whole.
func breaks(operands []*access, axis int) []int {
	n := operands[0].shape[axis]
	if n == 1 {
		return []int{1, 1}
	}
	ends := []int{1, n}
	for _, o := range operands {
		inner := 1
		for _, r := range slices.Backward(o.axes[axis]) {
			inner *= r.n
			ends = append(ends, inner)
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// at is the offset of the element with this index of an axis; the index divides, or is a multiple of, the lengths of
// all ends of its runs.
func at(axis []run, index int) int {
	for _, r := range slices.Backward(axis) {
		if index < r.n {
			return index * r.stride
		}
		index /= r.n
	}
	return 0
}

// result enters how the result of step i is written: a single transposition after it can be fused. It returns the value
// and the step to replace.
func (f *fuser) result(p *operator.AttentionParams, i, rank int) (out, step int) {
	out, step = f.Steps[i].Out[0], i
	p.Result.Strides = graph.RowMajor(f.Values[out].Shape)
	for j, through := i+1, out; j < len(f.Steps) && f.single(through); j++ {
		t := &f.Steps[j]
		if !slices.Contains(t.In, through) {
			continue
		}
		if t.Op.View && slices.Equal(f.Values[t.Out[0]].Shape, f.Values[out].Shape) {
			through = t.Out[0] // another name
			continue
		}
		if perm, ok := t.Params.(operator.TransposeParams); ok && perm.Perm[rank-1] == rank-1 {
			strides := graph.RowMajor(f.Values[t.Out[0]].Shape)
			for axis, from := range perm.Perm {
				p.Result.Strides[from] = strides[axis]
			}
			return t.Out[0], j
		}
		break
	}
	return out, step
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
		case s.Node.Op == "Mul" || s.Node.Op == "Div" || s.Node.Op == "Tanh":
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
	dense := graph.RowMajor(m.Shape)
	skip := len(shape) - len(m.Shape)
	for k, d := range m.Shape {
		switch {
		case d == shape[skip+k] && d != 1:
			strides[skip+k] = dense[k]
		case d != 1:
			return nil, false
		}
	}
	strides[len(shape)-1] = 1
	return strides, true
}
