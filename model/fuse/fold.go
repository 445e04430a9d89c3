// Folding at load: rewrites of the graph that change its constants once, before
// it is bound to any shape.

package fuse

import (
	"fmt"
	"math"
	"slices"

	"repscope/model/graph"
)

// foldBatchNorm puts a batch normalisation with known statistics that alone uses
// a convolution's result into the convolution's weights and bias.
func foldBatchNorm(g *graph.Graph) error {
	users := map[string]int{}
	convolutions := map[string]*graph.Node{}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			users[in]++
		}
		if (n.Op == "Conv" || n.Op == "ConvTranspose") && n.Domain == "" && len(n.Inputs) >= 2 && len(n.Outputs) == 1 {
			convolutions[n.Outputs[0]] = n
		}
	}
	for _, p := range g.Outputs {
		users[p.Name]++
	}
	folded := map[*graph.Node]bool{}
	for _, n := range g.Nodes {
		if n.Op != "BatchNormalization" || n.Domain != "" || len(n.Inputs) != 5 || len(n.Outputs) != 1 ||
			n.Attributes["training_mode"].Int != 0 || g.Opset < 9 {
			continue
		}
		conv := convolutions[n.Inputs[0]]
		if conv == nil || users[n.Inputs[0]] != 1 || folded[conv] {
			continue
		}
		done, err := foldInto(g, conv, n)
		if err != nil {
			return fmt.Errorf("%v: %w", conv, err)
		}
		if done {
			folded[conv] = true
		}
	}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *graph.Node) bool { return folded[n] })
	return nil
}

// foldInto makes the node of a normalisation the convolution with its weights and bias; the
// convolution's own node is then unused. It reports false if something is not known.
func foldInto(g *graph.Graph, conv, n *graph.Node) (bool, error) {
	w := g.Constants[conv.Inputs[1]]
	if w == nil || w.DType != graph.Float32 || len(w.Shape) < 3 || w.Len() == 0 {
		return false, nil
	}
	// A transposed convolution's weights are [in, out/group, kernel…].
	filters, groups, transposed := w.Shape[0], 1, conv.Op == "ConvTranspose"
	if transposed {
		if a, ok := conv.Attributes["group"]; ok {
			groups = int(a.Int)
		}
		if groups < 1 || w.Shape[0]%groups != 0 {
			return false, nil
		}
		filters = w.Shape[1] * groups
	}
	vector := func(name string) []float32 {
		if t := g.Constants[name]; t != nil && t.DType == graph.Float32 && len(t.Shape) == 1 && t.Shape[0] == filters {
			return t.F32
		}
		return nil
	}
	scale, shift, mean, variance := vector(n.Inputs[1]), vector(n.Inputs[2]), vector(n.Inputs[3]), vector(n.Inputs[4])
	if scale == nil || shift == nil || mean == nil || variance == nil {
		return false, nil
	}
	bias := make([]float32, filters)
	if len(conv.Inputs) > 2 && conv.Inputs[2] != "" {
		own := vector(conv.Inputs[2])
		if own == nil {
			return false, nil
		}
		copy(bias, own)
	}
	epsilon := 1e-5
	if a, ok := n.Attributes["epsilon"]; ok {
		epsilon = float64(a.Float)
	}
	factors := make([]float64, filters)
	for f := range factors {
		factors[f] = float64(scale[f]) / math.Sqrt(float64(variance[f])+epsilon)
		bias[f] = float32(float64((float64(bias[f])-float64(mean[f]))*factors[f]) + float64(shift[f]))
	}
	each := w.Len() / filters
	of := func(i int) int { return i / each }
	if transposed {
		positions, width, depth := graph.Count(w.Shape[2:]), w.Shape[1], w.Shape[0]/groups
		of = func(i int) int {
			i /= positions
			return i/width/depth*width + i%width
		}
	}
	weights, err := w.Change(func(part []float32, first int) {
		for i, v := range part {
			part[i] = float32(float64(v) * factors[of(first+i)])
		}
	})
	if err != nil {
		return false, err
	}
	// Names that no file can contain.
	prefix := "\x00batchnorm\x00" + n.Outputs[0]
	g.Constants[prefix+"\x00w"], g.Constants[prefix+"\x00b"] = weights, graph.Floats(bias, filters)
	*n = graph.Node{Name: conv.Name, Op: conv.Op, Inputs: []string{conv.Inputs[0], prefix + "\x00w", prefix + "\x00b"},
		Outputs: n.Outputs, Attributes: conv.Attributes}
	return true, nil
}
