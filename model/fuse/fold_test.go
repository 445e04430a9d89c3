// Normalisations that are folded into convolutions.

package fuse_test

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// A batch normalization disappears into the convolution before it, unless the
// convolution's own result is wanted; the values stay.
func TestFoldBatchNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	positive := func(shape ...int) *graph.Tensor {
		n := 1
		for _, d := range shape {
			n *= d
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = r.Float32() + 0.1
		}
		return graph.Floats(x, shape...)
	}
	constants := map[string]*graph.Tensor{"w": positive(3, 2, 3, 3), "b": positive(3), "s": positive(3), "t": positive(3), "m": positive(3), "v": positive(3)}
	x := positive(2, 2, 6, 5)
	for _, bias := range []string{"", "b"} {
		var values [2][]float32
		for k, watched := range []bool{false, true} {
			g := &graph.Graph{Opset: 15, Constants: maps.Clone(constants),
				Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
				Nodes: []*graph.Node{
					{Op: "Conv", Inputs: []string{"x", "w", bias}, Outputs: []string{"c"}},
					{Op: "BatchNormalization", Inputs: []string{"c", "s", "t", "m", "v"}, Outputs: []string{"y"}},
				}}
			if watched {
				g.Outputs = append(g.Outputs, graph.Port{Name: "c"})
			}
			if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
				t.Fatal(err)
			}
			if want := 1 + k; len(g.Nodes) != want {
				t.Errorf("%d nodes, want %d", len(g.Nodes), want)
			}
			e := cpu.New(g, 1)
			defer e.Close()
			out, err := e.Run(context.Background(), []*graph.Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			values[k] = slices.Clone(out[0].F32)
		}
		for i, want := range values[1] {
			if got := values[0][i]; math.Abs(float64(got-want)) > 1e-5*(1+math.Abs(float64(want))) {
				t.Fatalf("element %d is %g, want %g", i, got, want)
			}
		}
	}
}
