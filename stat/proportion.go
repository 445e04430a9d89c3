// Proportions: intervals and the comparison of two on the same observations.

package stat

import "math"

// Wilson returns the score interval of Wilson (1927) for a share of hits among n independent
// observations: the shares p with |hits/n − p| ≤ z·√(p(1 − p)/n). It has a positive width even at 0
// and n hits. n may be an effective number of observations; for shares of dependent observations see
// [Jackknifed.AsShare]. level 0 means 0.95. Errors: n ≤ 0, hits outside [0, n], a level outside (0,
// 1).
func Wilson(hits, n, level float64) (Interval, error) {
	const quantity = "interval of a share"
	level, err := checkLevel(quantity, level)
	if err != nil {
		return noInterval(level, "%s", Reason(err)), err
	}
	if !(n > 0) || !isFinite(n) || !(hits >= 0 && hits <= n) {
		err := Undefined(quantity, "%v hits among %v observations, want 0 ≤ hits ≤ observations", hits, n)
		return noInterval(level, "%s", Reason(err)), err
	}
	z := NormalQuantile((1 + level) / 2)
	p, square := hits/n, z*z/n
	middle := (p + square/2) / (1 + square)
	half := math.Sqrt(p*(1-p)*square+square*square/4) / (1 + square)
	out := Interval{Low: max(middle-half, 0), High: min(middle+half, 1), Level: level}
	if hits == 0 {
		out.Low = 0
	}
	if hits == n {
		out.High = 1
	}
	return out, nil
}

// McNemar returns the exact two-sided p value of McNemar's (1947) test of two models on the same
// independent observations. Only observations that exactly one model got right are counted, onlyA and
// onlyB; under the null hypothesis each is A's with probability ½ (binomial test). If there are none,
// the p value is 1. Errors: negative counts.
func McNemar(onlyA, onlyB int) (float64, error) {
	if onlyA < 0 || onlyB < 0 {
		return math.NaN(), Undefined("McNemar's test", "%d and %d observations, want counts", onlyA, onlyB)
	}
	n, few := onlyA+onlyB, min(onlyA, onlyB)
	if onlyA == onlyB {
		return 1, nil
	}
	// P(X ≤ few) of n fair coins is I_½(n − few, few + 1).
	return min(1, 2*regularizedBeta(0.5, float64(n-few), float64(few+1))), nil
}
