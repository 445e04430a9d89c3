// Package operator is the table of operators: what a node of each kind may look like, what shape its
// outputs have, and what executors are told to do (the Params types). One small infer function per operator
// stands in the file of its family; the executors have its kernel in the file of the same name, unless
// the rule writes the operator as others.
package operator

import (
	"fmt"
	"strings"

	"repscope/model/graph"
)

// Row is an operator.
type Row struct {
	Name       string
	Domain     string   // "" is ONNX's own; "repscope" holds fused operators
	Inputs     [2]int   // least and most inputs; most −1: any number
	Outputs    int      // most outputs
	Attributes []string // attributes that are understood
	// View, InPlace and NoFold are those of graph.Operator, inner and weights its Inner and Weights.
	View, InPlace, NoFold bool

	infer   func(*context)
	inner   func(*graph.Node) (own int, attributes []string)
	weights func(*graph.Graph, *graph.Node)
}

// operator is the row as graphs know it.
func (op *Row) operator() *graph.Operator {
	return &graph.Operator{Name: op.Name, Domain: op.Domain, View: op.View, InPlace: op.InPlace, NoFold: op.NoFold,
		Infer: op.run, Inner: op.inner, Weights: op.weights}
}

var (
	table     = map[string]*Row{}
	operators = map[string]*graph.Operator{}
)

// register adds rows to the table.
func register(ops ...*Row) {
	for _, op := range ops {
		table[op.Domain+"."+op.Name] = op
		operators[op.Domain+"."+op.Name] = op.operator()
	}
}

// Lookup finds the operator of a node in a graph of an opset. It fails for operators that are not
// supported, or not yet in that opset, with a [graph.UnsupportedError].
func Lookup(n *graph.Node, opset int) (*graph.Operator, error) {
	domain := n.Domain
	if domain == "ai.onnx" {
		domain = ""
	}
	op := operators[domain+"."+n.Op]
	if op == nil {
		return nil, &graph.UnsupportedError{Node: n.String(), Op: strings.TrimPrefix(domain+"."+n.Op, "."), Opset: opset, Supported: Operators()}
	}
	// Older opsets than MinOpset are not supported but may be tried: replacements of their nodes are written as of MinOpset.
	if from := introduced[n.Op].opset; domain == "" && max(opset, MinOpset) < from {
		return nil, &graph.UnsupportedError{Node: n.String(), Op: n.Op, Opset: opset, What: fmt.Sprintf("operator %s exists from opset %d on", n.Op, from)}
	}
	return op, nil
}

// Internal is an operator of this project's own domain, or of ONNX's, by its name; nil if there is none.
func Internal(domain, name string) *graph.Operator { return operators[domain+"."+name] }
