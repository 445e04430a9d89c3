// The operators of ONNX Runtime's own domain that its quantization of models writes: operators of ONNX between a
// dequantization and a quantization, and products of integers, or of packed weights, with their scales.

package operator

import (
	"fmt"
	"slices"
	"strings"

	"repscope/model/graph"
)

// microsoft is the domain.
const microsoft = "com.microsoft"

var microsoftRows = []tableRow{
	quantizedRow("QLinearAdd", between(7, 8), inferQuantizedBinary),
	quantizedRow("QLinearMul", between(7, 8), inferQuantizedBinary),
	quantizedRow("QLinearWhere", between(8, 9), inferQuantizedWhere),
	{Name: "QAttention", Domain: microsoft, Types: "i", Note: "of constant weights, without a past", Inputs: between(5, 9),
		Outputs: 2, Attributes: []string{"do_rotary", "mask_filter_value", "num_heads", "past_present_share_buffer", "scale",
			"unidirectional"}, infer: inferUnwritten},
	{Name: "QEmbedLayerNormalization", Domain: microsoft, Types: "i", Inputs: exactly(18), Outputs: 2,
		Attributes: []string{"epsilon"}, infer: inferUnwritten},
	quantizedRow("QLinearSigmoid", between(4, 5), inferQuantizedUnary),
	quantizedRow("QLinearLeakyRelu", between(4, 5), inferQuantizedUnary, "alpha"),
	quantizedRow("QLinearSoftmax", between(4, 5), inferQuantizedSoftmax, "axis", "opset"),
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
	{Name: "DynamicQuantizeMatMul", Domain: microsoft, Types: "f", Inputs: between(3, 5), Outputs: 1,
		infer: inferScaledProduct, weights: centerWeights},
	{Name: "DynamicQuantizeMatMul", Domain: own, Inputs: between(3, 5), Outputs: 1, infer: inferScaledProduct,
		weights: centerWeights},
	{Name: "MatMulIntegerToFloat", Domain: microsoft, Types: "i", Inputs: between(4, 7), Outputs: 1,
		infer: inferScaledProduct, weights: centerWeights},
	{Name: "MatMulIntegerToFloat", Domain: own, Inputs: between(4, 7), Outputs: 1, infer: inferScaledProduct,
		weights: centerWeights},
	{Name: "MatMulNBits", Domain: microsoft, Types: "f",
		Note: "of constant weights; g_idx only with 4 bits and without zero points; the input is never quantized, " +
			"whatever accuracy_level says",
		Inputs: between(3, 6), Outputs: 1, Attributes: []string{"K", "N", "accuracy_level", "bits", "block_size",
			"weight_prepacked"},
		infer: inferBitsProduct, weights: unpackBits},
	{Name: "MatMulNBits", Domain: own, Inputs: between(2, 3), Outputs: 1, infer: inferUnpackedProduct},
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

func inferQuantizedWhere(c *context) {
	l := c.lower()
	c.want(0, graph.Bool)
	l.finish(c.requantized(7, l.add("Where", nil, c.Node.Inputs[0], c.dequantized(1), c.dequantized(4))))
}

func inferQuantizedUnary(c *context) {
	l := c.lower()
	x, attributes := c.dequantized(0), c.passed("channels_last", "opset")
	if !c.flag("channels_last", false) {
		l.finish(c.requantized(3, l.add(c.plain(), attributes, x)))
		return
	}
	rank := len(c.shape(0))
	if rank < 3 {
		c.failf("input %v, want [N, …, C]", c.shape(0))
	}
	forth, back := channelsFirst(rank)
	y := l.add(c.plain(), attributes, l.transpose(x, forth))
	l.finish(l.transpose(c.requantized(3, y), back))
}

// inferQuantizedSoftmax is a softmax over an axis, before opset 13 over all axes from one on. ONNX Runtime takes the
// whole number below 1/scale instead of it.
func inferQuantizedSoftmax(c *context) {
	l := c.lower()
	x, shape, late := c.dequantized(0), c.shape(0), c.integer("opset", 13) >= 13
	axis := -1
	if !late {
		axis = 1
	}
	axis = c.axis(c.integer("axis", axis), len(shape))
	if late && c.Opset < 13 && axis != len(shape)-1 {
		c.unsupported("a softmax of opset 13 over axis %d of %v", axis, shape)
	}
	if !late {
		x = l.reshape(x, []int{graph.Count(shape[:axis]), graph.Count(shape[axis:])})
		axis = 1
	}
	y := l.add("Softmax", map[string]graph.Attribute{"axis": graph.IntAttribute(axis)}, x)
	if !late {
		y = l.reshape(y, shape)
	}
	zero := ""
	if c.has(4) {
		zero = c.single(4, graph.Int64)
	}
	steps := l.add("Floor", nil, l.add("Div", nil, l.number(1), c.single(3, graph.Float32)))
	l.finish(l.quantize(c, l.add("Mul", nil, y, steps), zero))
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

// inferScaledProduct is a_scale·b_scale·((a − zero)·(b − zero)) + bias, where a is quantized by its own range
// (DynamicQuantizeMatMul) or an integer (MatMulIntegerToFloat).
func inferScaledProduct(c *context) {
	p := &integerProduct{c: c, l: c.lower()}
	l, in := p.l, slices.Clone(c.Node.Inputs)
	input := func(i int) string {
		if c.has(i) {
			return in[i]
		}
		return ""
	}
	a, b, scale, zero, bias := input(0), 1, 2, 3, 4
	factor, zeroA := "", ""
	if c.Node.Op == "DynamicQuantizeMatMul" {
		c.want(0, graph.Float32)
		q := l.several("DynamicQuantizeLinear", 3, nil, a)
		a, factor, zeroA = q[0], q[1], q[2]
	} else {
		c.want(0, graph.Int64)
		factor, zeroA = c.single(2, graph.Float32), input(4)
		scale, zero, bias = 3, 5, 6
	}
	w := c.shape(b)
	if len(w) < 2 || len(c.shape(0)) == 0 {
		c.failf("operands %v and %v, want […, k] and [k, n]", c.shape(0), w)
	}
	c.want(scale, graph.Float32)
	columns := w[len(w)-1]
	if c.has(bias) {
		c.want(bias, graph.Float32)
		c.wantVector(bias, columns, "bias")
	}
	y := l.own("MatMulInteger", map[string]graph.Attribute{"rounded": graph.IntAttribute(1)}, a, in[b], zeroA, input(zero))
	y = l.add("Cast", integersToFloat(), y)
	y = l.add("Mul", nil, y, l.add("Mul", nil, factor, p.along(scale, w, len(w)-1)))
	if c.has(bias) {
		y = l.add("Add", nil, y, in[bias])
	}
	l.finish(y)
}

// packedBits are the weights [n, k] of a MatMulNBits: codes of a few bits, in blocks along k that start at bytes of
// their own, each with a scale and a zero point.
type packedBits struct {
	n, k, bits, block int
	codes             *graph.Tensor
	scales, zeros     []float32 // by row and block
	groups            []int64   // the block of each column whose scale and zero point it has; nil: its own
}

// blocks is the number of blocks of a row.
func (p *packedBits) blocks() int { return (p.k + p.block - 1) / p.block }

// code is the number at this place of codes that are packed from the lowest bits on.
func (p *packedBits) code(i int, packed []float32) float32 {
	each := 8 / p.bits
	return float32(int(packed[i/each]) >> (i % each * p.bits) & (1<<p.bits - 1))
}

// read decodes weights from the first one on.
func (p *packedBits) read(dst []float32, first int) error {
	size := p.block * p.bits / 8
	buffer := make([]float32, size)
	for len(dst) > 0 {
		row, column := first/p.k, first%p.k
		block := row*p.blocks() + column/p.block
		codes, err := p.part(block*size, size, buffer)
		if err != nil {
			return err
		}
		from, to := column%p.block, min(p.block, p.k-column/p.block*p.block)
		n := min(to-from, len(dst))
		for i := range n {
			if p.groups != nil {
				block = row*p.blocks() + int(p.groups[column+i])
			}
			dst[i] = (p.code(from+i, codes) - p.zeros[block]) * p.scales[block]
		}
		dst, first = dst[n:], first+n
	}
	return nil
}

// part is n bytes as numbers.
func (p *packedBits) part(first, n int, buffer []float32) ([]float32, error) {
	if p.codes.DType == graph.Float32 {
		return p.codes.Part(first, n, buffer)
	}
	for i, v := range p.codes.I64[first : first+n] {
		buffer[i] = float32(v)
	}
	return buffer, nil
}

// bitsWeights checks the weights of a MatMulNBits and reads its scales and zero points.
func bitsWeights(n *graph.Node, constant func(i int) *graph.Tensor) (*graph.Tensor, error) {
	p := &packedBits{n: int(n.Attributes["N"].Int), k: int(n.Attributes["K"].Int),
		block: int(n.Attributes["block_size"].Int), bits: 4, codes: constant(1)}
	if bits, ok := n.Attributes["bits"]; ok {
		p.bits = int(bits.Int)
	}
	if p.bits != 2 && p.bits != 4 && p.bits != 8 || p.n < 1 || p.k < 1 || p.n > 1<<24 || p.k > 1<<24 || p.block < 16 ||
		p.block > 1<<16 || p.block&(p.block-1) != 0 {
		return nil, fmt.Errorf("want 2, 4 or 8 bits and blocks of a power of two from 16 on, got N %d, K %d, %d bits and blocks "+
			"of %d", p.n, p.k, p.bits, p.block)
	}
	blocks, scales := p.n*p.blocks(), constant(2)
	if p.codes == nil || scales == nil {
		return nil, nil
	}
	if bytes := blocks * p.block * p.bits / 8; p.codes.Len() != bytes || scales.DType != graph.Float32 ||
		scales.Len() != blocks {
		return nil, fmt.Errorf("weights %v and scales %v, want %d bytes and %d scales for N %d, K %d", p.codes.Shape,
			scales.Shape, bytes, blocks, p.n, p.k)
	}
	for _, v := range p.codes.I64 {
		if v < 0 || v > 255 {
			return nil, fmt.Errorf("weights of type %s, want uint8", p.codes.Type().Element())
		}
	}
	var err error
	if p.scales, err = scales.Load(nil); err != nil {
		return nil, err
	}
	if p.zeros, err = p.zeroPoints(constant(3), blocks); err != nil {
		return nil, err
	}
	if err = p.order(constant(4)); err != nil {
		return nil, err
	}
	if p.n*p.k > graph.Resident {
		return graph.Defer(p.read, p.n, p.k), nil
	}
	t := graph.Floats(make([]float32, p.n*p.k), p.n, p.k)
	return t, p.read(t.F32, 0)
}

// zeroPoints are the zero points of blocks: numbers, codes packed by row, or, without any, the middle of the range.
func (p *packedBits) zeroPoints(t *graph.Tensor, blocks int) ([]float32, error) {
	zeros := make([]float32, blocks)
	each := 8 / p.bits
	perRow := (p.blocks() + each - 1) / each
	switch {
	case t == nil:
		for i := range zeros {
			zeros[i] = float32(int(1) << (p.bits - 1))
		}
	case t.DType == graph.Float32 && t.Len() == blocks:
		return t.Load(nil)
	case t.DType == graph.Int64 && t.Len() == p.n*perRow:
		packed := make([]float32, perRow)
		for row := range p.n {
			for i, v := range t.I64[row*perRow : (row+1)*perRow] {
				packed[i] = float32(v & 255)
			}
			for i := range p.blocks() {
				zeros[row*p.blocks()+i] = p.code(i, packed)
			}
		}
	default:
		return nil, fmt.Errorf("zero_points %v, want %d numbers or %d bytes", t.Shape, blocks, p.n*perRow)
	}
	return zeros, nil
}

// order reads g_idx, the block that each column belongs to. On processors ONNX Runtime takes it with 4 bits only, and
// leaves out zero points then, which it does not on GPUs.
func (p *packedBits) order(t *graph.Tensor) error {
	if t == nil {
		return nil
	}
	middle := float32(int(1) << (p.bits - 1))
	if p.bits != 4 || slices.ContainsFunc(p.zeros, func(z float32) bool { return z != middle }) {
		return fmt.Errorf("g_idx with %d bits or with zero points, which ONNX Runtime computes differently from device to "+
			"device: quantize the model again symmetrically to 4 bits, or without an order of groups", p.bits)
	}
	if n := t.Len(); t.DType != graph.Int64 || n != p.k && n != p.blocks()*p.block {
		return fmt.Errorf("g_idx %v, want %d integers", t.Shape, p.k)
	}
	for i, g := range t.I64[:p.k] {
		if g < 0 || g >= int64(p.blocks()) {
			return fmt.Errorf("g_idx has %d at %d, want 0 to %d", g, i, p.blocks()-1)
		}
	}
	p.groups = t.I64
	return nil
}

// unpackBits replaces the packed weights of a MatMulNBits by weights that are decoded when they are loaded. Other cases
// are left to the rule.
func unpackBits(g *graph.Graph, n *graph.Node) {
	input := func(i int) string {
		if i < len(n.Inputs) {
			return n.Inputs[i]
		}
		return ""
	}
	for _, i := range []int{3, 4} {
		if input(i) != "" && g.Constants[input(i)] == nil {
			return
		}
	}
	if n.Domain == own {
		return
	}
	w, err := bitsWeights(n, func(i int) *graph.Tensor { return g.Constants[input(i)] })
	if err != nil || w == nil {
		return
	}
	name := "\x00unpacked\x00" + n.Outputs[0]
	g.Constants[name] = w
	n.Domain, n.Inputs, n.Attributes = own, []string{n.Inputs[0], name, input(5)}, nil
}

// inferBitsProduct is x·wᵀ + bias with weights that are still packed.
func inferBitsProduct(c *context) {
	if c.integer("weight_prepacked", 0) != 0 {
		c.unsupported("weight_prepacked: quantize the model again without packing it for a device")
	}
	for i := 1; i < 5; i++ {
		if c.has(i) {
			c.known(i, "weights, their scales, zero points or g_idx")
		}
	}
	w, err := bitsWeights(c.Node, func(i int) *graph.Tensor {
		if !c.has(i) {
			return nil
		}
		return c.In[i].Const
	})
	if err != nil {
		c.failf("%w", err)
	}
	l := c.lower()
	c.addProduct(l.constant(w), w.Shape, 5)
}

// inferUnpackedProduct is x·wᵀ + bias.
func inferUnpackedProduct(c *context) {
	c.lower()
	c.addProduct(c.Node.Inputs[1], c.shape(1), 2)
}

// addProduct is the product of input 0 and weights [n, k], and a bias.
func (c *context) addProduct(w string, shape []int, bias int) {
	c.want(0, graph.Float32)
	l, x := c.lowered, c.shape(0)
	if len(x) == 0 || x[len(x)-1] != shape[1] {
		c.failf("input %v, want […, %d]", x, shape[1])
	}
	in := c.Node.Inputs[0]
	if len(x) == 1 {
		in = l.reshape(in, []int{1, x[0]})
	}
	y := l.linear(in, w, "")
	if len(x) == 1 {
		y = l.reshape(y, []int{shape[0]})
	}
	if c.has(bias) {
		c.want(bias, graph.Float32)
		c.wantVector(bias, shape[0], "bias")
		y = l.add("Add", nil, y, c.Node.Inputs[bias])
	}
	l.finish(y)
}
