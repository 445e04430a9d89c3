// Network operators: convolution, pooling, products, normalisation, reductions.

package operator

import (
	"slices"

	"repscope/model/graph"
)

// Activation functions that a fused operator may apply last are in Activation.

// ConvParams is a convolution over one to three spatial axes. Layout is false
// for [N, C, spatial…], true for [N, spatial…, C] (chosen by the fusion pass).
type ConvParams struct {
	Kernel, Strides, Dilations []int
	Before, After              []int // padding
	Group                      int
	ChannelsLast               bool
	// ChannelsFirstInput is set if the input alone still has its channels first.
	ChannelsFirstInput bool
	Activation         Activation
	// Norm, if not nil, is a layer normalisation over the channels after the activation
	// (channels last only); its scale and bias are inputs 3 and 4.
	Norm *NormParams
}

// PoolParams is a pooling over spatial axes.
type PoolParams struct {
	Kernel, Strides, Dilations []int
	Before, After              []int
	CountPadding               bool
	// ColumnMajor says that the indices of maxima count the first spatial axis fastest.
	ColumnMajor bool
}

// GemmParams is Y = act(α·A'·B' + β·C).
type GemmParams struct {
	TransA, TransB bool
	Alpha, Beta    float32
	Activation     Activation
	// Of repscope.Linear: the rows of the weights belong to the elements of the
	// input, which have this shape, after they were permuted. Nil if they agree.
	Shape, Perm []int
}

// NormParams normalises over the axes from Axis on (LayerNormalization), or
// over groups of channels (GroupNormalization, InstanceNormalization).
type NormParams struct {
	Axis    int
	Epsilon float32
	Groups  int
	// PerChannel says that a group normalisation's scale and bias have one element per channel, not per group.
	PerChannel bool
}

// ReduceParams reduces the given axes, ascending.
type ReduceParams struct {
	Axes     []int
	KeepDims bool
}

func init() {
	spatial := []string{"auto_pad", "dilations", "kernel_shape", "pads", "strides"}
	register(
		&Row{Name: "Conv", Inputs: [2]int{2, 3}, Outputs: 1, NoFold: true, Attributes: append(spatial, "group"), infer: inferConv},
		&Row{Name: "Conv", Domain: "repscope", Inputs: [2]int{2, 5}, Outputs: 1},
		&Row{Name: "MaxPool", Inputs: [2]int{1, 1}, Outputs: 2, NoFold: true, Attributes: append(spatial, "ceil_mode", "storage_order"), infer: inferPool},
		&Row{Name: "AveragePool", Inputs: [2]int{1, 1}, Outputs: 1, NoFold: true, Attributes: append(spatial, "ceil_mode", "count_include_pad"), infer: inferPool},
		&Row{Name: "GlobalAveragePool", Inputs: [2]int{1, 1}, Outputs: 1, infer: inferGlobalPool},
		&Row{Name: "LRN", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"alpha", "beta", "bias", "size"}, infer: inferLRN},
		&Row{Name: "MeanVarianceNormalization", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"axes"}, infer: inferMeanVariance},
		&Row{Name: "GlobalMaxPool", Inputs: [2]int{1, 1}, Outputs: 1, infer: inferGlobalPool},
		&Row{Name: "Gemm", Inputs: [2]int{2, 3}, Outputs: 1, Attributes: []string{"alpha", "beta", "transA", "transB"}, infer: inferGemm},
		&Row{Name: "MatMul", Inputs: [2]int{2, 2}, Outputs: 1, infer: inferMatMul},
		&Row{Name: "Linear", Domain: "repscope", Inputs: [2]int{2, 4}, Outputs: 1, infer: inferLinear}, // the last is added to the result
		&Row{Name: "Softmax", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"axis"}, infer: inferSoftmax},
		&Row{Name: "LogSoftmax", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"axis"}, infer: inferSoftmax},
		&Row{Name: "BatchNormalization", Inputs: [2]int{5, 5}, Outputs: 1, Attributes: []string{"epsilon", "momentum", "training_mode", "spatial"}, infer: inferBatchNorm},
		&Row{Name: "LayerNormalization", Inputs: [2]int{2, 3}, Outputs: 3, Attributes: []string{"axis", "epsilon", "stash_type"}, infer: inferLayerNorm},
		&Row{Name: "InstanceNormalization", Inputs: [2]int{3, 3}, Outputs: 1, Attributes: []string{"epsilon"}, infer: inferGroupNorm},
		&Row{Name: "GroupNormalization", Inputs: [2]int{3, 3}, Outputs: 1, Attributes: []string{"epsilon", "num_groups", "stash_type"}, infer: inferGroupNorm},
	)
	for _, name := range []string{"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"} {
		register(&Row{Name: name, Inputs: [2]int{1, 2}, Outputs: 1, Attributes: []string{"axes", "keepdims", "noop_with_empty_axes"}, infer: inferReduce})
	}
	for _, name := range []string{"ArgMax", "ArgMin"} {
		register(&Row{Name: name, Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"axis", "keepdims", "select_last_index"}, infer: func(c *context) {
			c.want(0, graph.Float32, graph.Int64)
			s := c.shape(0)
			a := c.axis(c.integer("axis", 0), len(s))
			if s[a] == 0 {
				c.failf("axis %d of %v is empty", a, s)
			}
			c.Params = ArgParams{Axis: a, Last: c.integer("select_last_index", 0) != 0}
			c.emit(graph.Int64, reduced(s, []int{a}, c.integer("keepdims", 1) != 0)...)
		}})
	}
}

