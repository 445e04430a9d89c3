//go:build cuda

// Tests of convolutions against the CPU.

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

// convCase is a convolution of [images, channels, in…] with filters of the given kernel.
type convCase struct {
	images, channels, filters, group int
	in, kernel, stride, dilation     []int
	before, after                    []int
	after2                           string // an activation, "norm" behind a comma
	last                             bool   // the channels lie last in memory
	dynamic                          bool   // filters are an input
	bias                             bool
}

func listOf(v []int) graph.Attribute {
	a := graph.Attribute{Kind: graph.AttributeInts}
	for _, i := range v {
		a.Ints = append(a.Ints, int64(i))
	}
	return a
}

// graph is the convolution, what follows it, and its inputs.
func (c convCase) graph(r *rand.Rand) (*graph.Graph, []*graph.Tensor) {
	g := &graph.Graph{Opset: 20, Constants: map[string]*graph.Tensor{}, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}}}
	node := func(op, out string, attributes map[string]graph.Attribute, in ...string) {
		g.Nodes = append(g.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: []string{out}, Attributes: attributes})
	}
	rank := len(c.in) + 2
	last := []int{0}
	for i := 2; i < rank; i++ {
		last = append(last, i)
	}
	last = append(last, 1)
	first := []int{0, rank - 1}
	for i := 1; i < rank-1; i++ {
		first = append(first, i)
	}
	perm := func(p []int) map[string]graph.Attribute { return map[string]graph.Attribute{"perm": listOf(p)} }
	value := "x"
	shape := append([]int{c.images, c.channels}, c.in...)
	if c.last {
		shape = append(append([]int{c.images}, c.in...), c.channels)
		node("Transpose", "xf", perm(first), value)
		value = "xf"
	}
	inputs := []*graph.Tensor{uniform(r, shape...)}
	depth := c.channels / c.group * graph.Count(c.kernel)
	w := scaled(uniform(r, append([]int{c.filters, c.channels / c.group}, c.kernel...)...), float32(1/math.Sqrt(float64(depth))))
	if c.dynamic {
		g.Inputs = append(g.Inputs, graph.Port{Name: "w", DType: graph.Float32})
		inputs = append(inputs, w)
	} else {
		g.Constants["w"] = w
	}
	names := []string{value, "w"}
	if c.bias {
		g.Constants["b"] = uniform(r, c.filters)
		names = append(names, "b")
	}
	node("Conv", "c", map[string]graph.Attribute{"strides": listOf(c.stride), "dilations": listOf(c.dilation),
		"pads": listOf(slices.Concat(c.before, c.after)), "group": {Kind: graph.AttributeInt, Int: int64(c.group)}}, names...)
	value = "c"
	op, norm := c.after2, false
	if i := slices.Index([]byte(op), ','); i >= 0 {
		op, norm = op[:i], true
	}
	if op == "Silu" {
		node("Sigmoid", "g", nil, value)
		node("Mul", "a", nil, value, "g")
		value = "a"
	} else if op != "" {
		node(op, "a", nil, value)
		value = "a"
	}
	if norm || c.last {
		node("Transpose", "l", perm(last), value)
		value = "l"
	}
	if norm {
		g.Constants["ns"], g.Constants["nb"] = uniform(r, c.filters), uniform(r, c.filters)
		node("LayerNormalization", "n", map[string]graph.Attribute{"axis": {Kind: graph.AttributeInt, Int: -1}, "epsilon": {Kind: graph.AttributeFloat, Float: 1e-5}}, value, "ns", "nb")
		value = "n"
	}
	node("Identity", "y", nil, value)
	return g, inputs
}

