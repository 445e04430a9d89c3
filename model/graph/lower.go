package graph

// Operators that are written as others: the rule of such an operator checks
// the node and hands out the nodes to take its place.

import (
	"fmt"
	"slices"
)

// lowering collects the nodes that replace one.
type lowering struct {
	of        *Node
	serial    int // of the replacements of a program
	nodes     []*Node
	names     []string // of constants, beside their values
	constants []*Tensor
}

// maxLowered bounds the nodes, with their inputs and outputs, that others may be replaced by in one program.
// A recurrent layer of a thousand steps makes some 50,000; a hostile file of few bytes could ask for any number.
const maxLowered = 1 << 19

// lower starts the replacement of the node under inference.
func (c *Context) lower() *lowering {
	c.lowered = &lowering{of: c.Node, serial: c.serial}
	return c.lowered
}

// unroll is lower for a node that is replaced by steps, each of that many nodes, inputs and outputs.
func (c *Context) unroll(steps, each int) *lowering {
	if most := maxLowered / max(each, 1); steps > most {
		c.unsupported("%d steps, want at most %d: they are unrolled", steps, most)
	}
	return c.lower()
}

// size is the number of nodes with their inputs and outputs.
func size(nodes []*Node) int {
	n := 0
	for _, node := range nodes {
		n += 1 + len(node.Inputs) + len(node.Outputs)
	}
	return n
}

// name makes one that no file can contain.
func (l *lowering) name() string {
	return fmt.Sprintf("\x00%d\x00%d", l.serial, len(l.nodes)+len(l.names))
}

// constant adds a constant and returns its name.
func (l *lowering) constant(t *Tensor) string {
	name := l.name()
	l.names, l.constants = append(l.names, name), append(l.constants, t)
	return name
}

// number adds a constant of one element.
func (l *lowering) number(v float32) string { return l.constant(Floats([]float32{v}, 1)) }

// add adds a node with one output and returns its name.
func (l *lowering) add(op string, attributes map[string]Attribute, inputs ...string) string {
	out := l.name()
	l.nodes = append(l.nodes, &Node{Name: l.of.label(), Op: op, Inputs: inputs, Outputs: []string{out}, Attributes: attributes})
	return out
}

// linear is x·wᵀ + bias with a constant matrix w; the bias may be absent.
func (l *lowering) linear(x, w, bias string) string {
	y := l.add("Linear", nil, x, w, bias)
	l.nodes[len(l.nodes)-1].Domain = "repscope"
	return y
}

// slice takes the elements from one index to before another along an axis.
func (l *lowering) slice(x string, axis, from, to int) string {
	return l.add("Slice", map[string]Attribute{"axes": integersAttribute(axis), "starts": integersAttribute(from), "ends": integersAttribute(to)}, x)
}

// split cuts a value into pieces of the given sizes along an axis.
func (l *lowering) split(x string, axis int, sizes ...int) []string {
	if len(sizes) == 1 {
		return []string{x}
	}
	pieces := make([]string, len(sizes))
	first := l.add("Split", map[string]Attribute{"axis": integerAttribute(axis), "split": integersAttribute(sizes...)}, x)
	for i := range pieces {
		pieces[i] = fmt.Sprint(first, "\x00", i)
	}
	l.nodes[len(l.nodes)-1].Outputs = slices.Clone(pieces)
	return pieces
}

// reshape gives a value another shape.
func (l *lowering) reshape(x string, shape []int) string {
	target := Ints()
	for _, d := range shape {
		target.I64 = append(target.I64, int64(d))
	}
	target.Shape[0] = len(shape)
	return l.add("Reshape", map[string]Attribute{"allowzero": integerAttribute(1)}, x, l.constant(target))
}

// transpose permutes the axes of a value.
func (l *lowering) transpose(x string, perm []int) string {
	return l.add("Transpose", map[string]Attribute{"perm": integersAttribute(perm...)}, x)
}

// label is the node's name or, if it has none, that of its first output.
func (n *Node) label() string {
	for _, name := range append([]string{n.Name}, n.Outputs...) {
		if name != "" {
			return name
		}
	}
	return ""
}

// finish makes the values the outputs of the node that is replaced.
func (l *lowering) finish(values ...string) {
	for i, out := range l.of.Outputs {
		if out != "" {
			l.nodes = append(l.nodes, &Node{Name: l.of.label(), Op: "Identity", Inputs: values[i : i+1], Outputs: []string{out}})
		}
	}
}

func integerAttribute(v int) Attribute { return Attribute{Kind: AttributeInt, Int: int64(v)} }

func integersAttribute(v ...int) Attribute {
	a := Attribute{Kind: AttributeInts}
	for _, x := range v {
		a.Ints = append(a.Ints, int64(x))
	}
	return a
}

// lower enters the nodes that replace another one.
func (s *specializer) lower(l *lowering) error {
	if s.lowered += size(l.nodes); s.lowered > maxLowered {
		return &UnsupportedError{Node: l.of.String(), Op: l.of.Op, Opset: s.graph.Opset,
			What: fmt.Sprintf("this node and those before it become %d nodes, inputs and outputs, want at most %d", s.lowered, maxLowered)}
	}
	for i, name := range l.names {
		t := l.constants[i]
		s.addValue(name, Type{DType: t.DType, Shape: t.Shape}, t)
	}
	for _, n := range l.nodes {
		// The replacements' own versions are of no concern: their rules get today's form.
		if err := s.add(n); err != nil {
			return err
		}
	}
	return nil
}