// ArgParams is the axis of ArgMax and ArgMin and which of equal elements counts.
type ArgParams struct {
	Axis int
	Last bool
}

// window resolves kernel_shape, strides, dilations, pads and auto_pad for the
// spatial axes of an input and returns the output's spatial shape.
func (c *context) window(spatial, kernel []int, roundUp bool) (strides, dilations, before, after, out []int) {
	n := len(spatial)
	positive := func(name string) []int {
		v, ok := c.integers(name)
		if !ok {
			return slices.Repeat([]int{1}, n)
		}
		if len(v) != n {
			c.failf("%s %v for %d spatial axes", name, v, n)
		}
		for _, x := range v {
			if x < 1 || x > 1<<20 {
				c.failf("%s %v", name, v)
			}
		}
		return v
	}
	strides, dilations = positive("strides"), positive("dilations")
	if len(kernel) != n {
		c.failf("kernel %v for %d spatial axes", kernel, n)
	}
	for _, k := range kernel {
		if k < 1 || k > 1<<20 {
			c.failf("kernel %v", kernel)
		}
	}
	before, after, out = make([]int, n), make([]int, n), make([]int, n)
	mode := c.text("auto_pad", "NOTSET")
	if pads, ok := c.integers("pads"); ok && mode == "NOTSET" {
		if len(pads) != 2*n {
			c.failf("pads %v for %d spatial axes", pads, n)
		}
		for _, p := range pads {
			if p < 0 || p > 1<<20 {
				c.failf("pads %v", pads)
			}
		}
		copy(before, pads[:n])
		copy(after, pads[n:])
	}
	for i := range n {
		extent := (kernel[i]-1)*dilations[i] + 1
		switch mode {
		case "NOTSET", "VALID":
			room := spatial[i] + before[i] + after[i] - extent
			if room < 0 {
				c.failf("a kernel of extent %d does not fit into axis of size %d with padding %d and %d", extent, spatial[i], before[i], after[i])
			}
			out[i] = room/strides[i] + 1
			if roundUp && room%strides[i] != 0 && out[i]*strides[i] < spatial[i]+before[i] {
				// ceil_mode, but no window may start in the padding after the end.
				out[i]++
			}
		case "SAME_UPPER", "SAME_LOWER":
			out[i] = (spatial[i] + strides[i] - 1) / strides[i]
			total := max(0, (out[i]-1)*strides[i]+extent-spatial[i])
			before[i] = total / 2
			if mode == "SAME_LOWER" {
				before[i] = total - total/2
			}
			after[i] = total - before[i]
		default:
			c.failf("auto_pad is %q", mode)
		}
	}
	return strides, dilations, before, after, out
}

func inferConv(c *context) {
	x, w := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	c.want(2, graph.Float32)
	switch {
	case len(x) < 3 || len(x) != len(w):
		c.failf("input %v and weights %v", x, w)
	case len(x) > 5:
		c.unsupported("%d spatial axes", len(x)-2)
	case graph.Count(w) == 0:
		c.failf("weights %v have no elements", w)
	}
	p := &ConvParams{Group: c.integer("group", 1)}
	switch {
	case p.Group < 1 || w[0]%p.Group != 0:
		c.failf("group %d for %d output channels", p.Group, w[0])
	case w[1]*p.Group != x[1]:
		c.failf("input %v has %d channels, weights %v in %d groups want %d", x, x[1], w, p.Group, w[1]*p.Group)
	case c.has(2) && !slices.Equal(c.shape(2), []int{w[0]}):
		c.failf("bias %v, want [%d]", c.shape(2), w[0])
	}
	p.Kernel = slices.Clone(w[2:])
	if k, ok := c.integers("kernel_shape"); ok && !slices.Equal(k, p.Kernel) {
		c.failf("kernel_shape %v, weights %v", k, w)
	}
	var out []int
	p.Strides, p.Dilations, p.Before, p.After, out = c.window(x[2:], p.Kernel, false)
	c.Params = p
	c.emit(graph.Float32, append([]int{x[0], w[0]}, out...)...)
}

