// The node cases of the ONNX standard; model/internal/graphtest reads them.

package cpu_test

import (
	"context"
	"slices"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/graphtest"
)

// TestNodeCases runs every case with the rewrites for GPUs and with those for processors.
func TestNodeCases(t *testing.T) {
	for name, rules := range map[string]graph.Rules{"general": fuse.Rules(cpu.Evaluate), "processor": fuse.ProcessorRules(cpu.Evaluate)} {
		t.Run(name, func(t *testing.T) {
			graphtest.RunNodeCases(t, func(g *graph.Graph, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
				if err := g.Prepare(rules); err != nil {
					return nil, err
				}
				x := cpu.New(g, 2)
				defer x.Close()
				out, err := x.Run(context.Background(), inputs)
				return slices.Clone(out), err
			})
		})
	}
}
