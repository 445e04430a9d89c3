// Package operator is the table of operators: the valid nodes of each kind, the shapes of their outputs, and the
// parameters for executors (the Params types). Rows and rules of a family of operators are in one file. The executors
// have their kernels in the file of the same name, unless the rules rewrite them as other operators.
package operator

import (
	"fmt"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/model/graph"
)

// The range of opsets whose operators have the meaning implemented here.
const (
	MinOpset = 11
	MaxOpset = 28
)

// tableRow is an operator.
type tableRow struct {
	Name   string
	Domain string // "" is ONNX's own; "repscope" holds fused operators
	// Since is the opset of ONNX that introduced the operator, or 1 if ONNX Runtime writes it at any.
	Since int
	// Types are the types of its data operands: f floats, i integers, b booleans.
	Types string
	// Note names unsupported features, if any.
	Note       string
	Inputs     [2]int   // least and most inputs; see exactly, between and atLeast
	Outputs    int      // most outputs, or many
	Attributes []string // attributes that are understood; any other one is an error
	// View, InPlace, Wraps and NoFold are as in graph.Operator, inner and weights its Inner and Weights.
	View, InPlace, Wraps, NoFold bool
	// Lists is how many of the first inputs may be lists of values, or many; Optional says that they may be optional
	// values without one.
	Lists    int
	Optional bool

	// infer is the rule. Operators without one come from package fuse alone.
	infer   func(*context)
	inner   func(*graph.Node) (own int, attributes []string)
	weights func(*graph.Graph, *graph.Node)
}

// own is the domain of operators that no file has.
const own = "repscope"

// many is any number of outputs.
const many = -1

func exactly(n int) [2]int           { return [2]int{n, n} }
func between(least, most int) [2]int { return [2]int{least, most} }
func atLeast(n int) [2]int           { return [2]int{n, -1} }

// families are the rows of the table by the name of their files.
var families = map[string][]tableRow{
	"attention": attentionRows, "blocked": blockedRows,
	"control": controlRows, "conv": convRows, "einsum": einsumRows, "elementwise": elementwiseRows,
	"fused": fusedRows, "heads": headsRows,
	"index": indexRows, "integer": integerRows, "lists": listRows, "loss": lossRows, "microsoft": microsoftRows,
	"movement": movementRows, "normalize": normalizeRows,
	"pool": poolRows, "product": productRows, "quantize": quantizeRows, "recurrent": recurrentRows, "reduce": reduceRows, "resize": resizeRows,
	"sampling": samplingRows, "selection": selectionRows, "sequence": sequenceRows, "signal": signalRows, "text": textRows,
}

// Families lists the operators by family, each as its domain, ".", its name.
func Families() map[string][]string {
	list := map[string][]string{}
	for family, rows := range families {
		for _, row := range rows {
			list[family] = append(list[family], row.Domain+"."+row.Name)
		}
	}
	return list
}

// table and operators are the rows and their graph.Operator, by domain, ".", name.
var table, operators = index()

func index() (map[string]*tableRow, map[string]*graph.Operator) {
	rows, byName := map[string]*tableRow{}, map[string]*graph.Operator{}
	for _, family := range families {
		for i := range family {
			op := &family[i]
			key := op.Domain + "." + op.Name
			rows[key] = op
			byName[key] = &graph.Operator{Name: op.Name, Domain: op.Domain, View: op.View, InPlace: op.InPlace, Wraps: op.Wraps,
				NoFold: op.NoFold, Infer: op.run, Inner: op.inner, Weights: op.weights}
		}
	}
	return rows, byName
}

// Lookup finds the operator of a node in a graph of an opset. It fails for operators that are not
// supported, or not yet in that opset, with a [graph.UnsupportedError].
func Lookup(n *graph.Node, opset int) (*graph.Operator, error) {
	domain := n.Domain
	if domain == "ai.onnx" {
		domain = ""
	}
	key := domain + "." + n.Op
	op := operators[key]
	if op == nil {
		name := strings.TrimPrefix(key, ".")
		return nil, &graph.UnsupportedError{Op: name, Opset: opset,
			All: []graph.UnsupportedOperator{{Name: name, Nodes: 1, First: n.Label(), Hint: wayOut(domain, n.Op)}}}
	}
	// Older opsets than MinOpset are not supported but may be tried: replacements of their nodes are written as of
	// MinOpset.
	if since := table[key].Since; max(opset, MinOpset) < since {
		return nil, &graph.UnsupportedError{Op: n.Op, Opset: opset,
			All: []graph.UnsupportedOperator{{Name: n.Op, Nodes: 1, First: n.Label(), Since: since,
				Hint: fmt.Sprintf("export the model again with opset_version=%d", since)}}}
	}
	return op, nil
}

