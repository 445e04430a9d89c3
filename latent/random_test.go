// The baseline of random weights: shapes, seeds, errors.

package latent

import (
	"context"
	"slices"
	"testing"

	"repscope/stat"
)

func TestRandomEncoder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	encode := func(seed uint64, shape ...int) []float32 {
		t.Helper()
		e, err := RandomEncoder(shape, RandomOptions{Seed: seed, Dim: 16})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		src := ones(4, shape...)
		random := stat.NewRandom(stat.NewKey(9))
		for i := range src.values {
			src.values[i] = float32(random.Intn(256))
		}
		z, err := Latents(ctx, e, src, EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal([]int{z.N, z.Dim}, []int{4, 16}) {
			t.Fatalf("shape %v", []int{z.N, z.Dim})
		}
		return z.F32
	}
	a, b, c := encode(1, 64, 64), encode(1, 64, 64), encode(2, 64, 64)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the weights do not follow the seed")
	}
	encode(1, 4, 84, 84)
	encode(1, 3, 2, 20, 30)
	encode(1, 5, 9)
	e, err := RandomEncoder([]int{64, 64}, RandomOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if n := e.Info().Parameters; n != 960480 {
		t.Errorf("%d parameters, want those of the published encoder, 960480", n)
	}
	_, err = RandomEncoder([]int{24}, RandomOptions{})
	wantError(t, err, "random encoder", "[H W]")
}
