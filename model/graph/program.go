// A graph bound to concrete input shapes: every value's shape is known, shape
// arithmetic is folded away, and the steps that remain are in order.

package graph

import (
	"fmt"
	"math"
	"slices"
)

// Value is one value of a program.
type Value struct {
	Name string
	Type
	Const *Tensor // not nil if known before execution; large ones are deferred
	// Levels, if not nil, say that the elements are kept as bytes; package cpu alone does so.
	Levels *Levels
	// Root is the index of the value whose memory this one shares, itself unless
	// it is a view (a reshape, say) of another.
	Root int
}

// Levels map the bytes of a value to its elements. A step that makes the value computes First + b for byte b; NaN,
// which no byte represents, becomes 0.
type Levels struct {
	First  float32
	Values [256]float32
}

// Step is one operation of a program. In and Out are indices of values, −1 if absent.
type Step struct {
	Node   *Node
	Op     *Operator
	In     []int
	Out    []int
	Params any
}

// Program is a graph for concrete input shapes.
type Program struct {
	Values  []Value
	Steps   []Step
	Inputs  []int
	Outputs []int
}

type specializer struct {
	graph    *Graph
	values   []Value
	steps    []Step
	id       map[string]int
	lists    map[string]*Sequence // values that are lists of others
	budget   int                  // elements that may still be read and written by folding
	known    int                  // remaining budget of elements for known values
	lowered  int                  // nodes that others were replaced by, with their inputs and outputs
	replaced int                  // the number of replacements
}

func newSpecializer(g *Graph) *specializer {
	s := &specializer{graph: g, id: map[string]int{}, lists: map[string]*Sequence{}, budget: foldBudget}
	for _, t := range g.Constants {
		s.budget += foldReuse * t.Len()
	}
	s.known = s.budget
	return s
}

func (s *specializer) addValue(name string, t Type, constant *Tensor) int {
	i := len(s.values)
	s.values = append(s.values, Value{Name: name, Type: t, Const: constant, Root: i})
	if name != "" {
		s.id[name] = i
	}
	return i
}

// value finds a value by name; graph constants are entered on first use.
func (s *specializer) value(name string) (int, error) {
	if i, ok := s.id[name]; ok {
		return i, nil
	}
	if t := s.graph.Constants[name]; t != nil {
		return s.addValue(name, t.Type(), t), nil
	}
	return -1, fmt.Errorf("value %q is not available", name)
}

// add infers a node and enters its outputs: as constants if they are known,
// otherwise as the results of a step.
func (s *specializer) add(n *Node) error { return s.addOf(n, s.graph.Opset) }

// addOf is add for an operator of any opset up to this one.
func (s *specializer) addOf(n *Node, opset int) error {
	op, err := s.graph.rules.Lookup(n, opset)
	if err != nil {
		return err
	}
	c := &Inference{Node: n, Opset: s.graph.Opset, In: make([]Operand, len(n.Inputs)), Serial: s.replaced}
	step := Step{Node: n, Op: op}
	constant, err := s.operands(&step, c)
	if err != nil {
		return err
	}
	if err := op.Infer(c); err != nil {
		return err
	}
	if c.Sequence != nil {
		s.lists[n.Outputs[0]] = c.Sequence
		return s.charge(n, 1+c.Sequence.copied)
	}
	if c.Replacement != nil {
		s.replaced++
		return s.replace(c.Replacement)
	}
	for _, t := range c.Known {
		if t != nil {
			s.known -= t.Len()
		}
	}
	if s.known < 0 {
		return &UnsupportedError{Node: n.String(), Op: n.Op, Opset: s.graph.Opset,
			What: fmt.Sprintf("the constant values up to this node have too many elements for the size of the file (limit: %d, plus %d times its constants)", foldBudget, foldReuse)}
	}
	step.Params = c.Params
	constants := c.Known
	if constants == nil && constant && !op.NoFold && s.worthFolding(c, op.View) {
		if constants, err = s.evaluate(&step, c); err != nil {
			return err
		}
	}
	if s.results(&step, c.Out[:len(n.Outputs)], constants) {
		return nil
	}
	if op.View && step.Out[0] >= 0 {
		s.values[step.Out[0]].Root = s.values[step.In[0]].Root
	}
	s.steps = append(s.steps, step)
	return nil
}

// operands finds a step's inputs and reports whether all of them are constants.
func (s *specializer) operands(step *Step, c *Inference) (constant bool, err error) {
	constant = true
	for i, name := range step.Node.Inputs {
		if name == "" {
			step.In = append(step.In, -1)
			continue
		}
		if list := s.lists[name]; list != nil {
			step.In, c.In[i].Sequence, constant = append(step.In, -1), list, false
			continue
		}
		id, err := s.value(name)
		if err != nil {
			return false, fmt.Errorf("%v: %w", step.Node, err)
		}
		step.In = append(step.In, id)
		v := s.values[id]
		c.In[i] = Operand{Type: v.Type, Const: v.Const}
		constant = constant && v.Const != nil
	}
	return constant, nil
}

