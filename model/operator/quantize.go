// Operators on quantized integers. They are rewritten so that a quantized model computes between them in float32.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var quantizeRows = []tableRow{
	{Name: "QuantizeLinear", Since: 10, Types: "f", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"axis", "block_size", "output_dtype", "precision", "saturate"}, infer: inferQuantize},
	{Name: "DequantizeLinear", Since: 10, Types: "fi", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"axis", "block_size", "output_dtype"}, infer: inferQuantize},
	// Of integers as the numbers that large ones are deferred as.
	{Name: "DequantizeLinear", Domain: own, Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"axis", "block_size", "output_dtype"}, infer: inferQuantize},
	{Name: "QuantizeLinear", Domain: microsoft, Types: "f", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"axis"}, infer: inferQuantize},
	{Name: "DequantizeLinear", Domain: microsoft, Types: "i", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"axis"}, infer: inferQuantize},
	{Name: "DynamicQuantizeLinear", Since: 11, Types: "f", Inputs: exactly(1), Outputs: 3, infer: inferDynamicQuantize},
}

// quantizedRange is the range of an ONNX type of integers that numbers are quantized to.
func quantizedRange(element int) (least, greatest float32, ok bool) {
	switch element {
	case graph.ElementUint8:
		return 0, 255, true
	case graph.ElementInt8:
		return -128, 127, true
	case graph.ElementUint16:
		return 0, 65535, true
	case graph.ElementInt16:
		return -32768, 32767, true
	}
	if n := graph.NarrowElement(element); n != nil && !n.IsFloat() {
		least, greatest = n.Range()
		return least, greatest, true
	}
	return 0, 0, false
}

func castTo(element int) map[string]graph.Attribute {
	return map[string]graph.Attribute{"to": graph.IntAttribute(element)}
}

func integersToFloat() map[string]graph.Attribute { return castTo(graph.ElementFloat) }

// inferQuantize is round(x/scale) + zero, kept within the type's range, or back: (x − zero)·scale.
// Scale and zero are numbers, vectors along an axis, or numbers for blocks along an axis.
func inferQuantize(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	c.want(1, graph.Float32)
	c.want(2, graph.Int64, graph.Float32)
	x, parameters := c.shape(0), c.shape(1)
	if c.has(2) && !slices.Equal(parameters, c.shape(2)) && (graph.Count(parameters) != 1 || graph.Count(c.shape(2)) != 1) {
		c.failf("scale %v and zero point %v", parameters, c.shape(2))
	}
	if c.Node.Op == "QuantizeLinear" {
		c.want(0, graph.Float32)
	}
	l := c.lower()
	in, scale, zero := c.Node.Inputs[0], c.Node.Inputs[1], ""
	if c.has(2) && !c.zeros(2) {
		zero = l.add("Cast", integersToFloat(), c.Node.Inputs[2])
	}
	if size := c.integer("block_size", 0); size != 0 {
		l.finish(c.blocks(in, scale, zero, size))
		return
	}
	// along shapes a vector so that it broadcasts along the axis.
	shape := []int{}
	if graph.Count(parameters) != 1 {
		a := c.axis(c.integer("axis", 1), len(x))
		if len(parameters) != 1 || parameters[0] != x[a] {
			c.failf("scale %v for axis %d of %v", parameters, a, x)
		}
		shape = slices.Repeat([]int{1}, len(x))
		shape[a] = x[a]
	}
	if len(parameters) > 0 {
		scale = l.reshape(scale, shape)
	}
	if zero != "" && (len(parameters) > 0 || len(c.shape(2)) > 0) {
		zero = l.reshape(zero, shape)
	}
	l.finish(c.quantizeOrBack(in, scale, zero))
}

// zeros reports whether input i is known to be zeros, which change nothing.
func (c *context) zeros(i int) bool {
	t := c.In[i].Const
	return t != nil && !t.Deferred() && !slices.ContainsFunc(t.F32, func(v float32) bool { return v != 0 }) &&
		!slices.ContainsFunc(t.I64, func(v int64) bool { return v != 0 })
}

// quantizeOrBack is the node for operands that broadcast.
func (c *context) quantizeOrBack(x, scale, zero string) string {
	l := c.lowered
	if c.Node.Op == "QuantizeLinear" {
		divide := func(x, scale string) string { return l.add("Div", nil, x, scale) }
		if p := c.integer("precision", 0); p == graph.ElementFloat16 || p == graph.ElementBFloat16 {
			return l.quantize(c, l.add("Cast", castTo(p), divide(l.add("Cast", castTo(p), x), l.add("Cast", castTo(p), scale))), zero)
		}
		return l.quantize(c, divide(x, scale), zero)
	}
	if c.In[0].DType == graph.Int64 {
		x = l.add("Cast", integersToFloat(), x)
	}
	if zero != "" {
		x = l.add("Sub", nil, x, zero)
	}
	return l.add("Mul", nil, x, scale)
}

