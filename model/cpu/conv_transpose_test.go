// Transposed convolutions by phases against the sum over what each input pixel gives.

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// upsampling is a graph of a transposed convolution with a bias, a batch normalization and an activation.
func upsampling(t *testing.T, rules graph.Rules, threads int, constants map[string]*graph.Tensor, attributes map[string]graph.Attribute, activation string) *Executor {
	t.Helper()
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{}, Nodes: []*graph.Node{
			{Op: "ConvTranspose", Inputs: []string{"x", "w", "b"}, Outputs: []string{"u"}, Attributes: attributes},
			{Op: "BatchNormalization", Inputs: []string{"u", "scale", "shift", "mean", "variance"}, Outputs: []string{"n"}},
			{Op: activation, Inputs: []string{"n"}, Outputs: []string{"y"}}}}
	for name, c := range constants {
		g.Constants[name] = c
	}
	if err := g.Prepare(rules); err != nil {
		t.Fatal(err)
	}
	return New(g, threads)
}

func TestTransposedConvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	random := func(shape ...int) *graph.Tensor {
		x := make([]float32, graph.Count(shape))
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return graph.Floats(x, shape...)
	}
	phased := 0
	for trial := range 160 {
		axes := 1 + trial%3
		group := []int{1, 1, 2}[r.IntN(3)]
		channels, each := group*(1+r.IntN(5)), 1+r.IntN(40)
		if trial%8 == 7 { // one channel per group
			group = []int{2, 7, 16, 24}[r.IntN(4)]
			channels, each = group, 1+r.IntN(2)
		}
		if trial%8 == 5 { // few channels per group
			group, each = 2+r.IntN(6), 2<<r.IntN(3)
			channels = group * each
		}
		if trial%5 == 0 {
			channels, each = 40*group, 1+r.IntN(9) // more than one block of depths
		}
		shape, weights := []int{1 + r.IntN(5), channels}, []int{channels, each}
		var kernel, strides, dilations, before, after, extra []int
		fits := true
		for range axes {
			size := 1 + r.IntN([]int{60, 14, 5}[axes-1])
			k, s, d := 1+r.IntN(5), 1+r.IntN(3), 1+r.IntN(2)
			if trial%2 == 0 {
				k, d = s*(1+r.IntN(2)), 1
			}
			lead, tail, more := r.IntN(3), r.IntN(3), r.IntN(s)
			fits = fits && s*(size-1)+more+(k-1)*d+1 > lead+tail
			shape, weights = append(shape, size), append(weights, k)
			kernel, strides, dilations = append(kernel, k), append(strides, s), append(dilations, d)
			before, after, extra = append(before, lead), append(after, tail), append(extra, more)
		}
		if !fits {
			continue
		}
		all := true
		for a := range axes {
			all = all && operator.TransposedPhases(kernel[a], strides[a], dilations[a], before[a]) != nil
		}
		if all {
			phased++
		}
		ints := func(v []int) graph.Attribute {
			a := graph.Attribute{Kind: graph.AttributeInts}
			for _, i := range v {
				a.Ints = append(a.Ints, int64(i))
			}
			return a
		}
		attributes := map[string]graph.Attribute{"strides": ints(strides), "dilations": ints(dilations), "pads": ints(slices.Concat(before, after)),
			"output_padding": ints(extra), "group": {Kind: graph.AttributeInt, Int: int64(group)}}
		filters := each * group
		constants := map[string]*graph.Tensor{"w": random(weights...), "b": random(filters), "scale": random(filters), "shift": random(filters),
			"mean": random(filters), "variance": graph.Floats(slices.Repeat([]float32{0.5}, filters), filters)}
		x := random(shape...)
		activation := []string{"Relu", "Sigmoid", "Elu"}[r.IntN(3)]
		what := fmt.Sprintf("trial %d: %v * %v, strides %v, dilations %v, before %v, after %v, group %d, %s", trial, shape, weights, strides, dilations, before, after, group, activation)
		run := func(rules graph.Rules, threads int, x *graph.Tensor) *graph.Tensor {
			e := upsampling(t, rules, threads, constants, attributes, activation)
			defer e.Close()
			out, err := e.Run(t.Context(), []*graph.Tensor{x})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return graph.Floats(slices.Clone(out[0].F32), out[0].Shape...)
		}
		written := graph.Rules{Lookup: operator.Lookup, Evaluate: Evaluate}
		want, got := run(written, 1, x), run(fuse.ProcessorRules(Evaluate), 1, x)
		if !slices.Equal(got.Shape, want.Shape) {
			t.Fatalf("%s: shape %v, want %v", what, got.Shape, want.Shape)
		}
		for i, v := range want.F32 {
			if e := math.Abs(float64(got.F32[i] - v)); !(e <= 2e-4*max(1, math.Abs(float64(v)))) {
				t.Fatalf("%s: element %d is %g, want %g", what, i, got.F32[i], v)
			}
		}
		if other := run(fuse.ProcessorRules(Evaluate), 3, x); !slices.Equal(other.F32, got.F32) {
			t.Fatalf("%s: three threads give other bits", what)
		}
		image, n, size := r.IntN(shape[0]), graph.Count(shape[1:]), graph.Count(want.Shape[1:])
		one := run(fuse.ProcessorRules(Evaluate), 2, graph.Floats(x.F32[image*n:(image+1)*n], append([]int{1}, shape[1:]...)...))
		if !slices.Equal(one.F32, got.F32[image*size:(image+1)*size]) {
			t.Fatalf("%s: image %d alone gives other bits", what, image)
		}
	}
	if phased < 40 {
		t.Errorf("%d convolutions were computed by phases", phased)
	}
}
