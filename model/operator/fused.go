// The operators that ONNX Runtime's optimizer and the tools around it join others to: normalizations with a sum before
// them, activations with a bias, products and convolutions with what comes after them. They are written as the
// operators that they join; package fuse finds its own steps in these.

package operator

import (
	"maps"
	"slices"

	"repscope/model/graph"
)

var fusedRows = []tableRow{
	// Of ONNX's domain by its name, but not of the standard.
	{Name: "SimplifiedLayerNormalization", Since: 1, Types: "f", Note: "of ONNX Runtime, as RMSNormalization",
		Inputs: exactly(2), Outputs: 2,
		Attributes: []string{"axis", "epsilon", "stash_type"}, infer: inferSimplifiedNorm},
	fusedRow("SkipLayerNormalization", between(3, 5), 4, inferSkipNorm, "epsilon"),
	fusedRow("SkipSimplifiedLayerNormalization", between(3, 4), 4, inferSkipNorm, "epsilon"),
	fusedRow("EmbedLayerNormalization", between(1, 9), 3, inferEmbedNorm, "epsilon", "mask_index_type"),
	fusedRow("GroupNorm", exactly(3), 1, inferFusedGroupNorm, "activation", "channels_last", "epsilon", "groups"),
	fusedRow("SkipGroupNorm", between(4, 5), 2, inferFusedGroupNorm, "activation", "channels_last", "epsilon", "groups"),
	fusedRow("BiasGelu", exactly(2), 1, inferBiasGelu),
	fusedRow("FastGelu", between(1, 2), 1, inferBiasGelu),
	fusedRow("Gelu", exactly(1), 1, inferBiasGelu),
	fusedRow("QuickGelu", exactly(1), 1, inferQuickGelu, "alpha"),
	fusedRow("BiasSplitGelu", exactly(2), 1, inferBiasSplitGelu),
	fusedRow("BiasAdd", exactly(3), 1, inferBiasAdd),
	fusedRow("FusedMatMul", exactly(2), 1, inferFusedMatMul, "alpha", "transA", "transB", "transBatchA", "transBatchB"),
	fusedRow("TransposeMatMul", exactly(2), 1, inferFusedMatMul, "alpha", "transA", "transB", "transBatchA",
		"transBatchB"),
	fusedRow("FusedGemm", between(2, 3), 1, inferFusedGemm,
		"activation", "activation_alpha", "activation_beta", "activation_gamma", "alpha", "beta", "transA", "transB"),
	fusedRow("FusedConv", between(2, 4), 1, inferFusedConv, windowAttributes("activation", "activation_params",
		"group")...),
	fusedRow("NhwcConv", between(2, 3), 1, inferChannelsLast, windowAttributes("group")...),
	fusedRow("NhwcFusedConv", between(2, 4), 1, inferChannelsLast, windowAttributes("activation", "activation_params",
		"group")...),
	{Name: "NhwcMaxPool", Domain: microsoft, Types: "fi", Inputs: exactly(1), Outputs: 1,
		Attributes: windowAttributes("ceil_mode"),
		infer:      inferChannelsLast},
}

// fusedRow is the row of an operator of floats of ONNX Runtime's domain.
func fusedRow(name string, inputs [2]int, outputs int, infer func(*context), attributes ...string) tableRow {
	return tableRow{Name: name, Domain: microsoft, Types: "f", Inputs: inputs, Outputs: outputs, Attributes: attributes,
		infer: infer}
}

// floats checks that inputs from one on are floats.
func (c *context) floats(first int) {
	for i := first; i < len(c.In); i++ {
		c.want(i, graph.Float32)
	}
}

// required checks that inputs are present.
func (c *context) required(inputs ...int) {
	for _, i := range inputs {
		if !c.has(i) {
			c.failf("input %d is missing", i)
		}
	}
}

// wantVector checks that input i, if it is present, is a vector of n elements.
func (c *context) wantVector(i, n int, what string) {
	if c.has(i) && !slices.Equal(c.shape(i), []int{n}) {
		c.failf("input %d (%s) has shape %v, want [%d]", i, what, c.shape(i), n)
	}
}

// asks reports whether output i is named.
func (c *context) asks(i int) bool { return i < len(c.Node.Outputs) && c.Node.Outputs[i] != "" }

