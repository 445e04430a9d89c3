// Operators of ONNX Runtime's domains that are ONNX's own in another layout, as rewrites of a graph before its constants
// are folded, so that later rewrites find ONNX's operators.

package operator

import (
	"maps"
	"slices"

	"repscope/model/graph"
)

// Rewrite replaces such operators. The nodes of the graph are in order.
func Rewrite(g *graph.Graph) {
	var nodes []*graph.Node
	for _, n := range g.Nodes {
		switch {
		case n.Domain == microsoft && (n.Op == "QuantizeLinear" || n.Op == "DequantizeLinear"):
			n.Domain = ""
		case n.Domain == microsoft && n.Op == "QLinearConv":
			if replaced := channelsFirstConv(g, n); replaced != nil {
				nodes = append(nodes, replaced...)
				continue
			}
		}
		nodes = append(nodes, n)
	}
	g.Nodes = nodes
	findBlocks(g)
}

// channelsFirstConv is a quantized convolution, between transpositions if its channels are last; nil if its weights
// are not constant.
func channelsFirstConv(g *graph.Graph, n *graph.Node) []*graph.Node {
	const weights = 3 // the input
	if len(n.Inputs) <= weights || len(n.Outputs) != 1 || g.Constants[n.Inputs[weights]] == nil {
		return nil
	}
	conv := *n
	conv.Domain, conv.Attributes = "", maps.Clone(n.Attributes)
	delete(conv.Attributes, "channels_last")
	if n.Attributes["channels_last"].Int == 0 {
		return []*graph.Node{&conv}
	}
	rank := len(g.Constants[n.Inputs[weights]].Shape)
	if rank < 3 {
		return nil
	}
	transposed := func(from, to string, perm []int) *graph.Node {
		return &graph.Node{Name: n.Label(), Op: "Transpose", Inputs: []string{from}, Outputs: []string{to},
			Attributes: map[string]graph.Attribute{"perm": graph.IntsAttribute(perm...)}}
	}
	forth, back := channelsFirst(rank)
	x, y := "\x00first\x00"+n.Outputs[0], "\x00last\x00"+n.Outputs[0]
	conv.Inputs, conv.Outputs = slices.Clone(n.Inputs), []string{y}
	conv.Inputs[0] = x
	return []*graph.Node{transposed(n.Inputs[0], x, forth), &conv, transposed(y, n.Outputs[0], back)}
}
