//go:build cuda

// Tests of reductions against the CPU.

package cuda

import (
	"math"
	"slices"
	"testing"

	"repscope/model/graph"
)

func TestReduce(t *testing.T) {
	for _, name := range []string{"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"} {
		for _, c := range []struct {
			shape []int
			axes  []int64
		}{
			{[]int{}, nil}, {[]int{1}, nil}, {[]int{37}, nil}, {[]int{5, 33}, []int64{1}}, {[]int{5, 33}, []int64{0}}, {[]int{3, 4, 5, 6}, []int64{1, 3}}, {[]int{3, 4, 5, 20}, []int64{0, 2}},
			{[]int{3, 4, 5, 6}, []int64{2, 3}}, {[]int{2, 300, 17}, []int64{1}}, {[]int{2, 3, 2, 3, 2, 3}, []int64{0, 2, 4}}, {[]int{3, 1500}, []int64{1}}, {[]int{0, 4}, []int64{1}},
		} {
			x := random(uint32(len(c.shape)), c.shape...)
			if name == "ReduceLogSum" {
				for i := range x.F32 {
					x.F32[i] = float32(math.Abs(float64(x.F32[i])))
				}
			}
			// A constant list of axes is an input from opset 18 on.
			check(t, 1e-6, name, nil, x, ints(c.axes...))
			check(t, 1e-6, name, attributes("keepdims", 0), x, ints(c.axes...))
			if name != "ReduceLogSum" && name != "ReduceProd" {
				check(t, 1e-6, name, nil, finite(mixed(3, c.shape...)), ints(c.axes...))
				if name == "ReduceMax" || name == "ReduceMin" {
					check(t, exact, name, nil, mixed(3, c.shape...), ints(c.axes...))
				}
			}
			switch name {
			case "ReduceL2", "ReduceLogSum", "ReduceLogSumExp":
			default:
				check(t, exact, name, nil, integers(4, c.shape...), ints(c.axes...))
			}
		}
	}
	check(t, 1e-6, "ReduceSum", nil, random(1, 0, 3), ints(0))
	check(t, 1e-6, "ReduceProd", nil, random(1, 0, 3), ints(0))
	check(t, 1e-6, "ReduceLogSumExp", nil, random(1, 0, 3), ints(0))
	check(t, exact, "ReduceProd", nil, integers(1, 0, 3), ints(0))
	check(t, exact, "ReduceSum", nil, integers(1, 0, 3), ints(0))
	for _, shape := range [][]int{{2, 3, 7}, {2, 3, 9, 11}, {1, 2, 40, 50}, {2, 2, 3, 4, 5}} {
		check(t, 1e-6, "GlobalAveragePool", nil, random(5, shape...))
		check(t, exact, "GlobalMaxPool", nil, mixed(5, shape...))
	}
}

// finite has no infinities and no numbers whose squares would be infinite.
func finite(x *graph.Tensor) *graph.Tensor {
	for i, v := range x.F32 {
		if !(math.Abs(float64(v)) < 1e15) {
			x.F32[i] = 1
		}
	}
	return x
}

// TestReduceChunks reduces axes that are cut into chunks, for every way of sharing a sum.
func TestReduceChunks(t *testing.T) {
	for _, name := range []string{"ReduceSum", "ReduceMax", "ReduceL2", "ReduceLogSumExp"} {
		check(t, 1e-6, name, nil, random(1, 70000), ints(0))
		check(t, 1e-6, name, nil, random(2, 2100, 16), ints(0))
	}
	check(t, exact, "ReduceSum", nil, integers(1, 70000), ints(0))
	check(t, exact, "ReduceMin", nil, integers(2, 2100, 16), ints(0))
}

// TestReduceInBatches checks that a row's bytes do not depend on the other rows.
func TestReduceInBatches(t *testing.T) {
	all := random(1, 24, 40, 33)
	for _, c := range []struct {
		op   string
		axes int64
	}{{"ReduceSum", 1}, {"ReduceSum", 2}, {"ReduceMean", 2}, {"Softmax", 1}, {"Softmax", 2}, {"LayerNormalization", 2}} {
		run := func(x *graph.Tensor) []byte {
			operands, a := []any{x, ints(c.axes)}, attributes()
			switch c.op {
			case "Softmax":
				operands, a = operands[:1], attributes("axis", int(c.axes))
			case "LayerNormalization":
				operands[1] = known{random(2, 33)}
			}
			g, inputs := single(c.op, a, 1, operands...)
			out := runOn(t, prepare(t, g), inputs)
			return slices.Clone(raw(out[0]))
		}
		whole := run(all)
		part := run(graph.Floats(all.F32[3*40*33:4*40*33], 1, 40, 33))
		if n := len(whole) / 24; !slices.Equal(part, whole[3*n:4*n]) {
			t.Errorf("%s over axis %d: a batch of one has other bytes", c.op, c.axes)
		}
	}
}

func TestArgument(t *testing.T) {
	ties := graph.Floats([]float32{1, 3, 3, 2, 3, float32(math.NaN()), 0, 3, float32(math.NaN()), 5, 5, 1, float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.NaN()), 0}, 4, 4)
	for _, name := range []string{"ArgMax", "ArgMin"} {
		for _, last := range []int{0, 1} {
			for axis := range 2 {
				check(t, exact, name, attributes("axis", axis, "select_last_index", last), ties)
				check(t, exact, name, attributes("axis", axis, "select_last_index", last, "keepdims", 0), mixed(1, 40, 61))
				check(t, exact, name, attributes("axis", axis, "select_last_index", last), integers(1, 40, 61))
			}
			check(t, exact, name, attributes("axis", 1, "select_last_index", last), mixed(1, 3, 5, 7))
			check(t, exact, name, attributes("axis", 1, "select_last_index", last), mixed(1, 0, 5))
			check(t, exact, name, attributes("axis", 0, "select_last_index", last), integers(1, 1))
		}
	}
}

func TestCumSum(t *testing.T) {
	for axis := range int64(3) {
		for _, mode := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			a := attributes("exclusive", mode[0], "reverse", mode[1])
			check(t, exact, "CumSum", a, random(1, 4, 30, 5), ints(axis))
			check(t, exact, "CumSum", a, integers(1, 4, 30, 5), ints(axis))
			check(t, exact, "CumSum", a, integers(1, 4, 0, 5), ints(axis))
		}
	}
}
