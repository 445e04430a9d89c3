// Tensors in and out, and a foreign encoder of tensors.

package dense_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"repscope/latent"
	"repscope/latent/dense"
)

// halves is an encoder of tensors that keeps the first half of each state.
type halves struct{}

func (halves) Info() latent.Info { return latent.Info{Name: "halves"} }
func (halves) Close() error      { return nil }
func (halves) Encode(_ context.Context, batch *tensor.Dense) (*tensor.Dense, error) {
	width := batch.Shape()[1]
	view, err := batch.Slice(nil, tensor.S(0, width/2))
	if err != nil {
		return nil, err
	}
	return view.Materialize().(*tensor.Dense), nil
}

// counted is the states [0 1 2 3], [4 5 6 7], …
type counted struct{ n int }

func (c counted) Len() int                     { return c.n }
func (c counted) Shape() []int                 { return []int{4} }
func (c counted) Fingerprint() (string, error) { return "counted", nil }
func (c counted) Float32(dst []float32, lo, hi int) error {
	for i := range dst[:(hi-lo)*4] {
		dst[i] = float32(lo*4 + i)
	}
	return nil
}

func TestForeignEncoder(t *testing.T) {
	t.Parallel()
	for _, batch := range []int{1, 3, 8} {
		z, err := dense.Encode(context.Background(), dense.Wrap(halves{}), counted{5}, latent.EncodeOptions{Batch: batch})
		if err != nil {
			t.Fatal(err)
		}
		if want := []float32{0, 1, 4, 5, 8, 9, 12, 13, 16, 17}; !slices.Equal(z.Data().([]float32), want) || !z.Shape().Eq(tensor.Shape{5, 2}) {
			t.Errorf("batches of %d: %v of shape %v, want %v", batch, z.Data(), z.Shape(), want)
		}
	}
}

func TestArray(t *testing.T) {
	t.Parallel()
	whole := dense.New(latent.Array{Shape: []int{2, 3}, Values: []float32{1, 2, 3, 4, 5, 6}})
	a, err := dense.Array(whole)
	if err != nil || !slices.Equal(a.Shape, []int{2, 3}) || !slices.Equal(a.Values, []float32{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v, %v", a, err)
	}
	column, err := whole.Slice(nil, tensor.S(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]*tensor.Dense{
		"there is no tensor":                        nil,
		"of type float64, want float32":             tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{1, 2})),
		"is a view, want contiguous values":         column.(*tensor.Dense),
		"is a view, want contiguous values, row-ma": tensor.New(tensor.WithShape(2, 2), tensor.AsFortran([]float32{1, 2, 3, 4})),
	} {
		if _, err := dense.Array(bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

func ExampleEncode() {
	var states latent.Source = counted{3}
	z, err := dense.Encode(context.Background(), dense.Wrap(halves{}), states, latent.EncodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(z.Shape())
	// Output: (3, 2)
}
