//go:build cuda

// The node cases of the ONNX standard on the fake GPU; model/internal/graphtest reads them.

package cuda

import (
	"context"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/graphtest"
)

func TestNodeCases(t *testing.T) {
	c := open(t, 1, 1<<30)[0]
	graphtest.RunNodeCases(t, func(g *graph.Graph, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
		if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			return nil, err
		}
		x, err := New(g, c, Options{Precision: FP32})
		if err != nil {
			return nil, err
		}
		defer x.Close()
		out, err := x.Run(context.Background(), inputs)
		return clone(out), err
	})
}
