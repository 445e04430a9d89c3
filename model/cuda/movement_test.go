//go:build cuda

// Tests of operators that move elements against the CPU.

package cuda

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/model/graph"
)

// ofEachType calls f with tensors of a shape of every type.
func ofEachType(shape []int, f func(x *graph.Tensor)) {
	f(mixed(21, shape...))
	f(integers(22, shape...))
	f(truths(23, shape...))
}

func ints(v ...int64) known { return known{graph.Ints(v...)} }

func TestTranspose(t *testing.T) {
	for _, c := range []struct {
		shape []int
		perm  []int64
	}{
		{[]int{}, nil}, {[]int{5}, nil}, {[]int{1, 7}, nil}, {[]int{33, 65}, nil}, {[]int{2, 3, 4}, []int64{1, 0, 2}}, {[]int{2, 4, 9, 10}, []int64{0, 2, 3, 1}}, {[]int{2, 9, 10, 4}, []int64{0, 3, 1, 2}},
		{[]int{2, 36, 5, 8}, []int64{0, 2, 3, 1}}, {[]int{2, 5, 3, 16}, []int64{0, 2, 1, 3}}, {[]int{3, 40, 2, 35}, []int64{2, 3, 0, 1}}, {[]int{3, 40, 2, 35}, []int64{3, 0, 2, 1}},
		{[]int{2, 3, 2, 3, 2, 9}, []int64{5, 0, 4, 1, 3, 2}}, {[]int{0, 3, 4}, []int64{2, 1, 0}}, {[]int{3, 12, 34, 12}, []int64{0, 3, 2, 1}},
	} {
		a := attributes()
		if c.perm != nil {
			a = attributes("perm", c.perm)
		}
		ofEachType(c.shape, func(x *graph.Tensor) { check(t, exact, "Transpose", a, x) })
	}
}

func TestMovement(t *testing.T) {
	ofEachType([]int{4, 6, 8}, func(x *graph.Tensor) {
		check(t, exact, "Slice", nil, x, ints(1, 2), ints(4, 6), ints(0, 1))
		check(t, exact, "Slice", nil, x, ints(0), ints(4), ints(2))
		check(t, exact, "Slice", nil, x, ints(-1, 7), ints(math.MinInt64, 0), ints(1, 2), ints(-2, -3))
		check(t, exact, "Slice", nil, x, ints(3), ints(3), ints(1))
		check(t, exact, "Slice", nil, x, ints(1), ints(4), ints(2), ints(2))
		check(t, exact, "Expand", nil, x, ints(2, 1, 6, 1))
		check(t, exact, "Tile", nil, x, ints(2, 1, 3))
		check(t, exact, "Tile", nil, x, ints(1, 0, 3))
		for axis := range 3 {
			check(t, exact, "Concat", attributes("axis", axis), x, x)
			checkAll(t, exact, "Split", attributes("axis", axis, "num_outputs", 2), 2, x)
			checkAll(t, exact, "Split", attributes("axis", axis), 3, x, ints(1, 0, int64(x.Shape[axis]-1)))
		}
		check(t, exact, "Trilu", nil, x)
		check(t, exact, "Trilu", attributes("upper", 0), x, ints(2))
		check(t, exact, "Trilu", nil, x, ints(-3))
		for _, mode := range []string{"constant", "edge", "reflect", "wrap"} {
			check(t, exact, "Pad", attributes("mode", mode), x, ints(1, 0, 2, 3, 5, 1))
			check(t, exact, "Pad", attributes("mode", mode), x, ints(0, -1, 2, 0, 2, -3))
		}
	})
	check(t, exact, "Pad", nil, mixed(1, 3, 5), ints(1, 1, 0, 2), known{graph.Floats([]float32{-2.5})})
	check(t, exact, "Pad", nil, integers(1, 3, 5), ints(1, 1, 0, 2), ints(1<<40))
	check(t, exact, "Expand", nil, mixed(1, 3, 1, 1), ints(3, 5, 12))
	check(t, exact, "Expand", nil, truths(1, 1, 16), ints(7, 16))
	check(t, exact, "Expand", nil, mixed(1), ints(3, 5))
	check(t, exact, "Concat", attributes("axis", 1), mixed(1, 3, 5), mixed(2, 3, 0), mixed(3, 3, 2))
	check(t, exact, "Concat", attributes("axis", 0), mixed(1, 2, 3), mixed(2, 1, 3))
	check(t, exact, "Tile", nil, integers(1, 0, 3), ints(2, 2))
	for _, v := range []*graph.Tensor{graph.Floats([]float32{2.5}, 1), graph.Ints(-7), {DType: graph.Bool, Shape: []int{1}, Bool: []bool{true}}} {
		check(t, exact, "ConstantOfShape", attributes("value", v), ints(70, 600))
		check(t, exact, "ConstantOfShape", attributes("value", v), ints(0, 6))
	}
}

// A range that is too long to be computed ahead.
func TestRange(t *testing.T) {
	check(t, exact, "Range", nil, ints(5), ints(-1200000), ints(-1))
	check(t, exact, "Range", nil, known{graph.Floats([]float32{0.1})}, known{graph.Floats([]float32{120000})}, known{graph.Floats([]float32{0.1})})
}

// A box gives the right places whatever its lengths: divisions are multiplications there.
func TestMagicDivision(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		d := 1 + r.IntN(1<<r.IntN(31))
		n := r.IntN(1 << 31)
		if r.IntN(4) == 0 {
			n = min(n/d*d+r.IntN(2)*(d-1), 1<<31-1)
		}
		b := &builder{recording: &recording{}}
		box{shape: []int{d}, strides: [][]int{{1}}}.table(b)
		cells := valuesOf[uint64](b.tables, 3)
		if q := int(uint64(n) * (cells[1] & (1<<32 - 1)) >> (cells[1] >> 32)); q != n/d {
			t.Fatalf("%d / %d = %d", n, d, q)
		}
	}
}
