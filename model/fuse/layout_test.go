// Fused programs give the numbers of those that are computed as their files have them.

package fuse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// compute runs a graph's nodes on x.
func compute(t *testing.T, rules graph.Rules, threads int, constants map[string]*graph.Tensor, nodes []graph.Node, x *graph.Tensor) ([]float32, []string, error) {
	t.Helper()
	g := &graph.Graph{Opset: 18, Constants: map[string]*graph.Tensor{}, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}},
		Outputs: []graph.Port{{Name: "y"}}}
	for name, c := range constants {
		g.Constants[name] = c
	}
	for _, n := range nodes {
		g.Nodes = append(g.Nodes, &n)
	}
	if err := g.Prepare(rules); err != nil {
		return nil, nil, err
	}
	p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: x.Shape}}})
	if err != nil {
		return nil, nil, err
	}
	var steps []string
	for _, s := range p.Steps {
		steps = append(steps, s.Op.Name)
	}
	e := cpu.New(g, threads)
	defer func() { _ = e.Close() }()
	out, err := e.Run(t.Context(), []*graph.Tensor{x})
	if err != nil {
		return nil, steps, err
	}
	return append([]float32(nil), out[0].F32...), steps, nil
}

// asWritten are rules without rewrites.
func asWritten() graph.Rules {
	return graph.Rules{Lookup: operator.Lookup, Evaluate: cpu.Evaluate}
}

// image is random numbers, some of them special.
func image(r *rand.Rand, special bool, shape ...int) *graph.Tensor {
	data := make([]float32, graph.Count(shape))
	for i := range data {
		data[i] = float32(r.NormFloat64())
		if special && r.IntN(20) == 0 {
			data[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1))}[r.IntN(5)]
		}
	}
	return graph.Floats(data, shape...)
}

func agree(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, v := range want {
		if v != v && got[i] != got[i] || math.Float32bits(got[i]) == math.Float32bits(v) {
			continue
		}
		if d := math.Abs(float64(got[i] - v)); tolerance == 0 || !(d <= tolerance*(1+math.Abs(float64(v)))) {
			t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], v)
		}
	}
}

// Poolings with channels last give the bits of those with channels first, for one to three axes and any number of
// channels, kernel, stride, dilation and padding, and any number of threads.
func TestPoolLayouts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for range 400 {
		axes := 1 + r.IntN(3)
		shape := []int{1 + r.IntN(3), 1 + r.IntN(40)}
		var kernel, strides, dilations, pads []int
		for range axes {
			shape = append(shape, 1+r.IntN(9))
			kernel, strides, dilations = append(kernel, 1+r.IntN(3)), append(strides, 1+r.IntN(3)), append(dilations, 1+r.IntN(2))
		}
		for k := range 2 * axes {
			pads = append(pads, r.IntN(kernel[k%axes]))
		}
		op := []string{"MaxPool", "AveragePool"}[r.IntN(2)]
		attributes := map[string]graph.Attribute{"kernel_shape": graph.IntsAttribute(kernel...), "strides": graph.IntsAttribute(strides...),
			"pads": graph.IntsAttribute(pads...), "dilations": graph.IntsAttribute(dilations...), "ceil_mode": graph.IntAttribute(r.IntN(2))}
		if op == "AveragePool" {
			attributes["count_include_pad"] = graph.IntAttribute(r.IntN(2))
		}
		nodes := []graph.Node{{Op: op, Inputs: []string{"x"}, Outputs: []string{"y"}, Attributes: attributes}}
		x := image(r, true, shape...)
		want, _, err := compute(t, asWritten(), 1, nil, nodes, x)
		if err != nil {
			continue // a kernel that does not fit
		}
		tried++
		for threads := 1; threads <= 3; threads += 2 {
			got, _, err := compute(t, fuse.ProcessorRules(cpu.Evaluate), threads, nil, nodes, x)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, fmt.Sprint(op, shape, kernel, strides, dilations, pads), got, want, 0)
		}
	}
	if tried < 200 {
		t.Errorf("%d cases fit", tried)
	}
}

