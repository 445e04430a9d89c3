// Operators of ONNX Runtime's domains that are ONNX's own in another layout, as rewrites of a graph before its
// constants are folded, so that later rewrites find ONNX's operators.

package operator

import (
	"fmt"
	"maps"
	"slices"

	"repscope/model/graph"
)

// rewrites are the replacements of operators of ONNX Runtime's domain by name; one that returns nil leaves the node.
var rewrites = map[string]func(g *graph.Graph, n *graph.Node) []*graph.Node{
	"QLinearConv": channelsFirstConv, "QAttention": dequantizedAttention,
	"QEmbedLayerNormalization": dequantizedEmbeddings,
}

// inferUnwritten is for nodes that no rewrite replaces.
func inferUnwritten(c *context) {
	c.unsupported("inside a loop or a condition, with weights that are not constants, or with a past: %s", unoptimized)
}

// Rewrite replaces such operators. The nodes of the graph are in order.
func Rewrite(g *graph.Graph) {
	var nodes []*graph.Node
	for _, n := range g.Nodes {
		switch {
		case n.Domain == microsoft && (n.Op == "QuantizeLinear" || n.Op == "DequantizeLinear"):
			n.Domain = ""
		case n.Domain == microsoft && rewrites[n.Op] != nil:
			if replaced := rewrites[n.Op](g, n); replaced != nil {
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

// The inputs of QAttention and QEmbedLayerNormalization.
const (
	quantizedWeights = 1
	quantizedBias    = 2
	quantizedMask    = 5
	quantizedPast    = 8
	quantizedTables  = 2 // the first one
	quantizedScales  = 8 // of the tables and the normalization
	quantizedZeros   = 13
)

// dequantizedAttention is a product of integers and the attention of its columns, thirds that are Q, K and V.
func dequantizedAttention(g *graph.Graph, n *graph.Node) []*graph.Node {
	in := slices.Concat(n.Inputs, slices.Repeat([]string{""}, quantizedPast))
	if len(n.Inputs) < quantizedMask || len(n.Inputs) > quantizedPast+1 || in[quantizedPast] != "" || len(n.Outputs) != 1 {
		return nil
	}
	w := g.Constants[in[quantizedWeights]]
	if w == nil || len(w.Shape) != 2 || w.Shape[1]%3 != 0 || n.Attributes["do_rotary"].Int != 0 {
		return nil
	}
	each := w.Shape[1] / 3
	y := "\x00columns\x00" + n.Outputs[0]
	parts := []string{y + "q", y + "k", y + "v"}
	attributes := maps.Clone(n.Attributes)
	delete(attributes, "do_rotary")
	delete(attributes, "past_present_share_buffer")
	return []*graph.Node{
		{Name: n.Label(), Domain: microsoft, Op: "MatMulIntegerToFloat", Outputs: []string{y},
			Inputs: []string{in[0], in[1], in[3], in[4], in[6], in[7]}},
		{Name: n.Label(), Op: "Split", Inputs: []string{y}, Outputs: parts, Attributes: map[string]graph.Attribute{
			"axis": graph.IntAttribute(2), "split": graph.IntsAttribute(each, each, each)}},
		{Name: n.Label(), Domain: microsoft, Op: "MultiHeadAttention", Outputs: n.Outputs, Attributes: attributes,
			Inputs: append(parts, in[quantizedBias], in[quantizedMask])},
	}
}

// dequantizedEmbeddings is an EmbedLayerNormalization of dequantized tables.
func dequantizedEmbeddings(_ *graph.Graph, n *graph.Node) []*graph.Node {
	const tables = 5 // and what scales the normalization
	if len(n.Inputs) != quantizedZeros+tables || len(n.Outputs) == 0 {
		return nil
	}
	var nodes []*graph.Node
	inputs := slices.Clone(n.Inputs[:quantizedScales])
	for i := range tables {
		if table := inputs[quantizedTables+i]; table != "" {
			name := fmt.Sprint("\x00dequantized\x00", n.Outputs[0], i)
			nodes = append(nodes, &graph.Node{Name: n.Label(), Op: "DequantizeLinear", Outputs: []string{name},
				Inputs: []string{table, n.Inputs[quantizedScales+i], n.Inputs[quantizedZeros+i]}})
			inputs[quantizedTables+i] = name
		}
	}
	return append(nodes, &graph.Node{Name: n.Label(), Domain: microsoft, Op: "EmbedLayerNormalization", Inputs: inputs,
		Outputs: n.Outputs, Attributes: n.Attributes})
}
