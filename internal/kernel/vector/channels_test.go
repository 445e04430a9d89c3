// Rows of channels.

package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The assembly gives the twins' bits for any number of channels and writes nothing else.
func TestChannels(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for trial := range 300 {
			cols, rows := 1+r.IntN(70), 1+r.IntN(4)
			n := cols * rows
			src, factors := make([]float32, n), make([]float32, cols)
			wide, shifts := make([]float64, (cols+Lanes-1)/Lanes*Lanes), make([]float64, (cols+Lanes-1)/Lanes*Lanes)
			for i := range src {
				if src[i] = float32(r.NormFloat64()); r.IntN(20) == 0 {
					src[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), 0, float32(math.Copysign(0, -1))}[r.IntN(4)]
				}
			}
			for c := range factors {
				factors[c], wide[c], shifts[c] = float32(r.NormFloat64()), r.NormFloat64(), r.NormFloat64()*float64(trial%2)
			}
			got, want := make([]float32, n+20), make([]float32, n+20)
			check := func(what string) {
				t.Helper()
				for i := range want {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
						t.Fatalf("%s, %d columns: element %d is %g, generic %g", what, cols, i, got[i], want[i])
					}
				}
			}
			ScaleRows(got, src, factors, rows)
			scaleRowsGeneric(want, src, factors, rows)
			check("scale")
			for _, relu := range []bool{false, true} {
				ShiftRows(got, src, wide, shifts, cols, rows, relu)
				shiftRowsGeneric(want, src, wide, shifts, cols, rows, relu)
				check("shift")
			}
		}
	}
}
