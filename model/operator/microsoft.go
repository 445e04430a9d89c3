// The operators of ONNX Runtime's own domain that its quantization of models writes: operators of ONNX between a
// dequantization and a quantization.

package operator

import (
	"slices"
	"strings"

	"repscope/model/graph"
)

// microsoft is the domain.
const microsoft = "com.microsoft"

var microsoftRows = []tableRow{
	quantizedRow("QLinearAdd", between(7, 8), inferQuantizedBinary),
	quantizedRow("QLinearMul", between(7, 8), inferQuantizedBinary),
	quantizedRow("QLinearSigmoid", between(4, 5), inferQuantizedUnary),
	quantizedRow("QLinearLeakyRelu", between(4, 5), inferQuantizedUnary, "alpha"),
	quantizedRow("QLinearSoftmax", between(4, 5), inferQuantizedUnary, "axis", "opset"),
	quantizedRow("QLinearGlobalAveragePool", between(4, 5), inferQuantizedUnary, "channels_last"),
	quantizedRow("QLinearAveragePool", between(4, 5), inferQuantizedUnary,
		"auto_pad", "ceil_mode", "channels_last", "count_include_pad", "kernel_shape", "pads", "strides"),
	quantizedRow("QLinearConcat", atLeast(5), inferQuantizedConcat, "axis"),
	{Name: "QGemm", Domain: microsoft, Types: "i", Inputs: between(6, 9), Outputs: 1,
		Attributes: []string{"alpha", "output_dtype", "transA", "transB"},
		infer:      inferQuantizedGemm, weights: centerWeights},
	{Name: "QGemm", Domain: own, Inputs: between(6, 9), Outputs: 1, Attributes: []string{"alpha", "output_dtype", "transA", "transB"},
		infer: inferQuantizedGemm, weights: centerWeights},
	{Name: "DynamicQuantizeLSTM", Domain: microsoft, Types: "f", Inputs: between(3, 12), Outputs: 3,
		Attributes: recurrentAttributes("input_forget"), infer: inferQuantizedLSTM},
}

// quantizedRow is the row of an operator between a dequantization and a quantization.
func quantizedRow(name string, inputs [2]int, infer func(*context), attributes ...string) tableRow {
	return tableRow{Name: name, Domain: microsoft, Types: "i", Inputs: inputs, Outputs: 1,
		Attributes: append(attributes, "output_dtype"), infer: infer}
}

// plain is the operator of ONNX that the node quantizes.
func (c *context) plain() string { return strings.TrimPrefix(c.Node.Op, "QLinear") }

func inferQuantizedBinary(c *context) {
	l := c.lower()
	l.finish(c.requantized(6, l.add(c.plain(), nil, c.dequantized(0), c.dequantized(3))))
}

func inferQuantizedUnary(c *context) {
	if c.flag("channels_last", false) {
		c.unsupported("channels_last")
	}
	l := c.lower()
	l.finish(c.requantized(3, l.add(c.plain(), c.passed("channels_last", "opset"), c.dequantized(0))))
}

func inferQuantizedConcat(c *context) {
	if len(c.In)%3 != 2 {
		c.failf("has %d inputs, want 2 and 3 for each operand", len(c.In))
	}
	l := c.lower()
	var operands []string
	for i := 2; i < len(c.In); i += 3 {
		operands = append(operands, c.dequantized(i))
	}
	l.finish(c.requantized(0, l.add("Concat", c.passed(), operands...)))
}

// passed is the node's attributes without the attributes of quantization and others that are named.
func (c *context) passed(without ...string) map[string]graph.Attribute {
	attributes := map[string]graph.Attribute{}
	for name, a := range c.Node.Attributes {
		if name != "output_dtype" && !slices.Contains(without, name) {
			attributes[name] = a
		}
	}
	return attributes
}

// single is input i, a scale or a zero point, as a number.
func (c *context) single(i int, t graph.DType) string {
	if !c.has(i) {
		c.failf("input %d is missing", i)
	}
	c.want(i, t)
	if graph.Count(c.shape(i)) != 1 {
		c.failf("input %d has shape %v, want one element", i, c.shape(i))
	}
	name := c.Node.Inputs[i]
	if t == graph.Int64 {
		name = c.lowered.add("Cast", integersToFloat(), name)
	}
	return c.lowered.reshape(name, nil)
}

