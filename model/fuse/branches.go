// Branches of convolutions that are added: one convolution with the sum of their weights.

package fuse

import (
	"fmt"
	"slices"

	"repscope/model/graph"
)

// addBranches makes one convolution of each sum of two that alone read the same value in the same way, one kernel
// inside the other. One of them may be a batch normalization of that value, which is a convolution with one weight for
// each channel. These are the blocks of RepVGG, MobileOne and RepViT as they are trained. Sums of more branches are
// joined two by two.
func addBranches(g *graph.Graph) error {
	b := branches{g: g, users: usersOf(g), of: map[string]*graph.Node{}, joined: map[*graph.Node]bool{}}
	for _, n := range g.Nodes {
		if (n.Op == "Add" || n.Op == "Sum") && n.Domain == "" && len(n.Inputs) == 2 && n.Inputs[0] != n.Inputs[1] {
			b.dropZero(n)
			if err := b.join(n); err != nil {
				return fmt.Errorf("%v: %w", n, err)
			}
		}
		if n.Domain == "" && len(n.Outputs) == 1 && !b.joined[n] {
			b.of[n.Outputs[0]] = n
		}
	}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *graph.Node) bool { return b.joined[n] })
	return nil
}

type branches struct {
	g      *graph.Graph
	users  map[string]int
	of     map[string]*graph.Node // by output, of earlier nodes
	joined map[*graph.Node]bool   // into the node of their sum
}

// A branch is a convolution whose geometry and weights are known.
type branch struct {
	node                                      *graph.Node
	weights                                   *graph.Tensor
	bias                                      []float32 // nil: none
	group                                     int
	kernel, strides, dilations, before, after []int
}

// dropZero lets the branch whose result alone is added to one zero give the sum itself: exports have zeros for
// branches that are not there.
func (b *branches) dropZero(sum *graph.Node) {
	for k, in := range sum.Inputs {
		zero, branch := b.g.Constants[in], b.of[sum.Inputs[1-k]]
		if v, one := zero.Scalar(); !one || v != 0 || len(zero.Shape) > 1 || branch == nil || branch.Op != "Conv" && branch.Op != "BatchNormalization" ||
			b.users[branch.Outputs[0]] != 1 {
			continue
		}
		b.of[sum.Outputs[0]], b.joined[sum] = branch, true
		branch.Outputs = slices.Clone(sum.Outputs)
		return
	}
}

// join makes a node that adds two branches a convolution, if it can.
func (b *branches) join(sum *graph.Node) error {
	first, second := b.of[sum.Inputs[0]], b.of[sum.Inputs[1]]
	if first == nil || second == nil || b.users[sum.Inputs[0]] != 1 || b.users[sum.Inputs[1]] != 1 || len(first.Inputs) == 0 ||
		len(second.Inputs) == 0 || first.Inputs[0] != second.Inputs[0] {
		return nil
	}
	large, small := b.convolution(first), b.convolution(second)
	if large == nil && small != nil {
		large = b.normalization(first, small)
	} else if large != nil && small == nil {
		small = b.normalization(second, large)
	}
	if large == nil || small == nil {
		return nil
	}
	if small.weights.Len() > large.weights.Len() || large.node.Op != "Conv" {
		large, small = small, large
	}
	offsets := large.around(small)
	if offsets == nil {
		return nil
	}
	weights, err := addedWeights(large.weights, small.weights, offsets)
	if err != nil {
		return err
	}
	// Names that no file can contain.
	prefix := "\x00branches\x00" + sum.Outputs[0]
	inputs := []string{first.Inputs[0], prefix + "\x00w"}
	b.g.Constants[inputs[1]] = weights
	if bias := addedBias(large.bias, small.bias); bias != nil {
		inputs = append(inputs, prefix+"\x00b")
		b.g.Constants[inputs[2]] = graph.Floats(bias, len(bias))
	}
	b.joined[first], b.joined[second] = true, true
	*sum = graph.Node{Name: large.node.Name, Op: "Conv", Inputs: inputs, Outputs: sum.Outputs, Attributes: large.node.Attributes}
	return nil
}

