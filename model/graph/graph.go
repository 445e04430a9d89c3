// Package graph holds an encoder as a graph of operators in the sense of ONNX: named values, constants and nodes. It
// orders nodes, folds constants and plans memory; it knows no operator (see package operator) and computes nothing
// itself (see package cpu).
//
//	g := &graph.Graph{Opset: 17}               // a reader fills it
//	err := g.Prepare(fuse.Rules(cpu.Evaluate)) // checked, ordered, constants folded
//	shape := graph.Type{DType: graph.Float32, Shape: []int{64, 1, 64, 64}}
//	p, err := g.Specialize([]graph.Operand{{Type: shape}})
//	// p.Steps in execution order, every shape known, p.Plan() places the buffers
//
// Free axes (batch, time, tokens) stay symbolic in the graph and are bound by Specialize, so that shape arithmetic in
// the model folds away.
package graph

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dim is one axis of a graph input or output: a size, or −1 and maybe a name.
type Dim struct {
	Name string
	Size int
}

// Port is a graph input or output. Dims is nil if the file gives no shape.
type Port struct {
	Name  string
	DType DType
	Bits  int // of integers, as [Type] has it
	Dims  []Dim
	// Element is the type that the file declares, such as "uint8" or "float16", represented by DType; empty if it declares
	// none.
	Element string
}

// Range is the least and the greatest integer that a port of integers takes, rounded into the range where float64 has
// them not.
func (p Port) Range() (low, high float64) {
	least, greatest := Range(p.Bits)
	if p.Bits == Uint64 {
		return 0, 1<<64 - 1<<11
	}
	return float64(least), min(float64(greatest), 1<<63-1<<10)
}

// Shape is the shape of the port with −1 for free axes.
func (p Port) Shape() []int {
	shape := make([]int, len(p.Dims))
	for i, d := range p.Dims {
		shape[i] = d.Size
	}
	return shape
}

// AttributeKind is the type of an attribute's value.
type AttributeKind uint8

const (
	AttributeFloat AttributeKind = iota + 1
	AttributeInt
	AttributeString
	AttributeTensor
	AttributeFloats
	AttributeInts
	AttributeStrings
	AttributeGraph
	AttributeOther // types, sparse tensors: kept only to be named in errors
)

// Attribute is a constant parameter of a node.
type Attribute struct {
	Kind    AttributeKind
	Float   float32
	Int     int64
	String  string
	Tensor  *Tensor
	Floats  []float32
	Ints    []int64
	Strings []string
	Graph   *Graph
}

// IntAttribute is an attribute that is one number.
func IntAttribute(v int) Attribute { return Attribute{Kind: AttributeInt, Int: int64(v)} }

// IntsAttribute is an attribute that is a list of numbers.
func IntsAttribute(v ...int) Attribute {
	a := Attribute{Kind: AttributeInts}
	for _, x := range v {
		a.Ints = append(a.Ints, int64(x))
	}
	return a
}

// Node applies an operator. An absent optional input or output is "".
type Node struct {
	Name       string
	Domain     string // "" is ONNX's own
	Op         string
	Inputs     []string
	Outputs    []string
	Attributes map[string]Attribute
	// Written is the operator in the file, with its domain, where a rule has replaced it; else empty.
	Written string
	// Scope is the path of the module that the node belongs to, such as "blocks.7.attn"; empty if it is unknown.
	Scope string
}

// String names the node for messages.
func (n *Node) String() string {
	op := n.Operator()
	if n.Name != "" {
		return fmt.Sprintf("node %q (%s)", n.Name, op)
	}
	if len(n.Outputs) > 0 {
		return fmt.Sprintf("node of output %q (%s)", n.Outputs[0], op)
	}
	return fmt.Sprintf("unnamed node (%s)", op)
}

// Operator names the node's operator as the file does.
func (n *Node) Operator() string {
	return cmp.Or(n.Written, strings.TrimPrefix(n.Domain+"."+n.Op, "."))
}

