// The layout of images: convolutions and poolings work on [N, …, C], and steps between them use their results
// unchanged. Transpositions remain only at the inputs and before steps that need [N, C, …].

package fuse

import (
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// lastPermutation moves the channel axis of [N, C, …] to the end; firstPermutation moves it back.
func lastPermutation(rank int) []int {
	perm := []int{0}
	for i := 2; i < rank; i++ {
		perm = append(perm, i)
	}
	return append(perm, 1)
}

func firstPermutation(rank int) []int {
	perm := []int{0, rank - 1}
	for i := 1; i < rank-1; i++ {
		perm = append(perm, i)
	}
	return perm
}

// channelsLast makes every convolution, and on CPUs every pooling and resizing of many channels, work on [N, …, C],
// between two transpositions; most of those then cancel.
func (f *fuser) channelsLast() {
	f.index()
	var steps []graph.Step
	for _, s := range f.Steps {
		var step graph.Step
		switch p := s.Params.(type) {
		case *operator.ConvParams:
			if s.Node.Op == "Conv" && s.Node.Domain == "" {
				q := *p
				q.ChannelsLast = true
				bias := -1
				if len(s.In) > 2 {
					bias = s.In[2]
				}
				step = newStep("repscope", "Conv", s.Node.Name, &q, []int{-1, s.In[1], bias, -1, -1}, nil)
			}
			if s.Node.Op == "ConvTranspose" && f.processor && f.phased(&s) {
				q := *p
				q.ChannelsLast = true
				step = newStep("", "ConvTranspose", s.Node.Name, &q, append([]int{-1}, s.In[1:]...), nil)
			}
		case *operator.ResizeParams:
			// Each pixel's channels then lie side by side, for kernels as wide.
			if shape := f.Values[s.In[0]].Shape; f.processor && len(shape) > 2 && shape[1] >= 16 && p.Axes[0].Count == 0 && p.Axes[1].Count == 0 {
				step = newStep(s.Node.Domain, s.Node.Op, s.Node.Name, channelsLastResize(p), []int{-1}, nil)
			}
		case *operator.PoolParams:
			// Indices of maxima are counted with channels first.
			if f.processor && f.Values[s.In[0]].DType == graph.Float32 && s.Out[0] >= 0 && (len(s.Out) < 2 || s.Out[1] < 0 || f.uses[s.Out[1]] == 0) {
				q := *p
				q.ChannelsLast = true
				step = newStep("", s.Node.Op, s.Node.Name, &q, []int{-1}, nil)
			}
		}
		if step.Node == nil {
			steps = append(steps, s)
			continue
		}
		x, y := s.In[0], s.Out[0]
		rank := len(f.Values[x].Shape)
		last := lastPermutation(rank)
		in := f.temporary(permuted(f.Values[x].Shape, last))
		out := f.temporary(permuted(f.Values[y].Shape, last))
		step.In[0], step.Out = in, []int{out}
		steps = append(steps,
			newStep("", "Transpose", s.Node.Name, operator.TransposeParams{Perm: last}, []int{x}, []int{in}),
			step,
			newStep("", "Transpose", s.Node.Name, operator.TransposeParams{Perm: firstPermutation(rank)}, []int{out}, []int{y}))
	}
	f.Steps = steps
}

func channelsLastResize(p *operator.ResizeParams) *operator.ResizeParams {
	return &operator.ResizeParams{Axes: permuted(p.Axes, lastPermutation(len(p.Axes))), Outside: p.Outside}
}

// phased reports whether a transposed convolution is one convolution for each of its phases, with known weights.
func (f *fuser) phased(s *graph.Step) bool {
	p := s.Params.(*operator.ConvParams)
	for a := range p.Kernel {
		if operator.TransposedPhases(p.Kernel[a], p.Strides[a], p.Dilations[a], p.Before[a]) == nil {
			return false
		}
	}
	return f.constant(s.In[1])
}

// sinkTranspose moves a transposition past a step that can do without it, joins two in a
// row, and drops one that does nothing.
func (f *fuser) sinkTranspose(i int) bool {
	s := f.Steps[i]
	if s.Node.Op == "Transpose" {
		return f.joinTranspose(i)
	}
	if len(s.In) == 0 || s.In[0] < 0 || len(s.Out) == 0 || s.Out[0] < 0 || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	_, function := s.Params.(operator.Activation)
	if function && f.Values[s.In[0]].DType == graph.Float32 || f.chained(&s) {
		t := f.from(s.In[0], "Transpose")
		if t == nil || !f.single(s.In[0]) && f.imageOf(s.In[0]) < 0 {
			return false
		}
		return f.sink(i, s.Params, []int{t.In[0]}, nil, t.Params.(operator.TransposeParams).Perm)
	}
	if s.Node.Domain != "" || !f.processor {
		return false
	}
	switch s.Node.Op {
	case "Add", "Sub", "Mul", "Div", "PRelu", "Max", "Min", "Sum", "Mean":
		return f.sinkBroadcast(i)
	case "Concat":
		return f.sinkConcat(i)
	}
	x := f.imageOf(s.In[0])
	if x < 0 {
		return false
	}
	rank := len(f.Values[x].Shape)
	first, last := firstPermutation(rank), lastPermutation(rank)
	switch p := s.Params.(type) {
	case operator.ReduceParams:
		return f.sinkReduction(i, x, p)
	case *operator.ResizeParams:
		return f.sink(i, channelsLastResize(p), []int{x}, nil, first)
	case operator.NormParams:
		switch s.Node.Op {
		case "BatchNormalization":
			p.Axis = rank - 1
			return f.sink(i, p, append([]int{x}, s.In[1:]...), nil, first)
		case "InstanceNormalization", "GroupNormalization":
			p.ChannelsLast = true
			return f.sink(i, p, append([]int{x}, s.In[1:]...), nil, first)
		}
	case operator.SliceParams:
		p.Start, p.Step = permuted(p.Start, last), permuted(p.Step, last)
		return f.sink(i, p, append([]int{x}, s.In[1:]...), nil, first)
	case operator.PadParams:
		p.Before, p.After = permuted(p.Before, last), permuted(p.After, last)
		return f.sink(i, p, append([]int{x}, s.In[1:]...), nil, first)
	case operator.SoftmaxParams:
		spatial := graph.Count(f.Values[x].Shape[1 : rank-1])
		if p.Inner == spatial && p.Length == f.Values[x].Shape[rank-1] && spatial > 1 {
			p.Inner = 1
			return f.sink(i, p, []int{x}, nil, first)
		}
	}
	if s.Op.View && s.Node.Op == "Reshape" {
		return f.sinkReshape(i, x) || f.sinkShuffle(i, x)
	}
	return false
}

// sinkShuffle finds channels that are taken as a × b and put in the order b × a: three steps, of an image with
// channels last a transposition of each pixel.
func (f *fuser) sinkShuffle(i, x int) bool {
	s := f.Steps[i]
	image, split := f.Values[x].Shape, f.Values[s.Out[0]].Shape
	rank := len(image)
	if len(split) != rank+1 || split[1]*split[2] != image[rank-1] || split[0] != image[0] || !slices.Equal(split[3:], image[1:rank-1]) || !f.single(s.Out[0]) {
		return false
	}
	user := func(id int) int {
		return slices.IndexFunc(f.Steps, func(s graph.Step) bool { return slices.Contains(s.In, id) })
	}
	j := user(s.Out[0])
	if j < 0 || f.Steps[j].Node.Op != "Transpose" || !f.single(f.Steps[j].Out[0]) {
		return false
	}
	swap := []int{0, 2, 1}
	for a := 3; a <= rank; a++ {
		swap = append(swap, a)
	}
	k := user(f.Steps[j].Out[0])
	if k < 0 || !slices.Equal(f.Steps[j].Params.(operator.TransposeParams).Perm, swap) || !f.Steps[k].Op.View ||
		!slices.Equal(f.Values[f.Steps[k].Out[0]].Shape, f.Values[s.In[0]].Shape) {
		return false
	}
	out := f.Steps[k].Out[0]
	apart := append(slices.Clone(image[:rank-1]), split[1], split[2])
	turned := append(slices.Clone(image[:rank-1]), split[2], split[1])
	perm := make([]int, rank+1)
	for a := range perm {
		perm[a] = a
	}
	perm[rank-1], perm[rank] = rank, rank-1
	a, b, c := f.temporary(apart), f.temporary(turned), f.temporary(slices.Clone(image))
	f.Values[out].Root = out
	name := s.Node.Name
	f.Steps[k] = newStep("", "Transpose", name, operator.TransposeParams{Perm: firstPermutation(rank)}, []int{c}, []int{out})
	f.Steps = slices.Insert(f.Steps, k,
		newStep("", "Reshape", name, nil, []int{x}, []int{a}),
		newStep("", "Transpose", name, operator.TransposeParams{Perm: perm}, []int{a}, []int{b}),
		newStep("", "Reshape", name, nil, []int{b}, []int{c}))
	return true
}

// imageOf is the value with channels last that a value is the transposition of, or −1.
func (f *fuser) imageOf(id int) int {
	t := f.from(id, "Transpose")
	if t == nil {
		return -1
	}
	perm := t.Params.(operator.TransposeParams).Perm
	if len(perm) < 3 || !slices.Equal(perm, firstPermutation(len(perm))) {
		return -1
	}
	return t.In[0]
}

// sink replaces the inputs of step i, and adds transpositions that bring its results into the original order; before
// are steps that come first.
func (f *fuser) sink(i int, params any, in []int, before []graph.Step, perm []int) bool {
	s := f.Steps[i]
	inverse := make([]int, len(perm))
	for k, a := range perm {
		inverse[a] = k
	}
	middle := f.temporary(permuted(f.Values[s.Out[0]].Shape, inverse))
	transpose := newStep("", "Transpose", s.Node.Name, operator.TransposeParams{Perm: perm}, []int{middle}, []int{s.Out[0]})
	f.Values[s.Out[0]].Root = s.Out[0] // no view any more
	f.Steps[i].Params, f.Steps[i].In, f.Steps[i].Out = params, in, slices.Clone(s.Out)
	f.Steps[i].Out[0] = middle
	f.Steps = slices.Insert(f.Steps, i+1, transpose)
	f.Steps = slices.Insert(f.Steps, i, before...)
	return true
}

// sinkBroadcast is for steps whose operands are broadcast: images, one number, constants, and values of one pixel.
func (f *fuser) sinkBroadcast(i int) bool {
	s := f.Steps[i]
	rank := len(f.Values[s.Out[0]].Shape)
	images := 0
	for _, id := range s.In {
		if id < 0 || f.Values[id].DType != graph.Float32 {
			return false
		}
		if f.imageOf(id) >= 0 && len(f.Values[id].Shape) == rank {
			images++
		}
	}
	if images == 0 {
		return false
	}
	var before []graph.Step
	in := make([]int, len(s.In))
	for k, id := range s.In {
		v := f.Values[id]
		switch x := f.imageOf(id); {
		case x >= 0 && len(v.Shape) == rank:
			in[k] = x
		case graph.Count(v.Shape) == 1 && len(v.Shape) <= 1:
			in[k] = id
		case v.Const != nil:
			if in[k] = f.constantLast(v, rank); in[k] < 0 {
				return false
			}
		case len(v.Shape) == rank && onePixel(v.Shape):
			last := lastPermutation(rank)
			in[k] = f.temporary(permuted(v.Shape, last))
			before = append(before, newStep("", "Transpose", s.Node.Name, operator.TransposeParams{Perm: last}, []int{id}, []int{in[k]}))
		default:
			return false
		}
	}
	return f.sink(i, s.Params, in, before, firstPermutation(rank))
}

// onePixel reports whether a transposition of [N, C, …] would move nothing.
func onePixel(shape []int) bool { return shape[1] == 1 || graph.Count(shape[2:]) == 1 }

// constantLast is a constant that is broadcast to [N, C, …] for one to [N, …, C], or −1.
func (f *fuser) constantLast(v graph.Value, rank int) int {
	if v.Const.F32 == nil || len(v.Shape) > rank || graph.Count(v.Shape) > constantLimit {
		return -1
	}
	shape := append(slices.Repeat([]int{1}, rank-len(v.Shape)), v.Shape...)
	last := lastPermutation(rank)
	data := v.Const.F32
	if !onePixel(shape) {
		from := graph.RowMajor(shape)
		data = make([]float32, len(data))
		to := permuted(shape, last)
		for index := range data {
			offset, rest := 0, index
			for a := rank - 1; a >= 0; a-- {
				offset += rest % to[a] * from[last[a]]
				rest /= to[a]
			}
			data[index] = v.Const.F32[offset]
		}
	}
	id := f.temporary(permuted(shape, last))
	f.Values[id].Name, f.Values[id].Const = v.Name, graph.Floats(data, f.Values[id].Shape...)
	return id
}

// constantLimit is the number of elements up to which constants are written in another order.
const constantLimit = 1 << 20

// sinkConcat joins images.
func (f *fuser) sinkConcat(i int) bool {
	s := f.Steps[i]
	rank := len(f.Values[s.Out[0]].Shape)
	var in []int
	for _, id := range s.In {
		x := f.imageOf(id)
		if x < 0 {
			return false
		}
		in = append(in, x)
	}
	p := s.Params.(operator.AxisParams)
	p.Axis = slices.Index(lastPermutation(rank), p.Axis)
	return f.sink(i, p, in, nil, firstPermutation(rank))
}

// sinkReduction reduces axes of an image where they lie.
func (f *fuser) sinkReduction(i, x int, p operator.ReduceParams) bool {
	rank := len(f.Values[x].Shape)
	first, last := firstPermutation(rank), lastPermutation(rank)
	axes := make([]int, len(p.Axes))
	for k, a := range p.Axes {
		axes[k] = first[a]
	}
	slices.Sort(axes)
	q := p
	q.Axes = axes
	if p.KeepDims {
		return f.sink(i, q, []int{x}, nil, first)
	}
	// The axes that are left, in both orders.
	var kept []int
	for _, a := range last {
		if !slices.Contains(p.Axes, a) {
			kept = append(kept, a)
		}
	}
	if !slices.IsSorted(kept) {
		return false
	}
	f.Steps[i].Params, f.Steps[i].In = q, []int{x}
	return true
}

// sinkReshape is for one that keeps images and channels and merges or splits the pixels.
func (f *fuser) sinkReshape(i, x int) bool {
	s := f.Steps[i]
	in, out := f.Values[s.In[0]].Shape, f.Values[s.Out[0]].Shape
	if len(out) < 3 || in[0] != out[0] || in[1] != out[1] || graph.Count(out) == 0 {
		return false
	}
	return f.sink(i, s.Params, []int{x}, nil, firstPermutation(len(out)))
}

// joinTranspose joins a transposition with one before it, and drops one that changes nothing.
func (f *fuser) joinTranspose(i int) bool {
	s := f.Steps[i]
	perm := s.Params.(operator.TransposeParams).Perm
	if before := f.from(s.In[0], "Transpose"); before != nil {
		inner := before.Params.(operator.TransposeParams).Perm
		joined := permuted(inner, perm)
		f.Steps[i].Params = operator.TransposeParams{Perm: joined}
		f.Steps[i].In = []int{before.In[0]}
		f.Steps[i].Node = &graph.Node{Name: s.Node.Name, Op: "Transpose"}
		return true
	}
	return slices.IsSorted(perm) && f.sameValue(i)
}

// identity drops a step that passes on its input, which would stop layouts from spreading.
func (f *fuser) identity(i int) bool {
	s := &f.Steps[i]
	return s.Node.Op == "Identity" && len(s.In) == 1 && s.In[0] >= 0 && !f.constant(s.In[0]) &&
		f.Values[s.In[0]].DType == f.Values[s.Out[0]].DType && f.sameValue(i)
}

// sameValue drops a step whose result is its input under another name.
func (f *fuser) sameValue(i int) bool {
	s := f.Steps[i]
	if !slices.Equal(f.Values[s.Out[0]].Shape, f.Values[s.In[0]].Shape) || slices.Contains(f.Outputs, s.Out[0]) {
		return false
	}
	f.replace(s.Out[0], s.In[0])
	f.Steps = slices.Delete(f.Steps, i, i+1)
	return true
}

// viewTranspose makes a view of a transposition that leaves the order of the axes longer than one alone: it moves
// nothing.
func (f *fuser) viewTranspose(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Transpose" {
		return false
	}
	shape := f.Values[s.In[0]].Shape
	previous := -1
	for _, a := range s.Params.(operator.TransposeParams).Perm {
		if shape[a] == 1 {
			continue
		}
		if a < previous {
			return false
		}
		previous = a
	}
	if f.sameValue(i) {
		return true
	}
	f.Steps[i] = newStep("", "Reshape", s.Node.Name, nil, []int{s.In[0]}, s.Out)
	return true
}