func inferPool(c *context) {
	x := c.shape(0)
	c.want(0, graph.Float32, graph.Int64)
	if c.In[0].DType == graph.Int64 && c.Node.Op != "MaxPool" {
		c.failf("input 0 has type int64, want float32")
	}
	if len(x) < 3 {
		c.failf("input %v, want [N, C, spatial…]", x)
	}
	kernel, ok := c.integers("kernel_shape")
	if !ok {
		c.failf("kernel_shape is missing")
	}
	p := &PoolParams{Kernel: kernel, CountPadding: c.flag("count_include_pad", false), ColumnMajor: c.flag("storage_order", false)}
	var out []int
	p.Strides, p.Dilations, p.Before, p.After, out = c.window(x[2:], kernel, c.integer("ceil_mode", 0) != 0)
	c.Params = p
	c.emit(c.In[0].DType, append(slices.Clone(x[:2]), out...)...)
	if c.Node.Op == "MaxPool" {
		c.emit(graph.Int64, c.Out[0].Shape...)
	}
}

// LRNParams is x/(Bias + Alpha/Size · Σ x²)^Beta, the sum over Size channels around x's own.
type LRNParams struct {
	Size              int
	Alpha, Beta, Bias float32
}

func inferLRN(c *context) {
	x := c.shape(0)
	c.want(0, graph.Float32)
	p := LRNParams{Size: c.integer("size", 0), Alpha: c.float("alpha", 1e-4), Beta: c.float("beta", 0.75), Bias: c.float("bias", 1)}
	if len(x) < 2 || p.Size < 1 {
		c.failf("input %v and size %d, want [N, C, …] and at least 1", x, p.Size)
	}
	c.Params = p
	c.emit(graph.Float32, x...)
}