// Label returns the node's name or, without one, the name of its first output.
func (n *Node) Label() string {
	for _, name := range append([]string{n.Name}, n.Outputs...) {
		if name != "" {
			return name
		}
	}
	return ""
}

// Graph is a model. A reader fills it; Prepare checks and simplifies it.
type Graph struct {
	Name      string
	Opset     int
	Inputs    []Port // without constants
	Outputs   []Port
	Nodes     []*Node
	Constants map[string]*Tensor

	rules Rules // of Prepare
}

// UnsupportedError is an operator, attribute or form that is not implemented.
type UnsupportedError struct {
	Node  string // empty: the node of All
	Op    string
	Opset int
	What  string // empty: the operator itself
	// All are the unsupported operators of a graph; the first is Op.
	All []UnsupportedOperator
}

// UnsupportedOperator is an operator of a graph that is not supported.
type UnsupportedOperator struct {
	Name  string
	Nodes int    // that have it
	First string // the label of one of them
	Since int    // the opset that introduced it, if that is later than the graph's; else 0
	Hint  string // what to do; may be empty
}

func (e *UnsupportedError) Error() string {
	switch {
	case len(e.All) > 0:
		return e.list()
	case e.What == "":
		return fmt.Sprintf("%s: operator %s is not supported (opset %d)", e.Node, e.Op, e.Opset)
	}
	return fmt.Sprintf("%s: %s (opset %d)", e.Node, e.What, e.Opset)
}

// list names all operators.
func (e *UnsupportedError) list() string {
	parts := make([]string, len(e.All))
	for i, o := range e.All {
		where := fmt.Sprintf("node %q", o.First)
		if o.Nodes > 1 {
			where = fmt.Sprintf("%d nodes, such as %q", o.Nodes, o.First)
		}
		if o.Since > 0 {
			where += fmt.Sprintf("; it exists since opset %d", o.Since)
		}
		parts[i] = fmt.Sprintf("%s (%s)", o.Name, where)
	}
	var hints []string
	for _, o := range e.All {
		if o.Hint != "" && !slices.Contains(hints, o.Hint) {
			hints = append(hints, o.Hint)
		}
	}
	if len(hints) == 0 {
		hints = []string{"encode --ops lists supported operators"}
	}
	what := "operator " + parts[0] + " is"
	if len(parts) > 1 {
		what = fmt.Sprintf("%d operators are", len(parts))
		hints[0] = strings.Join(parts, ", ") + "; " + hints[0]
		return fmt.Sprintf("%s not supported in opset %d: %s", what, e.Opset, strings.Join(hints, "; "))
	}
	return fmt.Sprintf("%s not supported in opset %d; %s", what, e.Opset, strings.Join(hints, "; "))
}

// unsupported finds the operators that there are no rules for, in graphs of attributes too.
func (g *Graph) unsupported(rules *Rules) error {
	e := &UnsupportedError{Opset: g.Opset}
	index := map[string]int{}
	var look func(nodes []*Node)
	look = func(nodes []*Node) {
		for _, n := range nodes {
			for _, name := range slices.Sorted(maps.Keys(n.Attributes)) {
				if inner := n.Attributes[name].Graph; inner != nil {
					look(inner.Nodes)
				}
			}
			_, err := rules.Lookup(n, g.Opset)
			if err == nil {
				continue
			}
			name := strings.TrimPrefix(n.Domain+"."+n.Op, ".")
			i, ok := index[name]
			if !ok {
				i, index[name] = len(e.All), len(e.All)
				o := UnsupportedOperator{}
				if u := (*UnsupportedError)(nil); errors.As(err, &u) && len(u.All) > 0 {
					o = u.All[0]
				}
				o.Name, o.First, o.Nodes = name, n.Label(), 0
				e.All = append(e.All, o)
			}
			e.All[i].Nodes++
		}
	}
	if look(g.Nodes); len(e.All) == 0 {
		return nil
	}
	e.Op = e.All[0].Name
	return e
}