// blocks is the node for parameters that each hold for size elements along an axis, the last ones for the rest. An axis
// of n blocks is cut into one of n and one of the size, along which the parameters broadcast.
func (c *context) blocks(in, scale, zero string, size int) string {
	x, parameters := c.shape(0), c.shape(1)
	l := c.lowered
	a := c.axis(c.integer("axis", 1), len(x))
	want := slices.Clone(x)
	if size > 0 {
		want[a] = x[a]/size + min(x[a]%size, 1)
	}
	if size < 1 || !slices.Equal(parameters, want) || c.has(2) && !slices.Equal(c.shape(2), want) {
		c.failf("scale %v for blocks of %d along axis %d of %v, want %v", parameters, size, a, x, want)
	}
	whole := x[a] / size
	part := func(v string, all, from, to, blocks, each int) string {
		if to-from < all {
			v = l.slice(v, a, from, to)
		}
		s := slices.Clone(x)
		s[a] = blocks
		return l.reshape(v, slices.Insert(s, a+1, each))
	}
	var pieces []string
	for _, p := range []struct{ first, blocks, each int }{{0, whole, size}, {whole, want[a] - whole, x[a] % size}} {
		if p.blocks == 0 && (len(pieces) > 0 || x[a] > 0) {
			continue
		}
		from, z := p.first*size, zero
		if z != "" {
			z = part(z, want[a], p.first, p.first+p.blocks, p.blocks, 1)
		}
		y := c.quantizeOrBack(part(in, x[a], from, from+p.blocks*p.each, p.blocks, p.each),
			part(scale, want[a], p.first, p.first+p.blocks, p.blocks, 1), z)
		shape := slices.Clone(x)
		shape[a] = p.blocks * p.each
		pieces = append(pieces, l.reshape(y, shape))
	}
	if len(pieces) == 1 {
		return pieces[0]
	}
	return l.concat(a, pieces...)
}

// quantize is round(y) + zero within the range of the node's integer type, or y + zero as one of its type of floats;
// zero may be absent.
func (l *lowering) quantize(c *context, y, zero string) string {
	// The readers set output_dtype where a file has only the zero point's type.
	to := c.integer("output_dtype", 0)
	if to == 0 {
		if zero != "" {
			c.unsupported("a zero point of unknown type")
		}
		to = graph.ElementUint8
	}
	if n := graph.NarrowElement(to); n != nil && n.IsFloat() && to != graph.ElementFloat8E8M0 {
		if zero != "" {
			y = l.add("Add", nil, y, zero)
		}
		cast := castTo(to)
		if saturate, ok := c.attribute("saturate", graph.AttributeInt); ok {
			cast["saturate"] = saturate
		}
		return l.add("Cast", cast, y)
	}
	least, greatest, ok := quantizedRange(to)
	if !ok {
		c.unsupported("quantization to %s", graph.ElementName(to))
	}
	if zero == "" {
		zero = l.number(0) // integers have no negative zero
	}
	y = l.add("Add", nil, l.add("Round", nil, y), zero)
	y = l.add("Clip", nil, y, l.number(least), l.number(greatest))
	return l.add("Cast", castTo(to), y)
}

// inferDynamicQuantize quantizes to uint8 with the scale and zero point of the input's own range, which includes 0.
func inferDynamicQuantize(c *context) {
	c.want(0, graph.Float32)
	if graph.Count(c.shape(0)) == 0 {
		c.failf("input %v is empty", c.shape(0))
	}
	l := c.lower()
	x := c.Node.Inputs[0]
	number := func(v float32) string { return l.constant(graph.Floats([]float32{v})) }
	flat := map[string]graph.Attribute{"keepdims": graph.IntAttribute(0)}
	low := l.add("Min", nil, l.add("ReduceMin", flat, x), number(0))
	high := l.add("Max", nil, l.add("ReduceMax", flat, x), number(0))
	scale := l.add("Div", nil, l.add("Sub", nil, high, low), number(255))
	within := func(v string) string { return l.add("Clip", nil, v, number(0), number(255)) }
	zero := l.add("Round", nil, within(l.add("Div", nil, l.add("Sub", nil, number(0), low), scale)))
	y := within(l.add("Add", nil, l.add("Round", nil, l.add("Div", nil, x, scale)), zero))
	toBytes := func(v string) string {
		return l.add("Cast", map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementUint8)}, v)
	}
	l.finish(toBytes(y), scale, toBytes(zero))
	c.emit(graph.Int64, c.shape(0)...)
	c.emit(graph.Float32)
	c.emit(graph.Int64)
}
