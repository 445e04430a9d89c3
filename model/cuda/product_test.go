//go:build cuda

// Tests of matrix products in all precisions against the CPU.

package cuda

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/graph"
)

// productTolerance bounds the error of sums of k products of numbers below 1 in size, relative to
// max(1, |sum|). Rounding factors to b bits moves a product of two by at most 2^-b of
// its size, where b is 11 for tf32, 8 for bf16; the sum of k of random sign by some √k of that, which
// the numbers here stay within.
func productTolerance(p Precision, k int) float64 {
	switch p {
	case FP32:
		return 1e-5
	case TF32:
		return 1e-3 * max(1, math.Sqrt(float64(k))/16)
	}
	return 1e-2 * max(1, math.Sqrt(float64(k))/16)
}

// withProcessors runs a test with other numbers of blocks from which on tiles are large enough.
func withProcessors(t *testing.T, counts []int, test func(t *testing.T)) {
	before := processors
	defer func() { processors = before }()
	for _, n := range counts {
		processors = n
		t.Run(fmt.Sprint("processors", n), test)
	}
}

var allPrecisions = []Precision{FP32, TF32, BF16}

// uniform is a tensor of numbers between −1 and 1.
func uniform(r *rand.Rand, shape ...int) *graph.Tensor {
	v := make([]float32, graph.Count(shape))
	for i := range v {
		v[i] = 2*r.Float32() - 1
	}
	return graph.Floats(v, shape...)
}

// linearGraph is x·w + bias, then an activation or the sum with another input.
func linearGraph(w, bias *graph.Tensor, op string, other bool) *graph.Graph {
	g := &graph.Graph{Opset: 20, Constants: map[string]*graph.Tensor{"w": w},
		Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}}}
	node := func(op, out string, in ...string) {
		g.Nodes = append(g.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: []string{out}})
	}
	value := "p"
	node("MatMul", value, "x", "w")
	if bias != nil {
		g.Constants["b"] = bias
		node("Add", "s", value, "b")
		value = "s"
	}
	if op != "" {
		node(op, "a", value)
		value = "a"
	}
	if other {
		g.Inputs = append(g.Inputs, graph.Port{Name: "o", DType: graph.Float32})
		node("Add", "r", value, "o")
		value = "r"
	}
	node("Identity", "y", value)
	return g
}

func TestLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		m, k, n int
		op      string
		bias    bool
		other   bool
	}{
		{1, 1, 1, "", false, false}, {1, 4, 1, "", true, false}, {3, 5, 7, "Relu", true, false}, {1, 64, 33, "Gelu", true, false},
		{17, 32, 31, "Tanh", true, false}, {16, 36, 32, "", true, true}, {65, 100, 63, "Silu", true, false}, {64, 128, 64, "", true, true},
		{129, 31, 65, "", true, true}, {127, 44, 129, "Relu", false, false}, {2, 2052, 5, "Relu", true, false}, {3, 2304, 36, "Sigmoid", true, false},
		{5, 2051, 6, "Gelu", true, false}, {4, 2080, 8, "", true, true}, {0, 8, 8, "", true, false}, {5, 0, 6, "", true, false},
	} {
		if c.op == "Silu" {
			c.op = "Softplus"
		}
		w := scaled(uniform(r, c.k, c.n), float32(1/math.Sqrt(float64(max(c.k, 1)))))
		var bias *graph.Tensor
		if c.bias {
			bias = uniform(r, c.n)
		}
		inputs := []*graph.Tensor{uniform(r, c.m, c.k)}
		if c.other {
			inputs = append(inputs, uniform(r, c.m, c.n))
		}
		for _, p := range allPrecisions {
			t.Run(fmt.Sprintf("%v/%dx%dx%d%s", p, c.m, c.k, c.n, c.op), func(t *testing.T) {
				withProcessors(t, []int{1, 132}, func(t *testing.T) {
					compareAt(t, p, linearGraph(w, bias, c.op, c.other), inputs, productTolerance(p, c.k))
				})
			})
		}
	}
}

// TestRowsKeepTheirBits multiplies the rows of a batch together and alone, in every tile.
func TestRowsKeepTheirBits(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, k := range []int{40, 2112, 2049} {
		const m, n = 130, 72
		w, bias, x := uniform(r, k, n), uniform(r, n), uniform(r, m, k)
		for _, p := range allPrecisions {
			g := prepare(t, linearGraph(w, bias, "Gelu", false))
			run := func(count, lo, hi int) []float32 {
				before := processors
				processors = count
				defer func() { processors = before }()
				e, err := New(g, open(t, 1, 1<<30)[0], Options{Precision: p})
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				out, err := e.Run(context.Background(), []*graph.Tensor{graph.Floats(x.F32[lo*k:hi*k], hi-lo, k)})
				if err != nil {
					t.Fatal(err)
				}
				return slices.Clone(out[0].F32)
			}
			whole := run(1, 0, m)
			for _, c := range []struct{ processors, lo, hi int }{{2, 0, m}, {4, 0, m}, {9, 0, m}, {132, 0, m}, {132, 0, 1}, {132, 77, 78}, {1, 3, 60}, {5, 100, 117}} {
				if got := run(c.processors, c.lo, c.hi); !slices.Equal(got, whole[c.lo*n:c.hi*n]) {
					t.Fatalf("%v, %d terms: rows %d to %d have other bits for %d processors", p, k, c.lo, c.hi, c.processors)
				}
			}
		}
	}
}

