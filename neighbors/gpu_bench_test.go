//go:build cuda

// The pass on a GPU; package gpu measures the integer product that it needs at least.

package neighbors

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"repscope/internal/device"
	"repscope/points"
)

// BenchmarkGPUPass measures trustworthiness and continuity of 64-d latents for k = 5, 10, 20
// from host memory to scores. REPSCOPE_BENCH_LARGE=1: n = 36,343, D = 16,384.
func BenchmarkGPUPass(b *testing.B) {
	n, dim := 512, 256
	if os.Getenv("REPSCOPE_BENCH_LARGE") != "" {
		n, dim = 36343, 16384
	}
	d, _, err := device.Open("cuda")
	if err != nil {
		b.Skip(err)
	}
	defer d.Close()
	r := rand.NewChaCha8([32]byte{1})
	frames := points.Points{N: n, Dim: dim, U8: make([]uint8, n*dim)}
	r.Read(frames.U8)
	latents := points.Points{N: n, Dim: 64, F32: make([]float32, n*64)}
	for i := range latents.F32 {
		latents.F32[i] = float32(r.Uint64()>>40) / (1 << 24)
	}
	b.Run(fmt.Sprintf("n=%d/D=%d", n, dim), func(b *testing.B) {
		for b.Loop() {
			if _, err := Compare(b.Context(), frames, []points.Points{latents}, Options{CoRanking: CoRankingOff, Device: d}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
