//go:build cuda

package neighbors

// The pass on a GPU beside the integer product that it needs at least.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"repscope/internal/device"
	"repscope/points"
)

// BenchmarkGPUPass measures trustworthiness and continuity of 64-d latents for k = 5, 10, 20
// from host memory to scores, and the products of all pairs of uint8 points
// alone (ms-products). REPSCOPE_BENCH_LARGE=1: n = 36,343, D = 16,384.
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
		b.StopTimer()
		products, err := gpuProducts(d, frames)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(products.Microseconds())/1e3, "ms-products")
	})
}

// gpuProducts is the time of the products of all pairs in blocks of rows.
func gpuProducts(d *device.Device, pts points.Points) (took time.Duration, err error) {
	g, err := openGPU(d.Contexts()[0])
	if err != nil {
		return 0, err
	}
	defer g.end(&err)
	err = g.context.Do(func() error {
		s := &gpuRows{gpu: g, metric: Euclidean, groups: 1, keys: &room{}}
		if s.points, err = g.upload(pts, Euclidean); err != nil {
			return err
		}
		s.queries = s.points
		rows := min(gpuMaxRows, (pts.N+1)/2) // less than all, so that nothing is mirrored
		for range 2 {                        // the first time loads the kernels
			if err := g.stream.Synchronize(); err != nil {
				return err
			}
			start := time.Now()
			for lo := 0; lo < pts.N; lo += rows {
				if err := s.load(lo, min(lo+rows, pts.N)); err != nil {
					return err
				}
			}
			if err := g.stream.Synchronize(); err != nil {
				return err
			}
			took = time.Since(start)
		}
		return nil
	})
	return took, err
}