// unoptimized is the way out of operators that only an optimizer writes.
const unoptimized = "take the model as it was exported, before onnxruntime or its optimizer wrote the file"

// waysOut say what to do about operators that are not supported, by domain and by name.
var waysOut = map[string]string{
	microsoft:                  unoptimized,
	blockedDomain:              unoptimized,
	"com.ms.internal.nhwc":     unoptimized,
	"com.microsoft.extensions": "export the part of the model behind its tokenizer or decoder of files",
	"ai.onnx.contrib":          "export the part of the model behind its tokenizer or decoder of files",
	"ai.onnx.ml":               "a classical model: export the network alone",
	"ai.onnx.training":         "export the model in evaluation mode (model.eval())",
	"ai.onnx.preview.training": "export the model in evaluation mode (model.eval())",
	"org.pytorch.aten":         "export the model with operator_export_type ONNX, or with a later opset_version",
	"aten":                     "export the model with operator_export_type ONNX, or with a later opset_version",
}

// namedWaysOut are the ways out of ONNX's own operators, some in each list.
var namedWaysOut = map[string][]string{
	"export the module with its random numbers as an input or a constant": {"RandomNormal", "RandomNormalLike",
		"RandomUniform", "RandomUniformLike",
		"Bernoulli", "Multinomial"},
	"export the part of the model behind its texts": {"StringNormalizer", "StringConcat",
		"StringSplit", "RegexFullMatch"},
	"export the part of the model behind its files":                                  {"ImageDecoder"},
	"export the model with operator_export_type ONNX, or with a later opset_version": {"ATen"},
}

// wayOut says what to do about an operator that is not supported: the advice for it or for its domain, or the operator
// of the nearest name.
func wayOut(domain, name string) string {
	for hint, names := range namedWaysOut {
		if domain == "" && slices.Contains(names, name) {
			return hint
		}
	}
	if hint := waysOut[domain]; hint != "" {
		return hint
	}
	if domain != "" {
		return fmt.Sprintf("export the model without operators of the domain %s, "+
			"which only the program that defines them has", domain)
	}
	var names []string
	for _, s := range Supported() {
		names = append(names, s.Name)
	}
	near := text.Nearest(name, names)
	if near == "" {
		return "encode --ops lists supported operators"
	}
	return fmt.Sprintf("the operator of the nearest name is %s; encode --ops lists all", near)
}

// Internal is an operator of this project's own domain, or of ONNX's, by its name; nil if there is none.
func Internal(domain, name string) *graph.Operator { return operators[domain+"."+name] }

// Support describes one supported operator, of ONNX or of ONNX Runtime.
type Support struct {
	Name string // with the domain, if that is not ai.onnx: com.microsoft.QGemm
	// First and Last are the opsets for which it is implemented.
	First, Last int
	// Types are the element types of its data operands. Float32 includes float16, bfloat16, float32 and float64, all
	// computed in float32; Int64 includes every integer type, whose arithmetic wraps at the type's width.
	Types []graph.DType
	// Attributes that are understood; any other one is an error.
	Attributes []string
	// Note names unsupported features, if any.
	Note string
}

// Supported lists the operators that files may have by name, ONNX's own first.
func Supported() []Support {
	var list []Support
	for _, key := range slices.Concat(keysOf(""), keysOf(preview), keysOf(microsoft), keysOf(blockedDomain)) {
		row, name := table[key], strings.TrimPrefix(key, ".")
		s := Support{Name: name, First: max(row.Since, MinOpset), Last: MaxOpset,
			Attributes: slices.Sorted(slices.Values(row.Attributes)), Note: row.Note}
		for i, t := range []graph.DType{graph.Float32, graph.Int64, graph.Bool} {
			if strings.Contains(row.Types, "fib"[i:i+1]) {
				s.Types = append(s.Types, t)
			}
		}
		list = append(list, s)
	}
	return list
}

// keysOf are the keys of a domain in the table, sorted.
func keysOf(domain string) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for key, row := range table {
			if row.Domain == domain && !yield(key) {
				return
			}
		}
	})
}
