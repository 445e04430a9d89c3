// The baseline of principal components: against the definition, and errors.

package latent

import (
	"context"
	"math"
	"slices"
	"testing"

	"repscope/stat"
)

func TestPCAEncoder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	// States on three known orthogonal directions of unequal variance.
	random := stat.NewRandom(stat.NewKey(3))
	for _, c := range []struct{ n, width int }{{40, 6 * 7}, {500, 6 * 7}, {700, 30 * 30}} {
		src := &memorySource{shape: []int{c.n, c.width}, values: make([]float32, c.n*c.width)}
		scale := []float64{9, 4, 1}
		for i := range c.n {
			for k, s := range scale {
				amount := s * random.Normal()
				for j := range c.width / 3 {
					src.values[i*c.width+k*(c.width/3)+j] = float32(100 + amount)
				}
			}
		}
		e, err := PCAEncoder(ctx, src, PCAOptions{Dim: 8})
		if err != nil {
			t.Fatal(err)
		}
		z, err := Latents(ctx, e, src, EncodeOptions{})
		e.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal([]int{z.N, z.Dim}, []int{c.n, 3}) || len(e.Info().Warnings) != 1 {
			t.Fatalf("%d×%d: latents of shape %v, warnings %q, want three dimensions and a warning", c.n, c.width, []int{z.N, z.Dim}, e.Info().Warnings)
		}
		// An isometry on the span: distances are kept.
		v := z.F32
		for i := 1; i < c.n; i++ {
			var dx, dz float64
			for j := range c.width {
				d := float64(src.values[i*c.width+j] - src.values[j])
				dx += d * d
			}
			for j := range 3 {
				d := float64(v[i*3+j] - v[j])
				dz += d * d
			}
			if math.Abs(dx-dz) > 1e-4*dx {
				t.Fatalf("%d×%d: squared distance %g became %g", c.n, c.width, dx, dz)
			}
		}
	}
	constant := ones(5, 6)
	_, err := PCAEncoder(ctx, constant, PCAOptions{})
	wantError(t, err, "PCA encoder", "do not differ")
	constant.values[8] = float32(math.Inf(1))
	_, err = PCAEncoder(ctx, constant, PCAOptions{})
	wantError(t, err, "state 1", "element 2", "Inf")
	_, err = PCAEncoder(ctx, ones(1, 6), PCAOptions{})
	wantError(t, err, "at least 2")
}
