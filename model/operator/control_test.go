package operator

import (
	"strings"
	"testing"

	"repscope/model/graph"
)

// Conditions that cannot be resolved, and branches that do not fit, are named.
func TestConditions(t *testing.T) {
	yes := &graph.Tensor{DType: graph.Bool, Bool: []bool{true}}
	branch := func(output string, inputs ...graph.Port) graph.Attribute {
		return graph.Attribute{Kind: graph.AttributeGraph, Graph: &graph.Graph{Inputs: inputs, Outputs: []graph.Port{{Name: output}},
			Nodes: []*graph.Node{{Op: "Relu", Inputs: []string{"x"}, Outputs: []string{output}}}}}
	}
	for _, c := range []struct {
		condition  string
		attributes map[string]graph.Attribute
		want       string
	}{
		{"c", map[string]graph.Attribute{"then_branch": branch("a"), "else_branch": branch("b")}, "must be a constant or follow"},
		{"yes", map[string]graph.Attribute{"then_branch": branch("a")}, "else_branch is missing"},
		{"yes", map[string]graph.Attribute{"then_branch": {Kind: graph.AttributeInt}, "else_branch": branch("b")}, "wrong type"},
		{"yes", map[string]graph.Attribute{"then_branch": branch("a", graph.Port{Name: "i"}), "else_branch": branch("b")}, "1 inputs, want none"},
		{"x", map[string]graph.Attribute{"then_branch": branch("a"), "else_branch": branch("b")}, "has type float32, want bool"},
		{"yes", map[string]graph.Attribute{"then_branch": branch("a"), "else_branch": branch("b")}, ""},
	} {
		g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}, {Name: "c", DType: graph.Bool}}, Outputs: []graph.Port{{Name: "y"}},
			Constants: map[string]*graph.Tensor{"yes": yes},
			Nodes:     []*graph.Node{{Name: "choice", Op: "If", Inputs: []string{c.condition}, Outputs: []string{"y"}, Attributes: c.attributes}}}
		err := g.Prepare(graph.Rules{Lookup: Lookup})
		var p *graph.Program
		if err == nil {
			p, err = g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{1}}}, {Type: graph.Type{DType: graph.Bool, Shape: []int{1}}}})
		}
		switch {
		case c.want == "" && err == nil:
			if len(p.Steps) != 2 || p.Steps[0].Node.Op != "Relu" || p.Steps[0].Node.Name != "a" {
				t.Errorf("steps %v", p.Steps)
			}
		case err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "choice"):
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
