// Products of integers: the forms that are refused, and their numbers.

package operator_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

func TestIntegerProductErrors(t *testing.T) {
	t.Parallel()
	scale, zero := floats(), integers()
	for _, c := range []struct {
		op        string
		x         *graph.Tensor
		constants []*graph.Tensor
		want      string
	}{
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), zero, integers(4)}, ""},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(4, 4)}, "the inner axes of [2 3] and [4 4] differ"},
		{"MatMulInteger", floats(2, 3), []*graph.Tensor{integers(3, 4)}, "input 0 has type float32, want int64"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{floats(3, 4)}, "input 1 has type float32, want int64"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), integers(3)}, "input 2 has shape [3], want one element or [2], axis 0 of [2 3]"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), zero, integers(3)}, "input 3 has shape [3], want one element or [4], axis 1 of [3 4]"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), zero, floats()}, "input 3 has type float32, want int64"},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 2, 3, 3), zero, integers(3)}, ""},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 4, 3, 3)}, "input [1 2 5 5] has 2 channels, weights [3 4 3 3] in 1 groups want 4"},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 2, 3, 3), integers(2)}, "input 2 has shape [2], want one element"},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 2, 3, 3), zero, integers(2)}, "input 3 has shape [2], want one element or [3], axis 0 of [3 2 3 3]"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), floats(3), integers(3), scale, zero, integers(3)}, "a zero point of unknown type"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), floats(2), zero, scale, zero}, "input 4 has shape [2], want one element or [3], axis 1 of [1 3 3 3]"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), scale, zero, scale, zero, integers(4)}, "input 8 (bias) has shape [4], want [3]"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), scale, zero, scale}, "has 7 inputs, want 8 to 9"},
		{"QLinearMatMul", integers(2, 3), []*graph.Tensor{integers(), zero, integers(3, 4), scale, zero, scale, zero}, "input 1 has type int64, want float32"},
	} {
		_, err := bind(c.op, "", c.x, nil, c.constants...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node "layer" (`)) {
			t.Errorf("%s: error %v, want %q", c.op, err, c.want)
		}
	}
}

// Products with large constant weights, which are deferred, and with weights of the run equal integer products.
func TestIntegerProducts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	bytes := func(shape ...int) *graph.Tensor {
		x := integers(shape...)
		x.Bits = -8
		for i := range x.I64 {
			x.I64[i] = int64(random.IntN(256))
		}
		return x
	}
	x, w, columns := bytes(3, 200), bytes(200, 100), bytes(100)
	product := integers(3, 100)
	for i := range product.I64 {
		for k := range 200 {
			product.I64[i] += (x.I64[i/100*200+k] - 9) * (w.I64[k*100+i%100] - columns.I64[i%100])
		}
	}
	image, kernels, filters := bytes(1, 32, 4, 4), bytes(64, 32, 3, 3), bytes(64)
	convolution := integers(1, 64, 2, 2)
	for i := range convolution.I64 {
		f, row, column := i/4, i/2%2, i%2
		for k := range 32 * 9 {
			at := k/9*16 + (row+k/3%3)*4 + column + k%3
			convolution.I64[i] += (image.I64[at] - 9) * (kernels.I64[f*288+k] - filters.I64[f])
		}
	}
	for _, c := range []struct {
		op                 string
		x, w, zeros, wants *graph.Tensor
	}{{"MatMulInteger", x, w, columns, product}, {"ConvInteger", image, kernels, filters, convolution}} {
		for _, constant := range []bool{true, false} {
			g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Int64, Bits: -8}},
				Outputs:   []graph.Port{{Name: "y"}},
				Constants: map[string]*graph.Tensor{"nine": graph.Ints(9), "zeros": c.zeros},
				Nodes:     []*graph.Node{{Op: c.op, Inputs: []string{"x", "w", "nine", "zeros"}, Outputs: []string{"y"}}}}
			inputs := []*graph.Tensor{c.x}
			if constant {
				g.Constants["w"] = c.w
			} else {
				g.Inputs = append(g.Inputs, graph.Port{Name: "w", DType: graph.Int64, Bits: -8})
				inputs = append(inputs, c.w)
			}
			if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
				t.Fatal(err)
			}
			if g.Constants["w"] != nil {
				t.Errorf("%s: the integers are kept", c.op)
			}
			e := cpu.New(g, 1)
			out, err := e.Run(context.Background(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out[0].Shape, c.wants.Shape) || !slices.Equal(out[0].I64, c.wants.I64) {
				t.Errorf("%s, constant weights %t: other numbers", c.op, constant)
			}
			e.Close()
		}
	}
}

// Products of matrices of integers wrap like their type: 8 bits at 256. The right values are sums of products in 64
// bits, taken modulo 2^bits.
func TestWholeProducts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op          string
		left, right []int
		shape       []int
	}{
		{"MatMul", []int{2, 3, 4}, []int{4, 5}, []int{2, 3, 5}},
		{"MatMul", []int{4}, []int{4, 5}, []int{5}},
		{"MatMul", []int{2, 3, 4}, []int{4}, []int{2, 3}},
		{"MatMul", []int{4}, []int{4}, []int{}},
		{"Einsum", []int{2, 3, 4}, []int{4, 5}, []int{2, 3, 5}},
	} {
		for _, bits := range []int{0, 8, -8, 16, -16, 32, -32} {
			r := rand.New(rand.NewPCG(1, 2))
			numbers := func(shape []int) *graph.Tensor {
				x := &graph.Tensor{DType: graph.Int64, Bits: bits, Shape: shape, I64: make([]int64, graph.Count(shape))}
				for i := range x.I64 {
					x.I64[i] = r.Int64N(100) + 27
					if bits == 32 || bits == -32 {
						x.I64[i] *= 1 << 20
					}
				}
				return x
			}
			x, w := numbers(c.left), numbers(c.right)
			depth, columns := c.left[len(c.left)-1], 1
			if len(c.right) > 1 {
				columns = c.right[1]
			}
			want := make([]int64, graph.Count(c.left)/depth*columns)
			for i := range want {
				for k := range depth {
					want[i] += x.I64[i/columns*depth+k] * w.I64[k*columns+i%columns]
				}
				switch bits {
				case 8:
					want[i] = int64(int8(want[i]))
				case -8:
					want[i] = int64(uint8(want[i]))
				case 16:
					want[i] = int64(int16(want[i]))
				case -16:
					want[i] = int64(uint16(want[i]))
				case 32:
					want[i] = int64(int32(want[i]))
				case -32:
					want[i] = int64(uint32(want[i]))
				}
			}
			g := &graph.Graph{Opset: 17, Outputs: []graph.Port{{Name: "y"}},
				Nodes:  []*graph.Node{{Op: c.op, Inputs: []string{"x", "w"}, Outputs: []string{"y"}}},
				Inputs: []graph.Port{{Name: "x", DType: graph.Int64, Bits: bits}, {Name: "w", DType: graph.Int64, Bits: bits}}}
			if c.op == "Einsum" {
				g.Nodes[0].Attributes = map[string]graph.Attribute{"equation": {Kind: graph.AttributeString, String: "abk,kn->abn"}}
			}
			if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
				t.Fatal(err)
			}
			e := cpu.New(g, 1)
			out, err := e.Run(context.Background(), []*graph.Tensor{x, w})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out[0].Shape, c.shape) || !slices.Equal(out[0].I64, want) {
				t.Errorf("%s %v × %v of %d bits: %v %v, want %v", c.op, c.left, c.right, bits, out[0].Shape, out[0].I64, want)
			}
			e.Close()
		}
	}
}
