// Tests of the scans against their portable twins.

package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestScans(t *testing.T) { withEach(t, testScans) }

// testScans compares the row scans with their portable twins.
func testScans(t *testing.T, impl *implementation) {
	r := rand.New(rand.NewPCG(8, 9))
	for n := range 70 {
		x, shift, whole := make([]float32, n), make([]float32, n), make([]int32, n)
		for i := range x {
			x[i], shift[i], whole[i] = float32(r.IntN(9)-4), r.Float32(), int32(r.IntN(9)-4)
			switch r.IntN(20) {
			case 0:
				x[i], whole[i] = float32(math.NaN()), math.MaxInt32
			case 1:
				x[i], whole[i] = float32(math.Inf(1)), math.MinInt32
			case 2:
				x[i] = float32(math.Copysign(0, -1))
			}
		}
		got, want := make([]float32, n), make([]float32, n)
		impl.rows.scaleShift(got, x, shift, 0.3)
		scaleShiftGeneric(want, x, shift, 0.3)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && got[i] == got[i] {
				t.Fatalf("scaleShift: element %d of %d is %v, want %v", i, n, got[i], want[i])
			}
		}
		narrow, wide, wideShift := make([]float32, n), make([]float64, n), make([]float64, n)
		for i := range wide {
			wide[i], wideShift[i] = float64(x[i])*math.Exp(20*r.NormFloat64()), r.NormFloat64()
		}
		impl.rows.narrowShifted(narrow, wide, wideShift, 0.3)
		for i := range narrow {
			if want := float32(float64(wide[i]*0.3) - wideShift[i]); math.Float32bits(narrow[i]) != math.Float32bits(want) && want == want {
				t.Fatalf("narrowShifted: element %d of %d is %v, want %v", i, n, narrow[i], want)
			}
		}
		impl.rows.finishDistances(got, shift, 0.7)
		finishDistancesGeneric(want, shift, 0.7)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && got[i] == got[i] {
				t.Fatalf("finishDistances: element %d of %d is %v, want %v", i, n, got[i], want[i])
			}
		}
		a, b := make([]int32, n), make([]int32, n)
		for _, limit := range []float32{-5, 0, 2, math.MaxFloat32} {
			limits := make([]float32, n)
			for i := range limits {
				limits[i] = float32(r.IntN(12) - 8)
			}
			p, q := impl.rows.nearDistances(a, x, shift, limits, 0.7, limit), nearDistancesGeneric(b, x, shift, limits, 0.7, limit)
			if !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("near %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
		var least, wanted [DistanceGroups]float32
		for g := range least {
			least[g] = float32(r.IntN(12) - 6)
		}
		wanted = least
		impl.rows.leastDistances(&least, x, shift, 0.7)
		for j := range x {
			if d := (0.7 + shift[j]) - 2*x[j]; d < wanted[j%DistanceGroups] {
				wanted[j%DistanceGroups] = d
			}
		}
		if least != wanted {
			t.Fatalf("least of %d: %v, want %v", n, least, wanted)
		}
		for _, limit := range []float32{-5, -1, 0, 2, float32(math.Inf(1))} {
			if p, q := impl.rows.atMost(a, x, limit), atMostGeneric(b, x, limit); !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("at most %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
		for _, limit := range []int32{math.MinInt32, -1, 0, 3, math.MaxInt32} {
			if p, q := impl.rows.below(a, whole, limit), belowGeneric(b, whole, limit); !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("below %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
	}
}

func TestCountAtMost(t *testing.T) { withEach(t, testCountAtMost) }

// testCountAtMost compares counts of tiles of all widths with counts of one column after another.
func testCountAtMost(t *testing.T, impl *implementation) {
	r := rand.New(rand.NewPCG(12, 13))
	for width := 1; width < 70; width++ {
		rows, stride, groups := 1+r.IntN(9), width+r.IntN(5), 1+r.IntN(3)
		tile, limits := make([]float32, (rows-1)*stride+width), make([]float32, 4*groups*width)
		for i := range tile {
			tile[i] = []float32{-1, 0, 1, 2, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[r.IntN(7)]
		}
		counts, want := make([]int32, len(limits)), make([]int32, len(limits))
		for i := range limits {
			limits[i], counts[i] = []float32{-1, 0, 1, float32(math.Inf(-1)), float32(math.Inf(1))}[r.IntN(5)], int32(i)
			want[i] = int32(i)
			for row := range rows {
				if tile[row*stride+i%width] <= limits[i] {
					want[i]++
				}
			}
		}
		if impl.rows.countAtMost(counts, tile, stride, rows, limits, width); !slices.Equal(counts, want) {
			t.Fatalf("width %d, %d rows: %v, want %v", width, rows, counts, want)
		}
	}
}

func TestSteps(t *testing.T) { withEach(t, testSteps) }

// testSteps compares the steps of all lengths with those in float64, which rounding moves by at most one, and bit for
// bit with the portable twin; they ascend with the elements.
func testSteps(t *testing.T, impl *implementation) {
	r := rand.New(rand.NewPCG(10, 11))
	for n := range 70 {
		x, whole := make([]float32, n), make([]int32, n)
		for i := range x {
			x[i], whole[i] = float32(3*r.NormFloat64()), int32(r.IntN(3000)-1000)
			switch r.IntN(20) {
			case 0:
				x[i], whole[i] = float32(math.Inf(1)), math.MaxInt32
			case 1:
				x[i], whole[i] = -math.MaxFloat32, 0
			case 2:
				x[i] = math.MaxFloat32
			}
		}
		slices.Sort(x)
		slices.Sort(whole)
		for _, c := range []struct {
			first, scale float32
			last         int
		}{{0, 17, 64}, {-1, 1e-3, 65535}, {2, 1e4, 4097}, {1, math.MaxFloat32, 100}, {-1e38, 1e-36, 200}} {
			got, want := make([]uint16, n), make([]uint16, n)
			impl.rows.stepsFloat32(got, x, c.first, c.scale, float32(c.last))
			stepsGeneric(want, x, c.first, c.scale, float32(c.last))
			checkSteps(t, got, want, c.last, func(i int) float64 { return (float64(x[i]) - float64(c.first)) * float64(c.scale) })
			first := int32(c.first)
			if first < 0 {
				first = 0 // differences fit into 32 bits
			}
			impl.rows.stepsInt32(got, whole, first, c.scale, float32(c.last))
			stepsGeneric(want, whole, first, c.scale, float32(c.last))
			checkSteps(t, got, want, c.last, func(i int) float64 { return (float64(whole[i]) - float64(first)) * float64(c.scale) })
		}
	}
}

func checkSteps(t *testing.T, got, want []uint16, last int, exact func(i int) float64) {
	t.Helper()
	if !slices.Equal(got, want) || !slices.IsSorted(got) {
		t.Fatalf("steps %v, want %v", got, want)
	}
	for i, step := range got {
		if v := max(0, min(1+exact(i), float64(last))); math.Abs(float64(step)+0.5-v) > 0.5+1e-6*v+1e-6 {
			t.Fatalf("step %d of %v", step, v)
		}
	}
}
