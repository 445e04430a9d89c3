//go:build cuda

// Tests of fused attention against the CPU.

package cuda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/graph"
)

// attentionCase is softmax(scale·Q·Kᵀ + mask)·V of one projection [batch, tokens, 3·heads·width].
type attentionCase struct {
	batch, heads, tokens, width int
	rotary                      bool
	mask                        string // "", "causal", "rows" with a row without any key, "heads" with a mask per head
	spread                      bool   // the heads lie apart in memory, so that rows are not aligned
}

func (c attentionCase) graph() *graph.Graph {
	g := &graph.Graph{Opset: 17, Constants: map[string]*graph.Tensor{}, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}}}
	node := func(op, out string, attributes map[string]graph.Attribute, in ...string) {
		g.Nodes = append(g.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: []string{out}, Attributes: attributes})
	}
	axis := func(v int) map[string]graph.Attribute {
		return map[string]graph.Attribute{"axis": {Kind: graph.AttributeInt, Int: int64(v)}}
	}
	h, d, n := int64(c.heads), int64(c.width), c.tokens
	g.Constants["5"], g.Constants["3"] = graph.Ints(0, 0, 3, h, d), graph.Ints(0, 0, h*d)
	g.Constants["scale"] = graph.Floats([]float32{float32(1 / math.Sqrt(float64(c.width)))})
	from := "x"
	if c.spread {
		g.Constants["start"], g.Constants["end"], g.Constants["last"] = graph.Ints(1), graph.Ints(1+3*h*d), graph.Ints(2)
		node("Slice", "xs", nil, "x", "start", "end", "last")
		from = "xs"
	}
	node("Reshape", "x5", nil, from, "5")
	node("Transpose", "t5", map[string]graph.Attribute{"perm": listOf([]int{2, 0, 3, 1, 4})}, "x5")
	for i, name := range []string{"q", "k", "v"} {
		g.Constants["i"+name] = &graph.Tensor{DType: graph.Int64, I64: []int64{int64(i)}}
		node("Gather", name, axis(0), "t5", "i"+name)
	}
	q, k := "q", "k"
	r := rand.New(rand.NewPCG(8, 8))
	if c.rotary {
		for _, name := range []string{"cos", "sin"} {
			g.Constants[name] = uniform(r, n, c.width)
		}
		g.Constants["zero"], g.Constants["half"], g.Constants["width"], g.Constants["axis"] = graph.Ints(0), graph.Ints(d/2), graph.Ints(d), graph.Ints(3)
		for _, name := range []string{"q", "k"} {
			node("Slice", name+".2", nil, name, "half", "width", "axis")
			node("Slice", name+".1", nil, name, "zero", "half", "axis")
			node("Neg", name+".n", nil, name+".2")
			node("Concat", name+".c", axis(3), name+".n", name+".1")
			node("Mul", name+".a", nil, name, "cos")
			node("Mul", name+".b", nil, name+".c", "sin")
			node("Add", name+"r", nil, name+".a", name+".b")
		}
		q, k = "qr", "kr"
	}
	node("Transpose", "kt", map[string]graph.Attribute{"perm": listOf([]int{0, 1, 3, 2})}, k)
	node("MatMul", "s", nil, q, "kt")
	node("Mul", "ss", nil, "s", "scale")
	last := "ss"
	if c.mask != "" {
		shape := []int{n, n}
		if c.mask == "heads" {
			shape = []int{c.heads, n, n}
		}
		m := uniform(r, shape...)
		for i := range m.F32 {
			row, key := i/n%n, i%n
			if c.mask == "causal" && key > row || c.mask == "rows" && (row == n/2 || key%3 == 1) {
				m.F32[i] = float32(math.Inf(-1))
			}
		}
		g.Constants["m"] = m
		node("Add", "sm", nil, last, "m")
		last = "sm"
	}
	node("Softmax", "w", axis(-1), last)
	node("MatMul", "o", nil, "w", "v")
	node("Transpose", "ot", map[string]graph.Attribute{"perm": listOf([]int{0, 2, 1, 3})}, "o")
	node("Reshape", "y", nil, "ot", "3")
	return g
}

