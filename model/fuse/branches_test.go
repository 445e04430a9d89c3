// Convolutions that are added to each other, or that zeros are put around for, give the numbers of those that are
// computed apart.

package fuse_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// A branchCase is branches of the same input whose results are added in order, and how many convolutions are then left.
type branchCase struct {
	what     string
	channels int
	branches []graph.Node
	left     int
}

func convolution(weights string, attributes map[string]graph.Attribute) graph.Node {
	return graph.Node{Op: "Conv", Inputs: strings.Fields("x " + weights), Attributes: attributes}
}

func attributes(pairs ...any) map[string]graph.Attribute {
	out := map[string]graph.Attribute{}
	for k := 0; k < len(pairs); k += 2 {
		switch v := pairs[k+1].(type) {
		case int:
			out[pairs[k].(string)] = graph.IntAttribute(v)
		case string:
			out[pairs[k].(string)] = graph.Attribute{Kind: graph.AttributeString, String: v}
		case []int:
			out[pairs[k].(string)] = graph.IntsAttribute(v...)
		}
	}
	return out
}

func branchCases() []branchCase {
	normal := graph.Node{Op: "BatchNormalization", Inputs: strings.Fields("x s t m v"),
		Attributes: map[string]graph.Attribute{"momentum": {Kind: graph.AttributeFloat, Float: 0.9}}}
	three := attributes("pads", []int{1, 1, 1, 1})
	return []branchCase{
		{"3 × 3 and 1 × 1", 8, []graph.Node{convolution("w33 b", three), convolution("w11", nil)}, 1},
		{"1 × 1 before 3 × 3, no biases", 8, []graph.Node{convolution("w11", nil), convolution("w33", three)}, 1},
		{"and a normalization", 8, []graph.Node{convolution("w33 b", three), convolution("w11 b", nil), normal}, 1},
		{"a normalization first", 8, []graph.Node{normal, convolution("w33", three)}, 1},
		{"channel by channel", 8, []graph.Node{convolution("d33", attributes("group", 8, "pads", []int{1, 1, 1, 1})), normal,
			convolution("d11 b", attributes("group", 8))}, 1},
		{"a normalization beside one weight for each channel", 8, []graph.Node{normal, convolution("d11 b", attributes("group", 8))}, 1},
		{"two groups", 8, []graph.Node{normal, convolution("g33 b", attributes("group", 2, "pads", []int{1, 1, 1, 1}))}, 1},
		{"the same twice", 8, []graph.Node{convolution("w33 b", three), convolution("w33", three)}, 1},
		{"strides", 8, []graph.Node{convolution("w33", attributes("strides", []int{2, 2}, "pads", []int{1, 1, 1, 1})),
			convolution("w11", attributes("strides", []int{2, 2}))}, 1},
		{"uneven paddings", 8, []graph.Node{convolution("w33", attributes("pads", []int{0, 2, 2, 0})), convolution("w11", nil)}, 1},
		{"dilation", 8, []graph.Node{convolution("w33", attributes("pads", []int{2, 2, 2, 2}, "dilations", []int{2, 2})), convolution("w11 b", nil)}, 1},
		{"1 × 3 in 3 × 3", 8, []graph.Node{convolution("w13", attributes("pads", []int{0, 1, 0, 1})), convolution("w33", three)}, 1},
		{"as it is kept elsewhere", 64, []graph.Node{convolution("large", three), convolution("other", nil), convolution("large b64", three)}, 1},

		{"1 × 3 and 3 × 1", 8, []graph.Node{convolution("w13", attributes("pads", []int{0, 1, 0, 1})), convolution("w31", attributes("pads", []int{1, 0, 1, 0}))}, 2},
		{"other groups", 8, []graph.Node{convolution("w33", three), convolution("g33", attributes("group", 2, "pads", []int{1, 1, 1, 1}))}, 2},
		{"padded by name", 8, []graph.Node{convolution("w33", attributes("auto_pad", "SAME_UPPER")), convolution("w11", nil)}, 2},
		{"two normalizations", 8, []graph.Node{normal, normal}, 0},
		{"more channels than it reads", 8, []graph.Node{convolution("w1633", three), convolution("w1611", nil)}, 1},
	}
}

