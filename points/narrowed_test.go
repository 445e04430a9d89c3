// Points as float32.

package points

import (
	"slices"
	"testing"
)

func TestNarrowed(t *testing.T) {
	t.Parallel()
	single := []float32{1, 2.5, -3, 1e-20}
	if p := Float32(single, 2).Narrowed(); &p.F32[0] != &single[0] {
		t.Error("points of float32 are copied")
	}
	for _, p := range []Points{Float64([]float64{1, 2.5, -3, 1e-20}, 2), Float64([]float64{1, 2.5, -3, 1e-20 * (1 + 1e-12)}, 2)} {
		if got := p.Narrowed(); got.N != 2 || got.Dim != 2 || got.F64 != nil || !slices.Equal(got.F32, single) {
			t.Errorf("%+v", got)
		}
	}
	if got := Uint8([]uint8{0, 255}, 1).Narrowed(); got.N != 2 || !slices.Equal(got.F32, []float32{0, 255}) {
		t.Errorf("bytes: %+v", got)
	}
	if got := Float32(nil, 3).Narrowed(); got.N != 0 {
		t.Errorf("no points: %+v", got)
	}
}