func convCases(r *rand.Rand) []convCase {
	one := func(n int) []int { return slices.Repeat([]int{1}, n) }
	none := func(n int) []int { return make([]int, n) }
	list := []convCase{
		// DQN's and ConvEncoder's first layers, small.
		{images: 2, channels: 4, filters: 32, group: 1, in: []int{20, 20}, kernel: []int{8, 8}, stride: []int{4, 4}, dilation: one(2), before: none(2), after: none(2), after2: "Relu", bias: true},
		{images: 3, channels: 1, filters: 32, group: 1, in: []int{16, 16}, kernel: []int{4, 4}, stride: []int{2, 2}, dilation: one(2), before: one(2), after: one(2), after2: "Silu,norm", bias: true},
		{images: 2, channels: 32, filters: 64, group: 1, in: []int{9, 9}, kernel: []int{4, 4}, stride: []int{2, 2}, dilation: one(2), before: none(2), after: none(2), after2: "Silu,norm", last: true, bias: true},
		{images: 1, channels: 132, filters: 160, group: 1, in: []int{4, 4}, kernel: []int{4, 4}, stride: []int{2, 2}, dilation: one(2), before: one(2), after: one(2), after2: "Silu,norm", last: true, bias: true},
		// Patches of volumes.
		{images: 2, channels: 1, filters: 20, group: 1, in: []int{3, 8, 12}, kernel: []int{1, 4, 4}, stride: []int{1, 4, 4}, dilation: one(3), before: none(3), after: none(3), bias: true},
		{images: 2, channels: 3, filters: 5, group: 1, in: []int{4, 5, 6}, kernel: []int{3, 2, 3}, stride: []int{2, 1, 2}, dilation: []int{1, 2, 1}, before: []int{1, 0, 2}, after: []int{0, 1, 1}, after2: "Tanh"},
		{images: 2, channels: 4, filters: 128, group: 1, in: []int{21, 21}, kernel: []int{7, 7}, stride: []int{7, 7}, dilation: one(2), before: none(2), after: none(2), bias: true},
		// One axis; depthwise; groups; other activations; filters that are not constant.
		{images: 3, channels: 6, filters: 9, group: 3, in: []int{17}, kernel: []int{5}, stride: []int{2}, dilation: []int{2}, before: []int{3}, after: []int{4}, after2: "Softplus", bias: true},
		{images: 2, channels: 8, filters: 8, group: 8, in: []int{7, 9}, kernel: []int{3, 3}, stride: []int{1, 2}, dilation: one(2), before: one(2), after: one(2), after2: "Sigmoid", last: true, bias: true},
		{images: 2, channels: 8, filters: 8, group: 8, in: []int{7, 9}, kernel: []int{3, 3}, stride: []int{1, 1}, dilation: one(2), before: one(2), after: one(2), after2: "Relu,norm", bias: true},
		{images: 2, channels: 8, filters: 40, group: 2, in: []int{6, 5}, kernel: []int{3, 3}, stride: []int{1, 1}, dilation: []int{2, 1}, before: one(2), after: one(2), after2: "Gelu", last: true, bias: true},
		{images: 2, channels: 6, filters: 40, group: 2, in: []int{6, 5}, kernel: []int{2, 3}, stride: []int{1, 1}, dilation: []int{1, 1}, before: one(2), after: one(2), after2: "Elu,norm", last: true, bias: true},
		{images: 2, channels: 5, filters: 7, group: 1, in: []int{6, 7}, kernel: []int{3, 2}, stride: []int{1, 2}, dilation: one(2), before: []int{2, 0}, after: []int{0, 1}, dynamic: true, bias: true},
		{images: 2, channels: 6, filters: 6, group: 6, in: []int{6, 7}, kernel: []int{3, 2}, stride: []int{1, 2}, dilation: one(2), before: []int{2, 0}, after: []int{0, 1}, dynamic: true},
		{images: 1, channels: 3, filters: 1, group: 1, in: []int{1, 1}, kernel: []int{1, 1}, stride: []int{1, 1}, dilation: one(2), before: none(2), after: none(2)},
	}
	for range 12 {
		rank := 1 + r.IntN(3)
		group := []int{1, 1, 2, 3}[r.IntN(4)]
		c := convCase{images: 1 + r.IntN(3), channels: group * (1 + r.IntN(6)), filters: group * (1 + r.IntN(36)), group: group, last: r.IntN(2) == 0, bias: r.IntN(2) == 0,
			after2: []string{"", "Relu", "Silu,norm", "Gelu"}[r.IntN(4)]}
		for range rank {
			k, d := 1+r.IntN(3), 1+r.IntN(2)
			c.kernel, c.dilation, c.stride = append(c.kernel, k), append(c.dilation, d), append(c.stride, 1+r.IntN(3))
			c.before, c.after = append(c.before, r.IntN(3)), append(c.after, r.IntN(3))
			c.in = append(c.in, (k-1)*d+1+r.IntN(6))
		}
		list = append(list, c)
	}
	return list
}

// TestConvolution compares convolutions with model/cpu in all precisions and tiles.
func TestConvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for i, c := range convCases(r) {
		for _, p := range allPrecisions {
			t.Run(fmt.Sprintf("%d/%v", i, p), func(t *testing.T) {
				withProcessors(t, []int{1, 132}, func(t *testing.T) {
					g, inputs := c.graph(rand.New(rand.NewPCG(uint64(i), 2)))
					tolerance := productTolerance(p, 1)
					if slices.Contains([]byte(c.after2), ',') {
						tolerance *= 4 // the normalization divides by a deviation below 1
					}
					compareAt(t, p, g, inputs, tolerance)
				})
			})
		}
	}
}

