// Gride: the dimension from the ratios of two neighbor distances of any order.

package dimension

import (
	"fmt"
	"math"

	"repscope/internal/kernel"
	"repscope/stat"
)

// Gride returns the generalized ratios estimate of Denti, Doimo, Laio & Mira 2022 ("The generalized
// ratios intrinsic dimension estimator") from ratios μ = r_{n2}/r_{n1}, 1 ≤ n1 < n2: the d that
// maximizes
//
//	N ln d + (n2−n1−1) Σ ln(μ^d − 1) − ((n2−1)d + 1) Σ ln μ.
//
// For n1 = 1, n2 = 2 it is the maximum likelihood Two-NN. The score decreases in d, so that its root
// is unique. Errors as for NewTwoNN.
func Gride(ratio []float64, n1, n2 int) (float64, error) {
	if n1 < 1 || n2 <= n1 {
		return 0, errOrders(n1, n2)
	}
	logs, _, err := logarithms(ratio)
	if err != nil {
		return 0, err
	}
	return gride(logs, n1, n2, 0)
}

// gride is [Gride] from the logarithms ln μ ≥ 0 of the ratios, not all 0; near, if not 0, is a number not far from the
// estimate, from which it is found faster: to 1e−9 of it, where near is within 0.4 %.
func gride(logs []float64, n1, n2 int, near float64) (float64, error) {
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
		if near, ok := newGrideScore(some, n1, n2).root(1, exactStep); ok {
			start = near
		}
	}
	last := exactStep
	if near > 0 {
		last = nearStep
	}
	d, ok := all.root(start, last)
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

// Steps, relative to where they begin, after which the root is reached to rounding or nearly: its error is about their
// fourth power.
const exactStep, nearStep = 1e-4, 4e-3

// root is the zero of the score, looked for from d, by steps until one is shorter than last; not ok if there
// is none up to 1e12. The score is convex and decreasing, so that Newton's steps come to the root from the left and
// do not overshoot, and a step from the right ends left of it. Near the root they are those to the root of the cubic
// that has the score's derivatives.
func (g grideScore) root(d, last float64) (_ float64, ok bool) {
	const bent = 1.0 / 64
	for d <= 1e12 {
		f, slope, curve, twist := g.at(d)
		step := -f / slope
		if f < 0 && d < 1e-6 || math.Abs(step) <= 1e-15*d {
			return d, true
		}
		if math.Abs(step) >= bent*d {
			d = max(d+step, d/2)
			continue
		}
		near := math.Abs(step) < last*d
		second, third := curve/(2*slope), twist/(6*slope)
		d += step * (1 - step*(second-step*(2*second*second-third)))
		if near {
			return d, true
		}
	}
	return 0, false
}

// grideScore is the derivative of the likelihood of Gride.
type grideScore struct {
	n, n2, gap float64   // ratios, the larger order, n2 − n1 − 1
	total      float64   // Σ ln μ
	logs       []float64 // ln μ
}

// at is the score at dimension d, and its first three derivatives.
func (g grideScore) at(d float64) (score, slope, curve, twist float64) {
	score, slope = g.n/d-(g.n2-1)*g.total, -g.n/(d*d)
	curve, twist = -2*slope/d, 6*slope/(d*d)
	if g.gap == 0 {
		return score, slope, curve, twist
	}
	var sum, first, second, third float64
	var powers [grideTogether]float64
	for logs := g.logs; len(logs) > 0; {
		n := min(len(logs), len(powers))
		kernel.Exp(powers[:], logs[:n], -d, 0)
		for i, l := range logs[:n] {
			// μ^d ln μ/(μ^d − 1) = t = ln μ/(1 − e) with e = e^{−d ln μ}, which tends to 1/d
			// where neighbors tie (ln μ → 0). Its derivatives are −t²·e, t³·e·(1 + e) and −t⁴·e·(1 + 4e + e²).
			e := powers[i]
			t := l / (1 - e)
			if x := d * l; x <= 1e-2 { // 1 − e has lost digits
				t, e = 1/d, 1
				if x > 1e-12 {
					q := math.Expm1(-x)
					t, e = -l/q, 1+q
				}
			}
			sum += t
			t2 := t * t
			te := t2 * e
			first += te
			second += te * t * (1 + e)
			third += te * t2 * (1 + e*(4+e))
		}
		logs = logs[n:]
	}
	return score + g.gap*sum, slope - g.gap*first, curve + g.gap*second, twist - g.gap*third
}

// grideTogether is of how many logarithms the powers are computed at once.
const grideTogether = 256
