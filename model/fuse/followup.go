// Follow-ups of products, convolutions and elementwise operations while their results are in the cache: scales and
// roundings of quantized models.

package fuse

import (
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// mostFollowing is the greatest number of numbers that an operation may have.
const mostFollowing = 1 << 16

// followUp fuses into a convolution, a linear step or an elementwise one the work of its only reader: a function of
// each element, or an operation with constants for its columns. The first addition to a product becomes the bias.
func (f *fuser) followUp(i int) bool {
	s := f.Steps[i]
	if len(s.Out) != 1 || s.Out[0] < 0 || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	x, then, ok := f.followed(&s)
	if !ok || !f.single(x) || slices.Contains(f.Outputs, x) || f.producer[x] < 0 {
		return false
	}
	before := f.producer[x]
	b := f.Steps[before]
	if len(b.Out) != 1 || !slices.Equal(f.Values[x].Shape, f.Values[s.Out[0]].Shape) {
		return false
	}
	shape := f.Values[x].Shape
	bias := len(then) == 1 && then[0].Op == "Add" && len(then[0].Operand) == shape[len(shape)-1]
	switch p := b.Params.(type) {
	case *operator.ConvParams:
		if b.Node.Domain != "repscope" || b.Node.Op != "Conv" || p.Norm != nil {
			return false
		}
		q := *p
		q.FollowUps = slices.Concat(p.FollowUps, then)
		b.Params = &q
		if bias && p.Activation.Op == "" && len(p.FollowUps) == 0 && b.In[2] < 0 && (len(b.In) < 6 || b.In[5] < 0) {
			b.In, q.FollowUps = slices.Clone(b.In), nil
			b.In[2] = f.vector(then[0].Operand)
		}
	case *operator.GemmParams:
		if b.Node.Domain != "repscope" || b.Node.Op != "Linear" || p.Gated {
			return false
		}
		q := *p
		q.FollowUps = slices.Concat(p.FollowUps, then)
		b.Params = &q
		if bias && p.Activation.Op == "" && len(p.FollowUps) == 0 && b.In[2] < 0 && len(b.In) == 3 {
			b.In, q.FollowUps = slices.Clone(b.In), nil
			b.In[2] = f.vector(then[0].Operand)
		}
	default:
		in, q, ok := f.chain(&b)
		if !ok {
			return false
		}
		q.FollowUps = slices.Concat(q.FollowUps, then)
		b = newStep("repscope", "Chain", b.Node.Name, &q, in, nil)
	}
	b.Out = s.Out
	f.Steps[i] = b
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}

// chain is a step as a chain, if it is an elementwise one: of one operand that is no constant, or of two.
func (f *fuser) chain(s *graph.Step) (in []int, p operator.ChainParams, ok bool) {
	if p, ok := s.Params.(*operator.ChainParams); ok {
		return s.In, *p, true
	}
	if x, then, ok := f.followed(s); ok {
		return []int{x}, operator.ChainParams{FollowUps: then}, slices.Equal(f.Values[x].Shape, f.Values[s.Out[0]].Shape)
	}
	if s.Node.Domain != "" || len(s.In) != 2 || f.constant(s.In[0]) || f.constant(s.In[1]) || f.Values[s.In[0]].DType != graph.Float32 {
		return nil, p, false
	}
	switch s.Node.Op {
	case "Add", "Sub", "Mul", "Div":
		return s.In, operator.ChainParams{Op: s.Node.Op}, true
	}
	return nil, p, false
}

// prologue fuses into an elementwise step of two operands the step that computes one of them only for it.
func (f *fuser) prologue(i int) bool {
	s := f.Steps[i]
	if len(s.Out) != 1 || s.Out[0] < 0 || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	in, p, ok := f.chain(&s)
	if !ok || p.Op == "" || in[0] == in[1] {
		return false
	}
	for k, id := range in {
		before := f.producer[id]
		if before < 0 || !f.single(id) || !slices.Equal(f.Values[id].Shape, f.Values[s.Out[0]].Shape) {
			continue
		}
		x, q, ok := f.chain(&f.Steps[before])
		if !ok || q.Op != "" {
			continue
		}
		// The result may overwrite the first operand, which then has no other reader.
		if x[0] == in[1-k] && (k == 0 || p.Before[0] != nil) {
			continue
		}
		in = slices.Clone(in)
		in[k], p.Before[k] = x[0], slices.Concat(q.FollowUps, p.Before[k])
		f.Steps[i] = newStep("repscope", "Chain", s.Node.Name, &p, in, s.Out)
		f.Steps = slices.Delete(f.Steps, before, before+1)
		return true
	}
	return false
}

// vector is a constant.
func (f *fuser) vector(v []float32) int {
	id := f.temporary([]int{len(v)})
	f.Values[id].Const = graph.Floats(v, len(v))
	return id
}

// followed is the effect of a step on the value x, as a follow-up of the step that makes x.
func (f *fuser) followed(s *graph.Step) (x int, then []operator.FollowUp, ok bool) {
	switch p := s.Params.(type) {
	case operator.Activation:
		return s.In[0], []operator.FollowUp{{Activation: p}}, f.Values[s.In[0]].DType == graph.Float32
	case *operator.ChainParams:
		return s.In[0], p.FollowUps, p.Op == ""
	}
	switch s.Node.Op {
	case "Add", "Mul", "Sub", "Div":
	default:
		return -1, nil, false
	}
	x, other := s.In[0], s.In[1]
	if f.constant(x) && (s.Node.Op == "Add" || s.Node.Op == "Mul") {
		x, other = other, x
	}
	shape := f.Values[x].Shape
	c := f.Values[other]
	if s.Node.Domain != "" || f.constant(x) || c.Const == nil || c.DType != graph.Float32 || c.Const.Len() > mostFollowing || len(shape) == 0 || len(c.Shape) > len(shape) {
		return -1, nil, false
	}
	if n := c.Const.Len(); n != 1 && (n != shape[len(shape)-1] || c.Shape[len(c.Shape)-1] != n) {
		return -1, nil, false
	}
	v, err := c.Const.Load(nil)
	return x, []operator.FollowUp{{Activation: operator.Activation{Op: s.Node.Op}, Operand: slices.Clone(v)}}, err == nil
}
