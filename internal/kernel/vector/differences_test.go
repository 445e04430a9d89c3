// Differences, sorted columns and distances against their generic twins.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDifferenceTwins: the assembly gives the bits of the generic code, for NaN and infinities too.
func TestDifferenceTwins(t *testing.T) {
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		r := rand.New(rand.NewPCG(8, 1))
		for trial := range 60 {
			differenceTwins(t, r, trial, randomElements[float32])
			differenceTwins(t, r, trial, randomElements[float64])
			n, stride := 8*r.IntN(40), 8*40
			x, y := randomElements[float64](r, 4*stride, trial), randomElements[float64](r, 4*stride, trial+1)
			var got, want [16]float64
			for i := range got {
				got[i] = float64(i)
				want[i] = float64(i)
			}
			TileDistances(&got, x, y, n, stride)
			tileDistancesGeneric(&want, x, y, n, stride)
			sameNumbers(t, "tile", got[:], want[:])
		}
	}
}

func randomElements[T Float](r *rand.Rand, n, trial int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64() * []float64{1, 255, 1e-9}[trial%3])
	}
	if trial%5 == 4 {
		x[r.IntN(n)] = T([]float64{math.NaN(), math.Inf(1), math.Copysign(0, -1)}[trial%3])
	}
	return x
}

func sameNumbers[T Float](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if math.Float64bits(float64(got[i])) != math.Float64bits(float64(want[i])) && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: element %d is %g, generic %g", what, i, got[i], want[i])
		}
	}
}

func differenceTwins[T Float](t *testing.T, r *rand.Rand, trial int, random func(*rand.Rand, int, int) []T) {
	t.Helper()
	n, rows := 1+r.IntN(150), 1+r.IntN(9)
	strideA, strideB := 160+r.IntN(20), []int{0, 170}[r.IntN(2)]
	a, b := random(r, rows*180+20, trial), random(r, rows*180+20, trial+1)
	got, want := make([]float64, n, n+Lanes), make([]float64, n)
	RootSums(got, a, b, rows, strideA, strideB)
	rootSumsGeneric(want, a, b, rows, strideA, strideB)
	sameNumbers(t, "roots", got, want)
	AbsoluteSums(got, a, b, rows, strideA, strideB)
	absoluteSumsGeneric(want, a, b, rows, strideA, strideB)
	sameNumbers(t, "absolute", got, want)

	m := min(len(a), len(b), n)
	other := slices.Clone(got)
	AddSquares(got[:m], a[:m], b[:m])
	addSquaresGeneric(other[:m], a[:m], b[:m])
	sameNumbers(t, "squares", got, other)
	AddRoots(got, slices.Clone(want), want)
	addRootsGeneric(other, slices.Clone(want), want)
	sameNumbers(t, "roots of sums", got, other)

	x := random(r, rows*Columns, trial)
	y := slices.Clone(x)
	pairs := make([]int32, 2*r.IntN(20))
	for i := range pairs {
		pairs[i] = int32(r.IntN(rows))
	}
	SortColumns(x, pairs)
	sortColumnsGeneric(y, pairs)
	sameNumbers(t, "sorted", x, y)
	weights := make([]float64, rows)
	for i := range weights {
		weights[i] = float64(i) - 2
	}
	var block, twin [Columns]float64
	WeightedColumns(block[:], x, b, weights)
	weightedColumnsGeneric(twin[:], x, b, weights)
	sameNumbers(t, "weighted", block[:], twin[:])
}
