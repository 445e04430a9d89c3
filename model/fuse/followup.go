// What follows products and convolutions while their results are in the cache: of quantized models, scales and roundings.

package fuse

import (
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// mostFollowing is the greatest number of numbers that an operation may have.
const mostFollowing = 1 << 16

// followUp lets a convolution or linear step do what its only reader does: a function of each element, or an operation with constants for
// its columns. The first addition becomes the bias.
func (f *fuser) followUp(i int) bool {
	s := f.Steps[i]
	if s.Node.Domain != "" || len(s.Out) != 1 || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	x, then, ok := f.followed(&s)
	if !ok || !f.single(x) || slices.Contains(f.Outputs, x) || f.producer[x] < 0 {
		return false
	}
	before := f.producer[x]
	b := f.Steps[before]
	if b.Node.Domain != "repscope" || len(b.Out) != 1 || !slices.Equal(f.Values[x].Shape, f.Values[s.Out[0]].Shape) {
		return false
	}
	shape := f.Values[x].Shape
	whole := len(then.Operand) == shape[len(shape)-1]
	switch p := b.Params.(type) {
	case *operator.ConvParams:
		if b.Node.Op != "Conv" || p.Norm != nil {
			return false
		}
		q := *p
		q.FollowUps = append(slices.Clone(p.FollowUps), then)
		b.Params = &q
		if then.Op == "Add" && whole && p.Activation.Op == "" && len(p.FollowUps) == 0 && b.In[2] < 0 && (len(b.In) < 6 || b.In[5] < 0) {
			b.In, q.FollowUps = slices.Clone(b.In), nil
			b.In[2] = f.vector(then.Operand)
		}
	case *operator.GemmParams:
		if b.Node.Op != "Linear" || p.Gated {
			return false
		}
		q := *p
		q.FollowUps = append(slices.Clone(p.FollowUps), then)
		b.Params = &q
		if then.Op == "Add" && whole && p.Activation.Op == "" && len(p.FollowUps) == 0 && b.In[2] < 0 && len(b.In) == 3 {
			b.In, q.FollowUps = slices.Clone(b.In), nil
			b.In[2] = f.vector(then.Operand)
		}
	default:
		return false
	}
	b.Out = s.Out
	f.Steps[i] = b
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}

// vector is a constant.
func (f *fuser) vector(v []float32) int {
	id := f.temporary([]int{len(v)})
	f.Values[id].Const = graph.Floats(v, len(v))
	return id
}

// followed is what a step does to the value x, if it is to follow the step that makes x.
func (f *fuser) followed(s *graph.Step) (x int, then operator.FollowUp, ok bool) {
	if a, ok := s.Params.(operator.Activation); ok {
		return s.In[0], operator.FollowUp{Activation: a}, f.Values[s.In[0]].DType == graph.Float32
	}
	switch s.Node.Op {
	case "Add", "Mul", "Sub", "Div":
	default:
		return -1, then, false
	}
	x, other := s.In[0], s.In[1]
	if f.constant(x) && (s.Node.Op == "Add" || s.Node.Op == "Mul") {
		x, other = other, x
	}
	shape := f.Values[x].Shape
	c := f.Values[other]
	if f.constant(x) || c.Const == nil || c.DType != graph.Float32 || c.Const.Len() > mostFollowing || len(shape) == 0 || len(c.Shape) > len(shape) {
		return -1, then, false
	}
	if n := c.Const.Len(); n != 1 && (n != shape[len(shape)-1] || c.Shape[len(c.Shape)-1] != n) {
		return -1, then, false
	}
	v, err := c.Const.Load(nil)
	then.Op, then.Operand = s.Node.Op, slices.Clone(v)
	return x, then, err == nil
}