// TestImagesKeepTheirBits convolves images of a batch together and alone, in every tile.
func TestImagesKeepTheirBits(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	cases := convCases(r)
	for i, c := range append(cases[:5:5], cases[7], cases[10], cases[11]) {
		c.images = 9
		g, inputs := c.graph(rand.New(rand.NewPCG(uint64(i), 3)))
		prepare(t, g)
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
				n := graph.Count(inputs[0].Shape[1:])
				x := graph.Floats(inputs[0].F32[lo*n:hi*n], append([]int{hi - lo}, inputs[0].Shape[1:]...)...)
				out, err := e.Run(context.Background(), []*graph.Tensor{x})
				if err != nil {
					t.Fatal(err)
				}
				return slices.Clone(out[0].F32)
			}
			whole := run(1, 0, 9)
			n := len(whole) / 9
			for _, part := range []struct{ processors, lo, hi int }{{4, 0, 9}, {132, 0, 9}, {132, 3, 4}, {1, 8, 9}, {6, 2, 7}} {
				if got := run(part.processors, part.lo, part.hi); !slices.Equal(got, whole[part.lo*n:part.hi*n]) {
					t.Fatalf("case %d, %v: images %d to %d have other bits for %d processors", i, p, part.lo, part.hi, part.processors)
				}
			}
		}
	}
}

func TestConvTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for i, c := range []struct {
		channels, filters, group     int // filters per group
		in, kernel, stride, dilation []int
		before, after, output        []int
	}{
		{3, 2, 1, []int{4, 5}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1}},
		{4, 3, 2, []int{4, 3}, []int{2, 2}, []int{2, 2}, []int{1, 1}, []int{0, 0}, []int{0, 0}, []int{0, 0}},
		{4, 20, 2, []int{3, 3}, []int{4, 3}, []int{3, 1}, []int{1, 2}, []int{2, 1}, []int{0, 2}, []int{0, 0}},
		{2, 33, 1, []int{7}, []int{2}, []int{3}, []int{1}, []int{0}, []int{0}, []int{2}},
		{2, 3, 1, []int{2, 3, 2}, []int{2, 2, 3}, []int{2, 1, 2}, []int{2, 1, 1}, []int{0, 1, 1}, []int{1, 0, 0}, []int{1, 0, 0}},
		{70, 4, 1, []int{3, 3}, []int{6, 6}, []int{1, 1}, []int{1, 1}, []int{2, 2}, []int{2, 2}, []int{0, 0}},
	} {
		for _, dynamic := range []bool{false, true} {
			for _, p := range allPrecisions {
				t.Run(fmt.Sprintf("%d/%v/%v", i, dynamic, p), func(t *testing.T) {
					depth := c.channels / c.group * graph.Count(c.kernel)
					w := scaled(uniform(r, append([]int{c.channels, c.filters}, c.kernel...)...), float32(1/math.Sqrt(float64(depth))))
					var filters any = known{w}
					if dynamic {
						filters = w
					}
					g, inputs := single("ConvTranspose", map[string]graph.Attribute{"strides": listOf(c.stride), "dilations": listOf(c.dilation),
						"pads": listOf(slices.Concat(c.before, c.after)), "output_padding": listOf(c.output), "group": {Kind: graph.AttributeInt, Int: int64(c.group)}},
						1, uniform(r, append([]int{2, c.channels}, c.in...)...), filters, uniform(r, c.filters*c.group))
					compareAt(t, p, g, inputs, productTolerance(p, 1))
				})
			}
		}
	}
}

// TestConvolutionOfUnusualNumbers: infinities and NaN reach the pixels that they reach on the CPU.
func TestConvolutionOfUnusualNumbers(t *testing.T) {
	for _, i := range []int{0, 1, 2, 8, 10} {
		c := convCases(rand.New(rand.NewPCG(14, 1)))[i]
		c.after2 = ""
		for _, p := range allPrecisions {
			g, inputs := c.graph(rand.New(rand.NewPCG(14, 2)))
			x := inputs[0].F32
			x[5], x[len(x)/2], x[len(x)-3] = float32(math.Inf(1)), float32(math.NaN()), float32(math.Inf(-1))
			prepare(t, g)
			want := onCPU(t, g, inputs)[0].F32
			e, err := New(g, open(t, 1, 1<<30)[0], Options{Precision: p})
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Run(context.Background(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range out[0].F32 {
				a, b := float64(v), float64(want[k])
				if a != b && !(math.IsNaN(a) && math.IsNaN(b)) && !(math.Abs(a-b) <= productTolerance(p, 1)*max(1, math.Abs(b))) {
					t.Fatalf("case %d, %v: element %d is %v, on the CPU %v", i, p, k, a, b)
				}
			}
			e.Close()
		}
	}
}
