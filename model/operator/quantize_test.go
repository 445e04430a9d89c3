// Quantization: errors, and the numbers of blocks and of narrow types against a literal loop.

package operator_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// evaluate runs a node on constants, or on tensors that are given at the run; absent ones are nil.
func evaluate(t *testing.T, constant bool, op string, attributes map[string]graph.Attribute, in ...*graph.Tensor) *graph.Tensor {
	t.Helper()
	n := &graph.Node{Name: "layer", Op: op, Outputs: []string{"y"}, Attributes: attributes}
	g := &graph.Graph{Opset: 25, Outputs: []graph.Port{{Name: "y"}}, Constants: map[string]*graph.Tensor{}, Nodes: []*graph.Node{n}}
	var inputs []*graph.Tensor
	for i, x := range in {
		name := ""
		switch {
		case x == nil:
		case constant:
			name = string(rune('a' + i))
			g.Constants[name] = x
		default:
			name = string(rune('a' + i))
			g.Inputs = append(g.Inputs, graph.Port{Name: name, DType: x.DType})
			inputs = append(inputs, x)
		}
		n.Inputs = append(n.Inputs, name)
	}
	if err := g.Prepare(fuse.ProcessorRules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	x := cpu.New(g, 2)
	defer x.Close()
	out, err := x.Run(context.Background(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// TestBlocks quantizes and dequantizes arrays of odd shapes in blocks along every axis.
func TestBlocks(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	for range 60 {
		shape := make([]int, 1+random.IntN(3))
		for i := range shape {
			shape[i] = 1 + random.IntN(9)
		}
		axis := random.IntN(len(shape))
		size := 1 + random.IntN(shape[axis])
		blocks := slices.Clone(shape)
		blocks[axis] = (shape[axis] + size - 1) / size
		x, scale, zero := floats(shape...), floats(blocks...), integers(blocks...)
		for i := range x.F32 {
			x.F32[i] = 4 * float32(random.NormFloat64())
		}
		for i := range scale.F32 {
			scale.F32[i], zero.I64[i] = 0.1+random.Float32(), int64(random.IntN(16)-8)
		}
		if random.IntN(3) == 0 {
			zero = nil
		}
		// block is where the parameters of element i are.
		block := func(i int) int {
			offset, position := 0, graph.Position(shape, i)
			position[axis] /= size
			for a, p := range position {
				offset = offset*blocks[a] + p
			}
			return offset
		}
		offset := func(i int) float32 {
			if zero == nil {
				return 0
			}
			return float32(zero.I64[block(i)])
		}
		attributes := map[string]graph.Attribute{"axis": integer(int64(axis)), "block_size": integer(int64(size)), "output_dtype": integer(graph.ElementInt4)}
		q := evaluate(t, random.IntN(2) == 0, "QuantizeLinear", attributes, x, scale, zero)
		if !slices.Equal(q.Shape, shape) {
			t.Fatalf("quantized %v to %v", shape, q.Shape)
		}
		for i, v := range x.F32 {
			want := math.RoundToEven(float64(v/scale.F32[block(i)])) + float64(offset(i))
			if want = min(max(want, -8), 7); float64(q.I64[i]) != want {
				t.Fatalf("%v in blocks of %d along %d: element %d is %d, want %g", shape, size, axis, i, q.I64[i], want)
			}
		}
		attributes["output_dtype"] = integer(graph.ElementFloat)
		y := evaluate(t, random.IntN(2) == 0, "DequantizeLinear", attributes, q, scale, zero)
		for i, v := range q.I64 {
			if want := (float32(v) - offset(i)) * scale.F32[block(i)]; y.F32[i] != want {
				t.Fatalf("%v in blocks of %d along %d: element %d is %g, want %g", shape, size, axis, i, y.F32[i], want)
			}
		}
	}
}

// TestQuantizeToFloats holds saturation and the zero point of types of floats, and the precision of the division.
func TestQuantizeToFloats(t *testing.T) {
	t.Parallel()
	x, scale := floats(4), graph.Floats([]float32{2})
	copy(x.F32, []float32{1000, 2.2, -1, 3})
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		to, saturate int
		want         []float32
	}{
		{graph.ElementFloat8E4M3FN, 1, []float32{448, 1.125, -0.5, 1.5}}, {graph.ElementFloat8E5M2, 0, []float32{512, 1, -0.5, 1.5}},
		{graph.ElementFloat4E2M1, 0, []float32{6, 1, -0.5, 1.5}},
	} {
		attributes := map[string]graph.Attribute{"output_dtype": integer(int64(c.to)), "saturate": integer(int64(c.saturate))}
		if got := evaluate(t, false, "QuantizeLinear", attributes, x, scale); !slices.Equal(got.F32, c.want) {
			t.Errorf("to %s: %v, want %v", graph.NarrowElement(c.to), got.F32, c.want)
		}
	}
	huge := graph.Floats([]float32{inf, 200000}, 2)
	got := evaluate(t, false, "QuantizeLinear", map[string]graph.Attribute{"output_dtype": integer(graph.ElementFloat8E5M2), "saturate": integer(0)}, huge, scale)
	if got.F32[0] != inf || got.F32[1] != inf {
		t.Errorf("without saturation %v, want infinities", got.F32)
	}
	// 2049/2 is 1024.5, which float16 does not have: 1024 there.
	half := map[string]graph.Attribute{"output_dtype": integer(graph.ElementInt16), "precision": integer(graph.ElementFloat16)}
	if got := evaluate(t, false, "QuantizeLinear", half, graph.Floats([]float32{2051}, 1), scale); got.I64[0] != 1026 {
		t.Errorf("in float16: %d, want 1026", got.I64[0])
	}
}

func TestQuantizeErrors(t *testing.T) {
	t.Parallel()
	blocks := map[string]graph.Attribute{"axis": integer(1), "block_size": integer(3)}
	for _, c := range []struct {
		op         string
		x          *graph.Tensor
		attributes map[string]graph.Attribute
		constants  []*graph.Tensor
		want       string
	}{
		{"QuantizeLinear", floats(2, 7), blocks, []*graph.Tensor{floats(2, 3)}, ""},
		{"QuantizeLinear", floats(2, 7), blocks, []*graph.Tensor{floats(2, 2)}, "scale [2 2] for blocks of 3 along axis 1 of [2 7], want [2 3]"},
		{"DequantizeLinear", integers(2, 7), map[string]graph.Attribute{"block_size": integer(-1)}, []*graph.Tensor{floats(2, 7)}, "blocks of -1"},
		{"DequantizeLinear", integers(2, 7), blocks, []*graph.Tensor{floats(2, 3), integers(2, 7)}, "scale [2 3] and zero point [2 7]"},
		{"QuantizeLinear", floats(2), map[string]graph.Attribute{"output_dtype": integer(graph.ElementFloat8E8M0)}, []*graph.Tensor{floats()}, "quantization to 24"},
		{"QuantizeLinear", integers(2), nil, []*graph.Tensor{floats()}, "input 0 has type int64, want float32"},
	} {
		_, err := bind(c.op, "", c.x, c.attributes, c.constants...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.op, err, c.want)
		}
	}
}
