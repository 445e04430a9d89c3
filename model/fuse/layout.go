// Layout: how channels stay last from one convolution to the next. Transpositions that put channels
// first again move down past every step that can work on channels last, until two of them meet and cancel.

package fuse

import (
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// poolsLast lets poolings work on [N, …, C], between two transpositions, as [fuser.channelsLast]
// lets convolutions.
func (f *fuser) poolsLast() {
	var steps []graph.Step
	for _, s := range f.Steps {
		p, ok := s.Params.(*operator.PoolParams)
		if !ok || f.Values[s.In[0]].DType != graph.Float32 || len(p.Kernel) > 3 || len(s.Out) > 1 && s.Out[1] >= 0 || s.Out[0] < 0 {
			steps = append(steps, s)
			continue
		}
		x, y := s.In[0], s.Out[0]
		rank := len(f.Values[x].Shape)
		in, out := f.temporary(permuted(f.Values[x].Shape, lastPermutation(rank))), f.temporary(permuted(f.Values[y].Shape, lastPermutation(rank)))
		params := *p
		params.ChannelsLast = true
		steps = append(steps,
			newStep("", "Transpose", s.Node.Name, operator.TransposeParams{Perm: lastPermutation(rank)}, []int{x}, []int{in}),
			graph.Step{Node: s.Node, Op: s.Op, In: []int{in}, Out: []int{out}, Params: &params},
			newStep("", "Transpose", s.Node.Name, operator.TransposeParams{Perm: firstPermutation(rank)}, []int{out}, []int{y}))
	}
	f.Steps = steps
}

// behind is the value with channels last that a transposition puts first, −1 if the value has none.
func (f *fuser) behind(id int) int {
	t := f.from(id, "Transpose")
	if t == nil || f.Values[id].DType != graph.Float32 {
		return -1
	}
	rank := len(f.Values[id].Shape)
	if rank < 3 || !slices.Equal(t.Params.(operator.TransposeParams).Perm, firstPermutation(rank)) {
		return -1
	}
	return t.In[0]
}

// passTranspose moves transpositions behind a step with several inputs, or one that reduces
// the image: what it reads has its channels last then.
func (f *fuser) passTranspose(i int) bool {
	s := f.Steps[i]
	if s.Node.Domain != "" || len(s.Out) == 0 || s.Out[0] < 0 || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	switch s.Node.Op {
	case "Add", "Sub", "Mul", "Div":
		return f.passElementwise(i)
	case "Concat":
		return f.passConcat(i)
	case "GlobalAveragePool", "GlobalMaxPool", "ReduceMean":
		return f.passReduce(i)
	}
	return false
}

// replaceLast puts a step that works on channels last in place of step i, and the transposition behind it.
// before are steps that make its inputs.
func (f *fuser) replaceLast(i int, in []int, params any, before ...graph.Step) {
	s := f.Steps[i]
	rank := len(f.Values[s.Out[0]].Shape)
	out := f.temporary(permuted(f.Values[s.Out[0]].Shape, lastPermutation(rank)))
	steps := append(before,
		graph.Step{Node: s.Node, Op: s.Op, In: in, Out: []int{out}, Params: params},
		newStep("", "Transpose", s.Node.Name, operator.TransposeParams{Perm: firstPermutation(rank)}, []int{out}, s.Out))
	f.Steps = slices.Replace(f.Steps, i, i+1, steps...)
}

// passElementwise needs every operand of the result's shape behind a transposition; others
// vary by channel alone and are brought into the order.
func (f *fuser) passElementwise(i int) bool {
	s := f.Steps[i]
	shape := f.Values[s.Out[0]].Shape
	rank := len(shape)
	if rank < 3 || len(s.In) != 2 {
		return false
	}
	in, some := slices.Clone(s.In), false
	var before []graph.Step
	for k, id := range s.In {
		if slices.Equal(f.Values[id].Shape, shape) {
			if in[k] = f.behind(id); in[k] < 0 {
				return false
			}
			some = true
			continue
		}
		operand := f.Values[id].Shape
		if graph.Count(operand) == 1 {
			continue // one number, whatever its rank
		}
		full := append(slices.Repeat([]int{1}, max(0, rank-len(operand))), operand...)
		if len(full) != rank || slices.ContainsFunc(full[2:], func(n int) bool { return n != 1 }) {
			return false
		}
		if last := f.behind(id); last >= 0 {
			in[k] = last
			continue
		}
		// Axes of size one move without their elements.
		in[k] = f.temporary(permuted(full, lastPermutation(rank)))
		before = append(before, newStep("", "Reshape", s.Node.Name, nil, []int{id}, []int{in[k]}))
	}
	if !some {
		return false
	}
	f.replaceLast(i, in, s.Params, before...)
	return true
}

func (f *fuser) passConcat(i int) bool {
	s := f.Steps[i]
	p, ok := s.Params.(operator.AxisParams)
	if !ok {
		return false
	}
	in := make([]int, len(s.In))
	for k, id := range s.In {
		if in[k] = f.behind(id); in[k] < 0 {
			return false
		}
	}
	rank := len(f.Values[s.Out[0]].Shape)
	f.replaceLast(i, in, operator.AxisParams{Axis: slices.Index(lastPermutation(rank), p.Axis)})
	return true
}

// passReduce reduces over all axes of the image and keeps them.
func (f *fuser) passReduce(i int) bool {
	s := f.Steps[i]
	p, ok := s.Params.(operator.ReduceParams)
	x := f.behind(s.In[0])
	if !ok || x < 0 {
		return false
	}
	rank := len(f.Values[x].Shape)
	axes := slices.Sorted(slices.Values(p.Axes))
	if len(axes) != rank-2 || axes[0] != 2 || axes[len(axes)-1] != rank-1 {
		return false
	}
	for k := range axes {
		axes[k]--
	}
	if p.KeepDims {
		f.replaceLast(i, []int{x}, operator.ReduceParams{Axes: axes, KeepDims: true})
		return true
	}
	// [N, C] either way.
	f.Steps[i] = graph.Step{Node: s.Node, Op: s.Op, In: []int{x}, Out: s.Out, Params: operator.ReduceParams{Axes: axes}}
	return true
}

// convResidual lets a convolution add a value of its result's shape before its activation.
func (f *fuser) convResidual(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Add" || s.Node.Domain != "" || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	y, other, ok := pair(&s, func(id int) bool {
		if id < 0 || f.producer[id] < 0 || !f.single(id) {
			return false
		}
		c := &f.Steps[f.producer[id]]
		p, ok := c.Params.(*operator.ConvParams)
		return ok && c.Node.Domain == "repscope" && p.ChannelsLast && p.Activation.Op == "" && p.Norm == nil && len(c.In) == 5 && f.producer[id] < i
	})
	if !ok || y == other || f.constant(other) || !slices.Equal(f.Values[y].Shape, f.Values[other].Shape) {
		return false
	}
	before := f.producer[y]
	c := f.Steps[before]
	c.In, c.Out = append(slices.Clone(c.In), other), s.Out
	f.Steps[i] = c
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}
