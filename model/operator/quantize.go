// Operators on integers that stand for multiples of a scale. They are written
// as others: what a quantized model computes between them is computed in float32.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var quantizeRows = []Row{
	{Name: "QuantizeLinear", Since: 10, Types: "f", Note: "to 8 and 16 bits, not in blocks", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"axis", "block_size", "output_dtype", "saturate"}, infer: inferQuantize},
	{Name: "DequantizeLinear", Since: 10, Types: "i", Note: "not in blocks", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"axis", "block_size"}, infer: inferQuantize},
	{Name: "DynamicQuantizeLinear", Since: 11, Types: "f", Inputs: exactly(1), Outputs: 3, infer: inferDynamicQuantize},
}

// quantized is the ONNX integer types that numbers are quantized to, and their ranges.
var quantized = map[int][2]float32{
	graph.ElementUint8: {0, 255}, graph.ElementInt8: {-128, 127}, graph.ElementUint16: {0, 65535}, graph.ElementInt16: {-32768, 32767},
}

func integersToFloat() map[string]graph.Attribute {
	return map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}
}

// inferQuantize is round(x/scale) + zero, kept within the type's range, or back: (x − zero)·scale.
// Scale and zero are numbers, or vectors along an axis.
func inferQuantize(c *context) {
	x := c.shape(0)
	if c.integer("block_size", 0) != 0 {
		c.unsupported("blocks along an axis")
	}
	c.want(1, graph.Float32)
	c.want(2, graph.Int64)
	parameters := c.shape(1)
	if c.has(2) && !slices.Equal(parameters, c.shape(2)) && (graph.Count(parameters) != 1 || graph.Count(c.shape(2)) != 1) {
		c.failf("scale %v and zero point %v", parameters, c.shape(2))
	}
	l := c.lower()
	// along shapes a vector so that it broadcasts along the axis.
	along := func(name string) string { return name }
	if graph.Count(parameters) != 1 {
		a := c.axis(c.integer("axis", 1), len(x))
		if len(parameters) != 1 || parameters[0] != x[a] {
			c.failf("scale %v for axis %d of %v", parameters, a, x)
		}
		shape := slices.Repeat([]int{1}, len(x))
		shape[a] = x[a]
		along = func(name string) string { return l.reshape(name, shape) }
	} else if len(parameters) > 0 {
		along = func(name string) string { return l.reshape(name, nil) }
	}
	in, scale, zero := c.Node.Inputs[0], along(c.Node.Inputs[1]), ""
	if c.has(2) {
		zero = along(l.add("Cast", integersToFloat(), c.Node.Inputs[2]))
	}
	if c.Node.Op == "DequantizeLinear" {
		c.want(0, graph.Int64)
		y := l.add("Cast", integersToFloat(), in)
		if zero != "" {
			y = l.add("Sub", nil, y, zero)
		}
		l.finish(l.add("Mul", nil, y, scale))
		c.emit(graph.Float32, x...)
		return
	}
	c.want(0, graph.Float32)
	l.finish(l.quantize(c, l.add("Div", nil, in, scale), zero))
	c.emit(graph.Int64, x...)
}

// quantize is round(y) + zero within the range of the node's integer type; zero may be absent.
func (l *lowering) quantize(c *context, y, zero string) string {
	// The readers set output_dtype where a file has only the zero point's type.
	to := c.integer("output_dtype", 0)
	if to == 0 {
		if zero != "" {
			c.unsupported("a zero point whose type is not known")
		}
		to = graph.ElementUint8
	}
	limits, ok := quantized[to]
	if !ok {
		c.unsupported("quantisation to %s", graph.ElementName(to))
	}
	y = l.add("Round", nil, y)
	if zero != "" {
		y = l.add("Add", nil, y, zero)
	}
	y = l.add("Clip", nil, y, l.number(limits[0]), l.number(limits[1]))
	return l.add("Cast", map[string]graph.Attribute{"to": graph.IntAttribute(to)}, y)
}

// inferDynamicQuantize quantises to uint8 with the scale and zero point of the input's own range, which includes 0.
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