// What takes images with channels last gives the numbers of the graph as written, and no transposition is left
// between two of them.
func TestLayouts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	perm := func(p ...int) map[string]graph.Attribute {
		return map[string]graph.Attribute{"perm": graph.IntsAttribute(p...)}
	}
	node := func(op, out string, attributes map[string]graph.Attribute, in ...string) graph.Node {
		return graph.Node{Op: op, Inputs: in, Outputs: []string{out}, Attributes: attributes}
	}
	axis := func(a int) map[string]graph.Attribute {
		return map[string]graph.Attribute{"axis": graph.IntAttribute(a)}
	}
	for _, c := range []struct {
		name string
		// from two images a and b of [N, C, H, W] to z of the same rank, or to y
		nodes []graph.Node
		flat  bool
		moves int // transpositions that remain
	}{
		{name: "sum", nodes: []graph.Node{node("Add", "z", nil, "a", "b")}},
		{name: "skip", nodes: []graph.Node{node("Relu", "c", nil, "a"), node("Add", "d", nil, "c", "b"), node("Add", "z", nil, "d", "a")}},
		{name: "channel constants", nodes: []graph.Node{node("Mul", "c", nil, "a", "scale"), node("Add", "z", nil, "c", "plane")}},
		{name: "one number", nodes: []graph.Node{node("Div", "c", nil, "one", "a"), node("Max", "z", nil, "c", "b", "one")}},
		{name: "joined", nodes: []graph.Node{node("Concat", "z", axis(1), "a", "b", "a")}},
		{name: "below each other", nodes: []graph.Node{node("Concat", "z", axis(-2), "a", "b")}},
		{name: "squeeze and excite", nodes: []graph.Node{node("GlobalAveragePool", "c", nil, "a"), node("Sigmoid", "d", nil, "c"), node("Mul", "z", nil, "d", "a")}},
		{name: "mean", flat: true, nodes: []graph.Node{node("ReduceMean", "y", map[string]graph.Attribute{"axes": graph.IntsAttribute(2, 3), "keepdims": graph.IntAttribute(0)}, "a")}},
		{name: "rows", nodes: []graph.Node{node("ReduceMax", "z", map[string]graph.Attribute{"axes": graph.IntsAttribute(2)}, "a")}},
		{name: "channels", nodes: []graph.Node{node("ReduceSum", "z", nil, "a", "axis1")}},
		{name: "chances", nodes: []graph.Node{node("Softmax", "z", axis(1), "a")}},
		{name: "frame", nodes: []graph.Node{node("Pad", "z", map[string]graph.Attribute{"mode": {Kind: graph.AttributeString, String: "reflect"}}, "a", "pads")}},
		{name: "larger", nodes: []graph.Node{node("Resize", "z", map[string]graph.Attribute{"mode": {Kind: graph.AttributeString, String: "linear"}}, "a", "", "scales")}},
		{name: "normalized", nodes: []graph.Node{node("BatchNormalization", "c", nil, "a", "gain", "offset", "offset", "variance"), node("Relu", "z", nil, "c")}},
		{name: "cut", nodes: []graph.Node{node("Slice", "z", nil, "a", "starts", "ends")}},
		{name: "shuffled", moves: 1, nodes: []graph.Node{node("Concat", "c", axis(1), "a", "b"), node("Reshape", "d", nil, "c", "halves"),
			node("Transpose", "e1", perm(0, 2, 1, 3, 4), "d"), node("Reshape", "z", nil, "e1", "whole")}},
		{name: "pooled", nodes: []graph.Node{node("MaxPool", "z", map[string]graph.Attribute{"kernel_shape": graph.IntsAttribute(2, 1)}, "a")}},
	} {
		for range 8 {
			n, h, w, channels := 1+r.IntN(3), 2+r.IntN(4), 2+r.IntN(4), 2+r.IntN(34)
			constants := map[string]*graph.Tensor{"scale": image(r, false, channels, 1, 1), "plane": image(r, false, 1, 1, h, w), "one": graph.Floats([]float32{0.5}),
				"gain": image(r, false, channels), "offset": image(r, false, channels), "variance": graph.Floats(slices.Repeat([]float32{0.7}, channels), channels),
				"halves": graph.Ints(0, 2, int64(channels), int64(h), int64(w)), "whole": graph.Ints(0, int64(2*channels), int64(h), int64(w)),
				"starts": graph.Ints(0, 1, 0, 1), "ends": graph.Ints(9, 99, 1, 9), "axis1": graph.Ints(1), "pads": graph.Ints(0, 0, 1, 0, 0, 0, 0, 1), "scales": graph.Floats([]float32{1, 1, 2, 1.5}, 4)}
			nodes := []graph.Node{node("Transpose", "a", perm(0, 3, 1, 2), "x"), node("Exp", "e", nil, "x"), node("Transpose", "b", perm(0, 3, 1, 2), "e")}
			nodes = append(nodes, c.nodes...)
			if !c.flat {
				nodes = append(nodes, node("Transpose", "y", perm(0, 2, 3, 1), "z"))
			}
			x := image(r, false, n, h, w, channels)
			want, _, err := compute(t, asWritten(), 1, constants, nodes, x)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			got, steps, err := compute(t, fuse.ProcessorRules(cpu.Evaluate), 2, constants, nodes, x)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			agree(t, fmt.Sprint(c.name, x.Shape), got, want, 1e-6)
			moves := 0
			for _, s := range steps {
				if s == "Transpose" {
					moves++
				}
			}
			if moves > c.moves {
				t.Errorf("%s: steps %v", c.name, steps)
			}
		}
	}
}

