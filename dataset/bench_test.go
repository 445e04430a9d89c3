// Benchmarks of reading states.

package dataset

import (
	"path/filepath"
	"testing"
)

// Reading states in batches of 64 from a mapped file of 2,000 frames 84 × 84.
func BenchmarkStatesFloat32(b *testing.B) {
	const n, side, batch = 2000, 84, 64
	path := filepath.Join(b.TempDir(), "frames.npy")
	if err := WriteNPY(path, []int{n, side, side}, make([]uint8, n*side*side)); err != nil {
		b.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	for name, o := range map[string]StateOptions{"rows": {}, "window=4": {Window: 4}} {
		b.Run(name, func(b *testing.B) {
			s := mustStates(b, a, o)
			dst := make([]float32, batch*s.Size())
			b.ReportAllocs()
			offset := 0
			for b.Loop() {
				if offset+batch > s.Len() {
					offset = 0
				}
				if err := s.Float32(dst, offset, offset+batch); err != nil {
					b.Fatal(err)
				}
				offset += batch
			}
			b.ReportMetric(float64(b.N)*batch/b.Elapsed().Seconds(), "states/s")
		})
	}
}
