// Operators that read or write at indices, and running sums.

package operator

import (
	"slices"

	"repscope/model/graph"
)

// OneHotParams is the axis of OneHot and the number of classes.
type OneHotParams struct{ Axis, Depth int }

// GatherNDParams is the number of leading axes that data and indices share.
type GatherNDParams struct{ Batch int }

// ScatterParams is the axis of ScatterElements and how an update joins what is
// there: "none" (it replaces it), "add", "mul", "max" or "min".
type ScatterParams struct {
	Axis      int
	Reduction string
}

// CumSumParams is the axis of a running sum, whether it leaves out its own
// element, and whether it runs from the end.
type CumSumParams struct {
	Axis               int
	Exclusive, Reverse bool
}

// TopKParams is the axis of TopK, the number of elements kept and which; they are in order.
type TopKParams struct {
	Axis, K int
	Largest bool
}

// IsInfParams says which infinities count.
type IsInfParams struct{ Negative, Positive bool }

func init() {
	register(
		&Row{Name: "CastLike", Inputs: [2]int{2, 2}, Outputs: 1, Attributes: []string{"saturate"}, infer: func(c *context) {
			t := c.In[1].DType
			c.Params = CastParams{To: map[graph.DType]int{graph.Float32: graph.ElementFloat, graph.Int64: graph.ElementInt64, graph.Bool: graph.ElementBool}[t]}
			c.Same = t == graph.Float32 && c.In[0].DType == graph.Float32
			c.emit(t, c.shape(0)...)
		}},
		&Row{Name: "OneHot", Inputs: [2]int{3, 3}, Outputs: 1, NoFold: true, Attributes: []string{"axis"}, infer: inferOneHot},
		&Row{Name: "GatherElements", Inputs: [2]int{2, 2}, Outputs: 1, Attributes: []string{"axis"}, infer: func(c *context) {
			c.want(1, graph.Int64)
			s, index := c.shape(0), c.shape(1)
			p := AxisParams{Axis: c.axis(c.integer("axis", 0), len(s))}
			c.within(index, s, p.Axis)
			c.Params = p
			c.emit(c.In[0].DType, index...)
		}},
		&Row{Name: "GatherND", Inputs: [2]int{2, 2}, Outputs: 1, Attributes: []string{"batch_dims"}, infer: func(c *context) {
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
			c.emit(c.In[0].DType, slices.Concat(index[:len(index)-1], s[b+k:])...)
		}},
		&Row{Name: "ScatterElements", Inputs: [2]int{3, 3}, Outputs: 1, Attributes: []string{"axis", "reduction"}, infer: func(c *context) {
			s, index := c.shape(0), c.shape(1)
			p := ScatterParams{Axis: c.axis(c.integer("axis", 0), len(s)), Reduction: c.reduction()}
			c.within(index, s, p.Axis)
			if !slices.Equal(index, c.shape(2)) {
				c.failf("indices %v, updates %v", index, c.shape(2))
			}
			c.Params = p
			c.emit(c.In[0].DType, s...)
		}},
		&Row{Name: "ScatterND", Inputs: [2]int{3, 3}, Outputs: 1, Attributes: []string{"reduction"}, infer: func(c *context) {
			s, index := c.shape(0), c.shape(1)
			p := ScatterParams{Reduction: c.reduction()}
			if len(index) == 0 || index[len(index)-1] > len(s) {
				c.failf("data %v, indices %v", s, index)
			}
			k := index[len(index)-1]
			if want := slices.Concat(index[:len(index)-1], s[k:]); !slices.Equal(want, c.shape(2)) {
				c.failf("updates %v, want %v", c.shape(2), want)
			}
			c.Params = p
			c.emit(c.In[0].DType, s...)
		}},
		&Row{Name: "CumSum", Inputs: [2]int{2, 2}, Outputs: 1, Attributes: []string{"exclusive", "reverse"}, infer: func(c *context) {
			c.want(0, graph.Float32, graph.Int64)
			s := c.shape(0)
			axis, _ := c.constants(1)
			if len(axis) != 1 {
				c.failf("input 1 has %d elements, want one axis", len(axis))
			}
			c.Params = CumSumParams{Axis: c.axis(axis[0], len(s)), Exclusive: c.flag("exclusive", false), Reverse: c.flag("reverse", false)}
			c.emit(c.In[0].DType, s...)
		}},
		&Row{Name: "TopK", Inputs: [2]int{2, 2}, Outputs: 2, Attributes: []string{"axis", "largest", "sorted"}, infer: func(c *context) {
			c.want(0, graph.Float32, graph.Int64)
			s := slices.Clone(c.shape(0))
			k, _ := c.constants(1)
			p := TopKParams{Axis: c.axis(c.integer("axis", -1), len(s)), Largest: c.flag("largest", true)}
			if len(k) != 1 || k[0] < 0 || k[0] > s[p.Axis] {
				c.failf("k is %v for an axis of %d", k, s[p.Axis])
			}
			p.K = k[0]
			s[p.Axis] = p.K
			c.Params = p
			c.emit(c.In[0].DType, s...)
			c.emit(graph.Int64, s...)
		}},
		&Row{Name: "NonZero", Inputs: [2]int{1, 1}, Outputs: 1, infer: inferNonZero},
		&Row{Name: "Hardmax", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"axis"}, infer: inferHardmax},
		&Row{Name: "EyeLike", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"dtype", "k"}, infer: inferEyeLike},
		&Row{Name: "IsInf", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"detect_negative", "detect_positive"}, infer: func(c *context) {
			c.want(0, graph.Float32)
			c.Params = IsInfParams{Negative: c.flag("detect_negative", true), Positive: c.flag("detect_positive", true)}
			c.emit(graph.Bool, c.shape(0)...)
		}},
		&Row{Name: "LpNormalization", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"axis", "p"}, infer: func(c *context) {
			c.want(0, graph.Float32)
			s := c.shape(0)
			a := c.axis(c.integer("axis", -1), len(s))
			reduce, ok := map[int]string{1: "ReduceL1", 2: "ReduceL2"}[c.integer("p", 2)]
			if !ok {
				c.failf("p is %d, want 1 or 2", c.integer("p", 2))
			}
			l := c.lower()
			norm := l.add(reduce, map[string]graph.Attribute{"axes": graph.IntsAttribute(a)}, c.Node.Inputs[0])
			l.finish(l.add("Div", nil, c.Node.Inputs[0], norm))
			c.emit(graph.Float32, s...)
		}},
	)
}

