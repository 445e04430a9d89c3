// The work on one approximate row.

package rows

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// BenchmarkScan is the work on one row without its distances: selecting 20 and
// ranking 20, with thresholds all over the row.
func BenchmarkScan(b *testing.B) {
	const n, k = 10000, 20
	r := random(5)
	row := make([]float32, n)
	for i := range row {
		row[i] = float32(math.Abs(r.NormFloat64()))
	}
	list := make([]int32, k)
	for i := range list {
		list[i] = int32(r.IntN(n))
	}
	group := make([]int32, n)
	for i := range group {
		group[i] = int32(i * 50 / n)
	}
	pts := gaussian32(r, n, 16)
	for _, groups := range []int{0, 50} {
		s, err := Open(context.Background(), pts, pts, true, false, &Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		space := s.(*bounded[float32])
		if groups > 0 {
			space.group, space.groups = group, groups
		}
		if err := space.Load(context.Background(), 0, 1); err != nil {
			b.Fatal(err)
		}
		copy(space.rows, row)
		w := space.Worker()
		rank, closer := make([]int32, k), make([]int32, k*groups)
		b.Run(fmt.Sprintf("nearest/n=%d/k=%d", n, k), func(b *testing.B) {
			for b.Loop() {
				w.Nearest(0, k, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
		})
		b.Run(fmt.Sprintf("ranks/n=%d/k=%d/blocks=%d", n, k, groups), func(b *testing.B) {
			for b.Loop() {
				w.Ranks(0, list, k, rank, closer)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
		})
	}
}
