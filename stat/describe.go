// Sums in a fixed order, moments, quantiles.

package stat

import (
	"math"
	"slices"

	"repscope/internal/quantile"
)

// Sum returns the sum of values by pairwise summation in a fixed order. The
// error bound grows with log n instead of n.
func Sum(values []float64) float64 {
	n := len(values)
	if n <= 64 {
		var a, b, c, d float64
		for len(values) >= 4 {
			a += values[0]
			b += values[1]
			c += values[2]
			d += values[3]
			values = values[4:]
		}
		for _, v := range values {
			a += v
		}
		return (a + b) + (c + d)
	}
	half := n / 2
	half -= half % 64
	if half == 0 {
		half = 64
	}
	return Sum(values[:half]) + Sum(values[half:])
}

// sumOf is Sum of term(lo), …, term(hi−1), with the same order.
func sumOf(lo, hi int, term func(i int) float64) float64 {
	n := hi - lo
	if n <= 64 {
		var a float64
		for i := lo; i < hi; i++ {
			a += term(i)
		}
		return a
	}
	half := n / 2
	half -= half % 64
	if half == 0 {
		half = 64
	}
	return sumOf(lo, lo+half, term) + sumOf(lo+half, hi, term)
}

// Mean returns the arithmetic mean; NaN for no values.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return Sum(values) / float64(len(values))
}

// MeanVariance returns the mean and the variance with denominator n−1, in two
// passes. The variance of fewer than two values is NaN.
func MeanVariance(values []float64) (mean, variance float64) {
	mean = Mean(values)
	n := len(values)
	if n < 2 {
		return mean, math.NaN()
	}
	squares := sumOf(0, n, func(i int) float64 {
		d := values[i] - mean
		return float64(d * d)
	})
	// The rounding error of the mean shows as a residual sum; remove its square.
	rest := sumOf(0, n, func(i int) float64 { return values[i] - mean })
	return mean, (squares - float64(rest*rest)/float64(n)) / float64(n-1)
}

// StandardDeviation returns the square root of the variance with denominator n−1.
func StandardDeviation(values []float64) float64 {
	_, v := MeanVariance(values)
	return math.Sqrt(max(v, 0))
}

// Summary describes one sample.
type Summary struct {
	N      int
	Mean   float64
	SD     float64 // denominator n−1; NaN for n = 1
	SE     float64 // SD/√n, of independent values; NaN for n = 1
	Min    float64
	Median float64
	Max    float64
	Reason string // why SD and SE are NaN
}

// Summarize returns the [Summary] of values, an error for none or for NaN or Inf.
func Summarize(values []float64) (Summary, error) {
	if len(values) == 0 {
		return Summary{}, Undefined("summary", "no values")
	}
	if err := checkFinite("summary", "values", values); err != nil {
		return Summary{}, err
	}
	sorted := slices.Sorted(slices.Values(values))
	s := Summary{N: len(values), Min: sorted[0], Max: sorted[len(sorted)-1], Median: QuantileSorted(sorted, 0.5)}
	mean, variance := MeanVariance(values)
	// Rounding must not move the mean out of the range of the data.
	s.Mean = min(max(mean, s.Min), s.Max)
	s.SD = math.Sqrt(max(variance, 0))
	if math.IsNaN(variance) {
		s.SD = math.NaN()
	}
	s.SE = s.SD / math.Sqrt(float64(s.N))
	if s.N == 1 {
		s.Reason = "one value has no standard deviation"
	}
	return s, nil
}

// Quantiles returns the quantiles of values at the probabilities q (each in
// [0, 1]) by NumPy's default rule: linear interpolation at rank (n−1)·q. The
// values need not be sorted and are not changed. No values, NaN, Inf and q
// outside [0, 1] are errors.
func Quantiles(values []float64, q ...float64) ([]float64, error) {
	if len(values) == 0 {
		return nil, Undefined("quantile", "no values")
	}
	if err := checkFinite("quantile", "values", values); err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(values))
	out := make([]float64, len(q))
	for i, p := range q {
		if !(p >= 0 && p <= 1) {
			return nil, Undefined("quantile", "probability %v, want a number in [0, 1]", p)
		}
		out[i] = QuantileSorted(sorted, p)
	}
	return out, nil
}

// QuantileSorted is [Quantiles] of one probability for values already in
// ascending order and free of NaN. It returns NaN for no values or q outside
// [0, 1].
func QuantileSorted(sorted []float64, q float64) float64 {
	return quantile.Sorted(sorted, q)
}

// Median returns the median of values (the mean of the two middle ones for an
// even number); NaN for no values.
func Median(values []float64) float64 {
	return QuantileSorted(slices.Sorted(slices.Values(values)), 0.5)
}
