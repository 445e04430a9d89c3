// Bits of integers against Go's own.

package operator_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/graph"
)

// bits computes an operator of integers of an ONNX type.
func bits(t *testing.T, op string, element int, attributes map[string]graph.Attribute, operands ...[]int64) []int64 {
	t.Helper()
	var inputs []*graph.Tensor
	for _, x := range operands {
		inputs = append(inputs, &graph.Tensor{DType: graph.Int64, Bits: graph.IntegerBits(element), Shape: []int{len(x)},
			I64: x})
	}
	return compute(t, 18, op, attributes, 1, inputs)[0].I64
}

// shifted is the shift of x in a type of this many bits.
func shifted[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64](x, y int64, left bool) int64 {
	if left {
		return int64(T(x) << uint64(y))
	}
	return int64(T(x) >> uint64(y))
}

func TestBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	x, y, by := make([]int64, 200), make([]int64, 200), make([]int64, 200)
	for i := range x {
		x[i], y[i], by[i] = int64(r.Uint64()), int64(r.Uint64()), r.Int64N(72)-4
	}
	for op, f := range map[string]func(a, b int64) int64{
		"BitwiseAnd": func(a, b int64) int64 { return a & b },
		"BitwiseOr":  func(a, b int64) int64 { return a | b },
		"BitwiseXor": func(a, b int64) int64 { return a ^ b },
	} {
		want := make([]int64, len(x))
		for i := range want {
			want[i] = f(x[i], y[i])
		}
		if got := bits(t, op, graph.ElementInt64, nil, x, y); !slices.Equal(got, want) {
			t.Errorf("%s of int64: %v, want %v", op, got, want)
		}
	}
	for element, narrow := range map[int]struct {
		of    func(int64) int64
		shift func(x, y int64, left bool) int64
	}{
		graph.ElementInt8:   {func(v int64) int64 { return int64(int8(v)) }, shifted[int8]},
		graph.ElementUint8:  {func(v int64) int64 { return int64(uint8(v)) }, shifted[uint8]},
		graph.ElementInt16:  {func(v int64) int64 { return int64(int16(v)) }, shifted[int16]},
		graph.ElementUint16: {func(v int64) int64 { return int64(uint16(v)) }, shifted[uint16]},
		graph.ElementInt32:  {func(v int64) int64 { return int64(int32(v)) }, shifted[int32]},
		graph.ElementUint32: {func(v int64) int64 { return int64(uint32(v)) }, shifted[uint32]},
		graph.ElementInt64:  {func(v int64) int64 { return v }, shifted[int64]},
	} {
		values, not := make([]int64, len(x)), make([]int64, len(x))
		for i, v := range x {
			values[i], not[i] = narrow.of(v), narrow.of(^v)
		}
		if got := bits(t, "BitwiseNot", element, nil, values); !slices.Equal(got, not) {
			t.Errorf("BitwiseNot of element type %d: %v, want %v", element, got, not)
		}
		for _, direction := range []string{"LEFT", "RIGHT"} {
			want := make([]int64, len(x))
			for i, v := range values {
				want[i] = narrow.shift(v, by[i], direction == "LEFT")
			}
			got := bits(t, "BitShift", element, map[string]graph.Attribute{"direction": text(direction)}, values, by)
			if !slices.Equal(got, want) {
				t.Errorf("BitShift %s of element type %d: %v, want %v", direction, element, got, want)
			}
		}
	}
	want := make([]int64, len(x))
	for i := range want {
		want[i] = int64(uint64(x[i]) >> uint64(by[i]))
	}
	attributes := map[string]graph.Attribute{"direction": text("RIGHT")}
	if got := bits(t, "BitShift", graph.ElementUint64, attributes, x, by); !slices.Equal(got, want) {
		t.Errorf("BitShift of uint64: %v, want %v", got, want)
	}
}
