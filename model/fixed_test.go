// Inputs with fixed values: z = x + the sum of h over its first axis, for h of several shapes.

package model

import (
	"context"
	"slices"
	"strings"
	"testing"

	"repscope/model/internal/onnxtest"
)

// fixedFile is a graph of states x [batch, 2] and an input h of these axes; its sum over the first axis is added.
func fixedFile(kind int64, batch any, axes ...any) []byte {
	g := onnxtest.Message{}.Bytes(5, onnxtest.Ints("first", []int64{0}, 1)).
		Bytes(11, onnxtest.Port("x", onnxtest.Float, batch, 2)).Bytes(11, onnxtest.Port("h", kind, axes...)).
		Bytes(1, onnxtest.Node("Cast", []string{"h"}, []string{"f"}, onnxtest.Int("to", 1))).
		Bytes(1, onnxtest.Node("ReduceSum", []string{"f", "first"}, []string{"s"}, onnxtest.Int("keepdims", 0))).
		Bytes(1, onnxtest.Node("Add", []string{"x", "s"}, []string{"z"}))
	return onnxtest.Model(17, g.Bytes(12, onnxtest.Port("z", onnxtest.Float, batch, 2)))
}

func TestFix(t *testing.T) {
	t.Parallel()
	half := must(t, []float32{0.5, 1, 2, 4, 8, 16}, 3, 1, 2)
	for _, c := range []struct {
		what  string
		file  []byte
		value FixedInput
		want  []float32 // of x = 0, 1, 2, …
		err   string
	}{
		{"zeros", fixedFile(onnxtest.Float, "n", 3, "n", 2), FixedInput{}, []float32{0, 1, 2, 3}, ""},
		{"a number", fixedFile(onnxtest.Float, "n", 3, "n", 2), FixedInput{Number: 0.5}, []float32{1.5, 2.5, 3.5, 4.5}, ""},
		{"an array along the batch", fixedFile(onnxtest.Float, "n", 3, "n", 2), FixedInput{Array: half}, []float32{10.5, 22, 12.5, 24}, ""},
		{"axes of other names", fixedFile(onnxtest.Float, "n", 3, "m", 2), FixedInput{Number: 1}, []float32{3, 4, 5, 6}, ""},
		{"axes without a name", fixedFile(onnxtest.Float, "?", 3, "?", 2), FixedInput{Number: 1}, []float32{3, 4, 5, 6}, ""},
		{"two free axes", fixedFile(onnxtest.Float, "?", "?", "?", 2), FixedInput{Number: 1}, nil, "axis 0 is of any size: give an array"},
		{"an array of two free axes", fixedFile(onnxtest.Float, "?", "?", "?", 2), FixedInput{Array: half}, []float32{10.5, 22, 12.5, 24}, ""},
		{"a size of the file", fixedFile(onnxtest.Float, "n", 3, 1, 2), FixedInput{Number: 1}, []float32{3, 4, 5, 6}, ""},
		{"an input of integers", fixedFile(onnxtest.Int32, "n", 3, "n", 2), FixedInput{Number: 2}, []float32{6, 7, 8, 9}, ""},
		{"an input of truths", fixedFile(onnxtest.Bool, "n", 3, "n", 2), FixedInput{Number: 1}, []float32{3, 4, 5, 6}, ""},
		{"no whole number", fixedFile(onnxtest.Int32, "n", 3, "n", 2), FixedInput{Number: 0.5}, nil, "0.5 is no whole number"},
		{"a number that is too large", fixedFile(onnxtest.Uint8, "n", 3, "n", 2), FixedInput{Number: 256}, nil, "256, outside 0 to 255"},
		{"floats for integers", fixedFile(onnxtest.Int32, "n", 3, "n", 2), FixedInput{Array: half}, nil, "has type float32"},
		{"no shape", fixedFile(onnxtest.Float, "n"), FixedInput{Number: 1}, nil, "without a shape in the file: give an array"},
		{"an array for no shape", fixedFile(onnxtest.Float, "n"), FixedInput{Array: half}, []float32{10.5, 22, 12.5, 24}, ""},
		{"an array of another size", fixedFile(onnxtest.Float, "n", 4, "n", 2), FixedInput{Array: half}, nil, "an array of shape [3 1 2]; want float32 [4 n 2]"},
		{"an array with a batch", fixedFile(onnxtest.Float, "n", 1, 2, "n"), FixedInput{Array: must(t, make([]float32, 4), 1, 2, 2)}, nil,
			"axis 2 has the size of axis 0 of the states: want 1 element"},
		{"an absurd size", fixedFile(onnxtest.Float, "n", 1<<40, "n", 2), FixedInput{}, nil, "more than"},
	} {
		f, err := Read(writeFile(t, c.file), ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		c.value.Name = "h"
		var got []float32
		if err = f.Fix([]FixedInput{c.value}); err == nil {
			var m *Model
			if m, err = f.Model(Options{Batched: true}); err == nil {
				var out []*Tensor
				if out, err = m.RunInOrder(context.Background(), must(t, []float32{0, 1, 2, 3}, 2, 2)); err == nil {
					got = slices.Clone(out[0].F32)
				}
			}
		}
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)), c.err == "" && err != nil:
			t.Errorf("%s: error %v, want %q", c.what, err, c.err)
		case c.err == "" && !slices.Equal(got, c.want):
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
		_ = f.Close()
	}
}
