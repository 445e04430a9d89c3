package graph

// The operator table: what a node of each kind may look like, and what shape
// its outputs have. One small infer function per operator stands in the
// shapes_*.go files; package cpu has one kernel per operator of the same name.

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Operator is one row of the table.
type Operator struct {
	Name       string
	Domain     string   // "" is ONNX's own; "repscope" holds fused operators
	Inputs     [2]int   // least and most inputs; most −1: any number
	Outputs    int      // most outputs
	Attributes []string // attributes that are understood
	// View says that output 0 has the elements of input 0 in the same order,
	// so that it needs no work and no buffer.
	View bool
	// InPlace says that output 0 may overwrite input 0 if their sizes agree.
	InPlace bool
	// NoFold says that the operator is never evaluated ahead of execution.
	NoFold bool

	infer func(*Context)
}

// Type is an element type and a shape.
type Type struct {
	DType DType
	Shape []int
}

// Operand is an input as an operator's rule sees it; Const is nil unless the
// value is known before execution.
type Operand struct {
	Type
	Const *Tensor
}

// Context is the node under inference and what is known of its inputs.
type Context struct {
	Node  *Node
	Opset int
	In    []Operand // an absent optional input has DType Invalid
	Out   []Type    // set by the rule
	Known []*Tensor // set by rules that know the value of an output, such as Shape; nil: not of this one
	// Params is what the rule hands to the executors: attributes with defaults
	// filled in, negative axes resolved, and so on.
	Params any
	// lowered replaces the node by others, if it is not nil.
	lowered *lowering
	serial  int // of the replacement
}

// failure carries an error up to infer; it never leaves the package.
type failure struct{ err error }

// failf stops the rule: the node is wrong.
func (c *Context) failf(format string, args ...any) {
	panic(failure{fmt.Errorf("%v: %w", c.Node, fmt.Errorf(format, args...))})
}

// unsupported stops the rule: the node may be right but is not implemented.
func (c *Context) unsupported(format string, args ...any) {
	panic(failure{&UnsupportedError{Node: c.Node.String(), Op: c.Node.Op, Opset: c.Opset, What: fmt.Sprintf(format, args...)}})
}

// run applies the operator's rule to c.
func (op *Operator) run(c *Context) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		case runtime.Error:
			// A form of a broken node that no check foresaw.
			err = fmt.Errorf("%v: malformed: %v", c.Node, r)
		default:
			panic(r)
		}
	}()
	n := len(c.Node.Inputs)
	for n > 0 && c.Node.Inputs[n-1] == "" {
		n--
	}
	if n < op.Inputs[0] || op.Inputs[1] >= 0 && n > op.Inputs[1] {
		c.failf("has %d inputs, want %s", n, countText(op.Inputs))
	}
	for i := range op.Inputs[0] {
		if c.In[i].DType == Invalid {
			c.failf("input %d is missing", i)
		}
	}
	if len(c.Node.Outputs) > op.Outputs && op.Outputs >= 0 {
		c.unsupported("%d outputs; %d are supported", len(c.Node.Outputs), op.Outputs)
	}
	for name := range c.Node.Attributes {
		if !slices.Contains(op.Attributes, name) {
			c.unsupported("attribute %q is not supported", name)
		}
	}
	op.infer(c)
	for i, t := range c.Out {
		if _, err := Elements(t.Shape); err != nil {
			c.failf("output %d: %w", i, err)
		}
	}
	if c.lowered == nil && len(c.Out) < len(c.Node.Outputs) {
		c.failf("has %d outputs, want at most %d", len(c.Node.Outputs), len(c.Out))
	}
	return nil
}

func countText(r [2]int) string {
	switch {
	case r[1] < 0:
		return fmt.Sprintf("at least %d", r[0])
	case r[0] == r[1]:
		return fmt.Sprint(r[0])
	}
	return fmt.Sprintf("%d to %d", r[0], r[1])
}

var table = map[string]*Operator{}

// register adds rows to the table.
func register(ops ...*Operator) {
	for _, op := range ops {
		table[op.Domain+"."+op.Name] = op
	}
}

