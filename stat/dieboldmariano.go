// The test of equal accuracy of two forecasts of one sequence, by the long-run variance of
// the differences of their losses.

package stat

import (
	"fmt"
	"math"
)

// LongRunVariance is an estimator of n times the variance of the mean of a dependent
// sequence.
type LongRunVariance int

const (
	// CosineVariance is the equal-weighted cosine estimator of Lazarus, Lewis, Stock and
	// Watson (2018, "HAR inference: recommendations for practice"): the mean square of the
	// first B = 0.4·n^(2/3) cosine coefficients. It is never negative, and the test takes
	// Student's t with B degrees of freedom.
	CosineVariance LongRunVariance = iota
	// TruncatedVariance is the estimator of Diebold and Mariano (1995): the variance plus twice the
	// autocovariances of the lags below the horizon h, because errors h steps ahead are dependent over
	// h − 1 steps. With the correction of Harvey, Leybourne and Newbold (1997), √((n + 1 − 2h + h(h −
	// 1)/n)/n), the test has n − 1 degrees of freedom.
	TruncatedVariance
)

// String is "ewc" or "truncated".
func (v LongRunVariance) String() string {
	if v == TruncatedVariance {
		return "truncated"
	}
	return "ewc"
}

// DieboldMarianoOptions are the choices of the test; the zero value is the default.
type DieboldMarianoOptions struct {
	Variance LongRunVariance
	Horizon  int     // h of TruncatedVariance; 0 means 1
	Terms    int     // B of CosineVariance; 0 means 0.4·n^(2/3), at least 1
	Level    float64 // of the interval; 0 means 0.95
}

// DieboldMarianoTest is the result of the test.
type DieboldMarianoTest struct {
	Difference float64 // mean of a − b
	StdError   float64 // of it; NaN where undefined
	T, DF, P   float64 // NaN where undefined
	Interval   Interval
	Reason     string // why they are undefined
	// Untestable says why the level of P and Interval of CosineVariance is not what they say:
	// there are too few differences, or they remember too long. Empty if it is.
	Untestable string
}

// DieboldMariano tests whether two forecasts of the same sequence have the same expected loss (Diebold
// and Mariano 1995, "Comparing predictive accuracy"). a and b are their losses at equally spaced
// times, in order. The differences must have a constant mean and a dependence that fades; there is no
// other assumption on the losses. P is two-sided. It is undefined, with a Reason, if the differences
// are constant or the truncated variance is not positive. Errors: series of different lengths, fewer
// than 3 values or than the horizon + 1, NaN or Inf, a negative horizon or number of terms, a level
// outside (0, 1).
func DieboldMariano(a, b []float64, o DieboldMarianoOptions) (DieboldMarianoTest, error) {
	const quantity = "Diebold–Mariano test"
	n, horizon := len(a), max(o.Horizon, 1)
	level, err := checkLevel(quantity, o.Level)
	if err != nil {
		return DieboldMarianoTest{}, err
	}
	d := subtract(a, b)
	switch {
	case n != len(b):
		return DieboldMarianoTest{}, Undefined(quantity,
			"one forecast has %d losses and the other %d, want equal numbers", n, len(b))
	case n < 3 || n <= horizon:
		return DieboldMarianoTest{}, Undefined(quantity, "%d losses, want at least %d", n, max(3, horizon+1))
	case o.Horizon < 0 || o.Terms < 0 || o.Terms >= n:
		return DieboldMarianoTest{}, Undefined(quantity, "horizon %d and %d terms for %d losses", o.Horizon, o.Terms, n)
	}
	if err := checkFinite(quantity, "differences", d); err != nil {
		return DieboldMarianoTest{}, err
	}
	out := DieboldMarianoTest{Difference: Mean(d), StdError: math.NaN(), T: math.NaN(), DF: math.NaN(), P: math.NaN(),
		Interval: noInterval(level, "")}
	if isConstant(d) {
		out.Reason = "all differences are equal, so that there is no standard error for a test"
		out.Interval.Reason = out.Reason
		return out, nil
	}
	variance, size := 0.0, float64(n)
	if o.Variance == TruncatedVariance {
		h := float64(horizon)
		variance = truncatedVariance(d, horizon) / ((size + 1 - 2*h + h*(h-1)/size) / size)
		out.DF = size - 1
	} else {
		terms := o.Terms
		if terms == 0 {
			terms = max(1, int(math.Round(0.4*math.Pow(size, 2.0/3))))
		}
		variance, out.DF = cosineVariance(d, terms), float64(terms)
		out.Untestable = memory(d)
	}
	if !(variance > 0) || math.IsInf(variance, 0) {
		out.Reason = "the estimated long-run variance is not positive"
		out.Interval.Reason = out.Reason
		return out, nil
	}
	out.StdError = math.Sqrt(variance / size)
	out.T = out.Difference / out.StdError
	out.P = TTestP(out.T, out.DF)
	t, err := StudentTQuantile(0.5+level/2, out.DF)
	out.Interval.Low, out.Interval.High = out.Difference-t*out.StdError, out.Difference+t*out.StdError
	return out, err
}

// Bounds of the sequences that CosineVariance tests. In simulated autoregressive sequences of order 1, of at
// least testedDifferences and refused above testedCorrelation, the false-positive rate is at most 8 % for any
// memory (docs/statistics/calibration-claims.md).
const (
	testedDifferences = 50
	testedCorrelation = 0.7
)

// memory says why the level of CosineVariance does not hold, empty if it does. The
// correlation is corrected for its bias, (1 + 3ρ)/n.
func memory(values []float64) string {
	n := len(values)
	if n < testedDifferences {
		return fmt.Sprintf("%d differences are too few for a test, want at least %d", n, testedDifferences)
	}
	rho, err := Autocorrelation(values, nil, 1)
	if err != nil {
		return ""
	}
	if r := rho[1] + (1+3*rho[1])/float64(n); r > testedCorrelation {
		return fmt.Sprintf("a lag-1 correlation of %.2f is too high for a test, want at most %v", r, testedCorrelation)
	}
	if index, err := newEpisodeIndex("", n, nil); err == nil && longMemory(index, values, 0) {
		return "the autocorrelation of the differences fades too slowly for a test (long memory)"
	}
	return ""
}

// truncatedVariance is γ(0) + 2·Σ γ(k) over k < horizon, with autocovariances over n.
func truncatedVariance(values []float64, horizon int) float64 {
	mean, n := Mean(values), len(values)
	total := 0.0
	for k := range horizon {
		sum := sumOf(0, n-k, func(i int) float64 { return (values[i] - mean) * (values[i+k] - mean) })
		if k > 0 {
			sum *= 2
		}
		total += sum / float64(n)
	}
	return total
}

// cosineVariance is the mean of Λ(j)² over j = 1..terms, Λ(j) = √(2/n)·Σ values(t)·cos(πj(t −
// ½)/n), t = 1..n.
func cosineVariance(values []float64, terms int) float64 {
	n, mean := float64(len(values)), Mean(values)
	total := 0.0
	for j := 1; j <= terms; j++ {
		sum := sumOf(0, len(values), func(i int) float64 {
			return (values[i] - mean) * math.Cos(math.Pi*float64(j)*(float64(i)+0.5)/n)
		})
		total += 2 / n * sum * sum
	}
	return total / float64(terms)
}
