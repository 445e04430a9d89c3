// Windows over images with channels last.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The assembly gives the twins' bits for any number of channels and writes nothing else.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for range 300 {
			channels, pixels, positions := 1+r.IntN(70), 1+r.IntN(4), r.IntN(10)
			step := r.IntN(3) * channels
			offsets, offset := make([]int, positions), 0
			for p := range offsets {
				offset += r.IntN(2 * channels)
				offsets[p] = offset
			}
			// No element behind the last one that is read.
			src := make([]float32, (pixels-1)*step+offset+channels)
			for i := range src {
				switch src[i] = float32(r.NormFloat64()); r.IntN(20) {
				case 0:
					src[i] = float32(math.NaN())
				case 1:
					src[i] = float32(math.Inf(r.IntN(2)*2 - 1))
				case 2:
					src[i] = float32(math.Copysign(0, r.NormFloat64()))
				}
			}
			n := pixels * channels
			got, want := make([]float32, n+20), make([]float32, n+20)
			check := func(what string) {
				t.Helper()
				for i := range want {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
						t.Fatalf("%s, %d channels, %d positions: element %d is %g, generic %g", what, channels, positions, i, got[i], want[i])
					}
				}
			}
			MaxWindows(got, src, offsets, channels, step, pixels)
			maxWindowsGeneric(want, src, offsets, channels, step, pixels)
			check("max")
			if positions > 0 {
				bytes, gotBytes, wantBytes := make([]uint8, len(src)), make([]uint8, n+20), make([]uint8, n+20)
				for i := range bytes {
					bytes[i] = uint8(r.Uint32())
				}
				MaxWindowsBytes(gotBytes, bytes, offsets, channels, step, pixels)
				maxWindowsBytesGeneric(wantBytes, bytes, offsets, channels, step, pixels)
				if !slices.Equal(gotBytes, wantBytes) {
					t.Fatalf("bytes, %d channels, %d positions: %d, generic %d", channels, positions, gotBytes, wantBytes)
				}
			}
			MeanWindows(got, src, offsets, channels, step, pixels, 7)
			meanWindowsGeneric(want, src, offsets, channels, step, pixels, 7)
			check("mean")
		}
	}
}