// Evaluator computes one node on constants; package cpu provides it.
type Evaluator func(step *Step, values []Value, in, out []*Tensor) error

// Prepare checks the graph (operators known, every value defined once, no cycle), orders the nodes, drops nodes that no
// output needs and folds constant nodes. The rules also serve [Graph.Specialize].
func (g *Graph) Prepare(rules Rules) error {
	g.rules = rules
	if len(g.Outputs) == 0 {
		return errors.New("the graph has no outputs")
	}
	if g.Constants == nil {
		g.Constants = map[string]*Tensor{}
	}
	if err := g.unsupported(&rules); err != nil {
		return err
	}
	g.capture(&rules)
	if err := g.sort(); err != nil {
		return err
	}
	if rules.Rewrite != nil {
		rules.Rewrite(g)
	}
	if err := g.fold(); err != nil {
		return err
	}
	if rules.Simplify != nil {
		if err := rules.Simplify(g); err != nil {
			return err
		}
	}
	for _, n := range g.Nodes {
		if op, err := rules.Lookup(n, g.Opset); err == nil && op.Weights != nil {
			op.Weights(g, n)
		}
	}
	g.dropUnused()
	return nil
}

// capture makes the values of g that graphs in it use inputs of their nodes, after the node's own. For an If, the
// values of then_branch and then of else_branch follow the condition; for a loop, the values of its body.
func (g *Graph) capture(rules *Rules) {
	for _, n := range g.Nodes {
		op, err := rules.Lookup(n, g.Opset)
		if err != nil || op.Inner == nil {
			continue
		}
		count, inner := op.Inner(n)
		if len(n.Inputs) < count {
			continue // its rule reports the error
		}
		n.Inputs = slices.Clone(n.Inputs[:count])
		for _, name := range inner {
			if inside := n.Attributes[name].Graph; inside != nil {
				inside.capture(rules)
				n.Inputs = append(n.Inputs, inside.Free()...)
			}
		}
	}
}

// Free is the names that the graph uses and does not define, sorted.
func (g *Graph) Free() []string {
	used, defined := map[string]bool{}, map[string]bool{"": true}
	for name := range g.Constants {
		defined[name] = true
	}
	for _, in := range g.Inputs {
		defined[in.Name] = true
	}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			used[in] = true
		}
		for _, out := range n.Outputs {
			defined[out] = true
		}
	}
	for _, out := range g.Outputs {
		used[out.Name] = true
	}
	maps.DeleteFunc(used, func(name string, _ bool) bool { return defined[name] })
	return slices.Sorted(maps.Keys(used))
}

// sort orders the nodes so that producers come first and keeps only nodes that an output needs.
func (g *Graph) sort() error {
	s, err := newSorter(g)
	if err != nil {
		return err
	}
	for _, out := range g.Outputs {
		from := s.producer[out.Name]
		if from == nil {
			if !s.defined[out.Name] {
				return fmt.Errorf("graph output %q is produced by no node", out.Name)
			}
			continue
		}
		if s.state[from] == unseen {
			if err := s.visit(from); err != nil {
				return err
			}
		}
	}
	g.Nodes = s.order
	g.forgetUnread()
	return nil
}

// forgetUnread clears the names of unread outputs, so that they need not be computed. A node's first output keeps its
// name.
func (g *Graph) forgetUnread() {
	read := map[string]bool{}
	for _, p := range g.Outputs {
		read[p.Name] = true
	}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			read[in] = true
		}
	}
	for _, n := range g.Nodes {
		for i := 1; i < len(n.Outputs); i++ {
			if name := n.Outputs[i]; name != "" && !read[name] {
				n.Outputs = slices.Clone(n.Outputs)
				n.Outputs[i] = ""
			}
		}
	}
}

