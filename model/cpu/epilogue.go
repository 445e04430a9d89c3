// What follows a product while its result is still in the cache: bias and activation.

package cpu

import (
	"math"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// epilogue is a bias, the addition of another matrix and an activation. bias may read as nil.
type epilogue struct {
	bias      func() []float32
	cut       bool // Relu and Clip: to low … high
	low, high float32
	function  function // any other activation, or nil
}

func newEpilogue(b *builder, a operator.Activation, bias func() []float32) *epilogue {
	e := &epilogue{bias: bias}
	switch a.Op {
	case "":
	case "Relu":
		e.cut, e.high = true, float32(math.Inf(1))
	case "Clip":
		e.cut, e.low, e.high = true, a.Alpha, a.Beta
	default:
		e.function = functionOf(a)
	}
	return e
}

// within has the product do what it can while the sums are in registers, for columns first … first+g.N−1; other is nil or lies as g.C does.
// What is left is activate's.
func (e *epilogue) within(g *kernel.Gathered, other []float32, first int) {
	g.Bias, g.Other = nil, other
	if v := e.bias(); v != nil {
		g.Bias = v[first:]
	}
	g.Cut, g.Low, g.High = e.cut, e.low, e.high
}

// activate applies an activation that within leaves.
func (e *epilogue) activate(c []float32, stride, rows, cols int) {
	if e.function == nil {
		return
	}
	if stride == cols {
		e.function(c[:rows*cols], c[:rows*cols])
		return
	}
	for i := range rows {
		row := c[i*stride : i*stride+cols]
		e.function(row, row)
	}
}

// finish does all of it to rows that are no product's; other is nil or lies as c does.
func (e *epilogue) finish(c, other []float32, rows, cols int) {
	c = c[:rows*cols]
	relu := e.cut && e.low == 0 && math.IsInf(float64(e.high), 1)
	if v := e.bias(); v != nil {
		vector.FinishRows(c, v, other, cols, cols, rows, relu)
		if relu {
			return
		}
	} else if other != nil {
		vector.AddRows(c, c, other, 1, 1)
	}
	if e.cut {
		vector.Clip(c, c, e.low, e.high)
	}
	e.activate(c, cols, rows, cols)
}