func lookup(n *Node, opset int) (*Operator, error) {
	domain := n.Domain
	if domain == "ai.onnx" {
		domain = ""
	}
	op := table[domain+"."+n.Op]
	if op == nil {
		return nil, &UnsupportedError{Node: n.String(), Op: strings.TrimPrefix(domain+"."+n.Op, "."), Opset: opset}
	}
	// Older opsets than MinOpset are not supported but may be tried: replacements of their nodes are written as of MinOpset.
	if from := introduced[n.Op].opset; domain == "" && max(opset, MinOpset) < from {
		return nil, &UnsupportedError{Node: n.String(), Op: n.Op, Opset: opset, What: fmt.Sprintf("operator %s exists from opset %d on", n.Op, from)}
	}
	return op, nil
}

// has reports whether input i is present.
func (c *Context) has(i int) bool { return i < len(c.In) && c.In[i].DType != Invalid }

// shape is the shape of input i.
func (c *Context) shape(i int) []int { return c.In[i].Shape }

// want checks the type of input i.
func (c *Context) want(i int, types ...DType) {
	if c.has(i) && !slices.Contains(types, c.In[i].DType) {
		c.failf("input %d has type %v, want %v", i, c.In[i].DType, types[0])
	}
}

// emit adds an output.
func (c *Context) emit(t DType, shape ...int) {
	c.Out = append(c.Out, Type{DType: t, Shape: slices.Clone(shape)})
}

func (c *Context) attribute(name string, kind AttributeKind) (Attribute, bool) {
	a, ok := c.Node.Attributes[name]
	if ok && a.Kind != kind {
		c.failf("attribute %q has the wrong type", name)
	}
	return a, ok
}

func (c *Context) integer(name string, otherwise int) int {
	if a, ok := c.attribute(name, AttributeInt); ok {
		if int64(int32(a.Int)) != a.Int {
			c.failf("attribute %q is %d, out of range", name, a.Int)
		}
		return int(a.Int)
	}
	return otherwise
}

func (c *Context) float(name string, otherwise float32) float32 {
	if a, ok := c.attribute(name, AttributeFloat); ok {
		return a.Float
	}
	return otherwise
}

func (c *Context) text(name, otherwise string) string {
	if a, ok := c.attribute(name, AttributeString); ok {
		return a.String
	}
	return otherwise
}

// flag is an integer attribute that means true or false.
func (c *Context) flag(name string, otherwise bool) bool {
	if _, ok := c.Node.Attributes[name]; ok {
		return c.integer(name, 0) != 0
	}
	return otherwise
}

// integers is an integer-list attribute.
func (c *Context) integers(name string) ([]int, bool) {
	a, ok := c.attribute(name, AttributeInts)
	if !ok {
		return nil, false
	}
	return c.toInts(fmt.Sprintf("attribute %q", name), a.Ints), true
}

// toInts converts to int; huge values, used for "to the end", are clamped.
func (c *Context) toInts(what string, values []int64) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(max(min(v, 1<<40), -1<<40))
	}
	return out
}

// constants is an integer input that must be known before execution.
func (c *Context) constants(i int) ([]int, bool) {
	if !c.has(i) {
		return nil, false
	}
	t := c.In[i].Const
	if t == nil {
		c.unsupported("input %d must be a constant or follow from the input's shape", i)
	}
	if t.DType != Int64 || len(t.Shape) > 1 {
		c.failf("input %d is %v %v, want an int64 vector", i, t.DType, t.Shape)
	}
	return c.toInts(fmt.Sprintf("input %d", i), t.I64), true
}

// list is an integer list that older opsets give as an attribute and newer ones as input i.
func (c *Context) list(name string, i int) ([]int, bool) {
	if v, ok := c.integers(name); ok {
		return v, true
	}
	return c.constants(i)
}

// axis resolves a possibly negative axis of a shape of the given rank.
func (c *Context) axis(a, rank int) int {
	if a < -rank || a >= rank {
		c.failf("axis %d is out of range for rank %d", a, rank)
	}
	if a < 0 {
		a += rank
	}
	return a
}

// axes resolves a list of axes; duplicates are errors.
func (c *Context) axes(list []int, rank int) []int {
	out := make([]int, len(list))
	for i, a := range list {
		out[i] = c.axis(a, rank)
		if slices.Contains(out[:i], out[i]) {
			c.failf("axis %d stands twice in %v", a, list)
		}
	}
	return out
}

// broadcast is the common shape of two operands under NumPy's rules.
func (c *Context) broadcast(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		j := len(a) - len(b) + i
		switch {
		case out[j] == b[i] || b[i] == 1:
		case out[j] == 1:
			out[j] = b[i]
		default:
			c.failf("shapes %v and %v do not broadcast", a, b)
		}
	}
	return out
}
