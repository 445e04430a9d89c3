// Gride: the dimension from the ratios of two neighbor distances of any order.

package dimension

import (
	"fmt"
	"math"
)

// Gride returns the generalized ratios estimate of Denti, Doimo, Laio & Mira
// 2022 ("The generalized ratios intrinsic dimension estimator") from ratios
// μ = r_{n2}/r_{n1}, 1 ≤ n1 < n2: the d that maximises
//
//	N ln d + (n2−n1−1) Σ ln(μ^d − 1) − ((n2−1)d + 1) Σ ln μ.
//
// For n1 = 1, n2 = 2 it is the maximum likelihood Two-NN. The score is
// decreasing in d, so its root is unique. Errors are those of NewTwoNN.
func Gride(ratio []float64, n1, n2 int) (float64, error) {
	if n1 < 1 || n2 <= n1 {
		return 0, fmt.Errorf("gride: orders n1 = %d, n2 = %d, want 1 ≤ n1 < n2", n1, n2)
	}
	total, err := sumLog(ratio)
	if err != nil {
		return 0, err
	}
	s := grideScore{n: float64(len(ratio)), n2: float64(n2), gap: float64(n2 - n1 - 1), total: total, logs: make([]float64, len(ratio))}
	for i, mu := range ratio {
		s.logs[i] = math.Log(mu)
	}
	low, high := 1e-6, 1.0
	for f, _ := s.at(high); f > 0; f, _ = s.at(high) {
		low, high = high, 2*high
		if high > 1e12 {
			return 0, fmt.Errorf("gride: no finite dimension explains the ratios (n1 = %d, n2 = %d)", n1, n2)
		}
	}
	return s.root(low, high), nil
}

// root is the zero of the score, from a dimension where it is positive. The score is
// convex and decreasing, so Newton's steps come from the left and do not overshoot.
func (g grideScore) root(d, high float64) float64 {
	for {
		f, slope := g.at(d)
		next := min(d-f/slope, high)
		if !(next > d*(1+1e-15)) {
			return d
		}
		d = next
	}
}

// grideScore is the derivative of the likelihood of Gride.
type grideScore struct {
	n, n2, gap float64   // ratios, the larger order, n2 − n1 − 1
	total      float64   // Σ ln μ
	logs       []float64 // ln μ
}

// at is the score at dimension d, and its slope.
func (g grideScore) at(d float64) (score, slope float64) {
	score, slope = g.n/d-(g.n2-1)*g.total, -g.n/(d*d)
	if g.gap == 0 {
		return score, slope
	}
	inner, steep := 0.0, 0.0
	for _, l := range g.logs {
		// μ^d ln μ/(μ^d − 1) = ln μ/(1 − e^{−d ln μ}), which tends to 1/d
		// where neighbors tie (ln μ → 0).
		if x := d * l; x < 1e-12 {
			inner += 1 / d
			steep += 1 / (d * d)
		} else {
			q := math.Expm1(-x)
			inner -= l / q
			steep += l * l * (1 + q) / (q * q)
		}
	}
	return score + g.gap*inner, slope - g.gap*steep
}
