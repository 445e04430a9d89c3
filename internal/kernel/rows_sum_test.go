// Tests of the float64 row operations: distances added, minima, sums of exponentials.

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAddDistances(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(21, 22))
		const share = 1e-4
		for _, n := range []int{0, 1, 7, 8, 9, 16, 23, 192, 1001} {
			const norm = 2.5
			c, norms, sums := make([]float64, n), make([]float64, n), make([]float64, n)
			for k := range c {
				norms[k], sums[k] = r.Float64(), r.NormFloat64()
				c[k] = norm * norms[k] * r.Float64()
				switch r.IntN(10) {
				case 0: // equal points, and rounding below zero
					norms[k], c[k] = norm, norm+0x1p-40
				case 1: // cancellation
					norms[k], c[k] = norm, norm*(1-share/2)
				}
			}
			// Lane by lane from the definition.
			want, lane := slices.Clone(sums), make([]float64, 8)
			var small []int32
			for k := range c {
				square := (norm + norms[k]) - 2*c[k]
				if square < share*(norm+norms[k]) {
					small = append(small, int32(k))
					continue
				}
				want[k] += math.Sqrt(square)
				lane[k%8] += math.Sqrt(square)
			}
			total := ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
			list := make([]int32, n)
			got, count := AddDistances(c, norms, sums, norm, share, list)
			sameBits(t, fmt.Sprintf("sums of %d", n), sums, want)
			sameBits(t, fmt.Sprintf("sum of %d", n), []float64{got}, []float64{total})
			if !slices.Equal(list[:count], small) {
				t.Errorf("%d: small elements %v, want %v", n, list[:count], small)
			}
		}
	})
}

func TestLower(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(25, 26))
		for _, n := range []int{0, 1, 3, 4, 5, 8, 103} {
			best, indices := slices.Repeat([]float64{math.Inf(1)}, n), make([]int64, n)
			rows, offsets := make([][]float64, 7), make([]float64, 7)
			for row := range rows {
				offsets[row] = float64(r.IntN(5))
				for range n {
					rows[row] = append(rows[row], float64(r.IntN(5))/2) // with ties
				}
				Lower(best, indices, rows[row], offsets[row], int64(row))
			}
			for k := range n {
				want := 0
				for row := range rows {
					if offsets[row]-2*rows[row][k] < offsets[want]-2*rows[want][k] {
						want = row
					}
				}
				if indices[k] != int64(want) || best[k] != offsets[want]-2*rows[want][k] {
					t.Fatalf("element %d of %d: %v of row %d, want row %d", k, n, best[k], indices[k], want)
				}
			}
		}
	})
}

func TestSumExp(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(23, 24))
		// One at a time: the accuracy.
		worst := 0.0
		for _, a := range []float64{0, -0x1p-1074, -1e-9, -math.Ln2 / 2, -math.Ln2, -1, -8, -700} {
			worst = max(worst, expError(a))
		}
		for range 100000 {
			worst = max(worst, expError(-700*math.Pow(r.Float64(), 4)))
		}
		if worst > 1.5 {
			t.Errorf("an exponential is %v units in the last place off", worst)
		}
		if got := SumExp([]float64{1, 2}, 1, 3); got != 2 {
			t.Errorf("positive arguments give %v, want 1 each", got)
		}
		if got := SumExp([]float64{-1e9}, 1, 0); got != SumExp([]float64{-700}, 1, 0) || !(got > 0) {
			t.Errorf("very negative arguments give %v", got)
		}
		// Rows: the bits of the portable twin.
		for _, n := range []int{0, 1, 7, 8, 9, 16, 23, 192, 1001} {
			x := make([]float64, n)
			for k := range x {
				x[k] = 2*r.Float64() - 1
			}
			for _, scale := range []float64{4, 400} { // 400 goes below −700
				var l lanes
				sumExpGeneric(&l, x, scale, -scale)
				sameBits(t, fmt.Sprintf("sum of %d", n), []float64{SumExp(x, scale, -scale)}, []float64{l.total()})
				got, want := make([]float64, n+1), make([]float64, n+1)
				got[n], want[n] = 7, 7
				Exp(got, x, scale, -scale)
				for k := range x {
					want[k] = SumExp(x[k:k+1], scale, -scale)
				}
				sameBits(t, fmt.Sprintf("each of %d", n), got, want)
			}
		}
	})
}

// expError is the distance of SumExp(a) from math.Exp(a) in units of the last place.
func expError(a float64) float64 {
	want := math.Exp(a)
	return math.Abs(SumExp([]float64{a}, 1, 0)-want) / (math.Nextafter(want, 2) - want)
}

func TestLog(t *testing.T) { withEach(t, testLog) }

// testLog compares logarithms with package math.
func testLog(t *testing.T, impl *implementation) {
	r := rand.New(rand.NewPCG(21, 22))
	special := []float64{0, math.Copysign(0, -1), -1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 0x1p-1022, math.Nextafter(0x1p-1022, 0),
		math.MaxFloat64, 1, math.Nextafter(1, 0), math.Nextafter(1, 2), 0.5, 2, math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 1), math.E}
	for n := range 400 {
		x := make([]float64, n)
		for i := range x {
			switch r.IntN(3) {
			case 0:
				x[i] = 1 + r.Float64()
			case 1:
				x[i] = math.Exp(100 * r.NormFloat64())
			default:
				x[i] = math.Float64frombits(r.Uint64() & (1<<63 - 1))
			}
			if r.IntN(40) == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
		if n == len(special) {
			copy(x, special)
		}
		got := make([]float64, n)
		impl.rows.log(got, x)
		for i, v := range x {
			if want := math.Log(v); math.Float64bits(got[i]) != math.Float64bits(want) {
				t.Fatalf("log %x of %d is %x, want %x", v, n, got[i], want)
			}
		}
		impl.rows.log(x, x)
		for i, v := range x {
			if math.Float64bits(got[i]) != math.Float64bits(v) {
				t.Fatalf("in place: %x, want %x", v, got[i])
			}
		}
	}
}

func BenchmarkLog(b *testing.B) {
	x := make([]float64, 1024)
	for i := range x {
		x[i] = 1 + float64(i)/100
	}
	dst := make([]float64, len(x))
	for b.Loop() {
		Log(dst, x)
	}
}
