//go:build cuda

// Tests of normalizations against the CPU.

package cuda

import (
	"context"
	"math"
	"testing"

	"repscope/internal/cuda/fakecuda"
	"repscope/model/graph"
)

// runOn runs a prepared graph on a new fake GPU.
func runOn(t *testing.T, g *graph.Graph, inputs []*graph.Tensor) []*graph.Tensor {
	t.Helper()
	x, err := New(g, open(t, 1, 1<<30)[0], Options{Precision: FP32})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	out, err := x.Run(context.Background(), inputs)
	if err != nil {
		t.Fatal(err, fakecuda.Message())
	}
	return clone(out)
}

func TestSoftmax(t *testing.T) {
	low := graph.Floats([]float32{float32(math.Inf(-1)), 0, -200, 1}, 1, 4)
	none := graph.Floats([]float32{float32(math.Inf(-1)), float32(math.Inf(-1))}, 1, 2)
	broken := graph.Floats([]float32{float32(math.NaN()), 0, 1, 2, float32(math.Inf(1)), 4}, 2, 3)
	for _, name := range []string{"Softmax", "LogSoftmax"} {
		for _, n := range []int{1, 2, 31, 32, 33, 197, 1024, 1025, 3000} {
			check(t, 1e-6, name, nil, scaled(random(uint32(n), 3, n), 10))
		}
		check(t, 1e-6, name, attributes("axis", 1), scaled(random(1, 2, 9, 40), 5))
		check(t, 1e-6, name, attributes("axis", 0), scaled(random(1, 9, 3), 5))
		check(t, 1e-6, name, nil, random(1, 0, 3))
		check(t, 1e-6, name, nil, low)
		check(t, 1e-6, name, nil, none)
		check(t, 1e-6, name, nil, broken)
		check(t, 1e-6, name, attributes("axis", 0), broken)
	}
}

func scaled(x *graph.Tensor, by float32) *graph.Tensor {
	for i := range x.F32 {
		x.F32[i] *= by
	}
	return x
}

func TestRootMeanSquare(t *testing.T) {
	for _, width := range []int{1, 2, 4, 7, 64, 512, 516, 1028, 2048, 2052, 3001} {
		x := random(uint32(width), 5, width)
		check(t, 1e-5, "RMSNormalization", nil, x, known{random(2, width)})
		check(t, 1e-5, "RMSNormalization", attributes("epsilon", 0.1), x, random(3, 1))
	}
	check(t, 1e-5, "RMSNormalization", attributes("axis", 1), random(7, 3, 4, 5), random(8, 4, 5))
	check(t, 1e-5, "RMSNormalization", nil, graph.Floats(make([]float32, 8), 2, 4), random(9, 4))
}

func TestLayerNorm(t *testing.T) {
	for _, width := range []int{1, 2, 4, 7, 64, 192, 512, 516, 768, 1024, 1028, 2048, 2052, 3001} {
		x, scale, bias := random(uint32(width), 5, width), known{random(2, width)}, known{random(3, width)}
		checkAll(t, 1e-5, "LayerNormalization", nil, 3, x, scale, bias)
		check(t, 1e-5, "LayerNormalization", attributes("epsilon", 0.1), x, scale)
	}
	check(t, 1e-5, "LayerNormalization", attributes("axis", 1), random(1, 3, 4, 5, 6), known{random(2, 4, 5, 6)}, known{random(3, 4, 5, 6)})
	checkAll(t, 1e-5, "LayerNormalization", nil, 3, random(1, 0, 8), known{random(2, 8)}, known{random(3, 8)})
	// A mean that is far larger than the deviation.
	far := random(9, 6, 768)
	for i := range far.F32 {
		far.F32[i] = 10 + 0.1*far.F32[i]
	}
	check(t, 1e-5, "LayerNormalization", nil, far, known{random(2, 768)}, known{random(3, 768)})
	constant := graph.Floats(make([]float32, 64), 2, 32)
	for i := range constant.F32 {
		constant.F32[i] = 3
	}
	check(t, 1e-5, "LayerNormalization", nil, constant, known{random(2, 32)}, known{random(3, 32)})
}

func TestGroupNorm(t *testing.T) {
	for _, shape := range [][]int{{2, 6, 5}, {3, 6, 7, 9}, {1, 6, 40, 40}, {0, 6, 4}, {2, 6, 0}} {
		check(t, 1e-5, "InstanceNormalization", nil, random(1, shape...), known{random(2, 6)}, known{random(3, 6)})
		for _, groups := range []int{1, 2, 3, 6} {
			g, inputs := single("GroupNormalization", attributes("num_groups", groups), 1, random(1, shape...), known{random(2, groups)}, known{random(3, groups)})
			g.Opset = 20 // later ones have a scale for each channel
			compare(t, g, inputs, 1e-5)
			g, inputs = single("GroupNormalization", attributes("num_groups", groups), 1, random(1, shape...), known{random(2, 6)}, known{random(3, 6)})
			g.Opset = 21
			compare(t, g, inputs, 1e-5)
		}
	}
}

func TestBatchNorm(t *testing.T) {
	variance := random(5, 6)
	for i := range variance.F32 {
		variance.F32[i] = 1.1 + variance.F32[i]
	}
	for _, shape := range [][]int{{2, 6}, {3, 6, 7, 9}, {2, 6, 5}, {0, 6, 4}} {
		check(t, 1e-6, "BatchNormalization", nil, random(1, shape...), known{random(2, 6)}, known{random(3, 6)}, known{random(4, 6)}, known{variance})
		check(t, 1e-6, "BatchNormalization", nil, random(1, shape...), random(2, 6), random(3, 6), random(4, 6), variance)
	}
}

func TestLocalResponse(t *testing.T) {
	for _, shape := range [][]int{{2, 7}, {2, 5, 6, 3}, {0, 5, 2}} {
		for _, window := range []int{1, 2, 3, 20} {
			check(t, 1e-6, "LRN", attributes("size", window, "alpha", 0.5, "beta", 0.75, "bias", 1.5), scaled(random(1, shape...), 3))
		}
	}
}
