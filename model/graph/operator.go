// A graph's view of operators: the rules passed to it, and the result of a rule for a node. The operators themselves
// are in package operator.

package graph

import "errors"

// Operator is a graph's view of the operator of a node.
type Operator struct {
	Name   string
	Domain string // "" is ONNX's own; "repscope" holds fused operators
	// View says that output 0 has the elements of input 0 in the same order, so that it needs no work and no buffer.
	View bool
	// InPlace says that output 0 may overwrite input 0 if their sizes agree.
	InPlace bool
	// Wraps says that integers may exceed the width of output 0; executors wrap them.
	Wraps bool
	// NoFold says that the operator is never evaluated ahead of execution.
	NoFold bool
	// Infer is the operator's rule: it checks a node and sets the results of the inference.
	Infer func(*Inference) error
	// Inner, of an operator with graphs as attributes, is the number of a node's own inputs and the attributes of its
	// graphs. The values that these use of the outer graph follow as inputs, in this order.
	Inner func(*Node) (own int, attributes []string)
	// Weights, if not nil, puts a node's constants into the form that its rule wants, once, when a graph is prepared.
	Weights func(*Graph, *Node)
}

// Rules are the rules for preparing a graph; fuse.Rules are the usual ones.
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

// errUnprepared is the error of a graph without rules.
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
	// Sequence, if not nil, says that the input is a list of values; Type is then unused.
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
	// Params are the rule's result for the executors: attributes with defaults filled in, negative axes resolved, and so
	// on.
	Params any
	// Same says that output 0 of constants is input 0 under another shape or name.
	Same bool
	// Transposes says that output 0 is the transpose of a matrix, input 0.
	Transposes bool
	// Sequence, if not nil, is the one output, which is a list of values: programs have no lists, only their members.
	Sequence *Sequence
	// Replacement, if not nil, replaces the node, which then has no other results.
	Replacement *Replacement
}

// Replacement is the nodes that replace one, and the constants they use.
type Replacement struct {
	Of        *Node
	Nodes     []*Node
	Names     []string // of constants, alongside their values
	Constants []*Tensor
}
