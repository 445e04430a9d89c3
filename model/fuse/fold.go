// Folding at load: rewrites of the graph that change its constants once, before
// it is bound to any shape.

package fuse

import (
	"fmt"
	"math"
	"slices"

	"repscope/model/graph"
)

// foldBatchNorm puts a batch normalization with known statistics that alone uses
// a convolution's result into the convolution's weights and bias.
func foldBatchNorm(g *graph.Graph) error {
	users, convolutions := usersOf(g), map[string]*graph.Node{}
	for _, n := range g.Nodes {
		if (n.Op == "Conv" || n.Op == "ConvTranspose") && n.Domain == "" && len(n.Inputs) >= 2 && len(n.Outputs) == 1 {
			convolutions[n.Outputs[0]] = n
		}
	}
	folded := map[*graph.Node]bool{}
	for _, n := range g.Nodes {
		if !normalizes(g, n) {
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

// foldInto makes the node of a normalization the convolution with its weights and bias; the convolution's own node is
// then unused. It reports false if a constant is unknown.
func foldInto(g *graph.Graph, conv, n *graph.Node) (bool, error) {
	w := g.Constants[conv.Inputs[1]]
	if w == nil || w.DType != graph.Float32 || len(w.Shape) < 3 || w.Len() == 0 {
		return false, nil
	}
	// A transposed convolution's weights are [in, out/group, kernel…].
	filters, groups, transposed := w.Shape[0], groupsOf(conv), conv.Op == "ConvTranspose"
	if transposed {
		if groups < 1 || w.Shape[0]%groups != 0 {
			return false, nil
		}
		filters = w.Shape[1] * groups
	}
	norm := normalizationOf(g, n, filters)
	if norm == nil {
		return false, nil
	}
	bias := make([]float32, filters)
	if len(conv.Inputs) > 2 && conv.Inputs[2] != "" {
		previous := vectorOf(g, conv.Inputs[2], filters)
		if previous == nil {
			return false, nil
		}
		copy(bias, previous)
	}
	for f, v := range bias {
		bias[f] = norm.of(f, v)
	}
	each := w.Len() / filters
	channel := func(i int) int { return i / each }
	if transposed {
		positions, width, depth := graph.Count(w.Shape[2:]), w.Shape[1], w.Shape[0]/groups
		channel = func(i int) int {
			i /= positions
			return i/width/depth*width + i%width
		}
	}
	weights, err := w.Change(func(part []float32, first int) {
		for i, v := range part {
			part[i] = float32(float64(v) * norm.factors[channel(first+i)])
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

// usersOf counts who reads a value; an output of the graph counts, too.
func usersOf(g *graph.Graph) map[string]int {
	users := map[string]int{}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			users[in]++
		}
	}
	for _, p := range g.Outputs {
		users[p.Name]++
	}
	return users
}

// groupsOf is the number of groups of a convolution.
func groupsOf(conv *graph.Node) int {
	if a, ok := conv.Attributes["group"]; ok {
		return int(a.Int)
	}
	return 1
}

// vectorOf is a constant vector of n float32 numbers, nil if the value is none or not held.
func vectorOf(g *graph.Graph, name string, n int) []float32 {
	if t := g.Constants[name]; t != nil && t.DType == graph.Float32 && len(t.Shape) == 1 && t.Shape[0] == n {
		return t.F32
	}
	return nil
}

// normalizes reports whether a node is a batch normalization by constant statistics.
func normalizes(g *graph.Graph, n *graph.Node) bool {
	return n.Op == "BatchNormalization" && n.Domain == "" && len(n.Inputs) == 5 && len(n.Outputs) == 1 &&
		n.Attributes["training_mode"].Int == 0 && g.Opset >= 9
}

// A normalization is the effect of a batch normalization on each channel: (x − mean)·factor + shift.
type normalization struct {
	factors     []float64
	mean, shift []float32
}

// normalizationOf is the normalization of a node with this many channels, nil if its statistics are not known.
func normalizationOf(g *graph.Graph, n *graph.Node, channels int) *normalization {
	vector := func(k int) []float32 { return vectorOf(g, n.Inputs[k], channels) }
	scale, shift, mean, variance := vector(1), vector(2), vector(3), vector(4)
	if scale == nil || shift == nil || mean == nil || variance == nil {
		return nil
	}
	epsilon := 1e-5
	if a, ok := n.Attributes["epsilon"]; ok {
		epsilon = float64(a.Float)
	}
	factors := make([]float64, channels)
	for c := range factors {
		factors[c] = float64(scale[c]) / math.Sqrt(float64(variance[c])+epsilon)
	}
	return &normalization{factors, mean, shift}
}

// of is the normalized x in channel c.
func (n *normalization) of(c int, x float32) float32 {
	return float32(float64((float64(x)-float64(n.mean[c]))*n.factors[c]) + float64(n.shift[c]))
}
