// Student's t: quantiles, and tail probabilities that do not underflow.

package stat

import (
	"math"
)

// StudentTQuantile returns the quantile of probability p of Student's t
// distribution with nu > 0 degrees of freedom; an error outside the domain.
func StudentTQuantile(p, nu float64) (float64, error) {
	if !(p >= 0 && p <= 1) || !(nu > 0) || math.IsInf(nu, 0) {
		return math.NaN(), Undefined("t quantile", "p = %v, degrees of freedom = %v, want 0 ≤ p ≤ 1 and nu > 0", p, nu)
	}
	switch p {
	case 0:
		return math.Inf(-1), nil
	case 0.5:
		return 0, nil
	case 1:
		return math.Inf(1), nil
	}
	upper := p > 0.5
	tail := p // probability beyond the quantile
	if upper {
		tail = 1 - p
	}
	// Newton in ln t on the log tail probability: close to linear for heavy tails,
	// and started from the normal quantile for light ones.
	t := -NormalQuantile(tail)
	if t == 0 {
		return 0, nil
	}
	logTail := math.Log(2 * tail)
	for range 100 {
		current := logStudentTTwoSided(t, nu)
		step := (current - logTail) * math.Exp(current-math.Ln2-logStudentTDensity(t, nu)) / t
		if !isFinite(step) {
			break
		}
		t *= math.Exp(min(max(step, -1), 1))
		if math.Abs(step) <= 1e-15 {
			break
		}
	}
	if upper {
		return t, nil
	}
	return -t, nil
}

// logStudentTDensity returns the log density of t with nu degrees of freedom.
func logStudentTDensity(t, nu float64) float64 {
	return -logBetaHalf(nu/2) - 0.5*math.Log(nu) - (nu+1)/2*math.Log1p(t*t/nu)
}

// logStudentTTwoSided returns ln P(|T| ≥ |t|) for Student's t with nu degrees of
// freedom. It does not underflow: P is I_x(nu/2, ½) with x = nu/(nu + t²), by
// the continued fraction in the tail.
func logStudentTTwoSided(t, nu float64) float64 {
	t = math.Abs(t)
	if t == 0 {
		return 0
	}
	if math.IsInf(t, 1) {
		return math.Inf(-1)
	}
	a, b := nu/2, 0.5
	ratio := t * t / nu
	logX := -math.Log1p(ratio)     // x = 1/(1 + t²/nu)
	y := 1 / (1 + 1/ratio)         // 1 − x without cancellation
	x := 1 / (1 + ratio)           //
	logY := -math.Log1p(1 / ratio) //
	front := a*logX + b*logY - logBetaHalf(a)
	if x < (a+1)/(a+b+2) {
		return front - math.Log(a) + math.Log(betaFraction(a, b, x))
	}
	return math.Log1p(-math.Exp(front) / b * betaFraction(b, a, y))
}

// betaFraction is the continued fraction of the incomplete beta function
// (DLMF 8.17.22), by the modified Lentz method.
func betaFraction(a, b, x float64) float64 {
	const tiny = 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c := 1.0
	d := 1 / guard(1-(a+b)*x/(a+1))
	h := d
	for i := 1; i < 10000; i++ {
		m := float64(i)
		term := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / guard(1+term*d)
		c = guard(1 + term/c)
		h *= d * c
		term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / guard(1+term*d)
		c = guard(1 + term/c)
		h *= d * c
		if math.Abs(d*c-1) < 1e-16 {
			break
		}
	}
	return h
}

// logBetaHalf returns ln B(a, ½) = ln Γ(a) + ln √π − ln Γ(a+½), without the
// cancellation of two large logarithms of Γ.
func logBetaHalf(a float64) float64 {
	const logSqrtPi = 0.57236494292470008707
	// Shift a to where the asymptotic series is exact to double precision:
	// B(a, ½) = B(a+1, ½)·(a+½)/a.
	shift := 0.0
	for a < 20 {
		shift += math.Log1p(0.5 / a)
		a++
	}
	// ln Γ(a+½) − ln Γ(a) = ½ ln a − 1/(8a) + 1/(192a³) − 1/(640a⁵) + 17/(14336a⁷) − 31/(18432a⁹) + …
	u := 1 / a
	u2 := u * u
	series := u * (-1.0/8 + u2*(1.0/192+u2*(-1.0/640+u2*(17.0/14336+u2*(-31.0/18432)))))
	return logSqrtPi - 0.5*math.Log(a) - series + shift
}

// twoSidedP returns the two-sided p value of a t statistic and its logarithm.
func twoSidedP(t, nu float64) (p, logP float64) {
	logP = logStudentTTwoSided(t, nu)
	return math.Exp(logP), logP
}

// normalTwoSidedP returns P(|Z| ≥ |z|).
func normalTwoSidedP(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// normalCDF returns P(Z ≤ z).
func normalCDF(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