// inferMeanVariance is (x − mean)/(√variance + 1e-9).
func inferMeanVariance(c *context) {
	c.want(0, graph.Float32)
	axes, ok := c.integers("axes")
	if !ok {
		axes = []int{0, 2, 3}
	}
	over := map[string]graph.Attribute{"axes": graph.IntsAttribute(c.axes(axes, len(c.shape(0)))...)}
	l := c.lower()
	centered := l.add("Sub", nil, c.Node.Inputs[0], l.add("ReduceMean", over, c.Node.Inputs[0]))
	deviation := l.add("Sqrt", nil, l.add("ReduceMean", over, l.add("Mul", nil, centered, centered)))
	l.finish(l.add("Div", nil, centered, l.add("Add", nil, deviation, l.constant(graph.Floats([]float32{1e-9})))))
	c.emit(graph.Float32, c.shape(0)...)
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

func inferGemm(c *context) {
	a, b := c.shape(0), c.shape(1)
	for i := range c.In {
		c.want(i, graph.Float32)
	}
	if len(a) != 2 || len(b) != 2 {
		c.failf("operands %v and %v, want matrices", a, b)
	}
	p := &GemmParams{TransA: c.integer("transA", 0) != 0, TransB: c.integer("transB", 0) != 0, Alpha: c.float("alpha", 1), Beta: c.float("beta", 1)}
	m, k, k2, n := a[0], a[1], b[0], b[1]
	if p.TransA {
		m, k = k, m
	}
	if p.TransB {
		k2, n = n, k2
	}
	if k != k2 {
		c.failf("the inner axes of %v and %v differ (%d and %d)", a, b, k, k2)
	}
	if c.has(2) && !slices.Equal(c.broadcast(c.shape(2), []int{m, n}), []int{m, n}) {
		c.failf("bias %v does not broadcast to [%d %d]", c.shape(2), m, n)
	}
	c.Params = p
	c.emit(graph.Float32, m, n)
}

// inferLinear is for the readers of weights: x·wᵀ with w [n, k], and no bias yet.
func inferLinear(c *context) {
	x, w := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	if len(x) < 2 || len(w) != 2 || x[len(x)-1] != w[1] || c.In[1].Const == nil {
		c.failf("operands %v and %v, want […, k] and constant weights [n, k]", x, w)
	}
	c.Params = &GemmParams{TransB: true, Alpha: 1, Beta: 1}
	c.emit(graph.Float32, append(slices.Clone(x[:len(x)-1]), w[0])...)
}

func inferMatMul(c *context) {
	a, b := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	if len(a) == 0 || len(b) == 0 {
		c.failf("operands %v and %v", a, b)
	}
	// A vector counts as a row on the left and as a column on the right.
	left, right := a, b
	if len(a) == 1 {
		left = []int{1, a[0]}
	}
	if len(b) == 1 {
		right = []int{b[0], 1}
	}
	m, k := left[len(left)-2], left[len(left)-1]
	k2, n := right[len(right)-2], right[len(right)-1]
	if k != k2 {
		c.failf("the inner axes of %v and %v differ", a, b)
	}
	shape := c.broadcast(left[:len(left)-2], right[:len(right)-2])
	if len(a) > 1 {
		shape = append(shape, m)
	}
	if len(b) > 1 {
		shape = append(shape, n)
	}
	c.emit(graph.Float32, shape...)
}

// SoftmaxParams normalises over Length elements that lie Inner apart.
type SoftmaxParams struct{ Length, Inner int }

func inferSoftmax(c *context) {
	c.want(0, graph.Float32)
	s := c.shape(0)
	if c.Opset >= 13 {
		a := c.axis(c.integer("axis", -1), len(s))
		c.Params = SoftmaxParams{Length: s[a], Inner: graph.Count(s[a+1:])}
	} else {
		// Before opset 13 the input counts as a matrix, cut at the axis.
		a := c.integer("axis", 1)
		if a < 0 {
			a += len(s)
		}
		if a < 0 || a > len(s) {
			c.failf("axis %d is out of range for shape %v", a, s)
		}
		c.Params = SoftmaxParams{Length: graph.Count(s[a:]), Inner: 1}
	}
	c.emit(graph.Float32, s...)
}

func inferBatchNorm(c *context) {
	x := c.shape(0)
	if c.integer("training_mode", 0) != 0 {
		c.unsupported("training mode; export the model in evaluation mode")
	}
	if len(x) < 2 {
		c.failf("input %v, want [N, C, …]", x)
	}
	for i := range c.In {
		c.want(i, graph.Float32)
		if i > 0 && !slices.Equal(c.shape(i), []int{x[1]}) {
			c.failf("input %d has shape %v, want [%d]", i, c.shape(i), x[1])
		}
	}
	c.Params = NormParams{Axis: 1, Epsilon: c.float("epsilon", 1e-5)}
	c.emit(graph.Float32, x...)
}

func inferLayerNorm(c *context) {
	x := c.shape(0)
	for i := range c.In {
		c.want(i, graph.Float32)
	}
	a := c.axis(c.integer("axis", -1), len(x))
	for i := 1; i < len(c.In); i++ {
		if c.has(i) && !slices.Equal(c.broadcast(c.shape(i), x[a:]), x[a:]) {
			c.failf("input %d has shape %v, want %v", i, c.shape(i), x[a:])
		}
	}
	c.Params = NormParams{Axis: a, Epsilon: c.float("epsilon", 1e-5)}
	c.emit(graph.Float32, x...)
	// The mean and the inverse standard deviation, if they are asked for.
	rest := slices.Clone(x)
	for i := a; i < len(rest); i++ {
		rest[i] = 1
	}
	c.emit(graph.Float32, rest...)
	c.emit(graph.Float32, rest...)
}

func inferGroupNorm(c *context) {
	x := c.shape(0)
	if len(x) < 3 {
		c.failf("input %v, want [N, C, spatial…]", x)
	}
	p := NormParams{Axis: 1, Epsilon: c.float("epsilon", 1e-5), Groups: x[1], PerChannel: true}
	if c.Node.Op == "GroupNormalization" {
		p.Groups = c.integer("num_groups", 0)
		p.PerChannel = c.Opset >= 21
	}
	if p.Groups < 1 || x[1]%p.Groups != 0 {
		c.failf("%d groups for %d channels", p.Groups, x[1])
	}
	want := p.Groups
	if p.PerChannel {
		want = x[1]
	}
	for i := range c.In {
		c.want(i, graph.Float32)
		if i > 0 && !slices.Equal(c.shape(i), []int{want}) {
			c.failf("input %d has shape %v, want [%d]", i, c.shape(i), want)
		}
	}
	c.Params = p
	c.emit(graph.Float32, x...)
}

func inferReduce(c *context) {
	s := c.shape(0)
	c.want(0, graph.Float32, graph.Int64)
	if c.In[0].DType == graph.Int64 {
		switch c.Node.Op {
		case "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceSumSquare":
		default:
			c.unsupported("int64 operand")
		}
	}
	list, given := c.list("axes", 1)
	p := ReduceParams{KeepDims: c.integer("keepdims", 1) != 0}
	switch {
	case given && len(list) > 0:
		p.Axes = c.axes(list, len(s))
		slices.Sort(p.Axes)
	case c.integer("noop_with_empty_axes", 0) == 0:
		for i := range s {
			p.Axes = append(p.Axes, i)
		}
	}
	shape := reduced(s, p.Axes, p.KeepDims)
	if op := c.Node.Op; graph.Count(s) == 0 && graph.Count(shape) > 0 && (op == "ReduceMax" || op == "ReduceMin" || op == "ReduceMean") {
		c.failf("cannot reduce the empty shape %v", s)
	}
	c.Params = p
	c.emit(c.In[0].DType, shape...)
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
