// Lists of tensors, which exporters write for chunk, split and unbind, and for lists that a loop fills. Their lengths,
// and the positions in them, are known before execution, so that a program has the tensors alone.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var listRows = []tableRow{
	{Name: "SequenceConstruct", Since: 11, Types: "fib", Inputs: atLeast(1), Outputs: 1, infer: inferSequenceConstruct},
	{Name: "SequenceEmpty", Since: 11, Types: "fib", Inputs: exactly(0), Outputs: 1, Attributes: []string{"dtype"},
		infer: inferSequenceEmpty},
	{Name: "SequenceAt", Since: 11, Types: "fib", Note: places, Inputs: exactly(2), Outputs: 1, Lists: 1,
		infer: inferSequenceAt},
	{Name: "SequenceInsert", Since: 11, Types: "fib", Note: places, Inputs: between(2, 3), Outputs: 1, Lists: 1,
		infer: inferSequenceInsert},
	{Name: "SequenceErase", Since: 11, Types: "fib", Note: places, Inputs: between(1, 2), Outputs: 1, Lists: 1,
		infer: inferSequenceErase},
	{Name: "SequenceLength", Since: 11, Types: "fib", Inputs: exactly(1), Outputs: 1, Lists: 1,
		infer: inferSequenceLength},
	{Name: "SequenceMap", Since: 17, Types: "fib", Note: "unrolled", Inputs: atLeast(1), Outputs: many,
		Attributes: []string{"body"}, Lists: many, infer: inferSequenceMap, inner: innerMap},
	{Name: "SplitToSequence", Since: 11, Types: "fib",
		Note:   "the sizes must be constants or follow from the input's shape",
		Inputs: between(1, 2), Outputs: 1, Attributes: []string{"axis", "keepdims"}, infer: inferSplitToSequence},
	{Name: "ConcatFromSequence", Since: 11, Types: "fib", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"axis", "new_axis"}, Lists: 1, infer: inferConcatFromSequence},
	{Name: "Optional", Since: 15, Types: "fib", Note: optionalTypes, Inputs: between(0, 1), Outputs: 1,
		Attributes: []string{"type"},
		Lists:      1, infer: inferOptional},
	{Name: "OptionalGetElement", Since: 15, Types: "fib", Note: optionalTypes, Inputs: exactly(1), Outputs: 1, Lists: 1,
		infer: inferOptional},
	{Name: "OptionalHasElement", Since: 15, Types: "fib", Note: optionalTypes, Inputs: between(0, 1), Outputs: 1,
		Lists: 1, Optional: true,
		infer: inferOptionalHasElement},
}

// optionalTypes note where it is known whether there is a value.
const optionalTypes = "whether there is a value follows from the graph"

const places = "the position must be a constant or follow from the input's shape"

// listed is input i, a list.
func (c *context) listed(i int) *graph.Sequence {
	s := c.In[i].Sequence
	if s == nil {
		c.failf("input %d has type %s, want a list of tensors", i, c.In[i].Element())
	}
	return s
}

// fits checks that input i has the type of a list's elements.
func (c *context) fits(i int, s *graph.Sequence) {
	if !c.In[i].Same(s.Type) {
		c.failf("input %d has type %s, the list has %s", i, c.In[i].Element(), s.Element())
	}
}

// place is input i, a position before end in a list of n tensors, with negative ones counting from its end; otherwise
// if it is absent.
func (c *context) place(i, n, end, otherwise int) int {
	if !c.has(i) {
		return otherwise
	}
	c.want(i, graph.Int64)
	if graph.Count(c.shape(i)) != 1 {
		c.failf("input %d (the position) has shape %v, want one element", i, c.shape(i))
	}
	position := c.known(i, "the position").I64[0]
	if position < -int64(n) || position >= int64(end) {
		c.failf("input %d (the position) is %d, in a list of %d tensors", i, position, n)
	}
	if position < 0 {
		position += int64(n)
	}
	return int(position)
}

// inferOptional is the value, of an Optional or of an OptionalGetElement, or an optional value without one.
func inferOptional(c *context) {
	switch {
	case len(c.In) == 0 || !c.has(0) && c.In[0].Sequence == nil:
		c.Sequence = graph.NewSequence(graph.Type{})
		c.Sequence.None = true
	case c.In[0].Sequence != nil:
		c.Sequence = c.In[0].Sequence
	default:
		c.lower().finish(c.Node.Inputs[0])
	}
}

func inferOptionalHasElement(c *context) {
	there := len(c.In) > 0 && (c.has(0) || c.In[0].Sequence != nil && !c.In[0].Sequence.None)
	c.Known = []*graph.Tensor{{DType: graph.Bool, Shape: []int{}, Bool: []bool{there}}}
	c.emit(graph.Bool)
}

func inferSequenceConstruct(c *context) {
	for i := range c.In {
		if !c.has(i) {
			c.failf("input %d is missing", i)
		}
		c.alike(i, 0)
	}
	c.Sequence = graph.NewSequence(c.In[0].Type, c.Node.Inputs...)
}

func inferSequenceEmpty(c *context) {
	element := c.integer("dtype", graph.ElementFloat)
	t, ok := graph.ElementDType(element)
	if !ok {
		c.unsupported("a list of element type %s", graph.ElementName(element))
	}
	c.Sequence = graph.NewSequence(graph.Type{DType: t, Bits: graph.IntegerBits(element)})
}