func branchWeights(r *rand.Rand) map[string]*graph.Tensor {
	positive := image(r, false, 8)
	for i, v := range positive.F32 {
		positive.F32[i] = v*v + 0.1
	}
	constants := map[string]*graph.Tensor{
		"w33": image(r, false, 8, 8, 3, 3), "w11": image(r, false, 8, 8, 1, 1), "w13": image(r, false, 8, 8, 1, 3), "w31": image(r, false, 8, 8, 3, 1),
		"d33": image(r, false, 8, 1, 3, 3), "d11": image(r, false, 8, 1, 1, 1), "g33": image(r, false, 8, 4, 3, 3), "b": image(r, false, 8),
		"s": image(r, false, 8), "t": image(r, false, 8), "m": image(r, false, 8), "v": positive, "b64": image(r, false, 64),
		"w1633": image(r, false, 16, 8, 3, 3), "w1611": image(r, false, 16, 8, 1, 1), "zero": graph.Floats([]float32{0}),
	}
	deferred := map[string][]int{"large": {64, 64, 3, 3}, "other": {64, 64, 1, 1}}
	for _, name := range slices.Sorted(maps.Keys(deferred)) {
		shape := deferred[name]
		held := image(r, false, shape...).F32
		constants[name] = graph.Defer(func(dst []float32, first int) error { copy(dst, held[first:]); return nil }, shape...)
	}
	return constants
}

// apart are rules that leave branches as they are.
func apart() graph.Rules {
	r := fuse.ProcessorRules(cpu.Evaluate)
	r.Simplify = nil
	return r
}

func TestAddBranches(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	constants := branchWeights(r)
	for _, c := range branchCases() {
		var nodes []graph.Node
		sum := "zero" // where a first branch is missing, an export adds to it
		for k, n := range c.branches {
			n.Outputs = []string{fmt.Sprint("branch", k)}
			last := fmt.Sprint("sum", k)
			if k == len(c.branches)-1 {
				last = "y"
			}
			nodes = append(nodes, n, graph.Node{Op: "Add", Inputs: []string{sum, n.Outputs[0]}, Outputs: []string{last}})
			sum = last
		}
		x := image(r, false, 2, c.channels, 7, 9)
		want, _, err := compute(t, apart(), 1, constants, nodes, x)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		for _, rules := range []graph.Rules{fuse.Rules(cpu.Evaluate), fuse.ProcessorRules(cpu.Evaluate)} {
			got, steps, err := compute(t, rules, 2, constants, nodes, x)
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			agree(t, c.what, got, want, 3e-5)
			if n := count(steps, "Conv"); n != c.left {
				t.Errorf("%s: %d convolutions, want %d: %v", c.what, n, c.left, steps)
			}
		}
	}
}

func count(steps []string, name string) int {
	n := 0
	for _, s := range steps {
		if s == name {
			n++
		}
	}
	return n
}

// A branch that is wanted by itself, or by another step, stays.
func TestWatchedBranch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	constants, x := branchWeights(r), image(r, false, 1, 8, 5, 5)
	three := convolution("w33", attributes("pads", []int{1, 1, 1, 1}))
	one := convolution("w11", nil)
	three.Outputs, one.Outputs = []string{"a"}, []string{"c"}
	nodes := []graph.Node{three, one, {Op: "Add", Inputs: []string{"a", "c"}, Outputs: []string{"sum"}}, {Op: "Mul", Inputs: []string{"sum", "c"}, Outputs: []string{"y"}}}
	want, _, err := compute(t, apart(), 1, constants, nodes, x)
	if err != nil {
		t.Fatal(err)
	}
	got, steps, err := compute(t, fuse.ProcessorRules(cpu.Evaluate), 1, constants, nodes, x)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "watched", got, want, 3e-5)
	if n := count(steps, "Conv"); n != 2 {
		t.Errorf("%d convolutions, want 2: %v", n, steps)
	}
}

