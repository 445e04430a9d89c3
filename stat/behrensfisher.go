// Differences whose error has two independent parts, each with few degrees of freedom.

package stat

import "math"

// A twoErrors is the distribution of s₁·T₁ + s₂·T₂, with independent T of Student's t with ν₁ and ν₂
// degrees of freedom: Behrens' and Fisher's (Fisher 1935, "The fiducial argument in statistical inference").
// As a test of a difference with the standard errors s it rejects at most as often as it says, also where ν₁ = 1
// (Robinson 1976, "Properties of Student's t and of the Behrens-Fisher solution to the two means problem"), and
// half as often where both errors are alike. Student's t with Satterthwaite's degrees of freedom rejects too often
// where ν₁ is small: with ν = 2 and 11 up to 7 % at the 5 % level, and 1.3 % at the 0.2 % that Holm's correction
// over 25 tests asks for.
type twoErrors struct {
	large, small     float64 // standard errors
	dfLarge, dfSmall float64
	logDensity       float64 // of T₂ at 0
}

// newTwoErrors needs two positive standard errors and degrees of freedom.
func newTwoErrors(s1, df1, s2, df2 float64) twoErrors {
	if s1 < s2 {
		s1, df1, s2, df2 = s2, df2, s1, df1
	}
	return twoErrors{large: s1, dfLarge: df1, small: s2, dfSmall: df2, logDensity: logStudentTDensity(0, df2)}
}

// p returns P(|s₁T₁ + s₂T₂| ≥ |d|), by the trapezoidal rule over asinh T₂ of the smaller error, which has
// no singular end. Relative errors are below 1e-4.
func (e twoErrors) p(d float64) float64 {
	const step = 1.0 / 8
	d = math.Abs(d)
	end := math.Max(math.Asinh(d/e.small)+20/e.dfSmall, 3) + 1 // beyond is a share of 1e-8 of the tail
	var sum float64
	for k := -int(end / step); k <= int(end/step); k++ {
		x := step * float64(k)
		t := math.Sinh(x)
		tail, _ := twoSidedP((d-float64(e.small*t))/e.large, e.dfLarge)
		if d < float64(e.small*t) {
			tail = 2 - tail
		}
		sum += float64(math.Exp(e.logDensity-(e.dfSmall+1)/2*math.Log1p(t*t/e.dfSmall)) * math.Cosh(x) * tail)
	}
	return math.Min(1, math.Max(step*sum, math.SmallestNonzeroFloat64))
}

// quantile returns the difference with the p value alpha, half the width of an interval, by secants of ln p over
// its logarithm inside a bracket. Errors: none within twelve orders of magnitude.
func (e twoErrors) quantile(alpha float64) (float64, error) {
	low, high := math.Log(e.large/1e3), math.Log(e.large*1e12)
	missing := func(width float64) float64 { return math.Log(e.p(math.Exp(width)) / alpha) }
	t, err := StudentTQuantile(1-alpha/2, e.dfLarge)
	if err != nil {
		return math.NaN(), err
	}
	before := math.Log(math.Hypot(e.large, e.small) * t)
	width := before + 0.1
	value, valueBefore := missing(width), missing(before)
	for range 100 {
		if value > 0 {
			low = width
		} else {
			high = width
		}
		next := width - value*(width-before)/(value-valueBefore)
		if !(next > low && next < high) {
			next = low/2 + high/2
		}
		before, valueBefore = width, value
		width, value = next, missing(next)
		if math.Abs(value) < 1e-12 || high-low < 1e-13 {
			return math.Exp(width), nil
		}
	}
	return math.NaN(), Undefined("interval of two errors", "no difference has the p value %v", alpha)
}

// dfOf returns the degrees of freedom with which Student's t exceeds t > 0 in absolute value with probability
// alpha, by bisection from 0.01 to 10⁹.
func dfOf(t, alpha float64) float64 {
	low, high := math.Log(0.01), math.Log(1e9)
	for high-low > 1e-12 {
		middle := low/2 + high/2
		if logStudentTTwoSided(t, math.Exp(middle)) > math.Log(alpha) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(low)
}
