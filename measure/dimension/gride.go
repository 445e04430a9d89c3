// Gride: the dimension from the ratios of two neighbor distances of any order.

package dimension

import (
	"fmt"
	"math"

	"repscope/stat"
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
		return 0, errOrders(n1, n2)
	}
	logs, err := logarithms(ratio)
	if err != nil {
		return 0, err
	}
	return GrideOfLogs(logs, n1, n2, 0)
}

// GrideOfLogs is [Gride] from the logarithms ln μ ≥ 0 of the ratios; near, if not 0, is a number not far from the
// estimate, from which it is found faster.
func GrideOfLogs(logs []float64, n1, n2 int, near float64) (float64, error) {
	if n1 < 1 || n2 <= n1 {
		return 0, errOrders(n1, n2)
	}
	if _, err := sumOfLogs(logs); err != nil {
		return 0, err
	}
	all := newGrideScore(logs, n1, n2)
	start := 1.0
	if near > 0 {
		start = near
	} else if len(logs) > 4*grideSample {
		// Some of the ratios tell nearly where the root is: each look at all is dear.
		some := make([]float64, grideSample)
		for i := range some {
			some[i] = logs[i*(len(logs)/grideSample)]
		}
		if near, ok := newGrideScore(some, n1, n2).root(1); ok {
			start = near
		}
	}
	d, ok := all.root(start)
	if !ok {
		return 0, fmt.Errorf("gride: no finite dimension explains the ratios (n1 = %d, n2 = %d)", n1, n2)
	}
	return d, nil
}

func errOrders(n1, n2 int) error {
	return fmt.Errorf("gride: orders n1 = %d, n2 = %d, want 1 ≤ n1 < n2", n1, n2)
}

// grideSample is how many ratios say where the search for the root begins.
const grideSample = 1 << 10

func newGrideScore(logs []float64, n1, n2 int) grideScore {
	return grideScore{n: float64(len(logs)), n2: float64(n2), gap: float64(n2 - n1 - 1), total: stat.Sum(logs), logs: logs}
}

// root is the zero of the score, looked for from d; not ok if there is none up to 1e12.
// The score is convex and decreasing, so that Newton's steps come to the root from the
// left and do not overshoot, and a step from the right ends left of it.
func (g grideScore) root(d float64) (_ float64, ok bool) {
	f, slope := g.at(d)
	for f < 0 {
		if d = max(d-f/slope, d/2); d < 1e-6 {
			return d, true
		}
		f, slope = g.at(d)
	}
	for d <= 1e12 {
		next := d - f/slope
		if !(next > d*(1+1e-15)) {
			return d, true
		}
		if next < d*(1+nearRoot) {
			return next, true
		}
		d = next
		f, slope = g.at(d)
	}
	return 0, false
}

// nearRoot is the length of a step, relative to where it ends, after which the next is shorter than rounding: each is about the square
// of the one before.
const nearRoot = 1e-9

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
