// Tests of arrays in PyTorch files as PyTorch itself writes them: tensors, their containers, and errors of others.

package dataset

import (
	"slices"
	"strings"
	"testing"

	"repscope/internal/dtype"
)

// The files are written by testdata/torch/generate.py, with the values in it.
func TestTorchFiles(t *testing.T) {
	t.Parallel()
	rows := func(n int, f func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	plain := rows(12, func(i int) float64 { return float64(i) })
	double := rows(12, func(i int) float64 { return 2 * float64(i) })
	for _, c := range []struct {
		spec  string
		dtype DType
		shape []int
		want  []float64
	}{
		{"tensor.pt", Float32, []int{4, 3}, plain},
		{"bfloat16.pt", BFloat16, []int{4, 3}, plain},
		{"float16.pt", Float16, []int{4, 3}, plain},
		{"dict.pt:z", Float32, []int{4, 3}, plain},
		{"dict.pt:labels", Int64, []int{4}, []float64{0, 1, 2, 3}},
		{"one.pt", Float32, []int{4, 3}, plain},
		{"eight.pt", dtype.E4M3FN, []int{4, 3}, plain},
		{"list.pt:1", Float32, []int{4, 3}, double},
		{"tuple.pt", Float32, []int{4, 3}, plain},
		{"integers.pt:10", Float32, []int{4, 3}, double},
		{"nested.pt", Float32, []int{4, 3}, plain},
		{"nested.pt:a.b.c", Float32, []int{4, 3}, plain},
		{"nested.pt:a.b.c.0", Float32, []int{4, 3}, plain},
		{"views.pt:transposed", Float32, []int{4, 3}, plain},
		{"views.pt:strided", Float32, []int{4, 3}, double},
		{"views.pt:offset", Float32, []int{4, 3}, plain},
		{"views.pt:expanded", Float32, []int{4, 3}, []float64{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}},
		{"views.pt:channels_last", Float32, []int{2, 2, 3, 1}, plain},
		{"rewards.pt", Float64, []int{3}, []float64{0.5, 1, -2}},
		{"rewards.pt:", Float64, []int{3}, []float64{0.5, 1, -2}},
	} {
		a, err := Open("testdata/torch/" + c.spec)
		if err != nil {
			t.Error(err)
			continue
		}
		got := make([]float64, len(c.want))
		if err := a.ReadFloat64(got, 0, a.Len()); err != nil || !slices.Equal(got, c.want) || !slices.Equal(a.Shape(), c.shape) || a.DType() != c.dtype {
			t.Errorf("%s: %v %v %v, %v; want %v %v %v", c.spec, a.DType(), a.Shape(), got, err, c.dtype, c.shape, c.want)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTorchRefused(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"dict.pt":         "contains 2 arrays; name one as testdata/torch/dict.pt:z (there are z, labels)",
		"list.pt":         "contains 2 arrays; name one as testdata/torch/list.pt:0 (there are 0, 1)",
		"integers.pt":     "name one as testdata/torch/integers.pt:0 (there are 0, 10)",
		"integers.pt:7":   `no key "7" (there are 0, 10)`,
		"nested.pt:a.x":   `no key "x" (there are b.c)`,
		"negated.pt":      "save x.resolve_neg().resolve_conj()",
		"complex.pt":      "save torch.view_as_real(x)",
		"sparse.pt":       "holds a sparse tensor, which is not supported; save x.to_dense()",
		"quantized.pt":    "holds a quantized tensor, which is not supported; save x.dequantize()",
		"meta.pt":         "holds a tensor on the meta device, which has no values",
		"mixed_list.pt":   "item 1 of the list is a str, want truth values or numbers",
		"tensor.pt:z":     "a tensor has no parts",
		"object.pt":       `refers to "__main__.Batch", which is not an allowed name (nothing was executed)`,
		"scalar_list.pt":  "the list mixes truth values and numbers",
		"empty_dict.pt":   "the file is a dict of nothing, want a tensor",
		"text_and_all.pt": "the file is a dict of text, number, want a tensor",
	} {
		_, err := Open("testdata/torch/" + spec)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "testdata/torch/") {
			t.Errorf("%s: %v; want it to contain %s", spec, err, want)
		}
	}
}
