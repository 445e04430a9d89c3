// Benchmarks of converting elements.

package dtype

import "testing"

func BenchmarkFloat32s(b *testing.B) {
	const n = 1 << 16
	for _, t := range []DType{Uint8, Float16, BFloat16, Float32, Float64} {
		b.Run(t.String(), func(b *testing.B) {
			src, dst := make([]byte, n*t.Size()), make([]float32, n)
			for i := range src {
				src[i] = byte(i * 7)
			}
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if err := Float32s(dst, src, t, LittleEndian); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mvalues/s")
		})
	}
}
