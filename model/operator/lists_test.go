// Lists of tensors that are refused; model/cpu/testdata/lists.py has what they become.

package operator_test

import (
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

func TestListErrors(t *testing.T) {
	t.Parallel()
	node := func(op string, inputs string, output string, attributes map[string]graph.Attribute) *graph.Node {
		return &graph.Node{Name: "layer", Op: op, Inputs: strings.Fields(inputs), Outputs: []string{output},
			Attributes: attributes}
	}
	two := node("SequenceConstruct", "x x", "s", nil)
	along := map[string]graph.Attribute{"axis": integer(0)}
	for _, c := range []struct {
		what  string
		nodes []*graph.Node
		want  string
	}{
		{"nothing wrong", []*graph.Node{two, node("SequenceAt", "s minus", "y", nil)}, ""},
		{"a list as the result", []*graph.Node{node("SequenceConstruct", "x x", "y", nil)},
			`output "y" is a list of tensors: export one tensor`},
		{"a list where a tensor is wanted", []*graph.Node{two, node("Relu", "s", "y", nil)},
			"input 0 is a list of tensors, want a tensor"},
		{"a list in a list", []*graph.Node{two, node("SequenceInsert", "s s", "t", nil),
			node("SequenceAt", "t minus", "y", nil)},
			"input 1 is a list of tensors, want a tensor"},
		{"a tensor where a list is wanted", []*graph.Node{node("SequenceAt", "x minus", "y", nil)},
			"input 0 has type float32, want a list of tensors"},
		{"tensors of two types", []*graph.Node{node("SequenceConstruct", "x n", "s", nil),
			node("SequenceAt", "s minus", "y", nil)},
			"input 1 has type int64, input 0 has float32"},
		{"a tensor of another type than the list",
			[]*graph.Node{node("SequenceEmpty", "", "s", map[string]graph.Attribute{"dtype": integer(graph.ElementInt8)}),
				node("SequenceInsert", "s n", "t", nil), node("SequenceAt", "t minus", "y", nil)},
			"input 1 has type int64, the list has int8"},
		{"a place that is not known", []*graph.Node{two, node("SequenceAt", "s n", "y", nil)},
			`input 1 (the position, "n") must be a constant`},
		{"a place behind the last", []*graph.Node{two, node("SequenceAt", "s two", "y", nil)},
			"input 1 (the position) is 2, in a list of 2 tensors"},
		{"two places", []*graph.Node{two, node("SequenceAt", "s sizes", "y", nil)},
			"input 1 (the position) has shape [2], want one element"},
		{"a place in front of the first",
			[]*graph.Node{node("SequenceEmpty", "", "s", nil), node("SequenceAt", "s minus", "y", nil)},
			"is -1, in a list of 0 tensors"},
		{"nothing to take away", []*graph.Node{node("SequenceEmpty", "", "s", nil), node("SequenceErase", "s", "t", nil),
			node("SequenceAt", "t minus", "y", nil)},
			"erases from an empty list"},
		{"nothing to join", []*graph.Node{node("SequenceEmpty", "", "s", nil), node("ConcatFromSequence", "s", "y", along)},
			"joins a list of 0 tensors"},
		{"joined along no axis", []*graph.Node{two, node("ConcatFromSequence", "s", "y", nil)},
			"attribute axis present: false"},
		{"sizes of something else", []*graph.Node{node("SplitToSequence", "x sizes", "s", along),
			node("SequenceAt", "s minus", "y", nil)},
			"sizes [2 3] do not add up to an axis of 4 elements"},
		{"pieces of no size", []*graph.Node{node("SplitToSequence", "x zero", "s", along),
			node("SequenceAt", "s minus", "y", nil)},
			"input 1 (the size) is 0, want at least 1"},
		{"sizes that are not known", []*graph.Node{node("SplitToSequence", "x n", "s", along),
			node("SequenceAt", "s minus", "y", nil)},
			`input 1 (the sizes, "n") must be a constant`},
		{"no value where one is wanted", []*graph.Node{node("Optional", "", "o", nil), node("Relu", "o", "y", nil)},
			"input 0 is an optional value without a tensor"},
		{"the value of none", []*graph.Node{node("Optional", "", "o", nil), node("OptionalGetElement", "o", "y", nil)},
			"input 0 is an optional value without a tensor"},
		{"the first of none", []*graph.Node{node("Optional", "", "o", nil), node("SequenceAt", "o minus", "y", nil)},
			"input 0 is an optional value without a tensor"},
		{"no value as the result", []*graph.Node{node("Optional", "", "y", nil)}, `output "y" is an optional value without a tensor`},
		{"sizes that are no integers",
			[]*graph.Node{node("SplitToSequence", "x x", "s", along), node("SequenceAt", "s minus", "y", nil)},
			"input 1 has type float32, want int64"},
	} {
		g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32},
			{Name: "n", DType: graph.Int64}}, Outputs: []graph.Port{{Name: "y"}},
			Constants: map[string]*graph.Tensor{"minus": scalarInt(-1), "zero": scalarInt(0), "two": scalarInt(2),
				"sizes": graph.Ints(2, 3)}, Nodes: c.nodes}
		err := g.Prepare(fuse.Rules(cpu.Evaluate))
		if err == nil {
			_, err = g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{4}}},
				{Type: graph.Type{DType: graph.Int64, Shape: []int{}}}})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}
