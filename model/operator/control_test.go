// Graphs in graphs: conditions and loops that are refused.

package operator_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// Conditions that cannot be resolved, and branches that do not fit, are named.
func TestConditions(t *testing.T) {
	t.Parallel()
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
		err := g.Prepare(graph.Rules{Lookup: operator.Lookup})
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

func TestLoopErrors(t *testing.T) {
	t.Parallel()
	port := func(names ...string) (ports []graph.Port) {
		for _, name := range names {
			ports = append(ports, graph.Port{Name: name, DType: graph.Float32})
		}
		return ports
	}
	body := func(inputs, outputs []graph.Port, nodes ...*graph.Node) graph.Attribute {
		return graph.Attribute{Kind: graph.AttributeGraph, Graph: &graph.Graph{Inputs: inputs, Outputs: outputs, Nodes: nodes}}
	}
	negate := &graph.Node{Op: "Neg", Inputs: []string{"v"}, Outputs: []string{"o"}}
	positive := &graph.Node{Op: "Greater", Inputs: []string{"v", "o"}, Outputs: []string{"more"}}
	good := body(port("i", "c", "v"), port("c", "o"), negate)
	for _, c := range []struct {
		what   string
		inputs []string
		body   graph.Attribute
		want   string
	}{
		{"nothing wrong", []string{"three", "", "x"}, good, ""},
		{"no body", []string{"three", "", "x"}, integer(1), "wrong type"},
		{"a trip count of the run", []string{"n", "", "x"}, good, `input 0 (the trip count, "n") must be a constant`},
		{"no trip count", []string{"", "", "x"}, good, "a loop without a trip count"},
		{"a trip count of two", []string{"two", "", "x"}, good, "input 0 (the trip count) has shape [2], want one element"},
		{"a trip count that is not an integer", []string{"x", "", "x"}, good, "input 0 has type float32, want int64"},
		{"a computed condition", []string{"three", "", "x"}, body(port("i", "c", "v"), port("more", "o"), negate, positive), "a loop whose condition is computed"},
		{"a value too many", []string{"three", "", "x", "x"}, body(port("i", "c", "v", "u"), port("c", "o"), negate), "a body of 4 inputs and 2 outputs"},
		{"too few values", []string{"three", ""}, good, "has 2 inputs, the body takes 3"},
	} {
		g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}, {Name: "n", DType: graph.Int64}}, Outputs: port("y"),
			Constants: map[string]*graph.Tensor{"three": graph.Ints(3), "two": graph.Ints(1, 2)},
			Nodes:     []*graph.Node{{Name: "layer", Op: "Loop", Inputs: c.inputs, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{"body": c.body}}}}
		err := g.Prepare(fuse.Rules(cpu.Evaluate))
		if err == nil {
			_, err = g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{1}}}, {Type: graph.Type{DType: graph.Int64, Shape: []int{1}}}})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node "layer" (Loop)`)) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

// A scan of opset 8 goes through each sample by itself: here a state that takes in the elements of two inputs, one of
// them backwards.
func TestBatchedScan(t *testing.T) {
	t.Parallel()
	body := &graph.Graph{
		Inputs:  []graph.Port{{Name: "s", DType: graph.Float32}, {Name: "a", DType: graph.Float32}, {Name: "b", DType: graph.Float32}},
		Outputs: []graph.Port{{Name: "next"}, {Name: "seen"}},
		Nodes: []*graph.Node{
			{Op: "Mul", Inputs: []string{"a", "b"}, Outputs: []string{"ab"}},
			{Op: "Add", Inputs: []string{"s", "ab"}, Outputs: []string{"next"}},
			{Op: "Neg", Inputs: []string{"next"}, Outputs: []string{"seen"}},
		},
	}
	attributes := map[string]graph.Attribute{"body": {Kind: graph.AttributeGraph, Graph: body}, "num_scan_inputs": integer(2),
		"directions": graph.IntsAttribute(0, 1)}
	r := rand.New(rand.NewPCG(1, 2))
	start, a, b := random(r, 2, 3), random(r, 2, 4, 3), random(r, 2, 4, 3)
	last, seen := make([]float64, 6), make([]float64, 24)
	for i, v := range start.F32 {
		sum, sample, k := float64(v), i/3, i%3
		for step := range 4 {
			sum += float64(a.F32[(sample*4+step)*3+k]) * float64(b.F32[(sample*4+3-step)*3+k])
			seen[(sample*4+step)*3+k] = -sum
		}
		last[i] = sum
	}
	y := compute(t, 8, "Scan", attributes, 2, []*graph.Tensor{nil, start, a, b})
	near(t, "state", y[0], last, 1e-6, 2, 3)
	near(t, "elements", y[1], seen, 1e-6, 2, 4, 3)
	_, err := attempt(8, "Scan", attributes, 2, []*graph.Tensor{integers(2), start, a, b})
	if err == nil || !strings.Contains(err.Error(), "sequence_lens") {
		t.Errorf("with lengths: error %v", err)
	}
	_, err = attempt(11, "Scan", attributes, 2, []*graph.Tensor{start, a, b})
	if err == nil || !strings.Contains(err.Error(), `"directions" belongs to opset 8`) {
		t.Errorf("opset 11: error %v", err)
	}
}
