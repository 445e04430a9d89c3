// Operators that read or write at indices, or give them.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var indexRows = []tableRow{
	{Name: "Gather", Since: 1, Types: "fib", Inputs: exactly(2), Outputs: 1, Attributes: []string{"axis"}, infer: inferGather},
	{Name: "GatherElements", Since: 11, Types: "fib", Inputs: exactly(2), Outputs: 1, Attributes: []string{"axis"},
		infer: inferGatherElements},
	{Name: "GatherND", Since: 11, Types: "fib", Inputs: exactly(2), Outputs: 1, Attributes: []string{"batch_dims"},
		infer: inferGatherND},
	{Name: "ScatterElements", Since: 11, Types: "fib", Inputs: exactly(3), Outputs: 1, Attributes: []string{"axis", "reduction"},
		Wraps: true, infer: inferScatterElements},
	{Name: "Scatter", Since: 9, Types: "fib", Note: "deprecated since opset 11, as ScatterElements", Inputs: exactly(3), Outputs: 1,
		Attributes: []string{"axis"}, infer: inferScatter},
	{Name: "ScatterND", Since: 11, Types: "fib", Inputs: exactly(3), Outputs: 1, Attributes: []string{"reduction"},
		Wraps: true, infer: inferScatterND},
	{Name: "OneHot", Since: 9, Types: "fib", Inputs: exactly(3), Outputs: 1, Attributes: []string{"axis"},
		infer: inferOneHot},
	{Name: "TopK", Since: 1, Types: "fi", Note: "k must be a constant", Inputs: exactly(2), Outputs: 2,
		Attributes: []string{"axis", "largest", "sorted"}, infer: inferTopK},
	{Name: "NonZero", Since: 9, Types: "fib", Note: "of constants and values that follow from the input's shape", Inputs: exactly(1),
		Outputs: 1, infer: inferNonZero},
}

func inferGather(c *context) {
	c.want(1, graph.Int64)
	s := c.shape(0)
	a := c.axis(c.integer("axis", 0), len(s))
	if t := c.In[1].Const; t != nil {
		for _, v := range t.I64 {
			if v < int64(-s[a]) || v >= int64(s[a]) {
				c.failf("index %d is out of range for axis %d of %v", v, a, s)
			}
		}
	}
	c.Params = AxisParams{Axis: a}
	c.emitLike(0, slices.Concat(s[:a], c.shape(1), s[a+1:])...)
}

func inferGatherElements(c *context) {
	c.want(1, graph.Int64)
	s, index := c.shape(0), c.shape(1)
	p := AxisParams{Axis: c.axis(c.integer("axis", 0), len(s))}
	c.within(index, s, p.Axis)
	c.Params = p
	c.emitLike(0, index...)
}

// GatherNDParams is the number of leading axes that data and indices share.
type GatherNDParams struct{ Batch int }

func inferGatherND(c *context) {
	c.want(1, graph.Int64)
	s, index := c.shape(0), c.shape(1)
	b := c.integer("batch_dims", 0)
	if b < 0 || len(s) == 0 || len(index) <= b || len(s) <= b || !slices.Equal(s[:b], index[:b]) {
		c.failf("data %v, indices %v, batch_dims %d", s, index, b)
	}
	k := index[len(index)-1]
	if k > len(s)-b {
		c.failf("indices %v have %d numbers for %d axes", index, k, len(s)-b)
	}
	c.Params = GatherNDParams{Batch: b}
	c.emitLike(0, slices.Concat(index[:len(index)-1], s[b+k:])...)
}

// ScatterParams is the axis of ScatterElements and how an update joins the old element: "none" (it replaces it), "add",
// "mul", "max" or "min".
type ScatterParams struct {
	Axis      int
	Reduction string
}

// within checks the shape of indices of elements along one axis.
func (c *context) within(index, s []int, axis int) {
	ok := len(index) == len(s)
	for i := 0; ok && i < len(s); i++ {
		ok = i == axis || index[i] <= s[i]
	}
	if !ok {
		c.failf("indices %v for data %v", index, s)
	}
}

func (c *context) reduction() string {
	c.want(1, graph.Int64)
	c.alike(2, 0)
	r := c.text("reduction", "none")
	if !slices.Contains([]string{"none", "add", "mul", "max", "min"}, r) {
		c.unsupported("reduction %q", r)
	}
	if r != "none" && c.In[0].DType == graph.Bool {
		c.unsupported("reduction %q of bool", r)
	}
	return r
}

