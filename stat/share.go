// Intervals of shares: near 0 and 1 an estimate ± its error is wrong, and a share that
// is 0 in every block shows no error at all.

package stat

import "math"

// plentyHits is the number of hits, and of misses, from which the normal theory serves.
const plentyHits = 10

// AsShare replaces the interval of a share of n observations by the interval of Korn and Graubard
// (1998, "Confidence intervals for proportions with small expected number of positive counts estimated
// from survey data"): the Clopper–Pearson interval for the effective number of independent
// observations, n* = p(1 − p)/SE² but at most n, times (t_{n−1}/t_DF)² for the error of SE. A share of
// 0 has an upper end near 3.7/n*; without a standard error n* is n. If at least 10 of the effective
// observations are hits and 10 are not, the interval stays Estimate ± t·StdError, cut at 0 and 1. It
// returns v.
func (v *Jackknifed) AsShare(n int) *Jackknifed {
	p := v.Estimate
	if !v.Interval.Defined() || !(p >= 0 && p <= 1) || n < 2 {
		return v
	}
	level := v.Interval.Level
	ofAll, err := StudentTQuantile((1+level)/2, float64(n-1))
	if err != nil {
		return v
	}
	ofBlocks, err := StudentTQuantile((1+level)/2, v.DF)
	if err != nil {
		return v
	}
	size := float64(n)
	if v.StdError > 0 && p > 0 && p < 1 {
		size = min(size, p*(1-p)/float64(v.StdError*v.StdError))
	}
	size = max(size*float64(ofAll/ofBlocks)*float64(ofAll/ofBlocks), 1)
	hits := p * size
	if min(hits, size-hits) >= plentyHits {
		return v.Within(0, 1)
	}
	tail := (1 - level) / 2
	v.Interval.Low, v.Interval.High = 0, 1
	if hits > 0 {
		v.Interval.Low = betaQuantile(tail, hits, size-hits+1)
	}
	if hits < size {
		v.Interval.High = betaQuantile(1-tail, hits+1, size-hits)
	}
	return v
}

// betaQuantile is the x with I_x(a, b) = p, by bisection.
func betaQuantile(p, a, b float64) float64 {
	low, high := 0.0, 1.0
	for range 200 {
		middle := low/2 + high/2
		if middle <= low || middle >= high {
			break
		}
		if regularizedBeta(middle, a, b) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return low/2 + high/2
}

// regularizedBeta is the incomplete beta function I_x(a, b) for 0 < x < 1.
func regularizedBeta(x, a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + float64(a*math.Log(x)) + float64(b*math.Log1p(-x)))
	if x < (a+1)/(a+b+2) {
		return front * betaFraction(a, b, x) / a
	}
	return 1 - front*betaFraction(b, a, 1-x)/b
}