// dequantized is (x − zero)·scale of inputs i, i+2 (absent: 0) and i+1.
func (c *context) dequantized(i int) string {
	c.want(i, graph.Int64)
	l := c.lowered
	scale := c.single(i+1, graph.Float32)
	x := l.add("Cast", integersToFloat(), c.Node.Inputs[i])
	if c.has(i + 2) {
		x = l.add("Sub", nil, x, c.single(i+2, graph.Int64))
	}
	return l.add("Mul", nil, x, scale)
}

// requantized is round(y/scale) + zero of inputs i and i+1 (absent: 0).
func (c *context) requantized(i int, y string) string {
	scale, zero := c.single(i, graph.Float32), ""
	if c.has(i + 1) {
		zero = c.single(i+1, graph.Int64)
	}
	return c.lowered.quantize(c, c.lowered.add("Div", nil, y, scale), zero)
}

// inferQuantizedGemm is alpha·s_a·s_b·((a − zero)·(b − zero) + c), quantized if there is a scale for it.
func inferQuantizedGemm(c *context) {
	a, b := c.shape(0), c.shape(3)
	if len(a) != 2 || len(b) != 2 {
		c.failf("operands %v and %v, want matrices", a, b)
	}
	p := &integerProduct{c: c, l: c.lower()}
	l := p.l
	m, k, k2, n := a[0], a[1], b[0], b[1]
	columns := 1 // of b
	if c.flag("transA", false) {
		m, k = k, m
	}
	if c.flag("transB", false) {
		k2, n, columns = n, k2, 0
	}
	if k != k2 {
		c.failf("the inner axes of %v and %v differ (%d and %d)", a, b, k, k2)
	}
	p.integers(0, 3, 2, 5)
	y := l.add("Gemm", c.passed("alpha"), p.center(0, 2, -1), p.center(3, 5, columns))
	if c.has(6) {
		c.want(6, graph.Int64)
		if !slices.Equal(c.broadcast(c.shape(6), []int{m, n}), []int{m, n}) {
			c.failf("input 6 (c) has shape %v, which does not broadcast to [%d %d]", c.shape(6), m, n)
		}
		y = l.add("Add", nil, y, l.add("Cast", integersToFloat(), c.Node.Inputs[6]))
	}
	c.want(4, graph.Float32)
	factor := l.add("Mul", nil, l.add("Mul", nil, l.number(c.float("alpha", 1)), c.single(1, graph.Float32)), p.along(4, []int{m, n}, 1))
	if !c.has(7) {
		l.finish(l.add("Mul", nil, y, factor))
		return
	}
	zero := ""
	if c.has(8) {
		zero = c.single(8, graph.Int64)
	}
	l.finish(l.quantize(c, l.add("Mul", nil, y, l.add("Div", nil, factor, c.single(7, graph.Float32))), zero))
}

// inferQuantizedLSTM is an LSTM with 8-bit weights, [directions, inputs, gates] instead of [directions, gates,
// inputs]. The input and the state are not rounded to 8 bits before their products, as ONNX Runtime does.
func inferQuantizedLSTM(c *context) {
	for i := 8; i < 12; i++ {
		if !c.has(i) {
			c.failf("input %d is missing", i)
		}
	}
	l := c.lower()
	inputs := slices.Clone(c.Node.Inputs[:8])
	for k, i := range []int{inputW, inputR} {
		shape := c.shape(i)
		c.want(i, graph.Int64)
		c.want(8+2*k, graph.Float32)
		c.want(9+2*k, graph.Int64)
		if len(shape) != 3 {
			c.failf("input %d has shape %v, want three axes", i, shape)
		}
		along := func(j int) string {
			name, dims := c.Node.Inputs[j], c.shape(j)
			if c.In[j].DType == graph.Int64 {
				name = l.add("Cast", integersToFloat(), name)
			}
			switch {
			case slices.Equal(dims, []int{shape[0]}):
				return l.reshape(name, []int{shape[0], 1, 1})
			case slices.Equal(dims, []int{shape[0], shape[2]}):
				return l.reshape(name, []int{shape[0], 1, shape[2]})
			}
			c.failf("input %d has shape %v, want [%d] or [%d %d]", j, dims, shape[0], shape[0], shape[2])
			return ""
		}
		w := l.add("Sub", nil, l.add("Cast", integersToFloat(), inputs[i]), along(9+2*k))
		inputs[i] = l.transpose(l.add("Mul", nil, w, along(8+2*k)), []int{0, 2, 1})
	}
	l.Nodes = append(l.Nodes, &graph.Node{Name: c.Node.Label(), Op: "LSTM", Inputs: inputs, Outputs: c.Node.Outputs, Attributes: c.Node.Attributes})
}