// results enters a step's outputs and reports whether all of them are constants.
func (s *specializer) results(step *Step, out []Type, constants []*Tensor) (complete bool) {
	complete = true
	for i, t := range out {
		if step.Node.Outputs[i] == "" {
			step.Out = append(step.Out, -1)
			continue
		}
		var k *Tensor
		if constants != nil {
			k = constants[i]
		}
		if k != nil && k.Bits != t.Bits {
			of := *k
			of.Bits = t.Bits
			k = &of
		}
		id := s.addValue(step.Node.Outputs[i], t, k)
		if k != nil {
			id = -1
		}
		complete = complete && k != nil
		step.Out = append(step.Out, id)
	}
	return complete
}

// worthFolding keeps operators that blow up a small constant (Expand, Tile, …)
// for execution, and all of them once folding has done more work than a real model needs.
func (s *specializer) worthFolding(c *Inference, view bool) bool {
	in, out := 0, 0
	if c.Same || view {
		return true // no work
	}
	for _, o := range c.In {
		if o.DType != Invalid {
			in += Count(o.Shape)
		}
	}
	for _, t := range c.Out {
		out += Count(t.Shape)
	}
	if out > max(in, FoldLimit) || in+out > s.budget {
		return false
	}
	s.budget -= in + out
	return true
}

// evaluate computes a node on constants, or defers that.
func (s *specializer) evaluate(step *Step, c *Inference) ([]*Tensor, error) {
	in := make([]*Tensor, len(c.In))
	for i := range c.In {
		in[i] = c.In[i].Const
	}
	if step.Op.View || c.Same {
		// Under another shape or name.
		t := *in[0]
		t.Bits, t.Shape, t.transposed = c.Out[0].Bits, c.Out[0].Shape, nil
		return []*Tensor{&t}, nil
	}
	local, eval := Step{Node: step.Node, Op: step.Op, Params: step.Params}, s.graph.rules.Evaluate
	if len(c.Out) == 1 && c.Out[0].DType == Float32 {
		shape := c.Out[0].Shape
		load := func(dst, spare []float32) error {
			return evaluate(eval, local, in, []*Tensor{Floats(dst, shape...)}, spare)
		}
		if t := DeferFrom(in, load, shape...); t != nil {
			if c.Transposes {
				t.transposed = in[0]
			}
			return []*Tensor{t}, nil
		}
	}
	out := make([]*Tensor, len(c.Out))
	for i, t := range c.Out {
		var err error
		if out[i], err = NewTensor(t.DType, t.Shape...); err != nil {
			return nil, fmt.Errorf("%v: output %d: %w", step.Node, i, err)
		}
		out[i].Bits = t.Bits
	}
	return out, evaluate(eval, local, in, out, nil)
}

// evaluate computes one step; in has nil for absent inputs. Deferred inputs are loaded into spare as far as it
// suffices.
func evaluate(eval Evaluator, step Step, in, out []*Tensor, spare []float32) error {
	operands := make([]*Tensor, len(in))
	var values []Value
	enter := func(t, constant *Tensor) int {
		values = append(values, Value{Type: t.Type(), Const: constant, Root: len(values)})
		return len(values) - 1
	}
	for i, t := range in {
		if t == nil {
			step.In = append(step.In, -1)
			continue
		}
		operands[i] = t
		if t.Deferred() {
			loaded, err := t.Load(spare)
			if err != nil {
				return fmt.Errorf("%v: %w", step.Node, err)
			}
			spare = spare[min(len(loaded), len(spare)):]
			operands[i] = Floats(loaded, t.Shape...)
		}
		step.In = append(step.In, enter(t, operands[i]))
	}
	for _, t := range out {
		step.Out = append(step.Out, enter(t, nil))
	}
	if err := eval(&step, values, operands, out); err != nil {
		return fmt.Errorf("%v: %w", step.Node, err)
	}
	return nil
}

// MaxReplaced bounds the nodes, with their inputs and outputs, that others may be replaced by in one program.
// A recurrent layer of a thousand steps makes some 50,000; a hostile file of few bytes could ask for any number.
const MaxReplaced = 1 << 19

// Size is the number of nodes with their inputs and outputs.
func Size(nodes []*Node) int {
	n := 0
	for _, node := range nodes {
		n += 1 + len(node.Inputs) + len(node.Outputs)
	}
	return n
}

// charge counts the nodes, inputs and outputs that a node becomes.
func (s *specializer) charge(n *Node, size int) error {
	if s.lowered += size; s.lowered > MaxReplaced {
		return &UnsupportedError{Node: n.String(), Op: n.Op, Opset: s.graph.Opset,
			What: fmt.Sprintf("the nodes up to this one expand to %d nodes, inputs and outputs, want at most %d", s.lowered,
				MaxReplaced)}
	}
	return nil
}

