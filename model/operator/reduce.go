// Reductions over axes, indices of extremes, and running sums.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

var reduceRows = []tableRow{
	{Name: "ReduceMean", Since: 1, Types: "fi", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, Wraps: true, infer: inferReduce},
	{Name: "ReduceSum", Since: 1, Types: "fi", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, Wraps: true, infer: inferReduce},
	{Name: "ReduceMax", Since: 1, Types: "fib", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, infer: inferReduce},
	{Name: "ReduceMin", Since: 1, Types: "fib", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, infer: inferReduce},
	{Name: "ReduceProd", Since: 1, Types: "fi", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, Wraps: true, infer: inferReduce},
	{Name: "ReduceL1", Since: 1, Types: "fi", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, Wraps: true, infer: inferReduce},
	{Name: "ReduceL2", Since: 1, Types: "f", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, infer: inferReduce},
	{Name: "ReduceSumSquare", Since: 1, Types: "fi", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, Wraps: true, infer: inferReduce},
	{Name: "ReduceLogSum", Since: 1, Types: "f", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, infer: inferReduce},
	{Name: "ReduceLogSumExp", Since: 1, Types: "f", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, infer: inferReduce},
	{Name: "GlobalAveragePool", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, infer: inferGlobalPool},
	{Name: "GlobalMaxPool", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, infer: inferGlobalPool},
	{Name: "ArgMax", Since: 1, Types: "fi", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"axis", "keepdims", "select_last_index"}, infer: inferArg},
	{Name: "ArgMin", Since: 1, Types: "fi", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"axis", "keepdims", "select_last_index"}, infer: inferArg},
	{Name: "Hardmax", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"axis"}, infer: inferHardmax},
	{Name: "CumSum", Since: 11, Types: "fi", Inputs: exactly(2), Outputs: 1, Attributes: []string{"exclusive", "reverse"},
		Wraps: true, infer: inferCumSum},
	{Name: "CumProd", Since: 26, Types: "fi", Inputs: exactly(2), Outputs: 1, Attributes: []string{"exclusive", "reverse"},
		infer: inferCumProd},
}

// ReduceParams reduces these axes, ascending.
type ReduceParams struct {
	Axes     []int
	KeepDims bool
}

func inferReduce(c *context) {
	s, op := c.shape(0), c.Node.Op
	extreme := op == "ReduceMax" || op == "ReduceMin"
	if !extreme {
		c.want(0, graph.Float32, graph.Int64)
	}
	if c.In[0].DType == graph.Int64 {
		switch c.Node.Op {
		case "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceSumSquare":
		default:
			c.unsupported("int64 operand")
		}
	}
	list, present := c.list("axes", 1)
	p := ReduceParams{KeepDims: c.integer("keepdims", 1) != 0}
	switch {
	case present && len(list) > 0:
		p.Axes = c.axes(list, len(s))
		slices.Sort(p.Axes)
	case c.integer("noop_with_empty_axes", 0) == 0:
		for i := range s {
			p.Axes = append(p.Axes, i)
		}
	}
	shape := reduced(s, p.Axes, p.KeepDims)
	switch empty := graph.Count(s) == 0 && graph.Count(shape) > 0; {
	case empty && extreme:
		l := c.lower()
		l.finish(l.expand(c.neutral(), shape...))
		return
	case empty && op == "ReduceMean":
		c.failf("cannot reduce the empty shape %v: the mean of no values is undefined", s)
	case c.unsigned() && extreme:
		c.inOrder(1, true)
		return
	case c.unsigned() && op == "ReduceL1":
		l := c.lower()
		l.finish(l.add("ReduceSum", c.Node.Attributes, c.Node.Inputs...))
		return
	case c.unsigned() && op == "ReduceMean":
		c.unsignedMean(graph.Count(s) / max(graph.Count(shape), 1))
		return
	case c.In[0].DType == graph.Bool:
		l := c.lower()
		inputs := slices.Clone(c.Node.Inputs)
		inputs[0] = l.add("Cast", castTo(graph.ElementInt64), inputs[0])
		l.finish(l.add("Cast", castTo(graph.ElementBool), l.add(op, c.Node.Attributes, inputs...)))
		return
	}
	c.Params = p
	c.emitLike(0, shape...)
}

// neutral is the maximum of no elements, below all others, or the minimum, above them.
func (c *context) neutral() string {
	least := c.Node.Op == "ReduceMin"
	if c.In[0].DType == graph.Bool {
		return c.lowered.constant(&graph.Tensor{DType: graph.Bool, Bool: []bool{least}})
	}
	if c.In[0].DType == graph.Int64 {
		low, high := graph.Range(c.In[0].Bits)
		return c.lowered.whole(c.In[0].Type, map[bool]int64{false: low, true: high}[least])
	}
	return c.lowered.scalar(float32(math.Inf(2*number(least) - 1)))
}

