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
	nodes     []*Node
	names     []string // of constants, beside their values
	constants []*Tensor
	unrolled  bool // whether the nodes are those of a loop's steps
}

// maxUnrolled bounds the nodes that loops may become in one program. Some ten thousand
// are prepared within a second; a hostile file of few bytes could ask for any number.
const maxUnrolled = 1 << 17

// lower starts the replacement of the node under inference.
func (c *Context) lower() *lowering {
	c.lowered = &lowering{of: c.Node}
	return c.lowered
}

// unroll is lower for a node that becomes the given number of nodes at each of its steps.
func (c *Context) unroll(steps, nodes int) *lowering {
	if most := maxUnrolled / max(nodes, 1); steps > most {
		c.unsupported("%d steps, want at most %d: they are unrolled", steps, most)
	}
	l := c.lower()
	l.unrolled = true
	return l
}

// name makes one that no file can contain in this place.
func (l *lowering) name() string {
	present := slices.IndexFunc(l.of.Outputs, func(out string) bool { return out != "" })
	return fmt.Sprintf("\x00%s\x00%d", l.of.Outputs[max(present, 0)], len(l.nodes)+len(l.names))
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
	l.nodes = append(l.nodes, &Node{Name: l.of.Name, Op: op, Inputs: inputs, Outputs: []string{out}, Attributes: attributes})
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

// finish makes the values the outputs of the node that is replaced.
func (l *lowering) finish(values ...string) {
	for i, out := range l.of.Outputs {
		if out != "" {
			l.nodes = append(l.nodes, &Node{Name: l.of.Name, Op: "Identity", Inputs: values[i : i+1], Outputs: []string{out}})
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
	if l.unrolled {
		if s.unrolled += len(l.nodes); s.unrolled > maxUnrolled {
			return &UnsupportedError{Node: l.of.String(), Op: l.of.Op, Opset: s.graph.Opset,
				What: fmt.Sprintf("the steps of this and the loops before it are %d nodes, want at most %d", s.unrolled, maxUnrolled)}
		}
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
