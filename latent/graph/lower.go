package graph

// Operators that are written as others: the rule of such an operator checks
// the node and hands out the nodes to take its place.

import "fmt"

// lowering collects the nodes that replace one.
type lowering struct {
	of        *Node
	nodes     []*Node
	names     []string // of constants, beside their values
	constants []*Tensor
}

// lower starts the replacement of the node under inference.
func (c *Context) lower() *lowering {
	c.lowered = &lowering{of: c.Node}
	return c.lowered
}

// name makes one that no file can contain in this place.
func (l *lowering) name() string {
	return fmt.Sprintf("\x00%s\x00%d", l.of.Outputs[0], len(l.nodes)+len(l.names))
}

// constant adds a constant and returns its name.
func (l *lowering) constant(t *Tensor) string {
	name := l.name()
	l.names, l.constants = append(l.names, name), append(l.constants, t)
	return name
}

// add adds a node with one output and returns its name.
func (l *lowering) add(op string, attributes map[string]Attribute, inputs ...string) string {
	out := l.name()
	l.nodes = append(l.nodes, &Node{Name: l.of.Name, Op: op, Inputs: inputs, Outputs: []string{out}, Attributes: attributes})
	return out
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