// several adds a node with several outputs and returns their names.
func (l *lowering) several(op string, outputs int, attributes map[string]graph.Attribute, inputs ...string) []string {
	first := l.add(op, attributes, inputs...)
	names := []string{first}
	for i := 1; i < outputs; i++ {
		names = append(names, first+"\x00"+string(rune('0'+i)))
	}
	l.Nodes[len(l.Nodes)-1].Outputs = slices.Clone(names)
	return names
}

// inverseDeviation is 1/√(mean of x² + ε) over the axes from one on.
func (l *lowering) inverseDeviation(x string, axes []int, epsilon float32) string {
	mean := l.add("ReduceMean", map[string]graph.Attribute{"axes": graph.IntsAttribute(axes...)}, l.add("Mul", nil, x, x))
	return l.add("Reciprocal", nil, l.add("Sqrt", nil, l.add("Add", nil, mean, l.number(epsilon))))
}

// inferSimplifiedNorm is a normalization by the root of the mean of squares, and the factor of each row.
func inferSimplifiedNorm(c *context) {
	c.floats(0)
	axis := c.axis(c.integer("axis", -1), len(c.shape(0)))
	l := c.lower()
	values := []string{l.add("RMSNormalization",
		map[string]graph.Attribute{"axis": graph.IntAttribute(axis), "epsilon": c.epsilon()}, c.Node.Inputs...)}
	if c.asks(1) {
		var axes []int
		for i := axis; i < len(c.shape(0)); i++ {
			axes = append(axes, i)
		}
		values = append(values, l.inverseDeviation(c.Node.Inputs[0], axes, c.epsilon().Float))
	}
	l.finish(values...)
}

// skipEpsilon is the default of normalizations with a sum before them.
const skipEpsilon = 1e-12

// inferSkipNorm normalizes x + skip + bias over the last axis; the last output is the sum. The second and third one are
// of training.
func inferSkipNorm(c *context) {
	c.floats(0)
	x, skip := c.shape(0), c.shape(1)
	simple := c.Node.Op == "SkipSimplifiedLayerNormalization"
	bias := 4
	if simple {
		bias = 3
	}
	if len(x) < 2 || !slices.Equal(c.broadcast(x, skip), x) {
		c.failf("input %v and skip %v, want three axes, and a skip that broadcasts to the input", x, skip)
	}
	width := x[len(x)-1]
	c.wantVector(2, width, "gamma")
	c.wantVector(3, width, "beta or bias")
	c.wantVector(4, width, "bias")
	if c.asks(1) || c.asks(2) {
		c.unsupported("the outputs mean and inv_std_var, which are of training")
	}
	l := c.lower()
	sum := c.Node.Inputs[0]
	if c.has(bias) { // of the product that makes the input, which then adds it
		sum = l.add("Add", nil, sum, c.Node.Inputs[bias])
	}
	sum = l.add("Add", nil, sum, c.Node.Inputs[1])
	epsilon := map[string]graph.Attribute{"epsilon": {Kind: graph.AttributeFloat, Float: c.float("epsilon", skipEpsilon)}}
	norm, operands := "LayerNormalization", []string{sum, c.Node.Inputs[2]}
	switch {
	case simple:
		norm = "RMSNormalization"
	case c.has(3):
		operands = append(operands, c.Node.Inputs[3])
	}
	l.finish(l.add(norm, epsilon, operands...), "", "", sum)
}

// The inputs of EmbedLayerNormalization.
const (
	embedWords = iota
	embedSegments
	embedWordTable
	embedPositionTable
	embedSegmentTable
	embedGamma
	embedBeta
	embedMask
	embedPositions
)

