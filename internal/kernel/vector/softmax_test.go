// Rows of any length against loops in float64.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Softmax of rows of any length and its logarithm have the bits of their generic twins, are near a loop in float64, and
// write nothing else.
func TestSoftmaxRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	before := useAVX512
	defer func() { useAVX512 = before }()
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -200, 3e38}
	for _, wide := range []bool{false, before} {
		useAVX512 = wide
		for trial := range 300 {
			n, rows := 1+r.IntN([]int{8, 40, 200}[trial%3]), r.IntN(140)
			x := make([]float32, n*rows)
			for i := range x {
				x[i] = float32(r.NormFloat64() * []float64{0.1, 1, 20}[trial/3%3])
				if trial%4 == 3 && r.IntN(50) == 0 {
					x[i] = odd[r.IntN(len(odd))]
				}
			}
			for _, logarithm := range []bool{false, true} {
				got, want := make([]float32, len(x)+1), make([]float32, len(x))
				got[len(x)] = 7
				if logarithm {
					LogSoftmaxRows(got[:len(x)], x, n)
					tops, sums := make([]float32, rows), make([]float32, rows)
					exponentialSumsGeneric(tops, sums, x, n)
					logGeneric(sums, sums)
					lowerRowsGeneric(want, x, tops, sums, n)
				} else {
					SoftmaxRows(got[:len(x)], x, n)
					softmaxRowsGeneric(want, x, n, rows)
				}
				inPlace := slices.Clone(x)
				if logarithm {
					LogSoftmaxRows(inPlace, inPlace, n)
				} else {
					SoftmaxRows(inPlace, inPlace, n)
				}
				if got[len(x)] != 7 {
					t.Fatalf("%d rows of %d: written behind them", rows, n)
				}
				exact := softmaxInFloat64(x, n, logarithm)
				for i, v := range want {
					exact, bound := exact[i], 1e-6
					if logarithm {
						bound *= 1 + math.Abs(exact)
					}
					near := math.Abs(float64(v)-exact) <= bound || float64(v) == exact || math.IsNaN(exact) && v != v
					if !near || !sameFloat(got[i], v) || !sameFloat(inPlace[i], v) {
						t.Fatalf("%d rows of %d, logarithm %t: element %d is %g, in place %g, generic %g, in float64 %g", rows, n, logarithm, i, got[i], inPlace[i], v, exact)
					}
				}
			}
		}
	}
}

func sameFloat(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

func softmaxInFloat64(x []float32, n int, logarithm bool) []float64 {
	y := make([]float64, len(x))
	for i := 0; i < len(x); i += n {
		top, sum := float64(slices.Max(x[i:i+n])), 0.0
		for _, v := range x[i : i+n] {
			sum += math.Exp(float64(v) - top)
		}
		for k, v := range x[i : i+n] {
			if y[i+k] = float64(v) - top - math.Log(sum); !logarithm {
				y[i+k] = math.Exp(float64(v)-top) / sum
			}
		}
	}
	return y
}
