// Distributions over categories by their logits, for scores of predictions.

package vector

import "math"

// Categories is the number of logits that [Distribution] and [Standing] take together.
const Categories = 8

// Distribution returns the sums of eᵈ, of eᵈ·d and of e²ᵈ over d = x − top, in float64, each in eight interleaved
// partial sums. len(x) is a positive multiple of [Categories], padded with −Inf, and top the largest logit. Logits 708
// or more below it do not count. If a logit is NaN or +Inf, or all are −Inf, the sums are NaN.
func Distribution(x []float32, top float64) (sum, weighted, squares float64) {
	return distribution(x, top)
}

// Standing returns the largest logit, its first index, and the numbers of logits larger than of, and equal to it.
// len(x) is as for [Distribution]; with NaN the results are undefined.
func Standing(x []float32, of float32) (top float32, first, larger, equal int) {
	return standing(x, of)
}

const (
	log2e64 = 1.44269504088896341
	ln2Hi64 = 0x1.62e42feep-1
	ln2Lo64 = 0x1.a39ef35793c76p-33
	shift64 = 0x1.8p52 // adding and subtracting it rounds to an integer
	lowest  = -708
)

// powers are 1/k! from k = 13 down to 0.
var powers = func() (c [14]float64) {
	factorial := 1.0
	for k := range c {
		if k > 0 {
			factorial *= float64(k)
		}
		c[len(c)-1-k] = 1 / factorial
	}
	return c
}()

// exp64 is eᵈ for −708 ≤ d ≤ 0, within one unit in the last place.
func exp64(d float64) float64 {
	t := math.FMA(d, log2e64, shift64)
	k := t - shift64
	r := math.FMA(-k, ln2Hi64, d)
	r = math.FMA(-k, ln2Lo64, r)
	p := powers[0]
	for _, c := range powers[1:] {
		p = math.FMA(p, r, c)
	}
	return math.Float64frombits(math.Float64bits(p) + math.Float64bits(t)<<52)
}

func distributionGeneric(x []float32, top float64) (sum, weighted, squares float64) {
	var sums [3][Categories]float64
	for i, v := range x {
		d := float64(v) - top
		if d < lowest {
			continue
		}
		e, lane := exp64(d), i%Categories
		sums[0][lane] += e
		sums[1][lane] = math.FMA(e, d, sums[1][lane])
		sums[2][lane] = math.FMA(e, e, sums[2][lane])
	}
	return foldCategories(&sums[0]), foldCategories(&sums[1]), foldCategories(&sums[2])
}

func foldCategories(l *[Categories]float64) float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

func standingGeneric(x []float32, logit float32) (top float32, first, larger, equal int) {
	top = x[0]
	for i, v := range x {
		if v > top {
			top, first = v, i
		}
		switch {
		case v > logit:
			larger++
		case v == logit:
			equal++
		}
	}
	return top, first, larger, equal
}
