// Tensors of any element type, and what each becomes.

package model

import (
	"context"
	"math"
	"slices"
	"testing"

	"repscope/model/internal/onnxtest"
)

func TestTensorOf(t *testing.T) {
	t.Parallel()
	shared := []float32{1, 2}
	if x := must(t, shared, 2); &x.F32[0] != &shared[0] || x.DType != Float32 {
		t.Error("float32 is copied")
	}
	if x := must(t, []float64{1.5, math.Inf(-1), math.Pi}, 3); !slices.Equal(x.F32, []float32{1.5, float32(math.Inf(-1)), math.Pi}) {
		t.Errorf("float64 gives %v", x.F32)
	}
	if x := must(t, []bool{true, false}, 2); x.DType != Bool || !x.Bool[0] {
		t.Errorf("bool gives %+v", x)
	}
	for name, x := range map[string]*Tensor{
		"uint8": must(t, []uint8{7, 255}, 2), "int8": must(t, []int8{7, 127}, 2), "int16": must(t, []int16{7, -9}, 2), "uint16": must(t, []uint16{7, 60000}, 2),
		"int32": must(t, []int32{7, -9}, 2), "uint32": must(t, []uint32{7, math.MaxUint32}, 2), "int": must(t, []int{7, -9}, 2),
		"int64": must(t, []int64{7, -9}, 2), "uint": must(t, []uint{7, 9}, 2), "uint64": must(t, []uint64{7, math.MaxInt64}, 2),
	} {
		if x.DType != Int64 || x.I64[0] != 7 || len(x.I64) != 2 {
			t.Errorf("%s gives %+v", name, x)
		}
	}
	if x := must(t, []uint8{255}, 1); x.I64[0] != 255 {
		t.Errorf("255 becomes %d", x.I64[0])
	}
	if x := must(t, []uint64{1, 1<<63 + 5}, 2); uint64(x.I64[1]) != 1<<63+5 || x.Bits != -64 {
		t.Errorf("large uint64 gives %+v", x)
	}
	_, err := TensorOf([]float64{1, 1e300}, 2)
	wantError(t, "large float64", err, "element 1", "float32")
	_, err = TensorOf([]float32{1, 2, 3}, 2, 2)
	wantError(t, "wrong shape", err, "3 elements", "[2 2]")
	_, err = TensorOf([]float32{}, -1, 0)
	wantError(t, "negative axis", err, "negative")
}

// One input of each declared type: what it takes, and what it refuses.
func TestConversions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		declared int64
		given    *Tensor
		want     []float64
		err      string
	}{
		{onnxtest.Float, must(t, []float32{0.5, 2}, 2), []float64{0.5, 2}, ""},
		{onnxtest.Float, must(t, []float64{0.5, 2}, 2), []float64{0.5, 2}, ""},
		{onnxtest.Float, must(t, []uint8{0, 255}, 2), []float64{0, 255}, ""},
		{onnxtest.Float, must(t, []bool{true, false}, 2), []float64{1, 0}, ""},
		{onnxtest.Float, must(t, []int64{0, 1<<24 + 1}, 2), nil, "element 1"},
		{onnxtest.Float, must(t, []int64{0, math.MaxInt64}, 2), nil, "element 1"},
		{onnxtest.Half, must(t, []float64{0.5, 2}, 2), []float64{0.5, 2}, ""},
		{onnxtest.Half, must(t, []uint8{3, 4}, 2), []float64{3, 4}, ""},
		{onnxtest.Double, must(t, []float64{0.5, 2}, 2), []float64{0.5, 2}, ""},
		{onnxtest.Uint8, must(t, []uint8{3, 255}, 2), []float64{3, 255}, ""},
		{onnxtest.Uint8, must(t, []int64{3, 256}, 2), nil, "element 1 is 256, outside 0 to 255; want int64 (declared as uint8) [n]"},
		{onnxtest.Uint8, must(t, []float32{3, 4}, 2), nil, "float32; want int64 (declared as uint8)"},
		{onnxtest.Int64, must(t, []bool{true, false}, 2), []float64{1, 0}, ""},
		{onnxtest.Int64, must(t, []int32{-5, 9}, 2), []float64{-5, 9}, ""},
		{onnxtest.Int64, must(t, []uint64{1, 1 << 63}, 2), nil,
			"element 1 is 9223372036854775808, outside 0 to 9223372036854775807"},
		{onnxtest.Float, must(t, []uint64{1, 1 << 63}, 2), nil, "element 1 is 9223372036854775808"},
		{onnxtest.Int64, must(t, []float64{1, 2}, 2), nil, "float32; want int64 [n]"},
		{onnxtest.Bool, must(t, []bool{true, false}, 2), []float64{1, 0}, ""},
		{onnxtest.Bool, must(t, []uint8{1, 0}, 2), []float64{1, 0}, ""},
		{onnxtest.Bool, must(t, []int64{1, -1}, 2), nil, "element 1"},
	} {
		g := onnxtest.Message{}.Text(2, "cast").Bytes(1, onnxtest.Node("Cast", []string{"x"}, []string{"y"}, onnxtest.Int("to", onnxtest.Float))).
			Bytes(11, onnxtest.Port("x", c.declared, "n")).Bytes(12, onnxtest.Port("y", onnxtest.Float, "n"))
		m := openModel(t, onnxtest.Model(17, g), Options{})
		for range 2 { // the second run uses the same memory
			out, err := m.Run(context.Background(), map[string]*Tensor{"x": c.given})
			if c.err != "" {
				wantError(t, wanted(m.Inputs()[0]), err, `input "x"`, c.err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			near(t, wanted(m.Inputs()[0]), out["y"].F32, c.want, 0)
		}
	}
}
