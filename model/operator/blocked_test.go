// What the domain of blocks refuses; model/cpu/testdata/blocked.py has what it computes.

package operator_test

import (
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// numbered is a tensor of the numbers from 1 on.
func numbered(shape ...int) *graph.Tensor {
	t := graph.Floats(make([]float32, graph.Count(shape)), shape...)
	for i := range t.F32 {
		t.F32[i] = float32(i + 1)
	}
	return t
}

func TestBlocksRefused(t *testing.T) {
	t.Parallel()
	type attributes = map[string]graph.Attribute
	for _, c := range []struct {
		what, op   string
		x          *graph.Tensor
		attributes attributes
		constants  []*graph.Tensor
		want       string
	}{
		{"weights of blocks of either size", "Conv", floats(1, 32, 4, 4), nil, []*graph.Tensor{numbered(32, 32, 1, 1)},
			"whether blocks have 8 or 16 channels: save it again with ORT_ENABLE_EXTENDED"},
		{"fewer channels than a block", "Conv", floats(1, 5, 4, 4), nil, []*graph.Tensor{numbered(24, 8, 1, 1)},
			"input [1 5 4 4] has 5 channels"},
		{"channels of no whole blocks", "Conv", floats(1, 12, 4, 4), nil, []*graph.Tensor{numbered(24, 16, 1, 1)},
			"want four axes and a multiple of 8 channels"},
		{"weights of no whole blocks", "Conv", floats(1, 24, 4, 4), nil, []*graph.Tensor{numbered(24, 12, 1, 1)},
			"weights [24 12 1 1] that are not constants, or not in blocks of 8"},
		{"a row", "Conv", floats(1, 24, 4), nil, []*graph.Tensor{numbered(24, 24, 1, 1)}, "input [1 24 4], want four axes"},
		{"a sum of another width", "Conv", floats(1, 8, 4, 4), nil,
			[]*graph.Tensor{numbered(24, 8, 1, 1), numbered(24), numbered(1, 20, 4, 4)}, "input 3 has shape [1 20 4 4]"},
		{"an unknown activation", "Conv", floats(1, 8, 4, 4), attributes{"activation": text("Wobble")},
			[]*graph.Tensor{numbered(24, 8, 1, 1)}, `the activation "Wobble"`},
		{"an unknown attribute", "Conv", floats(1, 8, 4, 4), attributes{"wobble": integer(1)},
			[]*graph.Tensor{numbered(24, 8, 1, 1)}, `attribute "wobble"`},
	} {
		g := &graph.Graph{Opset: 17, Outputs: []graph.Port{{Name: "y"}}, Constants: map[string]*graph.Tensor{},
			Inputs: []graph.Port{{Name: "x", DType: c.x.DType}}}
		n := &graph.Node{Name: "layer", Op: c.op, Domain: "com.microsoft.nchwc", Inputs: []string{"x"}, Outputs: []string{"y"},
			Attributes: c.attributes}
		for i, w := range c.constants {
			name := string(rune('a' + i))
			g.Constants[name] = w
			n.Inputs = append(n.Inputs, name)
		}
		g.Nodes = []*graph.Node{n}
		err := g.Prepare(fuse.ProcessorRules(cpu.Evaluate))
		if err == nil {
			_, err = g.Specialize([]graph.Operand{{Type: c.x.Type()}})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), `node "layer" (com.microsoft.nchwc.`+c.op+`): `) {
			t.Errorf("%s: error %v, want one with %q", c.what, err, c.want)
		}
	}
}