// sorter is the depth-first search of sort.
type sorter struct {
	producer map[string]*Node
	defined  map[string]bool // without a node
	state    map[*Node]progress
	order    []*Node
}

// progress is how far the search is with a node.
type progress uint8

const (
	unseen progress = iota
	visiting
	done
)

// newSorter finds the producer of every value; each has one source.
func newSorter(g *Graph) (*sorter, error) {
	s := &sorter{producer: map[string]*Node{}, defined: map[string]bool{}, state: map[*Node]progress{}}
	for name, t := range g.Constants {
		if t == nil {
			return nil, fmt.Errorf("constant %q has no value", name)
		}
		s.defined[name] = true
	}
	for _, p := range g.Inputs {
		if s.defined[p.Name] || p.Name == "" {
			return nil, fmt.Errorf("input %q is defined twice or has no name", p.Name)
		}
		s.defined[p.Name] = true
	}
	for _, n := range g.Nodes {
		if len(n.Outputs) == 0 {
			return nil, fmt.Errorf("%v has no output", n)
		}
		for _, out := range n.Outputs {
			if out == "" {
				continue
			}
			if s.defined[out] || s.producer[out] != nil {
				return nil, fmt.Errorf("%v: value %q is defined twice", n, out)
			}
			s.producer[out] = n
		}
	}
	return s, nil
}

// visit orders a node and its producers.
func (s *sorter) visit(root *Node) error {
	// An explicit stack: a hostile file may be a chain of a million nodes.
	type frame struct {
		node *Node
		next int
	}
	stack := []frame{{node: root}}
	s.state[root] = visiting
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		n := top.node
		if top.next == len(n.Inputs) {
			s.state[n] = done
			s.order = append(s.order, n)
			stack = stack[:len(stack)-1]
			continue
		}
		in := n.Inputs[top.next]
		top.next++
		if in == "" || s.defined[in] {
			continue
		}
		from := s.producer[in]
		if from == nil {
			return fmt.Errorf("%v: input %q is produced by no node, constant or graph input", n, in)
		}
		switch s.state[from] {
		case visiting:
			return fmt.Errorf("%v: the graph has a cycle through value %q", n, in)
		case unseen:
			s.state[from] = visiting
			stack = append(stack, frame{node: from})
		}
	}
	return nil
}

// FoldLimit bounds a folded constant that is larger than its inputs.
const FoldLimit = 1 << 20

// Folding may read and write foldBudget elements and foldReuse times the elements of all constants; the rest is
// computed at every run.
const (
	foldBudget = 1 << 25
	foldReuse  = 8
)

// fold evaluates the nodes whose inputs are all constants.
func (g *Graph) fold() error {
	s := newSpecializer(g)
	kept := g.Nodes[:0]
	for _, n := range g.Nodes {
		constant := true
		for _, in := range n.Inputs {
			if in != "" && g.Constants[in] == nil {
				constant = false
				break
			}
		}
		if !constant {
			kept = append(kept, n)
			continue
		}
		if err := s.add(n); err != nil {
			return err
		}
		folded := true
		for _, out := range n.Outputs {
			if id, single := s.id[out]; out != "" && (!single || s.values[id].Const == nil) {
				folded = false
			}
		}
		if !folded {
			kept = append(kept, n)
			continue
		}
		for _, out := range n.Outputs {
			if out != "" {
				g.Constants[out] = s.values[s.id[out]].Const
			}
		}
	}
	g.Nodes = slices.Clip(kept)
	g.dropUnused()
	return nil
}

// dropUnused forgets constants that no node and no output needs.
func (g *Graph) dropUnused() {
	used := map[string]bool{}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			used[in] = true
		}
	}
	for _, out := range g.Outputs {
		used[out.Name] = true
	}
	for name := range g.Constants {
		if !used[name] {
			delete(g.Constants, name)
		}
	}
}
