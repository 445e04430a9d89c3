// Normalisations and softmax.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var normalizeRows = []tableRow{
	{Name: "BatchNormalization", Since: 1, Types: "f", Note: "in training mode only for constants", Inputs: exactly(5),
		Outputs: 5, Attributes: []string{"epsilon", "momentum", "training_mode", "spatial"}, infer: inferBatchNorm},
	{Name: "LayerNormalization", Since: 1, Types: "f", Note: "before opset 17 as ONNX Runtime's optimizer writes it",
		Inputs: between(2, 3), Outputs: 3,
		Attributes: []string{"axis", "epsilon", "stash_type"}, infer: inferLayerNorm},
	{Name: "RMSNormalization", Since: 23, Types: "f", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"axis", "epsilon", "stash_type"}, infer: inferRootMeanSquare},
	{Name: "InstanceNormalization", Since: 1, Types: "f", Inputs: exactly(3), Outputs: 1, Attributes: []string{"epsilon"},
		infer: inferGroupNorm},
	{Name: "GroupNormalization", Since: 18, Types: "f", Inputs: exactly(3), Outputs: 1,
		Attributes: []string{"epsilon", "num_groups", "stash_type"}, infer: inferGroupNorm},
	{Name: "LRN", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"alpha", "beta", "bias", "size"},
		infer: inferLRN},
	{Name: "MeanVarianceNormalization", Since: 9, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"axes"},
		infer: inferMeanVariance},
	{Name: "LpNormalization", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"axis", "p"},
		infer: inferLpNormalization},
	{Name: "Softmax", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"axis"}, infer: inferSoftmax},
	{Name: "LogSoftmax", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"axis"}, infer: inferSoftmax},
}

// NormParams normalizes over the axes from Axis on (LayerNormalization), or
// over groups of channels (GroupNormalization, InstanceNormalization).
type NormParams struct {
	Axis    int
	Epsilon float32
	Groups  int
	// PerChannel says that a group normalization's scale and bias have one element per channel, not per group.
	PerChannel bool
	// ChannelsLast says that a group normalization is of [N, …, C]. Chosen by the fusion pass.
	ChannelsLast bool
	// Relu says that negative results of a batch normalization become 0; its Axis is the last one then. Both are chosen by
	// the fusion pass.
	Relu bool
}

func inferBatchNorm(c *context) {
	x := c.shape(0)
	if len(x) < 2 {
		c.failf("input %v, want [N, C, …]", x)
	}
	for i := range c.In {
		c.want(i, graph.Float32)
		if i > 0 && !slices.Equal(c.shape(i), []int{x[1]}) {
			c.failf("input %d has shape %v, want [%d]", i, c.shape(i), x[1])
		}
	}
	// Before opset 14, the outputs of training mark it.
	if c.flag("training_mode", c.Opset < 14 && len(c.Node.Outputs) > 1) {
		c.normalizeByOwn()
		return
	}
	c.Params = NormParams{Axis: 1, Epsilon: c.float("epsilon", 1e-5)}
	c.emit(graph.Float32, x...)
}

// normalizeByOwn is a batch normalization by the batch's own statistics, as weights are standardized: a single
// instance. Otherwise samples would depend on the others of their batch, or one alone on the batching.
func (c *context) normalizeByOwn() {
	x := c.shape(0)
	if c.In[0].Const == nil {
		c.unsupported("training mode normalizes samples by their batch: input 0 (%q) must be a constant, as weights are; "+
			"export the model in evaluation mode (model.eval())", c.Node.Inputs[0])
	}
	l := c.lower()
	y, form := c.Node.Inputs[0], []int{1, x[1], x[0] * graph.Count(x[2:])}
	swap := []int{1, 0}
	for i := 2; i < len(x); i++ {
		swap = append(swap, i)
	}
	if x[0] != 1 {
		y = l.transpose(y, swap)
	}
	y = l.reshape(y, form)
	epsilon := map[string]graph.Attribute{"epsilon": c.epsilon()}
	values := []string{l.add("InstanceNormalization", epsilon, y, c.Node.Inputs[1], c.Node.Inputs[2])}
	if x[0] != 1 {
		swapped := append([]int{x[1], x[0]}, x[2:]...)
		values[0] = l.transpose(l.reshape(values[0], swapped), swap)
	} else {
		values[0] = l.reshape(values[0], x)
	}
	if slices.ContainsFunc(c.Node.Outputs[1:], func(name string) bool { return name != "" }) {
		values = append(values, l.runningStatistics(y, c.Node.Inputs[3], c.Node.Inputs[4], c.float("momentum", 0.9), c.Opset < 14)...)
	}
	l.finish(values...)
}