// Normalizations of groups of channels, as one operator or as exporters write them, are of images as they lie.
func TestGroupNormLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for _, size := range [][]int{{2, 8, 5, 6}, {1, 40, 33, 17}, {3, 6, 1, 1}, {2, 32, 300}} {
		for _, groups := range []int{1, 2, size[1]} {
			testGroupNorm(t, r, size, groups)
		}
	}
}

func testGroupNorm(t *testing.T, r *rand.Rand, size []int, groups int) {
	c := size[1]
	each := append([]int{c}, slices.Repeat([]int{1}, len(size)-2)...)
	x := image(r, false, size...)
	constants := map[string]*graph.Tensor{"w": image(r, false, append([]int{c}, each...)...), "far": graph.Floats(slices.Repeat([]float32{30}, c), c),
		"one": graph.Floats(slices.Repeat([]float32{1}, groups), groups), "none": graph.Floats(make([]float32, groups), groups),
		"apart": graph.Ints(0, int64(groups), -1), "whole": graph.Ints(widened(size)...),
		"scale": image(r, false, each...), "shift": image(r, false, each...), "s": image(r, false, c), "t": image(r, false, c)}
	first := graph.Node{Op: "Conv", Inputs: []string{"x", "w", "far"}, Outputs: []string{"c"}}
	last := graph.Node{Op: "Conv", Inputs: []string{"d", "w"}, Outputs: []string{"y"}}
	for k, middle := range [][]graph.Node{
		{
			{Op: "Reshape", Inputs: []string{"c", "apart"}, Outputs: []string{"a"}},
			{Op: "InstanceNormalization", Inputs: []string{"a", "one", "none"}, Outputs: []string{"n"}},
			{Op: "Reshape", Inputs: []string{"n", "whole"}, Outputs: []string{"b"}},
			{Op: "Mul", Inputs: []string{"b", "scale"}, Outputs: []string{"m"}},
			{Op: "Add", Inputs: []string{"shift", "m"}, Outputs: []string{"d"}},
		},
		{{Op: "InstanceNormalization", Inputs: []string{"c", "s", "t"}, Outputs: []string{"d"}}},
	} {
		what := fmt.Sprint(size, groups, k)
		want := x
		for _, nodes := range [][]graph.Node{{first}, middle, {last}} {
			rules := fuse.ProcessorRules(cpu.Evaluate)
			if len(nodes) == len(middle) && nodes[0].Op == middle[0].Op {
				rules = asWritten()
			}
			nodes = slices.Clone(nodes)
			nodes[0].Inputs = append([]string{"x"}, nodes[0].Inputs[1:]...)
			nodes[len(nodes)-1].Outputs = []string{"y"}
			y, _, err := compute(t, rules, 1, constants, nodes, want)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			want = graph.Floats(y, size...)
		}
		got, steps, err := compute(t, fuse.ProcessorRules(cpu.Evaluate), 2, constants, slices.Concat([]graph.Node{first}, middle, []graph.Node{last}), x)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		agree(t, what, got, want.F32, 2e-4)
		if count(steps, "Transpose") > 1 || len(steps) > 5 {
			t.Errorf("%s: steps %v", what, steps)
		}
	}
}
