// Speed of windows and spectra; benchmarks/peers/peer_fields.py is NumPy's and SciPy's.

package verification

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkFSS256x256x5windows(b *testing.B) {
	const n, members = 256, 20
	grid := Grid{Height: n, Width: n}
	r := rand.New(rand.NewPCG(1, 1))
	truth := random(r, n, n)
	ensemble := make([][]float64, members)
	for k := range ensemble {
		ensemble[k] = random(r, n, n)
	}
	event, counts := Event{Threshold: 1}, make([]int, n*n)
	for b.Loop() {
		event.CountMembers(counts, truth)
		observed := grid.Sums(counts, nil)
		event.CountMembers(counts, ensemble...)
		forecast := grid.Sums(counts, nil)
		for _, window := range []int{1, 3, 9, 27, 81} {
			grid.Fractions(forecast, observed, members, window, nil)
		}
	}
}

func BenchmarkPower256x256(b *testing.B) {
	const n = 256
	field := random(rand.New(rand.NewPCG(1, 1)), n, n)
	for _, kind := range []TransformKind{DCT, FFT} {
		b.Run(kind.String(), func(b *testing.B) {
			t := NewTransform(kind, n, n)
			power := make([]float64, len(t.Bands().Modes))
			for b.Loop() {
				AddPower(t, power, field)
			}
		})
	}
}