// replace enters the nodes that replace another one.
func (s *specializer) replace(l *Replacement) error {
	if err := s.charge(l.Of, Size(l.Nodes)); err != nil {
		return err
	}
	for i, name := range l.Names {
		t := l.Constants[i]
		s.addValue(name, t.Type(), t)
	}
	for _, n := range l.Nodes {
		// The operators that replace others may be newer than the graph.
		if err := s.addOf(n, math.MaxInt); err != nil {
			return err
		}
	}
	return nil
}

// OutputTypes binds the graph to inputs of the given types, see [Graph.Specialize], and
// returns the types of its outputs.
func (g *Graph) OutputTypes(inputs []Operand) ([]Type, error) {
	p, err := g.Specialize(inputs)
	if err != nil {
		return nil, err
	}
	var out []Type
	for _, id := range p.Outputs {
		out = append(out, p.Values[id].Type)
	}
	return out, nil
}

// namedAxis is the size of a free axis that has a name, and the input that has it.
type namedAxis struct {
	size  int
	input string
}

// Specialize binds the graph to inputs of these types, in the order of Graph.Inputs; an input may carry its value,
// which then counts as a constant. The graph must have been prepared.
func (g *Graph) Specialize(inputs []Operand) (*Program, error) {
	if g.rules.Lookup == nil {
		return nil, errUnprepared
	}
	if len(inputs) != len(g.Inputs) {
		return nil, fmt.Errorf("%d inputs given, the graph has %d", len(inputs), len(g.Inputs))
	}
	s := newSpecializer(g)
	p := &Program{}
	apart := ""
	named := map[string]namedAxis{}
	for i, port := range g.Inputs {
		in := inputs[i]
		if in.DType != port.DType {
			return nil, fmt.Errorf("input %q: type %v, the graph wants %v", port.Name, in.DType, port.DType)
		}
		if _, err := Elements(in.Shape); err != nil {
			return nil, fmt.Errorf("input %q: %w", port.Name, err)
		}
		if port.Dims != nil && len(port.Dims) != len(in.Shape) {
			return nil, fmt.Errorf("input %q: shape %v, the graph wants %d axes: %v", port.Name, in.Shape, len(port.Dims), port.Shape())
		}
		for j, d := range port.Dims {
			bound, ok := named[d.Name]
			switch {
			case d.Size >= 0 && d.Size != in.Shape[j]:
				return nil, fmt.Errorf("input %q: shape %v, the graph wants %v", port.Name, in.Shape, port.Shape())
			case d.Size < 0 && d.Name != "" && ok && bound.size != in.Shape[j]:
				// Exporters give one name to axes of unknown size: nothing follows unless the graph itself fails.
				apart = fmt.Sprintf("; axis %d of input %q has size %d, the axis of input %q with the same name (%s) has %d", j,
					port.Name, in.Shape[j], bound.input, d.Name, bound.size)
			case d.Size < 0 && d.Name != "" && !ok:
				named[d.Name] = namedAxis{in.Shape[j], port.Name}
			}
		}
		p.Inputs = append(p.Inputs, s.addValue(port.Name,
			Type{DType: in.DType, Bits: port.Bits, Shape: slices.Clone(in.Shape)}, in.Const))
	}
	for _, n := range g.Nodes {
		if err := s.add(n); err != nil && apart != "" {
			return nil, fmt.Errorf("%w%s", err, apart)
		} else if err != nil {
			return nil, err
		}
	}
	for _, port := range g.Outputs {
		switch list := s.lists[port.Name]; {
		case list == nil:
		case list.None:
			return nil, fmt.Errorf("output %q is an optional value without a tensor", port.Name)
		default:
			return nil, fmt.Errorf("output %q is a list of tensors: export one tensor (torch.stack or torch.cat of them)",
				port.Name)
		}
		id, err := s.value(port.Name)
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", port.Name, err)
		}
		p.Outputs = append(p.Outputs, id)
	}
	p.Values, p.Steps = s.values, s.steps
	p.Prune(make([]bool, len(p.Values)))
	if g.rules.Fuse != nil {
		g.rules.Fuse(p)
	}
	return p, nil
}

// Prune drops steps whose results are unused; needed is scratch, one for each value.
func (p *Program) Prune(needed []bool) {
	clear(needed)
	for _, id := range p.Outputs {
		needed[id] = true
	}
	kept := len(p.Steps)
	for i := kept - 1; i >= 0; i-- {
		s := p.Steps[i]
		if !slices.ContainsFunc(s.Out, func(id int) bool { return id >= 0 && needed[id] }) {
			continue
		}
		for _, id := range s.In {
			if id >= 0 {
				needed[id] = true
			}
		}
		kept--
		p.Steps[kept] = s
	}
	p.Steps = slices.Delete(p.Steps, 0, kept)
}
