// Benchmarks of the hot paths; figures are reported per item.

package stat

import (
	"context"
	"fmt"
	"testing"
)

func benchmarkSeries(n int) []float64 {
	r := NewRandom(NewKey(1, uint64(n)))
	values := make([]float64, n)
	for i := 1; i < n; i++ {
		values[i] = 0.9*values[i-1] + r.Normal()
	}
	return values
}

func BenchmarkFillNormal32(b *testing.B) {
	dst := make([]float32, 7056)
	key := NewKey(1, 2, 3)
	b.SetBytes(int64(4 * len(dst)))
	for b.Loop() {
		FillNormal32(dst, key, 0)
	}
	b.ReportMetric(float64(b.N)*float64(len(dst))/b.Elapsed().Seconds()/1e6, "Mnormals/s")
}

func BenchmarkPhilox(b *testing.B) {
	key := NewKey(1)
	var sum uint32
	i := uint64(0)
	for b.Loop() {
		sum += key.Uint32x4(i)[0]
		i++
	}
	_ = sum
}

func BenchmarkBootstrapMean(b *testing.B) {
	for _, length := range []int{1, 24} {
		b.Run(fmt.Sprintf("n=6000/B=2000/L=%d", length), func(b *testing.B) {
			values := benchmarkSeries(6000)
			blocks, err := NewBlocks(len(values), nil, BlockSpec{Kind: MovingBlocks, Length: length})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := BootstrapMean(context.Background(), blocks.Resamples(2000, 1), values, BootstrapOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBootstrapGeneral(b *testing.B) {
	values := benchmarkSeries(6000)
	blocks, err := NewBlocks(len(values), nil, BlockSpec{Kind: MovingBlocks, Length: 24})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("mean/n=6000/B=2000/L=24", func(b *testing.B) {
		for b.Loop() {
			_, err := generalBootstrap(context.Background(), blocks.Resamples(2000, 1), func(index []int) float64 {
				sum := 0.0
				for _, i := range index {
					sum += values[i]
				}
				return sum / float64(len(index))
			}, BootstrapOptions{})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTheilSen(b *testing.B) {
	for _, n := range []int{2000, 20000, 50000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x, y := benchmarkSeries(n), benchmarkSeries(n + 1)[1:]
			for b.Loop() {
				if _, err := TheilSen(x, y, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSpearman(b *testing.B) {
	b.Run("n=6000", func(b *testing.B) {
		x, y := benchmarkSeries(6000), benchmarkSeries(6001)[1:]
		for b.Loop() {
			if _, err := Spearman(x, y); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSignFlip(b *testing.B) {
	b.Run("blocks=250/draws=9999", func(b *testing.B) {
		values := benchmarkSeries(250)
		for b.Loop() {
			if _, err := signFlipTest(values, 0, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPower is what a comparison that decides nothing asks for.
func BenchmarkPower(b *testing.B) {
	for b.Loop() {
		if _, err := MinimumDetectableEffect(0.2, 19, PowerOptions{}); err != nil {
			b.Fatal(err)
		}
		if _, err := BlocksNeeded(0.2, 1, PowerOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
