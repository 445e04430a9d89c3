// Operands whose memory a product's result may reuse.

package cpu

import (
	"repscope/internal/kernel"
	"repscope/model/graph"
	"repscope/model/operator"
)

// layoutOf is the memory plan of a program. An operand added to a product while its sums are in registers is read just
// before the result is written. The result can overwrite it: it is in a cache then, and needs no memory of its own.
func layoutOf(p *graph.Program) graph.Layout {
	return p.PlanOver(func(s *graph.Step) int { return overwritable(s, p.Values) })
}

// overwritable is the operand that a convolution or linear step adds to its sums when they are complete, or -1: a
// product deeper than one block keeps parts of the sums where its result will be.
func overwritable(s *graph.Step, values []graph.Value) int {
	if s.Node.Domain != "repscope" || len(s.In) < 2 || s.In[1] < 0 {
		return -1
	}
	x, w := values[s.In[0]].Shape, values[s.In[1]].Shape
	depth, operand := 0, 0
	switch p := s.Params.(type) {
	case *operator.ConvParams:
		if s.Op.Name != "Conv" || p.Integers || p.Norm != nil || p.Group > 1 {
			return -1
		}
		depth, operand = graph.Count(w[1:]), 5
	case *operator.GemmParams:
		if p.Integers || p.Gated {
			return -1
		}
		depth, operand = x[len(x)-1], 3
	}
	if depth == 0 || depth > kernel.KC || operand >= len(s.In) {
		return -1
	}
	return operand
}
