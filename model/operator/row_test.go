// The table of operators: its rows, their types, and the documentation that follows from it.

package operator

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/model/graph"
)

// Every row is complete, and no operator stands twice.
func TestRows(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for family, rows := range families {
		for _, row := range rows {
			key := row.Domain + "." + row.Name
			if other, twice := seen[key]; twice {
				t.Errorf("%s stands in %s and in %s", key, other, family)
			}
			seen[key] = family
			if row.Domain != "" {
				if row.Since != 0 || row.Types != "" || row.Note != "" {
					t.Errorf("%s is not of ONNX but has an opset, types or a note", key)
				}
				continue
			}
			if row.Since < 1 || row.Since > MaxOpset || row.Types == "" || strings.Trim(row.Types, "fib") != "" || row.infer == nil {
				t.Errorf("%s: opset %d, types %q, rule %t", row.Name, row.Since, row.Types, row.infer != nil)
			}
		}
	}
	for key := range table {
		if seen[key] == "" {
			t.Errorf("%s is in no family", key)
		}
	}
}

// An operator takes the types that are listed for it and no others, as far as two matrices can tell: rules that need
// particular shapes or constants say so of every type that is listed.
func TestTypes(t *testing.T) {
	t.Parallel()
	unknown := 0
	for _, s := range Supported() {
		op := table["."+s.Name]
		if op.Inputs[0] > 2 || op.Inputs[0] == 0 || len(op.Attributes) > 2 {
			continue
		}
		try := func(kind graph.DType) error {
			c := &graph.Inference{Node: &graph.Node{Op: s.Name, Inputs: []string{"a", "b"}[:op.Inputs[0]], Outputs: []string{"y"}}, Opset: MaxOpset}
			for range c.Node.Inputs {
				c.In = append(c.In, graph.Operand{Type: graph.Type{DType: kind, Shape: []int{2, 2}}})
			}
			if s.Name == "Mod" {
				c.Node.Attributes = map[string]graph.Attribute{"fmod": graph.IntAttribute(1)}
			}
			return op.run(c)
		}
		others := slices.ContainsFunc(s.Types, func(kind graph.DType) bool { return try(kind) != nil })
		if others {
			unknown++
		}
		for _, kind := range []graph.DType{graph.Float32, graph.Int64, graph.Bool} {
			listed, err := slices.Contains(s.Types, kind), try(kind)
			if !others && listed != (err == nil) {
				t.Errorf("%s of %v: listed %t, error %v", s.Name, kind, listed, err)
			}
			if others && listed && err != nil && strings.Contains(err.Error(), "input 0 has type") {
				t.Errorf("%s of %v is listed, but %v", s.Name, kind, err)
			}
		}
	}
	if unknown > 30 {
		t.Errorf("%d operators take no matrices", unknown)
	}
}

var update = flag.Bool("update", false, "write docs/operators.md anew")

// The documentation's list of operators is that of the table.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	const path = "../../docs/operators.md"
	var b strings.Builder
	b.WriteString("# Operators\n\nThe ONNX operators that model files may have. This page follows from the table in `model/operator`;\n" +
		"`go test ./model/operator -run Documentation -update` writes it anew, and `encode --ops` prints the same list.\n\n" +
		"float32 stands for every type of float, int64 for every type of integer.\n\n" +
		"| operator | opsets | types | attributes | note |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range Supported() {
		types := make([]string, len(s.Types))
		for i, kind := range s.Types {
			types[i] = kind.String()
		}
		fmt.Fprintf(&b, "| %s | %d–%d | %s | %s | %s |\n", s.Name, s.First, s.Last, strings.Join(types, " "), strings.Join(s.Attributes, " "), s.Note)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s is not the table's: run the test with -update", path)
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