// inferEmbedNorm normalizes the sum of the embeddings of words, positions and segments. Its second output is the number
// of ones of each row of the mask, or 0; the third one the sum.
func inferEmbedNorm(c *context) {
	c.required(embedWordTable, embedPositionTable, embedGamma, embedBeta)
	ids := c.shape(embedWords)
	for _, i := range []int{embedWords, embedSegments, embedMask, embedPositions} {
		c.want(i, graph.Int64)
	}
	tables := []int{embedWordTable, embedPositionTable}
	if c.has(embedSegments) != c.has(embedSegmentTable) {
		c.failf("segment_ids and segment_embedding must be present together")
	} else if c.has(embedSegments) {
		tables = append(tables, embedSegmentTable)
	}
	words := c.shape(embedWordTable)
	for _, i := range tables {
		c.want(i, graph.Float32)
		if t := c.shape(i); len(t) != 2 || len(words) != 2 || t[1] != words[1] {
			c.failf("input %d (a table) has shape %v, want [rows, width], and one width for all", i, t)
		}
	}
	c.wantVector(embedGamma, words[1], "gamma")
	c.wantVector(embedBeta, words[1], "beta")
	if len(ids) != 2 || c.has(embedSegments) && !slices.Equal(c.shape(embedSegments), ids) {
		c.failf("input_ids %v and segment_ids %v, want one shape of two axes", ids, c.shape(embedSegments))
	}
	l := c.lower()
	rows := func(table, places int) string {
		return l.add("Gather", nil, c.Node.Inputs[table], c.Node.Inputs[places])
	}
	positions := ""
	switch p := c.shapeOf(embedPositions); {
	case p == nil && ids[1] > c.shape(embedPositionTable)[0]:
		c.failf("%d positions, the table has %d", ids[1], c.shape(embedPositionTable)[0])
	case p == nil:
		positions = l.slice(c.Node.Inputs[embedPositionTable], 0, 0, ids[1])
	case len(p) != 2 || p[0] != 1 && p[0] != ids[0] || p[1] != ids[1]:
		c.failf("position_ids %v, want [%d or 1, %d]", p, ids[0], ids[1])
	default:
		positions = rows(embedPositionTable, embedPositions)
	}
	sum := l.add("Add", nil, rows(embedWordTable, embedWords), positions)
	if c.has(embedSegments) {
		sum = l.add("Add", nil, sum, rows(embedSegmentTable, embedSegments))
	}
	epsilon := map[string]graph.Attribute{"epsilon": {Kind: graph.AttributeFloat, Float: c.float("epsilon", skipEpsilon)}}
	normalized := l.add("LayerNormalization", epsilon, sum, c.Node.Inputs[embedGamma], c.Node.Inputs[embedBeta])
	l.finish(normalized, c.maskIndex(ids), sum)
}

// shapeOf is the shape of input i, nil if it is absent.
func (c *context) shapeOf(i int) []int {
	if !c.has(i) {
		return nil
	}
	return c.shape(i)
}

// maskIndex is the number of ones in each row of the mask of an EmbedLayerNormalization.
func (c *context) maskIndex(ids []int) string {
	l := c.lowered
	if !c.asks(1) {
		return ""
	}
	if !c.has(embedMask) {
		return l.constant(&graph.Tensor{DType: graph.Int64, Bits: 32, Shape: []int{ids[0]}, I64: make([]int64, ids[0])})
	}
	if !slices.Equal(c.shape(embedMask), ids) {
		c.failf("mask %v, want %v", c.shape(embedMask), ids)
	}
	ones := l.add("Equal", nil, c.Node.Inputs[embedMask], l.whole(c.In[embedMask].Type, 1))
	drop := map[string]graph.Attribute{"keepdims": graph.IntAttribute(0)}
	return l.add("ReduceSum", drop, l.add("Cast", castTo(graph.ElementInt32), ones), l.constant(integerVector(1)))
}

// gelu adds x·Φ(x), or its approximation by tanh.
func (l *lowering) gelu(x string, fast bool) string {
	if fast {
		return l.add("Gelu", map[string]graph.Attribute{"approximate": {Kind: graph.AttributeString, String: "tanh"}}, x)
	}
	return l.add("Gelu", nil, x)
}

// inferBiasGelu is Gelu of the input and a bias, exact or (FastGelu) approximated.
func inferBiasGelu(c *context) {
	c.floats(0)
	l, x := c.lower(), c.Node.Inputs[0]
	if c.has(1) {
		s := c.shape(0)
		if len(s) == 0 {
			c.failf("input 0 has no axes")
		}
		c.wantVector(1, s[len(s)-1], "bias")
		x = l.add("Add", nil, x, c.Node.Inputs[1])
	}
	l.finish(l.gelu(x, c.Node.Op == "FastGelu"))
}

// inferQuickGelu is x·σ(αx).
func inferQuickGelu(c *context) {
	c.floats(0)
	alpha := map[string]graph.Attribute{"alpha": {Kind: graph.AttributeFloat, Float: c.float("alpha", 1.702)}}
	l := c.lower()
	l.finish(l.add("Swish", alpha, c.Node.Inputs[0]))
}

