// Row operations in float64: sums of distances and of exponentials, minima over rows.

package kernel

import "math"

// lanes are the eight running sums of a row: lane l takes the elements k with
// k mod 8 = l, in ascending order.
type lanes [8]float64

// total adds the lanes in a fixed order.
func (l *lanes) total() float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// AddDistances turns a row of products c[k] = x·y_k into distances
//
//	d_k = √((norm + norms[k]) − 2·c[k]),   norm = ‖x‖², norms[k] = ‖y_k‖²,
//
// adds d_k to sums[k], and returns Σ d_k. Where the square is less than
// share·(norm + norms[k]), cancellation has cost it its digits: these elements are left
// out, and the first entries of small are set to their ascending indices, count
// of them. All operations are rounded one by one; the sum is taken in eight
// interleaved running sums. It panics if norms, sums or small are shorter than c.
func AddDistances(c, norms, sums []float64, norm, share float64, small []int32) (sum float64, count int) {
	var l lanes
	n := len(c)
	count = active.Load().rows.addDistances(&l, c, norms[:n], sums[:n], small[:n], norm, share)
	return l.total(), count
}

func addDistancesGeneric(l *lanes, c, norms, sums []float64, small []int32, norm, share float64) int {
	return addDistancesFrom(0, 0, l, c, norms, sums, small, norm, share)
}

// addDistancesFrom does the elements from first on, a multiple of 8, after count
// small ones.
func addDistancesFrom(first, count int, l *lanes, c, norms, sums []float64, small []int32, norm, share float64) int {
	for k := first; k < len(c); k++ {
		both := norm + norms[k]
		square := both - float64(2*c[k])
		if square < float64(share*both) {
			small[count] = int32(k)
			count++
			continue
		}
		d := math.Sqrt(square)
		sums[k] += d
		l[k&7] += d
	}
	return count
}

// Lower compares offset − 2·c[k] with best[k]; where it is less, best[k] becomes
// that and at[k] becomes index. It panics if best or at are shorter than c.
func Lower(best []float64, at []int64, c []float64, offset float64, index int64) {
	n := len(c)
	active.Load().rows.lower(best[:n], at[:n], c, offset, index)
}

func lowerGeneric(best []float64, indices []int64, c []float64, offset float64, index int64) {
	for k, v := range c {
		if v = offset - float64(2*v); v < best[k] {
			best[k], indices[k] = v, index
		}
	}
}

// SumExp is Σ exp(a_k) with a_k = scale·x[k] + shift, rounded once and clamped to [−700, 0], where nothing over- or
// underflows. Each exponential is within 1.5 units in the last place. The sum is taken in eight interleaved running
// sums. x must be finite.
func SumExp(x []float64, scale, shift float64) float64 {
	var l lanes
	active.Load().rows.sumExp(&l, x, scale, shift)
	return l.total()
}

// Exp sets dst[k] to the exponential that [SumExp] adds for x[k]. All implementations return the same bits. It panics
// if dst is shorter than x.
func Exp(dst, x []float64, scale, shift float64) {
	active.Load().rows.exp(dst[:len(x)], x, scale, shift)
}

// Log sets dst[k] to math.Log(x[k]), to the bit. It panics if dst is shorter than x; they may be the same.
func Log(dst, x []float64) { active.Load().rows.log(dst[:len(x)], x) }

func logGeneric(dst, x []float64) {
	for k, v := range x {
		dst[k] = math.Log(v)
	}
}

const (
	expLowest = -700
	// Adding expRound rounds to an integer, which is then in the lowest bits.
	expRound = 0x1.8p52
	// ln 2 in two parts: products of the first with small integers are exact.
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// expDegree is the degree of the Taylor polynomial for |r| ≤ ln 2/2: the rest is below 2⁻⁵⁷ of the sum.
const expDegree = 13

// expTable holds the constants of sumExp, four times each for the assembly: lowest
// argument, 1/ln 2, expRound, −ln2High, −ln2Low, then the coefficients 1/13!, 1/12!, …, 1/0!.
var expTable = func() (table [5 + expDegree + 1][4]float64) {
	values := []float64{expLowest, math.Log2E, expRound, -ln2High, -ln2Low}
	for k := expDegree; k >= 0; k-- {
		factorial := 1.0
		for i := 2; i <= k; i++ {
			factorial *= float64(i)
		}
		values = append(values, 1/factorial)
	}
	for i, v := range values {
		table[i] = [4]float64{v, v, v, v}
	}
	return table
}()

func sumExpGeneric(l *lanes, x []float64, scale, shift float64) { sumExpFrom(0, l, x, scale, shift) }

// sumExpFrom does the elements from first on, a multiple of 8.
func sumExpFrom(first int, l *lanes, x []float64, scale, shift float64) {
	for k := first; k < len(x); k++ {
		l[k&7] += exponential(x[k], scale, shift)
	}
}

func expGeneric(dst, x []float64, scale, shift float64) {
	for k, v := range x {
		dst[k] = exponential(v, scale, shift)
	}
}

func exponential(v, scale, shift float64) float64 {
	a := max(expLowest, min(0, math.FMA(v, scale, shift)))
	integer := math.FMA(a, math.Log2E, expRound)
	n := integer - expRound
	r := math.FMA(n, -ln2High, a)
	r = math.FMA(n, -ln2Low, r)
	p := expTable[5][0]
	for q := 6; q < len(expTable); q++ {
		p = math.FMA(p, r, expTable[q][0])
	}
	return math.Float64frombits(math.Float64bits(p) + math.Float64bits(integer)<<52)
}