// convolution is a node's branch, nil if it is none or not all of it is known.
func (b *branches) convolution(n *graph.Node) *branch {
	if n.Op != "Conv" || len(n.Inputs) < 2 {
		return nil
	}
	w := b.g.Constants[n.Inputs[1]]
	if mode := n.Attributes["auto_pad"].String; w == nil || w.DType != graph.Float32 || len(w.Shape) < 3 || w.Len() == 0 || mode != "" && mode != "NOTSET" {
		return nil
	}
	axes := len(w.Shape) - 2
	c := &branch{node: n, weights: w, kernel: w.Shape[2:], group: groupsOf(n)}
	pads := integers(n, "pads", 2*axes, 0)
	c.strides, c.dilations = integers(n, "strides", axes, 1), integers(n, "dilations", axes, 1)
	if kernel := n.Attributes["kernel_shape"]; kernel.Ints != nil && !slices.Equal(integers(n, "kernel_shape", axes, 0), c.kernel) {
		return nil
	}
	if pads == nil || c.strides == nil || c.dilations == nil || slices.Min(c.dilations) < 1 || c.group < 1 || w.Shape[0]%c.group != 0 {
		return nil
	}
	c.before, c.after = pads[:axes], pads[axes:]
	if len(n.Inputs) > 2 && n.Inputs[2] != "" {
		if c.bias = vectorOf(b.g, n.Inputs[2], w.Shape[0]); c.bias == nil {
			return nil
		}
	}
	return c
}

// integers is an attribute with one number for each of count axes, nil for another count.
func integers(n *graph.Node, name string, count, standard int) []int {
	a, ok := n.Attributes[name]
	if !ok {
		return slices.Repeat([]int{standard}, count)
	}
	if len(a.Ints) != count {
		return nil
	}
	out := make([]int, count)
	for k, v := range a.Ints {
		out[k] = int(v)
	}
	return out
}

// normalization is a batch normalization with known statistics as a convolution with one weight for each channel, next
// to another one with as many output channels as inputs; nil if it is none.
func (b *branches) normalization(n *graph.Node, main *branch) *branch {
	w := main.weights.Shape
	if !normalizes(b.g, n) || w[0] != w[1]*main.group {
		return nil
	}
	norm := normalizationOf(b.g, n, w[0])
	if norm == nil {
		return nil
	}
	axes := len(main.kernel)
	one, zero := slices.Repeat([]int{1}, axes), make([]int, axes)
	weights, bias := make([]float32, w[0]*w[1]), make([]float32, w[0])
	for c := range bias {
		weights[c*w[1]+c%w[1]], bias[c] = float32(norm.factors[c]), norm.of(c, 0)
	}
	return &branch{node: n, weights: graph.Floats(weights, append([]int{w[0], w[1]}, one...)...), bias: bias, group: main.group,
		kernel: one, strides: one, dilations: main.dilations, before: zero, after: zero}
}

// around is the offset, axis by axis, of another convolution's kernel in the kernel of c such that both read the same
// pixels for every pixel of their results; nil if there is none, or they differ otherwise.
func (c *branch) around(other *branch) []int {
	if c.group != other.group || !slices.Equal(c.strides, other.strides) || len(c.kernel) != len(other.kernel) ||
		!slices.Equal(c.weights.Shape[:2], other.weights.Shape[:2]) {
		return nil
	}
	offsets := make([]int, len(c.kernel))
	for a, k := range c.kernel {
		step := c.dilations[a]
		if other.kernel[a] > 1 && k > 1 && other.dilations[a] != step {
			return nil
		}
		// Paddings may be less, or negative: the kernel then begins further in.
		d := c.before[a] - other.before[a]
		if d < 0 || d%step != 0 || d/step > k-other.kernel[a] || c.after[a]-other.after[a] != (k-other.kernel[a])*step-d {
			return nil
		}
		offsets[a] = d / step
	}
	return offsets
}

// addedWeights adds the weights of a smaller kernel at an offset of each axis, in float64.
func addedWeights(large, small *graph.Tensor, offsets []int) (*graph.Tensor, error) {
	filters := large.Shape[0] * large.Shape[1]
	within, outer := graph.RowMajor(small.Shape[2:]), graph.RowMajor(large.Shape[2:])
	positions, parts := graph.Count(small.Shape[2:]), graph.Count(large.Shape[2:])
	target := make([]int, positions)
	for p := range target {
		for a, rest := 0, p; a < len(offsets); a++ {
			target[p] += (offsets[a] + rest/within[a]) * outer[a]
			rest %= within[a]
		}
	}
	add := func(dst, spare []float32) error {
		w, err := large.Load(spare)
		if err != nil {
			return err
		}
		copy(dst, w)
		if w, err = small.Load(spare); err != nil {
			return err
		}
		for f := range filters {
			for p, to := range target {
				dst[f*parts+to] = float32(float64(dst[f*parts+to]) + float64(w[f*positions+p]))
			}
		}
		return nil
	}
	if t := graph.DeferFrom([]*graph.Tensor{large, small}, add, large.Shape...); t != nil {
		return t, nil
	}
	sum := graph.Floats(make([]float32, large.Len()), large.Shape...)
	return sum, add(sum.F32, nil)
}

// addedBias is nil if both are.
func addedBias(x, y []float32) []float32 {
	if x == nil || y == nil {
		return slices.Concat(x, y)
	}
	sum := make([]float32, len(x))
	for i := range sum {
		sum[i] = float32(float64(x[i]) + float64(y[i]))
	}
	return sum
}