// inferBiasSplitGelu is, of x + bias, the first half of each row times Gelu of the second one.
func inferBiasSplitGelu(c *context) {
	c.floats(0)
	s := c.shape(0)
	last := len(s) - 1
	if last < 0 || s[last]%2 != 0 {
		c.failf("input %v, want an even number of channels", s)
	}
	c.wantVector(1, s[last], "bias")
	l := c.lower()
	halves := l.split(l.add("Add", nil, c.Node.Inputs[0], c.Node.Inputs[1]), last, s[last]/2, s[last]/2)
	l.finish(l.add("Mul", nil, halves[0], l.gelu(halves[1], false)))
}

// inferBiasAdd is x + bias + skip.
func inferBiasAdd(c *context) {
	c.floats(0)
	s := c.shape(0)
	if len(s) == 0 || !slices.Equal(c.shape(2), s) {
		c.failf("input %v and skip %v, want one shape", s, c.shape(2))
	}
	c.wantVector(1, s[len(s)-1], "bias")
	l := c.lower()
	l.finish(l.add("Add", nil, l.add("Add", nil, c.Node.Inputs[0], c.Node.Inputs[1]), c.Node.Inputs[2]))
}

// channelsFirst are the axes of [N, …, C] in the order [N, C, …], and back.
func channelsFirst(rank int) (forth, back []int) {
	forth, back = []int{0, rank - 1}, []int{0}
	for i := 1; i < rank-1; i++ {
		forth, back = append(forth, i), append(back, i+1)
	}
	return forth, append(back, 1)
}

// inferChannelsLast moves the channels of an operator of [N, …, C] to the front and back.
func inferChannelsLast(c *context) {
	rank := len(c.shape(0))
	if rank < 3 {
		c.failf("input %v, want [N, …, C]", c.shape(0))
	}
	forth, back := channelsFirst(rank)
	l, inputs := c.lower(), slices.Clone(c.Node.Inputs)
	inputs[0] = l.transpose(inputs[0], forth)
	if len(inputs) > 3 && inputs[3] != "" {
		inputs[3] = l.transpose(inputs[3], forth)
	}
	op := c.Node.Op[len("Nhwc"):]
	y := l.add(op, c.Node.Attributes, inputs...)
	if op == "FusedConv" {
		l.Nodes[len(l.Nodes)-1].Domain = microsoft
	}
	l.finish(l.transpose(y, back))
}

// inferFusedGroupNorm normalizes groups of channels of x, or of x + skip + bias, which is then the second output. A
// SiLU may follow.
func inferFusedGroupNorm(c *context) {
	c.floats(0)
	x, l, in := c.shape(0), c.lower(), c.Node.Inputs
	if len(x) != 4 {
		c.failf("input %v, want four axes", x)
	}
	last := c.flag("channels_last", true)
	channels := x[1]
	if last {
		channels = x[3]
	}
	groups, activation := c.integer("groups", 0), c.integer("activation", 0)
	switch {
	case groups < 1 || channels%groups != 0 || channels == 0:
		c.failf("%d groups for %d channels", groups, channels)
	case activation != 0 && activation != 1:
		c.failf("activation is %d, want 0 or 1 (SiLU)", activation)
	}
	c.wantVector(1, channels, "gamma")
	c.wantVector(2, channels, "beta")
	c.wantVector(4, channels, "bias")
	y := in[0]
	perChannel := []int{1, channels, 1, 1}
	if last {
		perChannel = []int{1, 1, 1, channels}
	}
	if c.has(3) {
		y = l.add("Add", nil, y, c.skipped(x, channels, last))
	}
	if c.has(4) {
		y = l.add("Add", nil, y, l.reshape(in[4], perChannel))
	}
	sum := y
	forth, back := channelsFirst(4)
	shape := x
	if last {
		y, shape = l.transpose(y, forth), []int{x[0], channels, x[1], x[2]}
	}
	ones := slices.Repeat([]float32{1}, groups)
	y = l.add("InstanceNormalization", map[string]graph.Attribute{"epsilon": c.epsilon()},
		l.reshape(y, []int{x[0], groups, channels / groups * shape[2] * shape[3]}),
		l.constant(graph.Floats(ones, groups)), l.constant(graph.Floats(make([]float32, groups), groups)))
	along := []int{channels, 1, 1}
	y = l.add("Mul", nil, l.reshape(y, shape), l.reshape(in[1], along))
	y = l.add("Add", nil, y, l.reshape(in[2], along))
	if activation == 1 {
		y = l.add("Mul", nil, y, l.add("Sigmoid", nil, y))
	}
	if last {
		y = l.transpose(y, back)
	}
	l.finish(y, sum)
}

