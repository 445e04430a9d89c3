// Operators of uint64, whose elements are held as the int64 of the same bits. Comparisons, divisions and conversions
// are rewritten as operators of int64. A number of uint64 with its highest bit flipped has the order of int64.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

// unsigned reports whether input 0 is of uint64.
func (c *context) unsigned() bool {
	return c.In[0].DType == graph.Int64 && c.In[0].Bits == graph.Uint64
}

// whole adds an integer of a type.
func (l *lowering) whole(t graph.Type, v int64) string {
	return l.constant(&graph.Tensor{DType: graph.Int64, Bits: t.Bits, Shape: []int{}, I64: []int64{v}})
}

// int64Of is a value of integers as int64: of uint64 its bits.
func (l *lowering) int64Of(x string) string { return l.add("Cast", castTo(graph.ElementInt64), x) }

// uint64Of is the value of uint64 of the bits of int64.
func (l *lowering) uint64Of(x string) string { return l.add("Cast", castTo(graph.ElementUint64), x) }

// flipped changes the highest bit of int64.
func (l *lowering) flipped(x string) string {
	return l.add("Add", nil, x, l.whole(graph.Type{}, math.MinInt64))
}

// ordered is a value of uint64 as int64 in the same order.
func (l *lowering) ordered(x string) string { return l.flipped(l.int64Of(x)) }

// inOrder lowers a node that compares uint64 to itself on int64 of the same order: its first operands are of uint64,
// and with back its first output is.
func (c *context) inOrder(operands int, back bool) {
	l, inputs := c.lower(), slices.Clone(c.Node.Inputs)
	for i := range operands {
		inputs[i] = l.ordered(inputs[i])
	}
	c.inOrderOf(inputs, back)
}

// inOrderOf is inOrder for inputs that are in order.
func (c *context) inOrderOf(inputs []string, back bool) {
	l := c.lowered
	outputs := make([]string, len(c.Node.Outputs))
	for i, name := range c.Node.Outputs {
		if name != "" {
			outputs[i] = l.name() + "\x00" + string(rune('0'+i))
		}
	}
	n := &graph.Node{Name: c.Node.Label(), Op: c.Node.Op, Inputs: inputs, Outputs: slices.Clone(outputs),
		Attributes: c.Node.Attributes}
	l.Nodes = append(l.Nodes, n)
	if back && outputs[0] != "" {
		outputs[0] = l.uint64Of(l.flipped(outputs[0]))
	}
	l.finish(outputs...)
}

// halfOf is half of a value of uint64, rounded down, as int64.
func (l *lowering) halfOf(x string) string {
	right := map[string]graph.Attribute{"direction": {Kind: graph.AttributeString, String: "RIGHT"}}
	return l.int64Of(l.add("BitShift", right, x, l.whole(graph.Type{Bits: graph.Uint64}, 1)))
}

// unsignedFunction is Abs, Sign or Relu.
func (c *context) unsignedFunction() {
	l, x := c.lower(), c.Node.Inputs[0]
	switch c.Node.Op {
	case "Neg":
		c.unsupported("an operand of uint64")
	case "Sign":
		x = l.add("Cast", castTo(graph.ElementUint64), l.add("Cast", castTo(graph.ElementBool), x))
	}
	l.finish(x)
}

// unsignedDivision is Div or Mod. With y < 2⁶³ the quotient of x/2, doubled, is at most 1 too small; with another y it
// is 0 or 1.
func (c *context) unsignedDivision() {
	l := c.lower()
	number := func(v int64) string { return l.whole(graph.Type{}, v) }
	x, y, zero := l.int64Of(c.Node.Inputs[0]), l.int64Of(c.Node.Inputs[1]), number(0)
	notLess := func(a, b string) string { // as numbers of uint64
		return l.int64Of(l.add("Not", nil, l.add("Less", nil, l.flipped(a), l.flipped(b))))
	}
	q := l.add("Mul", nil, l.add("Div", nil, l.halfOf(c.Node.Inputs[0]), y), number(2))
	q = l.add("Add", nil, q, notLess(l.add("Sub", nil, x, l.add("Mul", nil, q, y)), y))
	q = l.add("Where", nil, l.add("Less", nil, y, zero), notLess(x, y), q)
	// A division by zero gives 0, for the quotient and for the rest.
	none := l.add("Equal", nil, y, zero)
	if c.Node.Op == "Mod" {
		q = l.add("Sub", nil, x, l.add("Mul", nil, q, y))
	}
	l.finish(l.uint64Of(l.add("Where", nil, none, zero, q)))
}

// unsignedPower is Pow with an exponent of uint64: of integers the square of the power of half of it, and once more the
// base.
func (c *context) unsignedPower() {
	l, x := c.lower(), c.Node.Inputs[0]
	if c.In[0].DType == graph.Float32 {
		l.finish(l.add("Pow", nil, x, l.add("Cast", integersToFloat(), c.Node.Inputs[1])))
		return
	}
	half := l.halfOf(c.Node.Inputs[1])
	rest := l.add("Sub", nil, l.int64Of(c.Node.Inputs[1]), l.add("Mul", nil, half, l.whole(graph.Type{}, 2)))
	y := l.add("Pow", nil, x, half)
	l.finish(l.add("Mul", nil, l.add("Mul", nil, y, y), l.add("Pow", nil, x, rest)))
}

// unsignedMean is the sum of n elements divided by their number.
func (c *context) unsignedMean(n int) {
	l := c.lower()
	sum := l.add("ReduceSum", c.Node.Attributes, c.Node.Inputs...)
	l.finish(l.add("Div", nil, sum, l.whole(c.In[0].Type, int64(n))))
}

// castUnsigned converts uint64 to a type of floats: numbers of 2⁶³ and more by their half, whose last bit keeps the bit
// shifted out.
func (c *context) castUnsigned(to map[string]graph.Attribute) {
	l := c.lower()
	number := func(v int64) string { return l.whole(graph.Type{}, v) }
	x, half := l.int64Of(c.Node.Inputs[0]), l.halfOf(c.Node.Inputs[0])
	cut := l.add("Sub", nil, x, l.add("Mul", nil, half, number(2)))
	odd := l.add("Add", nil, l.add("Mul", nil, l.add("Div", nil, half, number(2)), number(2)), number(1))
	half = l.add("Where", nil, l.add("Cast", castTo(graph.ElementBool), cut), odd, half)
	large := l.add("Mul", nil, l.add("Cast", integersToFloat(), half), l.number(2))
	negative := l.add("Less", nil, x, number(0))
	y := l.add("Where", nil, negative, large, l.add("Cast", integersToFloat(), x))
	l.finish(l.reshape(l.add("Cast", to, y), c.shape(0)))
}
