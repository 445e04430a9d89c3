//go:build cuda

// The integer products that a pass on a GPU needs at least.

package gpu

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"repscope/internal/device"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// BenchmarkGPUProducts measures the products of all pairs of uint8 points in blocks of rows
// (ms-products). REPSCOPE_BENCH_LARGE=1: n = 36,343, D = 16,384.
func BenchmarkGPUProducts(b *testing.B) {
	n, dim := 512, 256
	if os.Getenv("REPSCOPE_BENCH_LARGE") != "" {
		n, dim = 36343, 16384
	}
	d, _, err := device.Open("cuda")
	if err != nil {
		b.Skip(err)
	}
	if d == nil {
		b.Skip("no GPU")
	}
	defer d.Close()
	frames := points.Points{N: n, Dim: dim, U8: make([]uint8, n*dim)}
	rand.NewChaCha8([32]byte{1}).Read(frames.U8)
	b.Run(fmt.Sprintf("n=%d/D=%d", n, dim), func(b *testing.B) {
		var took time.Duration
		for b.Loop() {
			if took, err = products(d, frames); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(took.Microseconds())/1e3, "ms-products")
	})
}

// products is the time of the products of all pairs in blocks of rows.
func products(d *device.Device, pts points.Points) (took time.Duration, err error) {
	g, err := openSession(d.Contexts()[0])
	if err != nil {
		return 0, err
	}
	defer g.end(&err)
	err = g.context.Do(func() error {
		s := &deviceRows{session: g, metric: rows.Euclidean, groups: 1, keys: &growingMemory{}}
		if s.points, err = g.upload(pts, rows.Euclidean); err != nil {
			return err
		}
		s.queries = s.points
		height := min(maxRows, (pts.N+1)/2) // less than all, so that nothing is mirrored
		for range 2 {                       // the first time loads the kernels
			if err := g.stream.Synchronize(); err != nil {
				return err
			}
			start := time.Now()
			for lo := 0; lo < pts.N; lo += height {
				if err := s.load(lo, min(lo+height, pts.N)); err != nil {
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
