// Tests of the transforms: against gonum's, and against the sum that they are.

package motion

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"testing"

	gonum "gonum.org/v1/gonum/dsp/fourier"
)

func TestFourier(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 1<<14; n *= 2 {
		f, peer := newFourier(n), gonum.NewCmplxFFT(n)
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(random.NormFloat64(), random.NormFloat64())
			if i > n/2 && n%3 == 0 {
				x[i] = 0
			}
		}
		want, got := peer.Coefficients(nil, x), append([]complex128(nil), x...)
		f.transform(got)
		for k := range got {
			same := sameBits(real(got[k]), real(want[k])) && sameBits(imag(got[k]), imag(want[k]))
			if runtime.GOARCH == "amd64" && !same || cmplx.Abs(got[k]-want[k]) > 1e-13*float64(n) {
				t.Fatalf("n = %d, coefficient %d: %v, want %v", n, k, got[k], want[k])
			}
		}
		if n > 1<<10 {
			continue
		}
		for k := range got {
			sum := 0i
			for s, v := range x {
				sum += v * cmplx.Rect(1, -2*math.Pi*float64(s*k%n)/float64(n))
			}
			if cmplx.Abs(sum-got[k]) > 1e-12*float64(n) {
				t.Fatalf("n = %d, coefficient %d: %v, want %v", n, k, got[k], sum)
			}
		}
	}
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func BenchmarkFourier(b *testing.B) {
	const n = 2048
	x := make([]complex128, n)
	b.Run("own", func(b *testing.B) {
		f := newFourier(n)
		for b.Loop() {
			f.transform(x)
		}
	})
	b.Run("gonum", func(b *testing.B) {
		f := gonum.NewCmplxFFT(n)
		for b.Loop() {
			f.Coefficients(x, x)
		}
	})
}