func (c attentionCase) input(r *rand.Rand) *graph.Tensor {
	columns := 3 * c.heads * c.width
	if c.spread {
		columns += 2
	}
	return uniform(r, c.batch, c.tokens, columns)
}

var attentionCases = []attentionCase{
	{batch: 2, heads: 1, tokens: 2, width: 2}, {batch: 2, heads: 2, tokens: 5, width: 8}, {batch: 1, heads: 4, tokens: 64, width: 16, rotary: true},
	{batch: 1, heads: 1, tokens: 33, width: 12}, {batch: 1, heads: 2, tokens: 31, width: 32, mask: "causal"}, {batch: 1, heads: 1, tokens: 65, width: 64, mask: "rows"},
	{batch: 2, heads: 2, tokens: 17, width: 36, mask: "heads", rotary: true}, {batch: 1, heads: 1, tokens: 40, width: 96, spread: true},
	{batch: 1, heads: 1, tokens: 34, width: 128, mask: "causal"}, {batch: 1, heads: 1, tokens: 9, width: 130, rotary: true, mask: "rows"}, {batch: 1, heads: 2, tokens: 7, width: 200},
	{batch: 1, heads: 1, tokens: 32, width: 7, spread: true}, {batch: 1, heads: 3, tokens: 6, width: 16, rotary: true, spread: true}, {batch: 1, heads: 1, tokens: 140, width: 136},
}

// TestAttention compares fused attention with model/cpu.
func TestAttention(t *testing.T) {
	for i, c := range attentionCases {
		for _, p := range allPrecisions {
			t.Run(fmt.Sprintf("%v/%+v", p, c), func(t *testing.T) {
				x := c.input(rand.New(rand.NewPCG(uint64(i), 9)))
				g := c.graph()
				bound, err := prepare(t, g).Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: x.Shape}}})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(bound.Steps, func(s graph.Step) bool { return s.Op.Name == "Attention" }) {
					t.Fatal("the attention was not fused")
				}
				withProcessors(t, []int{1, 132}, func(t *testing.T) { compareAt(t, p, c.graph(), []*graph.Tensor{x}, productTolerance(p, 1)) })
			})
		}
	}
}

// TestHeadsKeepTheirBits runs elements of a batch together and alone, with other numbers of warps.
func TestHeadsKeepTheirBits(t *testing.T) {
	for i, c := range attentionCases[2:10] {
		c.batch = 3
		x := c.input(rand.New(rand.NewPCG(uint64(i), 10)))
		g := prepare(t, c.graph())
		for _, p := range allPrecisions {
			run := func(count, lo, hi int) []float32 {
				before := processors
				processors = count
				defer func() { processors = before }()
				e, err := New(g, open(t, 1, 1<<30)[0], Options{Precision: p})
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				n := graph.Count(x.Shape[1:])
				out, err := e.Run(context.Background(), []*graph.Tensor{graph.Floats(x.F32[lo*n:hi*n], hi-lo, x.Shape[1], x.Shape[2])})
				if err != nil {
					t.Fatal(err)
				}
				return slices.Clone(out[0].F32)
			}
			whole := run(1, 0, 3)
			n := len(whole) / 3
			for _, part := range []struct{ processors, lo, hi int }{{132, 0, 3}, {132, 1, 2}, {5, 0, 2}} {
				got, want := run(part.processors, part.lo, part.hi), whole[part.lo*n:part.hi*n]
				for k := range want {
					if math.Float32bits(got[k]) != math.Float32bits(want[k]) {
						t.Fatalf("case %d, %v: elements %d to %d of the batch have other bits for %d processors", i, p, part.lo, part.hi, part.processors)
					}
				}
			}
		}
	}
}