func TestGemm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for i, shape := range [][]int{nil, {}, {1}, {7}, {5, 1}, {1, 7}, {5, 7}, {1, 1}} {
		for trans := range 4 {
			a, b := uniform(r, 5, 9), uniform(r, 9, 7)
			if trans&1 != 0 {
				a = uniform(r, 9, 5)
			}
			if trans&2 != 0 {
				b = uniform(r, 7, 9)
			}
			attributes := map[string]graph.Attribute{"transA": {Kind: graph.AttributeInt, Int: int64(trans & 1)}, "transB": {Kind: graph.AttributeInt, Int: int64(trans >> 1)},
				"alpha": {Kind: graph.AttributeFloat, Float: 0.75}, "beta": {Kind: graph.AttributeFloat, Float: -1.5}}
			operands := []any{a, b}
			if i > 0 {
				operands = append(operands, uniform(r, shape...))
			}
			for _, p := range allPrecisions {
				g, inputs := single("Gemm", attributes, 1, operands...)
				compareAt(t, p, g, inputs, 3*productTolerance(p, 9))
			}
		}
	}
}

func TestMatMul(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range [][2][]int{
		{{3, 4}, {4, 5}}, {{4}, {4, 5}}, {{3, 4}, {4}}, {{6}, {6}}, {{2, 3, 4}, {2, 4, 5}}, {{2, 3, 4}, {4, 5}}, {{3, 4}, {2, 4, 5}},
		{{2, 1, 3, 4}, {5, 4, 2}}, {{1, 5, 3, 4}, {2, 1, 4, 7}}, {{2, 70, 65}, {2, 65, 66}}, {{0, 3, 4}, {4, 5}}, {{2, 3, 0}, {2, 0, 5}}, {{2, 3, 4}, {1, 4, 5}},
	} {
		for _, p := range allPrecisions {
			t.Run(fmt.Sprint(p, c), func(t *testing.T) {
				g, inputs := single("MatMul", nil, 1, uniform(r, c[0]...), uniform(r, c[1]...))
				compareAt(t, p, g, inputs, 3*productTolerance(p, c[0][len(c[0])-1]))
			})
		}
	}
}

func TestEinsum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	cases := map[string][][]int{
		"bij,bjk->bik": {{2, 3, 4}, {2, 4, 5}}, "bhqd,bhkd->bhqk": {{2, 2, 5, 8}, {2, 2, 6, 8}}, "ij,jk->ik": {{3, 4}, {4, 5}},
		"bhwc,hkc->bhwk": {{2, 3, 4, 8}, {3, 5, 8}}, "i,j->ij": {{3}, {4}},
	}
	for _, equation := range slices.Sorted(maps.Keys(cases)) {
		shapes := cases[equation]
		var operands []any
		for _, s := range shapes {
			operands = append(operands, uniform(r, s...))
		}
		g, inputs := single("Einsum", map[string]graph.Attribute{"equation": {Kind: graph.AttributeString, String: equation}}, 1, operands...)
		t.Run(equation, func(t *testing.T) { compareAt(t, TF32, g, inputs, 3*productTolerance(TF32, 8)) })
	}
}

// TestProductOfUnusualNumbers: infinities and NaN appear where they do on the CPU.
func TestProductOfUnusualNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	x, w := uniform(r, 20, 12), uniform(r, 12, 9)
	x.F32[3], x.F32[17], x.F32[30] = float32(math.Inf(1)), float32(math.NaN()), float32(math.Inf(-1))
	w.F32[5] = 0
	for _, p := range allPrecisions {
		for _, op := range []string{"", "Relu", "Gelu", "Tanh"} {
			g := prepare(t, linearGraph(w, uniform(r, 9), op, false))
			want := onCPU(t, g, []*graph.Tensor{x})[0].F32
			e, err := New(g, open(t, 1, 1<<30)[0], Options{Precision: p})
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Run(context.Background(), []*graph.Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range out[0].F32 {
				a, b := float64(v), float64(want[i])
				if a != b && !(math.IsNaN(a) && math.IsNaN(b)) && !(math.Abs(a-b) <= 3*productTolerance(p, 12)*max(1, math.Abs(b))) {
					t.Errorf("%v %s: element %d is %v, on the CPU %v", p, op, i, a, b)
				}
			}
			e.Close()
		}
	}
}
