// What a graph knows of operators: the rules that are handed to it, and what a
// rule finds out about a node. The operators themselves stand in package operator.

package graph

import "errors"

// Operator is what a graph knows of the operator of a node.
type Operator struct {
	Name   string
	Domain string // "" is ONNX's own; "repscope" holds fused operators
	// View says that output 0 has the elements of input 0 in the same order,
	// so that it needs no work and no buffer.
	View bool
	// InPlace says that output 0 may overwrite input 0 if their sizes agree.
	InPlace bool
	// Wraps says that integers may leave the width of output 0, to which executors bring them back.
	Wraps bool
	// NoFold says that the operator is never evaluated ahead of execution.
	NoFold bool
	// Infer is the operator's rule: it checks a node and sets the results of the inference.
	Infer func(*Inference) error
	// Inner, of an operator with graphs as attributes, is how many inputs of a node are its own and in which
	// attributes its graphs are: what these use of the graph around them follows as inputs, in this order.
	Inner func(*Node) (own int, attributes []string)
	// Weights, if not nil, puts a node's constants into the form that its rule wants, once, when a graph is prepared.
	Weights func(*Graph, *Node)
}

// Rules is what a graph is prepared with; fuse.Rules are the usual ones.
type Rules struct {
	// Lookup finds the operator of a node in a graph of an opset.
	Lookup func(n *Node, opset int) (*Operator, error)
	// Evaluate computes nodes of constants.
	Evaluate Evaluator
	// Rewrite rewrites an ordered graph before its constants are folded; it may be nil.
	Rewrite func(*Graph)
	// Simplify rewrites a prepared graph, and Fuse a program for concrete shapes, into smaller
	// ones with the same result up to rounding; either may be nil.
	Simplify func(*Graph) error
	Fuse     func(*Program)
}

// errUnprepared is what a graph without rules answers.
var errUnprepared = errors.New("the graph was not prepared")

// Type is an element type and a shape.
type Type struct {
	DType DType
	// Bits is the width of integers in the file, whose arithmetic wraps: negative for unsigned types, 0 for int64.
	// Elements are stored as int64 with the same value, [Uint64] with the same bits.
	Bits  int
	Shape []int
}

// Operand is an input as an operator's rule sees it; Const is nil unless the
// value is known before execution.
type Operand struct {
	Type
	Const *Tensor
	// Sequence, if not nil, says that the input is a list of values, of which Type then says nothing.
	Sequence *Sequence
}

// Inference is a node with the known properties of its inputs and the results of its operator's rule.
type Inference struct {
	Node   *Node
	Opset  int
	In     []Operand // an absent optional input has DType Invalid
	Serial int       // of the replacement that the rule may make, for names that are unique in a program

	Out   []Type    // set by the rule
	Known []*Tensor // set by rules that know the value of an output, such as Shape; nil: not of this one
	// Params is what the rule hands to the executors: attributes with defaults
	// filled in, negative axes resolved, and so on.
	Params any
	// Same says that output 0 of constants is input 0 under another shape or name.
	Same bool
	// Transposes says that output 0 is the transpose of a matrix, input 0.
	Transposes bool
	// Sequence, if not nil, is the one output, which is a list of values: programs have none, only what the lists hold.
	Sequence *Sequence
	// Replacement, if not nil, takes the place of the node, which then has no other results.
	Replacement *Replacement
}

// Replacement is the nodes that take the place of one, and the constants they use.
type Replacement struct {
	Of        *Node
	Nodes     []*Node
	Names     []string // of constants, beside their values
	Constants []*Tensor
}
