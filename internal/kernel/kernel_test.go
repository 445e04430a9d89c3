// What the tests of the package share: every implementation in turn, comparison of bits, the numerical contract.

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// withEach runs f once per implementation that this machine has.
func withEach(t *testing.T, f func(t *testing.T, impl *implementation)) {
	t.Helper()
	before := active.Load()
	defer active.Store(before)
	for _, impl := range implementations() {
		active.Store(impl)
		t.Run(impl.name, func(t *testing.T) { f(t, impl) })
	}
}

func fill[T Float](r *rand.Rand, s []T) []T {
	for i := range s {
		s[i] = T(r.NormFloat64())
	}
	return s
}

// sameBits compares float32 or float64 slices bit by bit; all NaNs are equal.
func sameBits[T Float](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: length %d, want %d", what, len(got), len(want))
	}
	for i := range got {
		g, w := float64(got[i]), float64(want[i])
		if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("%s: element %d is %v (%#x), want %v (%#x)", what, i, g, math.Float64bits(g), w, math.Float64bits(w))
		}
	}
}

// contract is the numerical contract of the package comment, literally.
func contract[T Float](m, n, k int, a, b func(i, k int) T, c []T, stride int, accumulate bool) {
	for i := range m {
		for j := range n {
			sum := c[i*stride+j]
			if k == 0 && !accumulate {
				sum = 0
			}
			for k0 := 0; k0 < k; k0 += KC {
				var s T
				for d := k0; d < min(k, k0+KC); d++ {
					switch x := any(&s).(type) {
					case *float32:
						*x = bigFMA32(float32(a(i, d)), float32(b(j, d)), *x)
					case *float64:
						*x = math.FMA(float64(a(i, d)), float64(b(j, d)), *x)
					}
				}
				if k0 == 0 && !accumulate {
					sum = s
				} else {
					sum += s
				}
			}
			c[i*stride+j] = sum
		}
	}
}

type shape struct{ m, n, k int }

var shapes = []shape{
	{1, 1, 1}, {1, 1, 0}, {1, 33, 5}, {5, 1, 300}, {3, 7, 255}, {4, 4, 256}, {7, 9, 257}, {6, 16, 8}, {12, 32, 512},
	{13, 33, 513}, {25, 65, 40}, {11, 31, 100}, {8, 16, 3}, {9, 17, 1}, {97, 101, 300}, {200, 50, 64}, {50, 230, 520},
}

// alwaysThreads lets small products use all the threads they ask for.
func alwaysThreads(t *testing.T) {
	before := minWork
	minWork = 1
	t.Cleanup(func() { minWork = before })
}