// inferNonZero lists the places of elements that are not zero, which must be known: the output's shape depends on them.
func inferNonZero(c *context) {
	x := c.In[0].Const
	if x == nil {
		c.unsupported("input 0 must be a constant or follow from the input's shape")
	}
	values := x.F32
	if x.Deferred() {
		var err error
		if values, err = x.Load(nil); err != nil {
			c.failf("input 0: %w", err)
		}
	}
	var found []int
	for i := range x.Len() {
		if x.DType == graph.Float32 && values[i] != 0 || x.DType == graph.Int64 && x.I64[i] != 0 || x.DType == graph.Bool && x.Bool[i] {
			found = append(found, i)
		}
	}
	rank, n := len(x.Shape), len(found)
	y := &graph.Tensor{DType: graph.Int64, Shape: []int{rank, n}, I64: make([]int64, rank*n)}
	for j, at := range found {
		for a := rank - 1; a >= 0; a-- {
			y.I64[a*n+j] = int64(at % x.Shape[a])
			at /= x.Shape[a]
		}
	}
	c.Known = []*graph.Tensor{y}
	c.emit(graph.Int64, rank, n)
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

// inferEyeLike is ones on a diagonal of the input's shape.
func inferEyeLike(c *context) {
	s := c.shape(0)
	if len(s) != 2 {
		c.failf("input %v, want a matrix", s)
	}
	kind := c.In[0].DType
	if to := c.integer("dtype", 0); to != 0 {
		var ok bool
		if kind, ok = graph.ElementDType(to); !ok {
			c.unsupported("type %s", graph.ElementName(to))
		}
	}
	if graph.Count(s) > graph.FoldLimit {
		c.unsupported("more than %d elements", graph.FoldLimit)
	}
	y, err := graph.NewTensor(kind, s...)
	if err != nil {
		c.failf("output: %w", err)
	}
	k := c.integer("k", 0)
	for i := range s[0] {
		if j := i + k; j >= 0 && j < s[1] {
			switch at := i*s[1] + j; kind {
			case graph.Float32:
				y.F32[at] = 1
			case graph.Int64:
				y.I64[at] = 1
			case graph.Bool:
				y.Bool[at] = true
			}
		}
	}
	c.Known = []*graph.Tensor{y}
	c.emit(kind, s...)
}

// within checks the shape of indices that stand for elements along one axis.
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
	if c.In[2].DType != c.In[0].DType {
		c.failf("the updates have type %v, the data %v", c.In[2].DType, c.In[0].DType)
	}
	r := c.text("reduction", "none")
	if !slices.Contains([]string{"none", "add", "mul", "max", "min"}, r) {
		c.unsupported("reduction %q", r)
	}
	if r != "none" && c.In[0].DType == graph.Bool {
		c.unsupported("reduction %q of bool", r)
	}
	return r
}

func inferOneHot(c *context) {
	s := c.shape(0)
	c.want(0, graph.Int64, graph.Float32)
	depth := c.In[1].Const
	if depth == nil {
		c.unsupported("input 1 (depth) must be a constant")
	}
	d, ok := depth.Scalar()
	if !ok || !(d >= 1 && d <= 1<<31) {
		c.failf("input 1 is %v %v, want one number of at least 1", depth.DType, depth.Shape)
	}
	if graph.Count(c.shape(2)) != 2 {
		c.failf("input 2 has shape %v, want the values off and on", c.shape(2))
	}
	a := c.axis(c.integer("axis", -1), len(s)+1)
	c.Params = OneHotParams{Axis: a, Depth: int(d)}
	c.emit(c.In[2].DType, slices.Insert(slices.Clone(s), a, int(d))...)
}
