package graph

import (
	"strings"
	"testing"
)

// Conditions that cannot be resolved, and branches that do not fit, are named.
func TestConditions(t *testing.T) {
	yes := &Tensor{DType: Bool, Bool: []bool{true}}
	branch := func(output string, inputs ...Port) Attribute {
		return Attribute{Kind: AttributeGraph, Graph: &Graph{Inputs: inputs, Outputs: []Port{{Name: output}},
			Nodes: []*Node{{Op: "Relu", Inputs: []string{"x"}, Outputs: []string{output}}}}}
	}
	for _, c := range []struct {
		condition  string
		attributes map[string]Attribute
		want       string
	}{
		{"c", map[string]Attribute{"then_branch": branch("a"), "else_branch": branch("b")}, "must be a constant or follow"},
		{"yes", map[string]Attribute{"then_branch": branch("a")}, "else_branch is missing"},
		{"yes", map[string]Attribute{"then_branch": {Kind: AttributeInt}, "else_branch": branch("b")}, "wrong type"},
		{"yes", map[string]Attribute{"then_branch": branch("a", Port{Name: "i"}), "else_branch": branch("b")}, "1 inputs, want none"},
		{"x", map[string]Attribute{"then_branch": branch("a"), "else_branch": branch("b")}, "has type float32, want bool"},
		{"yes", map[string]Attribute{"then_branch": branch("a"), "else_branch": branch("b")}, ""},
	} {
		g := &Graph{Opset: 17, Inputs: []Port{{Name: "x", DType: Float32}, {Name: "c", DType: Bool}}, Outputs: []Port{{Name: "y"}},
			Constants: map[string]*Tensor{"yes": yes},
			Nodes:     []*Node{{Name: "choice", Op: "If", Inputs: []string{c.condition}, Outputs: []string{"y"}, Attributes: c.attributes}}}
		err := g.Prepare(nil)
		var p *Program
		if err == nil {
			p, err = g.Specialize([]Operand{{Type: Type{DType: Float32, Shape: []int{1}}}, {Type: Type{DType: Bool, Shape: []int{1}}}}, nil)
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
