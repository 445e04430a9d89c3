// Products of dequantized numbers by dequantized weights, which quantized models of the QDQ form have, as products of
// integers.

package fuse

import (
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// dequantized are the factors of a DequantizeLinear: integers less their zero points times scales, one or one for each
// index of an axis.
type dequantized struct {
	integers, zero string
	constant       *graph.Tensor
	scale          []float32
	axis           int
}

// unquantize replaces the Conv, MatMul and Gemm nodes whose operands are dequantized, the second one a constant, by
// integer products that are scaled afterwards.
func unquantize(g *graph.Graph) {
	factors := map[string]dequantized{}
	for _, n := range g.Nodes {
		if d, ok := dequantization(g, n); ok {
			factors[n.Outputs[0]] = d
		}
	}
	var nodes []*graph.Node
	for _, n := range g.Nodes {
		if replaced := integerProduct(g, n, factors); replaced != nil {
			nodes = append(nodes, replaced...)
			continue
		}
		nodes = append(nodes, n)
	}
	g.Nodes = nodes
}

// dequantization reads a node that is one of integers, with constant parameters.
func dequantization(g *graph.Graph, n *graph.Node) (d dequantized, ok bool) {
	if n.Domain != "" && n.Domain != operator.CenteredDomain || n.Op != "DequantizeLinear" || len(n.Inputs) < 2 || len(n.Outputs) != 1 || n.Attributes["block_size"].Int != 0 {
		return d, false
	}
	scale := g.Constants[n.Inputs[1]]
	if scale == nil || scale.DType != graph.Float32 || scale.Deferred() || len(scale.Shape) > 1 || scale.Len() == 0 {
		return d, false
	}
	d = dequantized{integers: n.Inputs[0], constant: g.Constants[n.Inputs[0]], scale: scale.F32, axis: 1}
	if a, ok := n.Attributes["axis"]; ok {
		d.axis = int(a.Int)
	}
	if len(n.Inputs) > 2 && n.Inputs[2] != "" {
		d.zero = n.Inputs[2]
		zero := g.Constants[d.zero]
		if zero == nil || zero.DType != graph.Int64 || zero.Len() != len(d.scale) {
			return d, false
		}
	}
	return d, true
}

// integerProduct is the replacement of a node; nil if it stays.
func integerProduct(g *graph.Graph, n *graph.Node, dequantizations map[string]dequantized) []*graph.Node {
	if n.Domain != "" || len(n.Inputs) < 2 || len(n.Outputs) != 1 || n.Op != "Conv" && n.Op != "MatMul" && n.Op != "Gemm" {
		return nil
	}
	x, dequantizes := dequantizations[n.Inputs[0]]
	w, constant := dequantizations[n.Inputs[1]]
	if !dequantizes || !constant || len(x.scale) != 1 || x.constant != nil || w.constant == nil {
		return nil
	}
	op, domain, columns, attributes := "MatMulInteger", "", len(w.constant.Shape)-1, map[string]graph.Attribute(nil)
	name := "\x00integers\x00" + n.Outputs[0]
	if w.constant.Deferred() {
		// Large weights are read as floats, which are taken as they are.
		if w.shifted(g) || n.Op == "Gemm" {
			return nil
		}
		domain, w.integers = operator.CenteredDomain, operator.CenteredName(name)
		g.Constants[w.integers] = w.constant
	}
	switch {
	case n.Op == "Conv" && len(w.constant.Shape) >= 3:
		op, columns, attributes = "ConvInteger", 0, n.Attributes
	case len(w.constant.Shape) != 2:
		return nil
	case n.Op == "Gemm":
		unit := func(name string) bool { a, ok := n.Attributes[name]; return !ok || a.Float == 1 }
		if n.Attributes["transA"].Int != 0 || !unit("alpha") || !unit("beta") {
			return nil
		}
		if n.Attributes["transB"].Int != 0 {
			w.constant, w.axis = transposed(w.constant), 1-(w.axis+2)%2
			g.Constants[name+"weights"] = w.constant
			w.integers = name + "weights"
		}
	}
	count := w.constant.Shape[columns]
	if axis := w.axis; len(w.scale) != 1 && (axis != columns && axis+len(w.constant.Shape) != columns || len(w.scale) != count) {
		return nil
	}
	factors := make([]float32, count)
	for i := range factors {
		factors[i] = x.scale[0] * w.scale[i%len(w.scale)]
	}
	bias, ok := biasOf(g, n, dequantizations, count)
	if !ok {
		return nil
	}
	shape := []int{count}
	if op == "ConvInteger" {
		shape = slices.Repeat([]int{1}, len(w.constant.Shape))
		shape[1] = count
	}
	g.Constants[name+"factors"] = graph.Floats(factors, shape...)
	toFloat := map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}
	list := []*graph.Node{
		{Name: n.Name, Domain: domain, Op: op, Inputs: []string{x.integers, w.integers, x.zero, w.zero}, Outputs: []string{name + "sums"}, Attributes: attributes},
		{Name: n.Name, Op: "Cast", Inputs: []string{name + "sums"}, Outputs: []string{name + "floats"}, Attributes: toFloat},
		{Name: n.Name, Op: "Mul", Inputs: []string{name + "floats", name + "factors"}, Outputs: []string{n.Outputs[0]}},
	}
	if bias != nil {
		g.Constants[name+"bias"] = graph.Floats(bias, shape...)
		list[2].Outputs = []string{name + "scaled"}
		list = append(list, &graph.Node{Name: n.Name, Op: "Add", Inputs: []string{name + "scaled", name + "bias"}, Outputs: n.Outputs})
	}
	return list
}

// biasOf is a node's bias, if it is a constant or a dequantized one, or there is none.
func biasOf(g *graph.Graph, n *graph.Node, factors map[string]dequantized, count int) (bias []float32, ok bool) {
	if len(n.Inputs) < 3 || n.Inputs[2] == "" {
		return nil, true
	}
	if t := g.Constants[n.Inputs[2]]; t != nil {
		ok := t.DType == graph.Float32 && !t.Deferred() && slices.Equal(t.Shape, []int{count})
		return t.F32, ok
	}
	d, ok := factors[n.Inputs[2]]
	if !ok || d.constant == nil || d.constant.DType != graph.Int64 || !slices.Equal(d.constant.Shape, []int{count}) {
		return nil, false
	}
	if d.shifted(g) {
		return nil, false
	}
	for i, v := range d.constant.I64 {
		bias = append(bias, float32(v)*d.scale[i%len(d.scale)])
	}
	return bias, true
}

// shifted reports whether a zero point is not 0.
func (d *dequantized) shifted(g *graph.Graph) bool {
	return d.zero != "" && slices.ContainsFunc(g.Constants[d.zero].I64, func(v int64) bool { return v != 0 })
}

// transposed is a matrix of integers with its axes swapped.
func transposed(t *graph.Tensor) *graph.Tensor {
	rows, columns := t.Shape[0], t.Shape[1]
	out := &graph.Tensor{DType: graph.Int64, Bits: t.Bits, Shape: []int{columns, rows}, I64: make([]int64, len(t.I64))}
	for i, v := range t.I64 {
		out.I64[i%columns*rows+i/columns] = v
	}
	return out
}