func reduced(s, axes []int, keep bool) []int {
	out := []int{}
	for i, d := range s {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, d)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

func inferGlobalPool(c *context) {
	x := c.shape(0)
	c.want(0, graph.Float32)
	if len(x) < 3 || graph.Count(x[2:]) == 0 {
		c.failf("input %v, want [N, C, spatial…]", x)
	}
	p := ReduceParams{KeepDims: true}
	for i := 2; i < len(x); i++ {
		p.Axes = append(p.Axes, i)
	}
	c.Params = p
	c.emit(graph.Float32, reduced(x, p.Axes, true)...)
}

// ArgParams is the axis of ArgMax and ArgMin and which of equal elements counts.
type ArgParams struct {
	Axis int
	Last bool
}

func inferArg(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	s := c.shape(0)
	a := c.axis(c.integer("axis", 0), len(s))
	if s[a] == 0 {
		c.failf("axis %d of %v is empty", a, s)
	}
	if c.unsigned() {
		c.inOrder(1, false)
		return
	}
	c.Params = ArgParams{Axis: a, Last: c.integer("select_last_index", 0) != 0}
	c.emit(graph.Int64, reduced(s, []int{a}, c.integer("keepdims", 1) != 0)...)
}

// inferHardmax is 1 at the first maximum along an axis and 0 elsewhere.
func inferHardmax(c *context) {
	c.want(0, graph.Float32)
	s := c.shape(0)
	l := c.lower()
	x, shape := c.Node.Inputs[0], s
	var axis int
	if c.Opset >= 13 {
		axis = c.axis(c.integer("axis", -1), len(s))
	} else {
		// Before opset 13 the input counts as a matrix, cut at the axis.
		cut := c.axis(c.integer("axis", 1), len(s)+1)
		axis, shape = 1, []int{graph.Count(s[:cut]), graph.Count(s[cut:])}
		x = l.reshape(x, shape)
	}
	top := l.add("ArgMax", map[string]graph.Attribute{"axis": graph.IntAttribute(axis), "keepdims": graph.IntAttribute(0)}, x)
	y := l.add("OneHot", map[string]graph.Attribute{"axis": graph.IntAttribute(axis)}, top, l.constant(graph.Ints(int64(shape[axis]))), l.constant(graph.Floats([]float32{0, 1}, 2)))
	if c.Opset < 13 {
		y = l.reshape(y, s)
	}
	l.finish(y)
	c.emit(graph.Float32, s...)
}

// CumSumParams is the axis of a running sum, whether it excludes its own element, and whether it runs from the end.
type CumSumParams struct {
	Axis               int
	Exclusive, Reverse bool
}

func inferCumSum(c *context) {
	c.Params = c.cumulative()
	c.emitLike(0, c.shape(0)...)
}

// cumulative checks a running sum or product.
func (c *context) cumulative() CumSumParams {
	c.want(0, graph.Float32, graph.Int64)
	axis, _ := c.constants(1)
	if len(axis) != 1 {
		c.failf("input 1 has %d elements, want one axis", len(axis))
	}
	return CumSumParams{Axis: c.axis(axis[0], len(c.shape(0))), Exclusive: c.flag("exclusive", false), Reverse: c.flag("reverse", false)}
}

// inferCumProd multiplies each element by the one before it, then by the product of two before these, of four, and so
// on.
func inferCumProd(c *context) {
	p := c.cumulative()
	n, rank := c.shape(0)[p.Axis], len(c.shape(0))
	l, x := c.lower(), c.Node.Inputs[0]
	shifted := func(x string, distance int) string {
		if p.Reverse {
			distance = -distance
		}
		return l.pad(x, rank, p.Axis, distance, -distance, 1)
	}
	if p.Exclusive && n > 0 {
		x = shifted(x, 1)
	}
	for by := 1; by < n; by *= 2 {
		x = l.add("Mul", nil, x, shifted(x, by))
	}
	l.finish(x)
}

// Reduction is the axes of an array that are kept and the axes that are reduced, with their strides.
type Reduction struct{ Kept, KeptStrides, Reduced, ReducedStrides []int }

// Split sorts the axes of an array of the shape.
func (p ReduceParams) Split(shape []int) (r Reduction) {
	dense := graph.RowMajor(shape)
	for i, d := range shape {
		if slices.Contains(p.Axes, i) {
			r.Reduced, r.ReducedStrides = append(r.Reduced, d), append(r.ReducedStrides, dense[i])
		} else {
			r.Kept, r.KeptStrides = append(r.Kept, d), append(r.KeptStrides, dense[i])
		}
	}
	return r
}
