// Operators rewritten as others: the rule of such an operator checks the node and returns the replacement nodes.

package operator

import (
	"fmt"
	"slices"

	"repscope/model/graph"
)

// lowering collects the nodes that replace one.
type lowering struct {
	graph.Replacement
	serial int // of the replacements of a program
}

// lower starts the replacement of the node under inference.
func (c *context) lower() *lowering {
	c.lowered = &lowering{Replacement: graph.Replacement{Of: c.Node}, serial: c.Serial}
	return c.lowered
}

// unroll is lower for a node that is replaced by steps, each of that many nodes, inputs and outputs.
func (c *context) unroll(steps, each int) *lowering {
	if most := graph.MaxReplaced / max(each, 1); steps > most {
		c.unsupported("%d unrolled steps, want at most %d", steps, most)
	}
	return c.lower()
}

// name makes one that no file can contain.
func (l *lowering) name() string {
	return fmt.Sprintf("\x00%d\x00%d", l.serial, len(l.Nodes)+len(l.Names))
}

// constant adds a constant and returns its name.
func (l *lowering) constant(t *graph.Tensor) string {
	name := l.name()
	l.Names, l.Constants = append(l.Names, name), append(l.Constants, t)
	return name
}

// number adds a constant of one element.
func (l *lowering) number(v float32) string { return l.constant(graph.Floats([]float32{v}, 1)) }

// add adds a node with one output and returns its name.
func (l *lowering) add(op string, attributes map[string]graph.Attribute, inputs ...string) string {
	out := l.name()
	l.Nodes = append(l.Nodes, &graph.Node{Name: l.Of.Label(), Written: l.Of.Operator(), Op: op, Inputs: inputs,
		Outputs: []string{out}, Attributes: attributes})
	return out
}

// own adds a node of the project's own domain and returns its name.
func (l *lowering) own(op string, attributes map[string]graph.Attribute, inputs ...string) string {
	y := l.add(op, attributes, inputs...)
	l.Nodes[len(l.Nodes)-1].Domain = own
	return y
}

// clip keeps floats between two bounds.
func (l *lowering) clip(x string, low, high float32) string {
	return l.add("Clip", nil, x, l.constant(graph.Floats([]float32{low})), l.constant(graph.Floats([]float32{high})))
}

// pad adds elements before and after one axis of a value; negative numbers remove elements.
func (l *lowering) pad(x string, rank, axis, before, after int, value float32) string {
	pads := make([]int, 2*rank)
	pads[axis], pads[rank+axis] = before, after
	outside := graph.Attribute{Kind: graph.AttributeFloat, Float: value}
	return l.add("Pad", map[string]graph.Attribute{"pads": graph.IntsAttribute(pads...), "value": outside}, x)
}

// linear is x·wᵀ + bias with a constant matrix w; the bias may be absent.
func (l *lowering) linear(x, w, bias string) string {
	return l.own("Linear", nil, x, w, bias)
}

// slice takes the elements from one index to before another along an axis.
func (l *lowering) slice(x string, axis, from, to int) string {
	return l.add("Slice", map[string]graph.Attribute{"axes": graph.IntsAttribute(axis), "starts": graph.IntsAttribute(from), "ends": graph.IntsAttribute(to)}, x)
}

// split cuts a value into pieces of these sizes along an axis.
func (l *lowering) split(x string, axis int, sizes ...int) []string {
	if len(sizes) == 1 {
		return []string{x}
	}
	pieces := make([]string, len(sizes))
	first := l.add("Split", map[string]graph.Attribute{"axis": graph.IntAttribute(axis), "split": graph.IntsAttribute(sizes...)}, x)
	for i := range pieces {
		pieces[i] = fmt.Sprint(first, "\x00", i)
	}
	l.Nodes[len(l.Nodes)-1].Outputs = slices.Clone(pieces)
	return pieces
}

// reshape gives a value another shape.
func (l *lowering) reshape(x string, shape []int) string {
	return l.add("Reshape", map[string]graph.Attribute{"allowzero": graph.IntAttribute(1)}, x, l.constant(integerVector(shape...)))
}

// expand broadcasts a value to a shape.
func (l *lowering) expand(x string, shape ...int) string {
	return l.add("Expand", nil, x, l.constant(integerVector(shape...)))
}

// concat joins values along an axis.
func (l *lowering) concat(axis int, values ...string) string {
	return l.add("Concat", map[string]graph.Attribute{"axis": graph.IntAttribute(axis)}, values...)
}

// stack joins values along a new axis.
func (l *lowering) stack(axis int, values ...string) string {
	for i, v := range values {
		values[i] = l.add("Unsqueeze", map[string]graph.Attribute{"axes": graph.IntsAttribute(axis)}, v)
	}
	return l.concat(axis, values...)
}

// integerVector is a vector of integers, such as a shape.
func integerVector(values ...int) *graph.Tensor {
	t := graph.Ints()
	for _, v := range values {
		t.I64 = append(t.I64, int64(v))
	}
	t.Shape[0] = len(values)
	return t
}

// transpose permutes the axes of a value.
func (l *lowering) transpose(x string, perm []int) string {
	return l.add("Transpose", map[string]graph.Attribute{"perm": graph.IntsAttribute(perm...)}, x)
}

// finish makes the values the outputs of the node that is replaced.
func (l *lowering) finish(values ...string) {
	for i, out := range l.Of.Outputs {
		if out != "" {
			l.Nodes = append(l.Nodes, &graph.Node{Name: l.Of.Label(), Op: "Identity", Inputs: values[i : i+1], Outputs: []string{out}})
		}
	}
}