func inferScatterElements(c *context) {
	s, index := c.shape(0), c.shape(1)
	p := ScatterParams{Axis: c.axis(c.integer("axis", 0), len(s)), Reduction: c.reduction()}
	c.within(index, s, p.Axis)
	if !slices.Equal(index, c.shape(2)) {
		c.failf("indices %v, updates %v", index, c.shape(2))
	}
	if c.unsigned() && p.ordered() {
		c.scatterInOrder()
		return
	}
	c.Params = p
	c.emitLike(0, s...)
}

func inferScatter(c *context) {
	l := c.lower()
	l.finish(l.add("ScatterElements", c.Node.Attributes, c.Node.Inputs...))
}

func inferScatterND(c *context) {
	s, index := c.shape(0), c.shape(1)
	p := ScatterParams{Reduction: c.reduction()}
	if len(index) == 0 || index[len(index)-1] > len(s) {
		c.failf("data %v, indices %v", s, index)
	}
	k := index[len(index)-1]
	if want := slices.Concat(index[:len(index)-1], s[k:]); !slices.Equal(want, c.shape(2)) {
		c.failf("updates %v, want %v", c.shape(2), want)
	}
	if c.unsigned() && p.ordered() {
		c.scatterInOrder()
		return
	}
	c.Params = p
	c.emitLike(0, s...)
}

// ordered reports whether updates are compared with the old elements.
func (p ScatterParams) ordered() bool { return p.Reduction == "max" || p.Reduction == "min" }

// scatterInOrder scatters uint64 as int64 of the same order.
func (c *context) scatterInOrder() {
	l, inputs := c.lower(), slices.Clone(c.Node.Inputs)
	inputs[0], inputs[2] = l.ordered(inputs[0]), l.ordered(inputs[2])
	c.inOrderOf(inputs, true)
}

// OneHotParams is the axis of OneHot and the number of classes.
type OneHotParams struct{ Axis, Depth int }

func inferOneHot(c *context) {
	s := c.shape(0)
	c.want(0, graph.Int64, graph.Float32)
	d := c.scalar(1, "depth").Float
	if !(d >= 1 && d <= 1<<31) {
		c.failf("input 1 (depth) is %g, want at least 1", d)
	}
	if graph.Count(c.shape(2)) != 2 {
		c.failf("input 2 has shape %v, want the values off and on", c.shape(2))
	}
	a := c.axis(c.integer("axis", -1), len(s)+1)
	c.Params = OneHotParams{Axis: a, Depth: int(d)}
	c.emitLike(2, slices.Insert(slices.Clone(s), a, int(d))...)
}

// TopKParams is the axis of TopK, the number of elements kept and which; they are in order.
type TopKParams struct {
	Axis, K int
	Largest bool
}

func inferTopK(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	s := slices.Clone(c.shape(0))
	k, _ := c.constants(1)
	p := TopKParams{Axis: c.axis(c.integer("axis", -1), len(s)), Largest: c.flag("largest", true)}
	if len(k) != 1 || k[0] < 0 || k[0] > s[p.Axis] {
		c.failf("k is %v for an axis of %d", k, s[p.Axis])
	}
	p.K = k[0]
	s[p.Axis] = p.K
	if c.unsigned() {
		c.inOrder(1, true)
		return
	}
	c.Params = p
	c.emitLike(0, s...)
	c.emit(graph.Int64, s...)
}

// inferNonZero lists the indices of elements that are not zero, which must be known: the output's shape depends on
// them.
func inferNonZero(c *context) {
	x := c.known(0, "the searched values")
	values := x.F32
	if x.Deferred() {
		var err error
		if values, err = x.Load(nil); err != nil {
			c.failf("input 0: %w", err)
		}
	}
	var indices []int
	for i := range x.Len() {
		if x.DType == graph.Float32 && values[i] != 0 || x.DType == graph.Int64 && x.I64[i] != 0 || x.DType == graph.Bool && x.Bool[i] {
			indices = append(indices, i)
		}
	}
	rank, n := len(x.Shape), len(indices)
	y := &graph.Tensor{DType: graph.Int64, Shape: []int{rank, n}, I64: make([]int64, rank*n)}
	for j, index := range indices {
		for a := rank - 1; a >= 0; a-- {
			y.I64[a*n+j] = int64(index % x.Shape[a])
			index /= x.Shape[a]
		}
	}
	c.Known = []*graph.Tensor{y}
	c.emit(graph.Int64, rank, n)
}
