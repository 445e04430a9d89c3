package operator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/model/graph"
)

// Every operator of the table is in the catalogue and the other way round.
func TestCatalogue(t *testing.T) {
	for _, name := range Operators() {
		if table["."+name] == nil {
			t.Errorf("%s is listed but has no rule", name)
		}
	}
	for _, op := range table {
		if op.Domain == "" && introduced[op.Name].opset == 0 {
			t.Errorf("%s has a rule but is not listed", op.Name)
		}
	}
	for name := range notes {
		if table["."+name] == nil {
			t.Errorf("there is a note on %s, which has no rule", name)
		}
	}
}

// An elementwise operator takes the types that are listed for it and no others.
func TestCatalogueTypes(t *testing.T) {
	for _, s := range Supported() {
		op := table["."+s.Name]
		if op.Inputs[0] > 2 || op.Inputs[0] == 0 || len(op.Attributes) > 2 || slices.Contains([]string{"Reshape", "Expand", "Tile", "Gather", "GatherElements", "GatherND",
			"CumSum", "Squeeze", "Unsqueeze", "Slice", "Pad", "MaxPool", "ConstantOfShape", "Cast", "Einsum", "DepthToSpace", "SpaceToDepth", "Concat",
			"GlobalAveragePool", "GlobalMaxPool", "Dropout", "DequantizeLinear", "If", "ReverseSequence", "MeanVarianceNormalization", "NonZero"}, s.Name) {
			continue // these need particular shapes or constants
		}
		for _, kind := range []graph.DType{graph.Float32, graph.Int64, graph.Bool} {
			c := &graph.Inference{Node: &graph.Node{Op: s.Name, Inputs: []string{"a", "b"}[:max(1, op.Inputs[0])], Outputs: []string{"y"}}, Opset: 21}
			for range c.Node.Inputs {
				c.In = append(c.In, graph.Operand{Type: graph.Type{DType: kind, Shape: []int{2, 2}}})
			}
			if s.Name == "Mod" {
				c.Node.Attributes = map[string]graph.Attribute{"fmod": graph.IntAttribute(1)}
			}
			err := op.run(c)
			if listed := slices.Contains(s.Types, kind); listed != (err == nil) {
				t.Errorf("%s of %v: listed %t, error %v", s.Name, kind, listed, err)
			}
		}
	}
}

func ExampleSupported() {
	for _, s := range Supported() {
		if strings.HasPrefix(s.Name, "Resi") || s.Name == "Gelu" {
			fmt.Printf("%s: opsets %d to %d, %v, %q\n", s.Name, s.First, s.Last, s.Types, s.Note)
		}
	}
	// Output:
	// Gelu: opsets 20 to 21, [float32], ""
	// Resize: opsets 11 to 21, [float32], "without antialiasing"
}
