// Tests of results that overwrite an added operand.

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"repscope/internal/kernel"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// A sum of a product and a value has the same bits in the value's memory and in its own, which it needs where the
// value is an output.
func TestOverwritingChangesNoBit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 3))
		linear := seed%3 == 2
		channels, side, images := 1+r.IntN(40), 1+r.IntN(9), 1+r.IntN(5)
		if linear && seed%2 == 0 {
			channels = 200 + r.IntN(100)
		}
		random := func(shape ...int) *graph.Tensor {
			x := graph.Floats(make([]float32, graph.Count(shape)), shape...)
			for i := range x.F32 {
				x.F32[i] = float32(r.NormFloat64())
			}
			return x
		}
		g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Constants: map[string]*graph.Tensor{}}
		node := func(op, out string, attributes map[string]graph.Attribute, in ...string) {
			g.Nodes = append(g.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: []string{out}, Attributes: attributes})
		}
		product := func(name, in string) {
			if linear {
				g.Constants["w"+name] = random(channels, channels)
				node("MatMul", name, nil, in, "w"+name)
				return
			}
			kernel := []int64{1, 1, 3}[r.IntN(3)]
			pads := graph.Attribute{Kind: graph.AttributeInts, Ints: []int64{kernel / 2, kernel / 2, kernel / 2, kernel / 2}}
			g.Constants["w"+name], g.Constants["b"+name] = random(channels, channels, int(kernel), int(kernel)), random(channels)
			node("Conv", name, map[string]graph.Attribute{"pads": pads}, in, "w"+name, "b"+name)
		}
		product("u", "x")
		node("Relu", "v", nil, "u")
		product("p", "v")
		node("Add", "s", nil, "p", "u")
		node([]string{"Relu", "Sigmoid"}[r.IntN(2)], "y", nil, "s")
		x := random(images, channels, side, side)
		if linear {
			x = random(images, side, channels)
		}
		var want []float32
		for i, outputs := range [][]string{{"y", "u"}, {"y"}} {
			h := *g
			for _, name := range outputs {
				h.Outputs = append(h.Outputs, graph.Port{Name: name})
			}
			if err := h.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
				t.Fatal(err)
			}
			e := New(&h, 1+int(seed)%3)
			out, err := e.Run(t.Context(), []*graph.Tensor{x})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if i == 0 {
				want = append(want, out[0].F32...)
			}
			for k, v := range out[0].F32 {
				if math.Float32bits(v) != math.Float32bits(want[k]) {
					t.Fatalf("seed %d, %d channels: element %d is %v in place, %v elsewhere", seed, channels, k, v, want[k])
				}
			}
			_ = e.Close()
		}
	}
}

// Deep products keep parts of their sums where the result will be.
func TestOverwritable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ channels, kernel, groups, want int }{
		{kernel.KC, 1, 1, 1}, {kernel.KC + 1, 1, 1, 0}, {28, 3, 1, 1}, {29, 3, 1, 0}, {32, 3, 32, 0}, {64, 1, 2, 0},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			ints := func(v ...int64) graph.Attribute { return graph.Attribute{Kind: graph.AttributeInts, Ints: v} }
			pad := int64(c.kernel / 2)
			g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
				Constants: map[string]*graph.Tensor{"w": graph.Floats(make([]float32, c.channels*c.channels/c.groups*c.kernel*c.kernel),
					c.channels, c.channels/c.groups, c.kernel, c.kernel)},
				Nodes: []*graph.Node{{Op: "MaxPool", Inputs: []string{"x"}, Outputs: []string{"m"}, Attributes: map[string]graph.Attribute{"kernel_shape": ints(2, 2)}},
					{Op: "Relu", Inputs: []string{"m"}, Outputs: []string{"r"}},
					{Op: "Conv", Inputs: []string{"r", "w"}, Outputs: []string{"p"}, Attributes: map[string]graph.Attribute{"pads": ints(pad, pad, pad, pad),
						"group": {Kind: graph.AttributeInt, Int: int64(c.groups)}}},
					{Op: "Add", Inputs: []string{"p", "m"}, Outputs: []string{"y"}}}}
			if err := g.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
				t.Fatal(err)
			}
			p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{2, c.channels, 8, 8}}}})
			if err != nil {
				t.Fatal(err)
			}
			over := 0
			for i := range p.Steps {
				if k := overwritable(&p.Steps[i], p.Values); k >= 0 {
					over++
				}
			}
			if over != c.want {
				t.Errorf("%d steps may overwrite an operand, want %d", over, c.want)
			}
		})
	}
}
