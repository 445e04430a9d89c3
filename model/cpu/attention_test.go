// Attention against plain loops.

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
)

// attentionGraph writes softmax(scale·Q·Kᵀ + mask)·V as exporters do: from one
// matrix of queries, keys and values [B, T, 3·H·D], by a split or by gathers of a
// five-axis transposition; watched makes the weights an output, which keeps the steps apart.
func attentionGraph(form string, heads, width, tokens int, watched bool) *graph.Graph {
	g := &graph.Graph{Opset: 17, Constants: map[string]*graph.Tensor{},
		Inputs:  []graph.Port{{Name: "x", DType: graph.Float32}},
		Outputs: []graph.Port{{Name: "y"}}}
	integers := func(v ...int64) graph.Attribute { return graph.Attribute{Kind: graph.AttributeInts, Ints: v} }
	node := func(op, out string, attributes map[string]graph.Attribute, in ...string) {
		g.Nodes = append(g.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: []string{out}, Attributes: attributes})
	}
	h, d := int64(heads), int64(width)
	g.Constants["5"], g.Constants["4"], g.Constants["3"] = graph.Ints(0, 0, 3, h, d), graph.Ints(0, 0, h, d), graph.Ints(0, 0, h*d)
	g.Constants["scale"] = graph.Floats([]float32{0.3})
	if form == "gather" || form == "rotary" {
		node("Reshape", "x5", nil, "x", "5")
		node("Transpose", "t5", map[string]graph.Attribute{"perm": integers(2, 0, 3, 1, 4)}, "x5")
		for i, name := range []string{"q", "k", "v"} {
			g.Constants["i"+name] = &graph.Tensor{DType: graph.Int64, I64: []int64{int64(i)}}
			node("Gather", name, map[string]graph.Attribute{"axis": {Kind: graph.AttributeInt}}, "t5", "i"+name)
		}
	} else {
		g.Nodes = append(g.Nodes, &graph.Node{Op: "Split", Inputs: []string{"x"}, Outputs: []string{"q0", "k0", "v0"},
			Attributes: map[string]graph.Attribute{"axis": {Kind: graph.AttributeInt, Int: 2}}})
		for _, name := range []string{"q", "k", "v"} {
			node("Reshape", name+"1", nil, name+"0", "4")
			node("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 2, 1, 3)}, name+"1")
		}
	}
	if form == "rotary" {
		tables := rand.New(rand.NewPCG(8, 8))
		for _, name := range []string{"cos", "sin"} {
			x := make([]float32, tokens*width)
			for i := range x {
				x[i] = float32(tables.NormFloat64())
			}
			g.Constants[name] = graph.Floats(x, tokens, width)
		}
		half := graph.Ints(d / 2)
		g.Constants["zero"], g.Constants["half"], g.Constants["end"], g.Constants["axis"] = graph.Ints(0), half, graph.Ints(d), graph.Ints(3)
		for _, name := range []string{"q", "k"} {
			node("Slice", name+".2", nil, name, "half", "end", "axis")
			node("Slice", name+".1", nil, name, "zero", "half", "axis")
			node("Neg", name+".n", nil, name+".2")
			node("Concat", name+".c", map[string]graph.Attribute{"axis": {Kind: graph.AttributeInt, Int: 3}}, name+".n", name+".1")
			node("Mul", name+".a", nil, name, "cos")
			node("Mul", name+".b", nil, name+".c", "sin")
			node("Add", name+"r", nil, name+".a", name+".b")
		}
	} else {
		node("Mul", "qr", nil, "q", "scale")
		node("Identity", "kr", nil, "k")
	}
	node("Transpose", "kt", map[string]graph.Attribute{"perm": integers(0, 1, 3, 2)}, "kr")
	node("MatMul", "s", nil, "qr", "kt")
	last := "s"
	if form == "rotary" {
		node("Div", "s1", nil, "s", "scale")
		last = "s1"
	}
	if form == "mask" || form == "guard" {
		mask := make([]float32, tokens*tokens)
		for i := range mask {
			if i%tokens > i/tokens || form == "guard" && i/tokens%5 == 3 {
				mask[i] = float32(math.Inf(-1))
			}
		}
		g.Constants["m"] = graph.Floats(mask, tokens, tokens)
		node("Add", "s2", nil, last, "m")
		last = "s2"
	}
	weights := "w"
	if form == "guard" {
		weights = "w0"
	}
	node("Softmax", weights, map[string]graph.Attribute{"axis": {Kind: graph.AttributeInt, Int: -1}}, last)
	if form == "guard" { // as scaled_dot_product_attention is exported
		g.Constants["none"] = graph.Floats([]float32{0})
		node("IsNaN", "undefined", nil, weights)
		node("Where", "w", nil, "undefined", "none", weights)
	}
	node("MatMul", "o", nil, "w", "v")
	node("Transpose", "ot", map[string]graph.Attribute{"perm": integers(0, 2, 1, 3)}, "o")
	node("Reshape", "y", nil, "ot", "3")
	if watched {
		g.Outputs = append(g.Outputs, graph.Port{Name: "w"})
	}
	return g
}

// TestAttention compares fused attention with its separate steps, which stay
// where the weights are an output, and its bits between threads and batches.
func TestAttention(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for trial, form := range []string{"split", "gather", "rotary", "mask", "split", "gather", "rotary", "mask", "guard", "guard"} {
		heads, width, tokens, batch := 1+r.IntN(4), 2*(1+r.IntN(20)), 1+r.IntN(150), 1+r.IntN(4)
		t.Run(fmt.Sprintf("%s/%dx%dx%dx%d", form, batch, heads, tokens, width), func(t *testing.T) {
			x := make([]float32, batch*tokens*3*heads*width)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			run := func(watched bool, threads int, x []float32, batch int) ([]float32, string) {
				t.Helper()
				g := attentionGraph(form, heads, width, tokens, watched)
				if err := g.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
					t.Fatal(err)
				}
				shape := []int{batch, tokens, 3 * heads * width}
				p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: shape}}})
				if err != nil {
					t.Fatal(err)
				}
				steps := ""
				for _, s := range p.Steps {
					if !s.Op.View {
						steps += s.Op.Name + " "
					}
				}
				e := New(g, threads)
				defer e.Close()
				out, err := e.Run(t.Context(), []*graph.Tensor{graph.Floats(x, shape...)})
				if err != nil {
					t.Fatal(err)
				}
				return slices.Clone(out[0].F32), steps
			}
			got, steps := run(false, 1, x, batch)
			if steps != "Attention " {
				t.Errorf("trial %d: steps %s", trial, steps)
			}
			want, _ := run(true, 1, x, batch)
			if row := 3 * heads * width; form == "guard" && tokens > 3 && slices.ContainsFunc(got[row:row+heads*width], func(v float32) bool { return v != 0 }) {
				t.Error("a query that attends to nothing has a result")
			}
			for i := range want {
				if e := math.Abs(float64(got[i] - want[i])); !(e <= 1e-5*(1+math.Abs(float64(want[i])))) {
					t.Fatalf("element %d is %g, separate steps give %g", i, got[i], want[i])
				}
			}
			if again, _ := run(false, 3, x, batch); !slices.Equal(again, got) {
				t.Error("three threads give other bits")
			}
			n := len(x) / batch
			if alone, _ := run(false, 2, x[n*(batch-1):], 1); !slices.Equal(alone, got[len(got)/batch*(batch-1):]) {
				t.Error("the last element of the batch alone gives other bits")
			}
		})
	}
}
