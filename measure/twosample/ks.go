// The two-sample test of Kolmogorov and Smirnov, exactly and with ties.

package twosample

import (
	"math"
)

// exactLimit is the largest product of sample sizes whose exact p value is computed.
const exactLimit = 100_000_000

// KS is the two-sided two-sample test of Kolmogorov and Smirnov.
type KS struct {
	// Statistic is max |F − G|, from 0 to 1, a multiple of 1/lcm(n, m).
	Statistic float64
	// P is the probability of at least this statistic when the pooled values are divided
	// between the samples at random: given the ties, which make the distances that can
	// be seen fewer (Schröer & Trenkler 1995, "Exact and randomization distributions of
	// Kolmogorov–Smirnov tests two or three samples").
	P float64
	// PContinuous is the p value for samples without ties, which is too large with them:
	// the p value of scipy.stats.ks_2samp. Equal to P where no value is tied between the samples.
	PContinuous float64
	// Exact says that both are exact, for n·m up to 10⁸. Above, both are from
	// Kolmogorov's limit with Stephens' correction for finite samples, too large with
	// ties.
	Exact bool
	// Ties is the number of values, of both samples, that another one equals.
	Ties int
}

// KolmogorovSmirnov tests whether two samples of independent numbers come from one
// distribution. Time is O(n·m). An empty sample, NaN or Inf is a [stat.UndefinedError].
func KolmogorovSmirnov(x, y []float64) (KS, error) {
	if err := check("Kolmogorov–Smirnov statistic", x, y); err != nil {
		return KS{}, err
	}
	x, y = sorted(x), sorted(y)
	n, m := len(x), len(y)
	largest, ties := 0, 0
	ends := make([]bool, n+m+1) // after i pooled values a new value begins
	for i, j := 0, 0; i < n || j < m; {
		value, before := 0.0, i+j
		if j == m || (i < n && x[i] < y[j]) {
			value = x[i]
		} else {
			value = y[j]
		}
		for i < n && x[i] == value {
			i++
		}
		for j < m && y[j] == value {
			j++
		}
		if i+j > before+1 {
			ties += i + j - before
		}
		ends[i+j] = true
		largest = max(largest, abs(i*m-j*n))
	}
	ks := KS{Statistic: float64(largest) / float64(n) / float64(m), Ties: ties}
	if n*m > exactLimit {
		ks.P = kolmogorov(ks.Statistic, float64(n)*float64(m)/float64(n+m))
		ks.PContinuous = ks.P
		return ks, nil
	}
	ks.Exact = true
	ks.P = outside(n, m, largest, ends)
	ks.PContinuous = ks.P
	if ties > 0 {
		ks.PContinuous = outside(n, m, largest, nil)
	}
	return ks, nil
}

func abs(v int) int { return max(v, -v) }

// outside is the probability that a random order of n and m values, seen where ends are
// true (nil: everywhere), leads to |i·m − j·n| ≥ limit somewhere. The chance of
// having been there, of random paths to (i, j), is the mean over the paths from (i−1, j) and
// (i, j−1), which are i/(i+j) and j/(i+j) of all.
func outside(n, m, limit int, ends []bool) float64 {
	if limit == 0 {
		return 1
	}
	q := make([]float64, m+1)
	for i := 0; i <= n; i++ {
		for j := 0; j <= m; j++ {
			switch {
			case (ends == nil || ends[i+j]) && abs(i*m-j*n) >= limit:
				q[j] = 1
			case i == 0 && j == 0:
				q[j] = 0
			case j > 0:
				before := q[j-1]
				if i == 0 {
					q[j] = before
					continue
				}
				q[j] += (before - q[j]) * float64(j) / float64(i+j)
			}
		}
	}
	return min(1, q[m])
}

// kolmogorov is the limit of P(√en·D ≥ λ), 2·Σ (−1)^(k−1)·exp(−2k²λ²), with
// λ = (√en + 0.12 + 0.11/√en)·d (Stephens 1970).
func kolmogorov(d, en float64) float64 {
	root := math.Sqrt(en)
	lambda := (root + 0.12 + 0.11/root) * d
	if lambda < 0.2 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		term := math.Exp(-2 * k * k * lambda * lambda)
		sum += sign * term
		sign = -sign
		if term < 1e-18 {
			break
		}
	}
	return min(1, max(0, 2*sum))
}