// Zeros around an image are the convolution's own; other values, other axes and cropping are not.
func TestPaddedConvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	x := image(r, false, 2, 8, 6, 7)
	for _, c := range []struct {
		pads    []int
		mode    string
		value   float32
		own     []int
		strides int
		left    int
	}{
		{[]int{0, 0, 1, 2, 0, 0, 3, 0}, "constant", 0, []int{0, 0, 0, 0}, 1, 0},
		{[]int{0, 0, 1, 0, 0, 0, 0, 1}, "constant", 0, []int{1, 0, 2, 1}, 2, 0},
		{[]int{0, 0, 5, 5, 0, 0, 5, 5}, "constant", 0, []int{0, 0, 0, 0}, 1, 0}, // windows of zeros alone
		{[]int{0, 0, 1, 1, 0, 0, 1, 1}, "constant", 0.5, []int{0, 0, 0, 0}, 1, 1},
		{[]int{0, 0, 1, 1, 0, 0, 1, 1}, "reflect", 0, []int{0, 0, 0, 0}, 1, 1},
		{[]int{0, 0, -1, 1, 0, 0, 1, 1}, "constant", 0, []int{0, 0, 0, 0}, 1, 1},
		{[]int{1, 0, 0, 0, 0, 0, 0, 0}, "constant", 0, []int{0, 0, 0, 0}, 1, 1},
		{[]int{0, 1, 0, 0, 0, -1, 0, 0}, "constant", 0, []int{0, 0, 0, 0}, 1, 1},
	} {
		constants := branchWeights(r)
		constants["pads"], constants["value"] = graph.Ints(widened(c.pads)...), graph.Floats([]float32{c.value})
		nodes := []graph.Node{
			{Op: "Pad", Inputs: []string{"x", "pads", "value"}, Outputs: []string{"padded"}, Attributes: attributes("mode", c.mode)},
			{Op: "Conv", Inputs: []string{"padded", "w33", "b"}, Outputs: []string{"y"}, Attributes: attributes("pads", c.own, "strides", []int{c.strides, c.strides})},
		}
		want := paddedFirst(t, constants, nodes, x)
		for _, rules := range []graph.Rules{fuse.Rules(cpu.Evaluate), fuse.ProcessorRules(cpu.Evaluate)} {
			got, steps, err := compute(t, rules, 2, constants, nodes, x)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			agree(t, fmt.Sprintf("%+v", c), got, want, 3e-5)
			if n := count(steps, "Pad"); n != c.left {
				t.Errorf("%+v: %d paddings, want %d: %v", c, n, c.left, steps)
			}
		}
	}
}

// paddedFirst is a convolution of the image that a padding gave before.
func paddedFirst(t *testing.T, constants map[string]*graph.Tensor, nodes []graph.Node, x *graph.Tensor) []float32 {
	t.Helper()
	pad, conv := nodes[0], nodes[1]
	pad.Outputs, conv.Inputs = []string{"y"}, append([]string{"x"}, conv.Inputs[1:]...)
	padded, _, err := compute(t, asWritten(), 1, constants, []graph.Node{pad}, x)
	if err != nil {
		t.Fatal(err)
	}
	shape := slices.Clone(x.Shape)
	for a := range shape {
		shape[a] += int(constants["pads"].I64[a] + constants["pads"].I64[4+a])
	}
	want, _, err := compute(t, fuse.ProcessorRules(cpu.Evaluate), 1, constants, []graph.Node{conv}, graph.Floats(padded, shape...))
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func widened(values []int) []int64 {
	var out []int64
	for _, v := range values {
		out = append(out, int64(v))
	}
	return out
}

// Many channels are resized side by side, few and resized ones as they lie.
func TestResizedChannels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, mode := range []string{"linear", "cubic", "nearest"} {
		for _, channels := range []int{3, 16, 300} {
			for _, scales := range [][]float32{{1, 1, 2, 2}, {1, 1, 1.5, 0.7}, {1, 0.5, 2, 1}} {
				if mode == "cubic" && scales[1] != 1 {
					continue // of two axes alone
				}
				constants := map[string]*graph.Tensor{"scales": graph.Floats(slices.Clone(scales), 4)}
				nodes := []graph.Node{{Op: "Resize", Inputs: []string{"x", "", "scales"}, Outputs: []string{"y"}, Attributes: attributes("mode", mode)}}
				x := image(r, false, 2, channels, 5, 6)
				what := fmt.Sprint(mode, channels, scales)
				want, _, err := compute(t, asWritten(), 1, constants, nodes, x)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				got, _, err := compute(t, fuse.ProcessorRules(cpu.Evaluate), 2, constants, nodes, x)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				agree(t, what, got, want, 1e-5)
			}
		}
	}
}