func inferSequenceAt(c *context) {
	s := c.listed(0)
	at := c.place(1, len(s.Items), len(s.Items), 0)
	c.lower().finish(s.Items[at])
}

func inferSequenceInsert(c *context) {
	s, n := c.listed(0), len(c.listed(0).Items)
	if !c.has(1) {
		c.failf("input 1 (the tensor) is missing")
	}
	c.fits(1, s)
	if at := c.place(2, n, n+1, n); at < n {
		c.Sequence = graph.NewSequence(s.Type, slices.Insert(slices.Clone(s.Items), at, c.Node.Inputs[1])...)
		return
	}
	c.Sequence = s.Append(c.Node.Inputs[1])
}

func inferSequenceErase(c *context) {
	s, n := c.listed(0), len(c.listed(0).Items)
	if n == 0 {
		c.failf("erases from an empty list")
	}
	at := c.place(1, n, n, n-1)
	c.Sequence = graph.NewSequence(s.Type, slices.Delete(slices.Clone(s.Items), at, at+1)...)
}

func inferSequenceLength(c *context) {
	c.tell(int64(len(c.listed(0).Items)))
}

// inferSplitToSequence splits a tensor into pieces of these sizes or, for one size, into as many as fit; without a
// size, into pieces of one element. keepdims 0 removes the axis from pieces of one element. The standard does so only
// without a size, but PyTorch exports unbind with size 1, and ONNX Runtime accepts it.
func inferSplitToSequence(c *context) {
	s := c.shape(0)
	axis := c.axis(c.integer("axis", 0), len(s))
	sizes := c.pieces(s[axis])
	if len(sizes) == 0 {
		c.Sequence = graph.NewSequence(c.In[0].Type)
		return
	}
	l := c.unroll(len(sizes), 8)
	items := l.split(c.Node.Inputs[0], axis, sizes...)
	if oneSize := !c.has(1) || len(c.shape(1)) == 0; oneSize && !c.flag("keepdims", true) && sizes[0] == 1 {
		for i, item := range items {
			items[i] = l.reshape(item, slices.Delete(slices.Clone(s), axis, axis+1))
		}
	}
	l.finishLists(items)
}

// pieces is the sizes of the pieces of an axis of n elements.
func (c *context) pieces(n int) []int {
	each := 1
	if c.has(1) {
		c.want(1, graph.Int64)
		sizes := c.toInts("input 1", c.known(1, "the sizes").I64)
		if len(c.shape(1)) > 0 {
			sum := 0
			for _, size := range sizes {
				if size < 0 || size > n {
					c.failf("sizes %v for an axis of %d elements", sizes, n)
				}
				sum += size
			}
			if sum != n {
				c.failf("sizes %v do not add up to an axis of %d elements", sizes, n)
			}
			return sizes
		}
		if each = sizes[0]; each < 1 {
			c.failf("input 1 (the size) is %d, want at least 1", each)
		}
	}
	if n/each > graph.MaxReplaced {
		c.unsupported("a list of %d tensors, want at most %d", n/each, graph.MaxReplaced)
	}
	var sizes []int
	for from := 0; from < n; from += each {
		sizes = append(sizes, min(each, n-from))
	}
	return sizes
}

func inferConcatFromSequence(c *context) {
	items := slices.Clone(c.listed(0).Items)
	axis, ok := c.attribute("axis", graph.AttributeInt)
	if !ok || len(items) == 0 {
		c.failf("joins a list of %d tensors (attribute axis present: %t)", len(items), ok)
	}
	l := c.unroll(len(items), 4)
	join := l.concat
	if c.flag("new_axis", false) {
		join = l.stack
	}
	l.finish(join(int(axis.Int), items...))
}

// innerMap is the inputs of the body, and the body.
func innerMap(n *graph.Node) (count int, attributes []string) {
	if body := n.Attributes["body"].Graph; body != nil {
		count = len(body.Inputs)
	}
	return count, []string{"body"}
}

// inferSequenceMap applies the body to each element of the first list, with the elements of the other lists at its
// position and with the inputs that are tensors.
func inferSequenceMap(c *context) {
	p, n := newLoop(c), len(c.listed(0).Items)
	if len(c.Node.Outputs) > len(p.body.Outputs) {
		c.failf("has %d outputs, the body %d", len(c.Node.Outputs), len(p.body.Outputs))
	}
	if n == 0 {
		c.unsupported("a map over an empty list")
	}
	l := c.unroll(n, p.work())
	lists := make([][]string, len(c.Node.Outputs))
	for k := range n {
		inputs := slices.Clone(c.Node.Inputs[:len(p.body.Inputs)])
		for i := range inputs {
			if s := c.In[i].Sequence; s != nil {
				if len(s.Items) != n {
					c.failf("input %d is a list of %d tensors, input 0 of %d", i, len(s.Items), n)
				}
				inputs[i] = s.Items[k]
			}
		}
		out := p.iterate(inputs)
		for i := range lists {
			lists[i] = append(lists[i], out[i])
		}
	}
	l.finishLists(lists...)
}

// finishLists makes lists of values the outputs of the node that is replaced.
func (l *lowering) finishLists(lists ...[]string) {
	for i, out := range l.Of.Outputs {
		if out != "" {
			l.Nodes = append(l.Nodes, &graph.Node{Name: l.Of.Label(), Op: "SequenceConstruct", Inputs: lists[i],
				Outputs: []string{out}})
		}
	}
}
