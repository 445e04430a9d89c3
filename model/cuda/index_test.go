//go:build cuda

// Tests of operators that read by index against the CPU.

package cuda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/graph"
)

// indices are random positions on an axis of n, half of them from the end.
func indices(seed uint64, n int, shape ...int) *graph.Tensor {
	r := rand.New(rand.NewPCG(seed, 4))
	t := &graph.Tensor{DType: graph.Int64, Shape: shape, I64: make([]int64, graph.Count(shape))}
	for i := range t.I64 {
		t.I64[i] = r.Int64N(int64(2*n)) - int64(n)
	}
	return t
}

func TestGather(t *testing.T) {
	ofEachType([]int{5, 6, 8}, func(x *graph.Tensor) {
		for axis := range 3 {
			n := x.Shape[axis]
			check(t, exact, "Gather", attributes("axis", axis), x, indices(1, n, 3, 2))
			check(t, exact, "Gather", attributes("axis", axis), x, indices(1, n))
			check(t, exact, "Gather", attributes("axis", axis), x, indices(1, n, 0))
			shape := []int{4, 5, 3}
			shape[axis] = 11
			check(t, exact, "GatherElements", attributes("axis", axis), x, indices(2, n, shape...))
		}
		check(t, exact, "GatherND", nil, x, indices(3, 5, 4, 2))
		check(t, exact, "GatherND", nil, x, indices(3, 5, 4, 3))
		check(t, exact, "GatherND", nil, x, indices(3, 5, 2, 2, 1))
		check(t, exact, "GatherND", attributes("batch_dims", 1), x, indices(3, 6, 5, 3, 1))
		check(t, exact, "GatherND", nil, x, indices(3, 5, 0, 2))
	})
	check(t, exact, "Gather", nil, mixed(1, 7, 3), indices(1, 7, 9))
	check(t, exact, "Gather", nil, truths(1, 7, 3), indices(1, 7, 9))
}

func TestScatter(t *testing.T) {
	like := func(x *graph.Tensor, seed uint64, shape ...int) *graph.Tensor {
		switch x.DType {
		case graph.Float32:
			return mixed(seed, shape...)
		case graph.Int64:
			return integers(seed, shape...)
		}
		return truths(seed, shape...)
	}
	ofEachType([]int{5, 6, 8}, func(x *graph.Tensor) {
		for _, reduction := range []string{"none", "add", "mul", "max", "min"} {
			if x.DType == graph.Bool && reduction != "none" {
				continue
			}
			for axis := range 3 {
				shape := []int{4, 5, 3}
				shape[axis] = 20 // many updates of the same elements
				check(t, exact, "ScatterElements", attributes("axis", axis, "reduction", reduction), x, indices(5, x.Shape[axis], shape...), like(x, 6, shape...))
			}
			check(t, exact, "ScatterND", attributes("reduction", reduction), x, indices(7, 5, 9, 1), like(x, 8, 9, 6, 8))
			check(t, exact, "ScatterND", attributes("reduction", reduction), x, indices(7, 5, 3, 7, 2), like(x, 8, 3, 7, 8))
			check(t, exact, "ScatterND", attributes("reduction", reduction), x, indices(7, 2, 30, 3), like(x, 8, 30))
			check(t, exact, "ScatterND", attributes("reduction", reduction), x, indices(7, 2, 0, 3), like(x, 8, 0))
		}
	})
	// The order of the updates shows in the bits of a sum.
	updates := random(9, 3000)
	for i := range updates.F32 {
		updates.F32[i] *= float32(math.Exp(float64(i%37) - 18))
	}
	check(t, exact, "ScatterElements", attributes("reduction", "add"), random(1, 7), indices(9, 7, 3000), updates)
}

func TestOneHot(t *testing.T) {
	for _, axis := range []int{-1, 0, 1} {
		check(t, exact, "OneHot", attributes("axis", axis), indices(1, 7, 4, 3), ints(5), known{graph.Floats([]float32{0.5, 2}, 2)})
		check(t, exact, "OneHot", attributes("axis", axis), mixed(1, 4, 3), ints(5), known{graph.Ints(-1, 1)})
		check(t, exact, "OneHot", attributes("axis", axis), indices(1, 7, 4, 3), ints(5), known{&graph.Tensor{DType: graph.Bool, Shape: []int{2}, Bool: []bool{false, true}}})
	}
}

func TestTopK(t *testing.T) {
	for _, largest := range []int{0, 1} {
		for axis := range 3 {
			for _, k := range []int64{0, 1, 3} {
				checkAll(t, exact, "TopK", attributes("axis", axis, "largest", largest), 2, mixed(1, 5, 300, 4), ints(k))
				checkAll(t, exact, "TopK", attributes("axis", axis, "largest", largest), 2, integers(1, 5, 7, 4), ints(k))
			}
		}
		checkAll(t, exact, "TopK", attributes("largest", largest), 2, mixed(1, 3, 1000), ints(1000))
		check(t, exact, "TopK", attributes("largest", largest), mixed(1, 0, 10), ints(2))
	}
}

// TestIndexErrors checks that indices out of range are errors, as on the processor, and that the next run works.
func TestIndexErrors(t *testing.T) {
	for _, op := range []string{"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"} {
		for _, bad := range []int64{5, -6, math.MaxInt64, math.MinInt64, 1 << 40, -1 << 40} {
			list := []*graph.Tensor{random(1, 5), {DType: graph.Int64, Shape: []int{4, 1}, I64: []int64{0, bad, 4, -5}}}
			if strings.HasSuffix(op, "Elements") {
				list[1].Shape = []int{4}
			}
			operands := []any{list[0], list[1]}
			if strings.HasPrefix(op, "Scatter") {
				operands = append(operands, random(2, 4))
			}
			g, inputs := single(op, nil, 1, operands...)
			prepare(t, g)
			x := cpu.New(g, 1)
			_, want := x.Run(context.Background(), inputs)
			x.Close()
			y, err := New(g, open(t, 1, 1<<28)[0], Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, got := y.Run(context.Background(), inputs)
			if want == nil || got == nil || !strings.Contains(got.Error(), "is out of range for an axis of 5") ||
				bad > math.MinInt64/2 && bad < math.MaxInt64/2 && !strings.Contains(got.Error(), fmt.Sprint("index ", bad, " ")) {
				t.Errorf("%s at %d: %v, want %v", op, bad, got, want)
			}
			inputs[1].I64[1] = 3
			out, err := y.Run(context.Background(), inputs)
			if err != nil {
				t.Fatalf("%s after an error: %v", op, err)
			}
			near(t, out, onCPU(t, g, inputs), 0)
			y.Close()
		}
	}
}
