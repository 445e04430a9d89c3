// Tests of functions of bytes and of chains, against the steps one by one.

package fuse_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// quantizedGraph writes nodes line by line: "y = Op a b", with q(a) and d(a) for a quantization and its opposite.
type quantizedGraph struct {
	*graph.Graph
	element int
}

func newQuantizedGraph(element int) *quantizedGraph {
	return &quantizedGraph{&graph.Graph{Opset: 19, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{}}, element}
}

func (g *quantizedGraph) number(name string, v float32) {
	g.Constants[name] = graph.Floats([]float32{v})
}

// zero is a zero point.
func (g *quantizedGraph) zero(name string, v int64) {
	g.Constants[name] = &graph.Tensor{DType: graph.Int64, I64: []int64{v}}
}

func (g *quantizedGraph) add(lines ...string) *quantizedGraph {
	for _, line := range lines {
		words := strings.Fields(line)
		n := &graph.Node{Op: words[2], Outputs: words[:1], Inputs: words[3:]}
		if n.Op == "QuantizeLinear" {
			n.Attributes = map[string]graph.Attribute{"output_dtype": graph.IntAttribute(g.element)}
		}
		if n.Op == "Conv" {
			n.Attributes = map[string]graph.Attribute{"pads": graph.IntsAttribute(1, 1, 1, 1)}
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

// TestTables: functions of one quantized value are a table, with the bits of the steps.
func TestTables(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	to, from := func(y, x, k string) string { return y + " = QuantizeLinear " + x + " s" + k + " z" + k }, func(y, x, k string) string { return y + " = DequantizeLinear " + x + " s" + k + " z" + k }
	silu := []string{to("a", "x", "0"), from("b", "a", "0"), "c = Sigmoid b", to("d", "c", "1"), from("e", "d", "1"), "f = Mul b e", to("g", "f", "2")}
	cases := map[string]struct {
		lines []string
		want  string
	}{
		"silu":             {append(silu, from("y", "g", "2")), "[Div Round Add Clip Table]"},
		"silu, two ends":   {append(silu, from("h", "g", "2"), "i = Softmax h", "j = Softmax c", "y = Add i j"), "[Div Round Add Clip] [Table] [Table] Softmax Softmax Add"},
		"hard swish":       {[]string{to("a", "x", "0"), from("b", "a", "0"), "c = HardSwish b", to("d", "c", "1"), from("y", "d", "1")}, "[Div Round Add Clip Table]"},
		"bounds":           {[]string{to("a", "x", "0"), from("b", "a", "0"), "c = Relu b", to("d", "c", "1"), from("y", "d", "1")}, "[Div Round Add Clip Table]"},
		"of both sides":    {[]string{to("a", "x", "0"), from("b", "a", "0"), "c = Mul number b", "d = Div number c", "e = Sub b d", "y = Min e b"}, "[Div Round Add Clip Table]"},
		"a number of NaN":  {[]string{to("a", "x", "0"), from("b", "a", "0"), "c = Sign b", "d = Erf c", "y = Neg d"}, ""},
		"just dequantized": {[]string{to("a", "x", "0"), from("y", "a", "0")}, "[Div Round Add Clip Sub Mul]"},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for _, element := range []int{graph.ElementUint8, graph.ElementInt8} {
			build := func() *graph.Graph {
				g := newQuantizedGraph(element)
				for k, scale := range []float32{0.037, 1. / 255, 0.0213} {
					g.number(fmt.Sprintf("s%d", k), scale)
					g.zero(fmt.Sprintf("z%d", k), map[bool]int64{true: int64(117 * (k + 1) / 2), false: int64(40*k - 50)}[element == graph.ElementUint8])
				}
				g.number("number", 0.7)
				return g.add(c.lines...).Graph
			}
			for _, shape := range [][]int{{1}, {3, 5, 7}, {2, 61, 33, 5}} {
				x := graph.Floats(make([]float32, graph.Count(shape)), shape...)
				for i := range x.F32 {
					if x.F32[i] = float32(r.NormFloat64() * 4); i%97 == 96 {
						x.F32[i] = []float32{1e30, float32(math.Inf(1)), -1e30}[i%3]
					}
				}
				_, want := computed(t, build(), fuse.Rules(cpu.Evaluate), x)
				p, got := computed(t, build(), fuse.ProcessorRules(cpu.Evaluate), x)
				var steps []string
				for _, s := range p.Steps {
					if s.Op.Name != "Identity" {
						steps = append(steps, described(&s))
					}
				}
				if s := strings.Join(steps, " "); c.want != "" && s != c.want {
					t.Errorf("%s: steps %s, want %s", name, s, c.want)
				}
				same(t, name, got, want)
				// A conversion to integers and back, which would make a number of it, is left out: NaN stays within a step.
				x.F32[len(x.F32)-1] = float32(math.NaN())
				if _, got := computed(t, build(), fuse.ProcessorRules(cpu.Evaluate), x); strings.Count(c.want, "[") == 1 && len(x.F32) > 1 && got[len(got)-1] == got[len(got)-1] {
					t.Errorf("%s: NaN becomes %g", name, got[len(got)-1])
				}
			}
		}
	}
}

// same compares bits, except for NaN.
func same(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i, v := range want {
		if math.Float32bits(got[i]) != math.Float32bits(v) && (v == v || got[i] == got[i]) {
			t.Fatalf("%s: element %d of %d is %g, want %g", name, i, len(want), got[i], v)
		}
	}
}

// TestChains: elementwise steps in one pass, with operands that are broadcast in all ways, have the bits of the steps
// one by one.
func TestChains(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 300 {
		shape := make([]int, 1+r.IntN(4))
		for i := range shape {
			shape[i] = 1 + r.IntN([]int{3, 9, 40}[r.IntN(3)])
		}
		other := make([]int, len(shape))
		for i, n := range shape {
			other[i] = []int{1, n, n}[r.IntN(3)]
		}
		columns := shape[len(shape)-1]
		random := func(n int, scale float64) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.NormFloat64() * scale)
			}
			return x
		}
		row, offset := random(columns, 1), r.IntN(3)
		lines := []string{"o = ReduceMax x axes", "a = Mul x number", "b = Add a row", "c = Sub o number", "d = Mul c number"}
		swapped := []string{"e = Mul b d", "e = Sub d b", "e = Add b x", "e = Div b d", "e = Mul x x", "e = Mul d b", "e = Mul b a"}
		lines = append(lines, swapped[r.IntN(len(swapped))])
		tail := []string{"f = Relu e", "g = Mul f row", "h = Round g", "i = Div h number", "y = Sub i row"}
		build := func() *graph.Graph {
			g := newQuantizedGraph(graph.ElementUint8)
			g.number("number", 1.37)
			var axes []int64
			for i := range shape {
				if other[i] < shape[i] {
					axes = append(axes, int64(i))
				}
			}
			g.Constants["row"], g.Constants["axes"] = graph.Floats(row, columns), graph.Ints(axes...)
			g.add(lines...).add(tail[offset:]...)
			rest := g.Nodes[len(lines)]
			for i, in := range rest.Inputs {
				if len(in) == 1 {
					rest.Inputs[i] = "e"
				}
			}
			if len(axes) == 0 {
				g.Nodes[0].Op, g.Nodes[0].Inputs = "Neg", []string{"x"}
			}
			return g.Graph
		}
		x := graph.Floats(random(graph.Count(shape), 3), shape...)
		_, want := computed(t, build(), fuse.Rules(cpu.Evaluate), x)
		_, got := computed(t, build(), fuse.ProcessorRules(cpu.Evaluate), x)
		same(t, fmt.Sprintf("trial %d: %v, %v, %s", trial, shape, other, lines[len(lines)-1]), got, want)
	}
}
