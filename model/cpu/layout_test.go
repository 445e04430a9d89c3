// Layout changes no bit: graphs whose channels stay last against graphs that move them back for every step.

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
)

// layoutGraph is convolutions with random pools, sums, products, joins and means between them.
func layoutGraph(r *rand.Rand) (g *graph.Graph, shape []int) {
	axes := 1 + r.IntN(3) // of the image
	channels := 1 + r.IntN(40)
	shape = []int{1 + r.IntN(3), 1 + r.IntN(5)}
	for range axes {
		shape = append(shape, 1+r.IntN(12))
	}
	g = &graph.Graph{Opset: 17, Constants: map[string]*graph.Tensor{}, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}}}
	ints := func(v ...int64) graph.Attribute { return graph.Attribute{Kind: graph.AttributeInts, Ints: v} }
	number := func(v int64) graph.Attribute { return graph.Attribute{Kind: graph.AttributeInt, Int: v} }
	node := func(op string, attributes map[string]graph.Attribute, in ...string) string {
		out := fmt.Sprint("v", len(g.Nodes))
		g.Nodes = append(g.Nodes, &graph.Node{Op: op, Name: op, Inputs: in, Outputs: []string{out}, Attributes: attributes})
		return out
	}
	constant := func(shape ...int) string {
		name := fmt.Sprint("c", len(g.Constants))
		v := make([]float32, graph.Count(shape))
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		g.Constants[name] = graph.Floats(v, shape...)
		return name
	}
	ones := slices.Repeat([]int{1}, axes)
	conv := func(x string, from, to int) string {
		return node("Conv", nil, x, constant(append([]int{to, from}, ones...)...), constant(to))
	}
	x := conv("x", shape[1], channels)
	image := slices.Clone(shape[2:])
	for range 1 + r.IntN(6) {
		switch r.IntN(10) {
		case 0, 1, 2:
			kernel, strides, dilations := make([]int64, axes), make([]int64, axes), make([]int64, axes)
			pads := make([]int64, 2*axes)
			fits := true
			for a := range axes {
				kernel[a], strides[a], dilations[a] = int64(1+r.IntN(4)), int64(1+r.IntN(3)), int64(1+r.IntN(2))
				pads[a], pads[a+axes] = int64(r.IntN(int(kernel[a]))), int64(r.IntN(int(kernel[a])))
				size := int64(image[a]) + pads[a] + pads[a+axes] - (kernel[a]-1)*dilations[a] - 1
				fits = fits && size >= 0
				image[a] = int(size/strides[a]) + 1
			}
			if !fits {
				return layoutGraph(r)
			}
			attributes := map[string]graph.Attribute{"kernel_shape": ints(kernel...), "strides": ints(strides...), "pads": ints(pads...)}
			op := "MaxPool"
			if r.IntN(2) == 0 {
				op = "AveragePool"
				attributes["count_include_pad"] = number(int64(r.IntN(2)))
			} else {
				attributes["dilations"] = ints(dilations...)
			}
			if op == "AveragePool" {
				// Without dilations there may be more results.
				for a := range axes {
					image[a] = 0
				}
			}
			x = node(op, attributes, x)
			if op == "AveragePool" {
				return finishLayout(g, node, x), shape
			}
		case 3:
			x = node("Relu", nil, x)
		case 4:
			x = node([]string{"Add", "Mul", "Sub"}[r.IntN(3)], nil, x, constant(append([]int{1, channels}, ones...)...))
		case 5:
			s := node("Sigmoid", nil, conv(node("GlobalAveragePool", nil, x), channels, channels))
			x = node("Mul", nil, s, x)
		case 6:
			x = node("Relu", nil, node("Add", nil, conv(x, channels, channels), x))
		case 7:
			other := 1 + r.IntN(20)
			x = node("Concat", map[string]graph.Attribute{"axis": number(1)}, conv(x, channels, other), x)
			channels += other
		case 9:
			variance := constant(channels)
			for i, v := range g.Constants[variance].F32 {
				g.Constants[variance].F32[i] = v*v + 0.1
			}
			x = node("BatchNormalization", nil, x, constant(channels), constant(channels), constant(channels), variance)
			x = node("Relu", nil, x)
		case 8:
			x = node("Mul", nil, x, constant(1))
		}
	}
	return finishLayout(g, node, conv(x, channels, 1+r.IntN(20))), shape
}

func finishLayout(g *graph.Graph, node func(string, map[string]graph.Attribute, ...string) string, x string) *graph.Graph {
	g.Outputs[0].Name = node("GlobalMaxPool", nil, x)
	g.Outputs = append(g.Outputs, graph.Port{Name: x})
	return g
}

func TestLayoutChangesNoBit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		var results [2][]*graph.Tensor
		for k, rules := range []graph.Rules{fuse.Rules(Evaluate), fuse.ProcessorRules(Evaluate)} {
			r := rand.New(rand.NewPCG(seed, 1))
			g, shape := layoutGraph(r)
			if err := g.Prepare(rules); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			values := make([]float32, graph.Count(shape))
			for i := range values {
				values[i] = float32(r.NormFloat64())
			}
			if seed%5 == 0 {
				values[r.IntN(len(values))] = float32(math.NaN())
			}
			x := New(g, 1+int(seed)%3)
			out, err := x.Run(t.Context(), []*graph.Tensor{graph.Floats(values, shape...)})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, o := range out {
				results[k] = append(results[k], graph.Floats(slices.Clone(o.F32), o.Shape...))
			}
			_ = x.Close()
		}
		for k, want := range results[0] {
			got := results[1][k]
			if !slices.Equal(got.Shape, want.Shape) {
				t.Fatalf("seed %d: shape %v, want %v", seed, got.Shape, want.Shape)
			}
			for i, v := range want.F32 {
				if math.Float32bits(got.F32[i]) != math.Float32bits(v) && (v == v || got.F32[i] == got.F32[i]) {
					t.Fatalf("seed %d: element %d of output %d is %v, with channels first %v", seed, i, k, got.F32[i], v)
				}
			}
		}
	}
}