// runningStatistics are mean and variance of a row for each channel, mixed with the previous ones, and before opset 14
// also unmixed.
func (l *lowering) runningStatistics(rows, mean, variance string, momentum float32, apart bool) []string {
	attributes := map[string]graph.Attribute{"axes": graph.IntsAttribute(0, 2), "keepdims": graph.IntAttribute(0)}
	current := l.add("ReduceMean", attributes, rows)
	centered := l.add("Sub", nil, rows, l.add("ReduceMean", map[string]graph.Attribute{"axes": graph.IntsAttribute(0, 2)}, rows))
	spread := l.add("ReduceMean", attributes, l.add("Mul", nil, centered, centered))
	mixed := func(before, now string) string {
		return l.add("Add", nil, l.add("Mul", nil, before, l.number(momentum)), l.add("Mul", nil, now, l.number(1-momentum)))
	}
	values := []string{mixed(mean, current), mixed(variance, spread)}
	if apart {
		values = append(values, current, spread)
	}
	return values
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
	// The mean and the inverse standard deviation, if requested.
	rest := slices.Clone(x)
	for i := a; i < len(rest); i++ {
		rest[i] = 1
	}
	c.emit(graph.Float32, rest...)
	c.emit(graph.Float32, rest...)
}

// inferRootMeanSquare is x/√(mean of x² + ε)·scale over the axes from one on; a scale that is broadcast is multiplied
// apart.
func inferRootMeanSquare(c *context) {
	x, scale := c.shape(0), c.shape(min(1, len(c.In)-1))
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	a := c.axis(c.integer("axis", -1), len(x))
	if c.has(1) && !slices.Equal(c.broadcast(scale, x), x) {
		c.failf("input 1 (scale) has shape %v, want one that broadcasts to %v", scale, x)
	}
	if c.has(1) && !slices.Equal(scale, x[a:]) {
		l := c.lower()
		y := l.add("RMSNormalization", map[string]graph.Attribute{"axis": graph.IntAttribute(a), "epsilon": c.epsilon()}, c.Node.Inputs[0])
		l.finish(l.add("Mul", nil, y, c.Node.Inputs[1]))
		return
	}
	c.Params = NormParams{Axis: a, Epsilon: c.epsilon().Float}
	c.emit(graph.Float32, x...)
}

// epsilon is the attribute of a normalization.
func (c *context) epsilon() graph.Attribute {
	return graph.Attribute{Kind: graph.AttributeFloat, Float: c.float("epsilon", 1e-5)}
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
	attributes := map[string]graph.Attribute{"axes": graph.IntsAttribute(c.axes(axes, len(c.shape(0)))...)}
	l := c.lower()
	centered := l.add("Sub", nil, c.Node.Inputs[0], l.add("ReduceMean", attributes, c.Node.Inputs[0]))
	deviation := l.add("Sqrt", nil, l.add("ReduceMean", attributes, l.add("Mul", nil, centered, centered)))
	l.finish(l.add("Div", nil, centered, l.add("Add", nil, deviation, l.constant(graph.Floats([]float32{1e-9})))))
	c.emit(graph.Float32, c.shape(0)...)
}

func inferLpNormalization(c *context) {
	c.want(0, graph.Float32)
	s := c.shape(0)
	a := c.axis(c.integer("axis", -1), len(s))
	reduce, ok := map[int]string{1: "ReduceL1", 2: "ReduceL2"}[c.integer("p", 2)]
	if !ok {
		c.failf("p is %d, want 1 or 2", c.integer("p", 2))
	}
	l := c.lower()
	norm := l.add(reduce, map[string]graph.Attribute{"axes": graph.IntsAttribute(a)}, c.Node.Inputs[0])
	// A vector of zeros stays one.
	norm = l.add("Where", nil, l.add("Equal", nil, norm, l.number(0)), l.number(1), norm)
	l.finish(l.add("Div", nil, c.Node.Inputs[0], norm))
}

// SoftmaxParams normalizes over Length elements that lie Inner apart.
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
