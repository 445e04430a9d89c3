// The node under inference, as seen by rules. A rule that finds a node invalid stops by a panic that never leaves the
// package.

package operator

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"repscope/model/graph"
)

// context is the node under inference.
type context struct {
	*graph.Inference
	// lowered replaces the node by others, if it is not nil.
	lowered *lowering
}

// failure carries an error up to run; it never leaves the package.
type failure struct{ err error }

// failf stops the rule: the node is wrong.
func (c *context) failf(format string, args ...any) {
	panic(failure{fmt.Errorf("%v: %w", c.Node, fmt.Errorf(format, args...))})
}

// unsupported stops the rule: the node may be right but is not implemented.
func (c *context) unsupported(format string, args ...any) {
	panic(failure{&graph.UnsupportedError{Node: c.Node.String(), Op: c.Node.Op, Opset: c.Opset, What: fmt.Sprintf(format, args...)}})
}

// run applies the row's rule to a node.
func (op *tableRow) run(in *graph.Inference) (err error) {
	c := &context{Inference: in}
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
		if c.In[i].DType == graph.Invalid && c.In[i].Sequence == nil {
			c.failf("input %d is missing", i)
		}
	}
	for i, in := range c.In {
		switch {
		case in.Sequence == nil:
		case in.Sequence.None && !op.Optional:
			c.failf("input %d is an optional value without a tensor", i)
		case i >= op.Lists && op.Lists != many:
			c.failf("input %d is a list of tensors, want a tensor", i)
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
		if _, err := graph.Elements(t.Shape); err != nil {
			c.failf("output %d: %w", i, err)
		}
	}
	if c.lowered != nil {
		c.Replacement = &c.lowered.Replacement
	} else if c.Sequence != nil {
		return nil
	} else if len(c.Out) < len(c.Node.Outputs) {
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

// has reports whether input i is present.
func (c *context) has(i int) bool { return i < len(c.In) && c.In[i].DType != graph.Invalid }

// shape is the shape of input i.
func (c *context) shape(i int) []int { return c.In[i].Shape }

// want checks the type of input i.
func (c *context) want(i int, types ...graph.DType) {
	if c.has(i) && !slices.Contains(types, c.In[i].DType) {
		c.failf("input %d has type %s, want %v", i, c.In[i].Element(), types[0])
	}
}

// emit adds an output; integers are of int64.
func (c *context) emit(t graph.DType, shape ...int) { c.emitType(graph.Type{DType: t}, shape...) }

// emitLike adds an output with elements like input i.
func (c *context) emitLike(i int, shape ...int) { c.emitType(c.In[i].Type, shape...) }

// emitType adds an output with the elements of a type.
func (c *context) emitType(t graph.Type, shape ...int) {
	t.Shape = slices.Clone(shape)
	c.Out = append(c.Out, t)
}

// alike checks that input i has elements as input j has.
func (c *context) alike(i, j int) {
	if c.has(i) && !c.In[i].Same(c.In[j].Type) {
		c.failf("input %d has type %s, input %d has %s", i, c.In[i].Element(), j, c.In[j].Element())
	}
}

func (c *context) attribute(name string, kind graph.AttributeKind) (graph.Attribute, bool) {
	a, ok := c.Node.Attributes[name]
	if ok && a.Kind != kind {
		c.failf("attribute %q has the wrong type", name)
	}
	return a, ok
}

func (c *context) integer(name string, otherwise int) int {
	if a, ok := c.attribute(name, graph.AttributeInt); ok {
		if int64(int32(a.Int)) != a.Int {
			c.failf("attribute %q is %d, out of range", name, a.Int)
		}
		return int(a.Int)
	}
	return otherwise
}

func (c *context) float(name string, otherwise float32) float32 {
	if a, ok := c.attribute(name, graph.AttributeFloat); ok {
		return a.Float
	}
	return otherwise
}

func (c *context) text(name, otherwise string) string {
	if a, ok := c.attribute(name, graph.AttributeString); ok {
		return a.String
	}
	return otherwise
}

// flag is an integer attribute that means true or false.
func (c *context) flag(name string, otherwise bool) bool {
	if _, ok := c.Node.Attributes[name]; ok {
		return c.integer(name, 0) != 0
	}
	return otherwise
}

// integers is an integer-list attribute.
func (c *context) integers(name string) ([]int, bool) {
	a, ok := c.attribute(name, graph.AttributeInts)
	if !ok {
		return nil, false
	}
	return c.toInts(fmt.Sprintf("attribute %q", name), a.Ints), true
}

// toInts converts to int; huge values, used for "to the end", are clamped.
func (c *context) toInts(what string, values []int64) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(max(min(v, 1<<40), -1<<40))
	}
	return out
}

// known is the value of input i; what names its meaning in the operator. If it depends on values of the run, the rule
// stops with a hint what to export instead.
func (c *context) known(i int, what string) *graph.Tensor {
	t := c.In[i].Const
	if t != nil {
		return t
	}
	var says []string
	if what != "" {
		says = append(says, what)
	}
	if name := c.Node.Inputs[i]; !strings.HasPrefix(name, "\x00") { // not one of a replacement
		says = append(says, fmt.Sprintf("%q", name))
	}
	if len(says) > 0 {
		what = " (" + strings.Join(says, ", ") + ")"
	}
	c.unsupported("input %d%s must be a constant or follow from the input's shape, but depends on the values of the model's input: "+
		"export it with a number or a size (x.shape) there, or export only the part of the model before it", i, what)
	return nil
}

// constants is an integer input that must be known before execution.
func (c *context) constants(i int) ([]int, bool) {
	if !c.has(i) {
		return nil, false
	}
	t := c.known(i, "")
	if t.DType != graph.Int64 || len(t.Shape) > 1 {
		c.failf("input %d is %v %v, want an int64 vector", i, t.DType, t.Shape)
	}
	return c.toInts(fmt.Sprintf("input %d", i), t.I64), true
}

// list is an integer list that older opsets give as an attribute and newer ones as input i.
func (c *context) list(name string, i int) ([]int, bool) {
	if v, ok := c.integers(name); ok {
		return v, true
	}
	return c.constants(i)
}

// axis resolves a possibly negative axis of a shape of this rank.
func (c *context) axis(a, rank int) int {
	if a < -rank || a >= rank {
		c.failf("axis %d is out of range for rank %d", a, rank)
	}
	if a < 0 {
		a += rank
	}
	return a
}

// axes resolves a list of axes; duplicates are errors.
func (c *context) axes(list []int, rank int) []int {
	out := make([]int, len(list))
	for i, a := range list {
		out[i] = c.axis(a, rank)
		if slices.Contains(out[:i], out[i]) {
			c.failf("axis %d appears twice in %v", a, list)
		}
	}
	return out
}

// broadcast is the common shape of two operands under NumPy's rules.
func (c *context) broadcast(a, b []int) []int {
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