// skipped is the skip of a SkipGroupNorm: like x, or a number for each sample and channel.
func (c *context) skipped(x []int, channels int, last bool) string {
	s := c.shape(3)
	if slices.Equal(s, x) {
		return c.Node.Inputs[3]
	}
	if graph.Count(s) != x[0]*channels || len(s) != 2 && len(s) != 4 || s[0] != x[0] {
		c.failf("input 3 (skip) has shape %v, want %v or [%d %d]", s, x, x[0], channels)
	}
	if last {
		return c.lowered.reshape(c.Node.Inputs[3], []int{x[0], 1, 1, channels})
	}
	return c.lowered.reshape(c.Node.Inputs[3], []int{x[0], channels, 1, 1})
}

// inferFusedMatMul is alpha·A'·B', A' and B' with axes exchanged: the first one moved behind the other axes of the
// batch (transBatch), then the last two.
func inferFusedMatMul(c *context) {
	c.floats(0)
	l := c.lower()
	operand := func(i int, which string) string {
		rank := len(c.shape(i))
		perm := make([]int, rank)
		for k := range perm {
			perm[k] = k
		}
		if rank < 2 {
			return c.Node.Inputs[i] // a vector has nothing to exchange
		}
		if c.flag("transBatch"+which, false) {
			perm = slices.Concat(perm[1:rank-1], []int{0, rank - 1})
		}
		if c.flag("trans"+which, false) {
			perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
		}
		if slices.IsSorted(perm) {
			return c.Node.Inputs[i]
		}
		return l.transpose(c.Node.Inputs[i], perm)
	}
	y := l.add("MatMul", nil, operand(0, "A"), operand(1, "B"))
	if alpha := c.float("alpha", 1); alpha != 1 {
		y = l.add("Mul", nil, y, l.scalar(alpha))
	}
	l.finish(y)
}

// activationNumbers are the activations that products and convolutions may end with, and the names of their numbers.
var activationNumbers = map[string][]string{"Relu": nil, "Tanh": nil, "Sigmoid": nil, "HardSwish": nil,
	"Softplus": nil, "Softsign": nil,
	"LeakyRelu": {"alpha"}, "Elu": {"alpha"}, "ThresholdedRelu": {"alpha"}, "HardSigmoid": {"alpha", "beta"},
	"Clip": {"min", "max"}}

// activated applies the node's activation, whose numbers are in the order of activationNumbers; ones that are missing
// have the operator's defaults.
func (c *context) activated(y string, numbers []float32) string {
	name := c.text("activation", "")
	if name == "" {
		return y
	}
	names, ok := activationNumbers[name]
	if !ok {
		c.unsupported("the activation %q", name)
	}
	if name == "Clip" {
		if len(numbers) != 2 {
			c.failf("activation Clip with %d numbers, want 2", len(numbers))
		}
		return c.lowered.clip(y, numbers[0], numbers[1])
	}
	attributes := map[string]graph.Attribute{}
	for i, v := range numbers[:min(len(numbers), len(names))] {
		attributes[names[i]] = graph.Attribute{Kind: graph.AttributeFloat, Float: v}
	}
	return c.lowered.add(name, attributes, y)
}

func inferFusedGemm(c *context) {
	l := c.lower()
	attributes := maps.Clone(c.Node.Attributes)
	var numbers []float32
	for _, name := range []string{"activation_alpha", "activation_beta", "activation_gamma"} {
		if _, ok := attributes[name]; ok {
			numbers = append(numbers, c.float(name, 0))
		}
		delete(attributes, name)
	}
	delete(attributes, "activation")
	l.finish(c.activated(l.add("Gemm", attributes, c.Node.Inputs...), numbers))
}

// inferFusedConv is a convolution, the sum with input 3, and an activation.
func inferFusedConv(c *context) {
	l := c.lower()
	a, _ := c.attribute("activation_params", graph.AttributeFloats)
	y := l.add("Conv", c.passed("activation", "activation_params"), c.Node.Inputs[:min(len(c.Node.Inputs), 3)]...)
	if c.has(3) {
		y = l.add("Add", nil, y, c.Node.Inputs[3])
	}
	l.finish(c.activated(y, a.Floats))
}
