// Power: which differences a test can find, and how many blocks it takes.

package stat

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
)

// PowerOptions are the level and the power of a test; the zero value is the default.
type PowerOptions struct {
	Alpha float64 // two-sided level; 0 means 0.05
	Power float64 // 0 means 0.8
}

func (o PowerOptions) check(quantity string) (PowerOptions, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Power == 0 {
		o.Power = 0.8
	}
	if !(o.Alpha > 0 && o.Alpha < 1) || !(o.Power > o.Alpha && o.Power < 1) {
		return o, Undefined(quantity, "level %v and power %v, want 0 < level < power < 1", o.Alpha, o.Power)
	}
	return o, nil
}

// tTestPower returns the power of the two-sided t test with df degrees of freedom of a
// difference of ratio standard errors: the probability that |T| exceeds the critical
// value when T is noncentral t. It is level at 0. NaN for df ≤ 0 or values that are not
// finite.
func tTestPower(ratio, df, alpha float64) float64 {
	critical, err := StudentTQuantile(1-alpha/2, df)
	if err != nil || !isFinite(ratio) {
		return math.NaN()
	}
	// T is (Z + ratio)/s with s² = χ²/df, so given s it is beyond ±c where Z is beyond
	// ±c·s − ratio: integrated over the density of s, to where that ends or Z would
	// have to be beyond 9.
	ratio = math.Abs(ratio)
	gamma, _ := math.Lgamma(df / 2)
	constant := math.Ln2 + df/2*math.Log(df/2) - gamma
	width := 9 / math.Sqrt(2*df)
	low, high := max(0, 1-width), min(1+width+4/df, (ratio+9)/critical)
	if high <= low {
		return 0
	}
	var beyond float64
	for i, place := range legendre().places {
		s := low + float64((high-low)*place)
		density := math.Exp(constant + float64((df-1)*math.Log(s)) - float64(df*s*s)/2)
		beyond += float64(legendre().weights[i] * density * (normalCDF(ratio-float64(critical*s)) + normalCDF(-float64(critical*s)-ratio)))
	}
	return min(beyond*(high-low), 1)
}

type quadrature struct{ places, weights []float64 }

// legendre is Gauss and Legendre's rule on [0, 1].
var legendre = sync.OnceValue(func() quadrature {
	const n = 96
	q := quadrature{make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(q.places, q.weights, 0, 1)
	return q
})

// MinimumDetectableEffect returns the smallest difference that the two-sided t test detects with the
// given power, from the standard error of a difference and its degrees of freedom. A comparison
// without a significant result excludes larger differences. Errors: a standard error that is not
// positive, df ≤ 0, a level or power outside (0, 1).
func MinimumDetectableEffect(stdError, df float64, o PowerOptions) (float64, error) {
	const quantity = "minimum detectable effect"
	o, err := o.check(quantity)
	if err != nil {
		return math.NaN(), err
	}
	if !(stdError > 0) || !isFinite(stdError) || !(df > 0) || !isFinite(df) {
		return math.NaN(), Undefined(quantity, "standard error %v with %v degrees of freedom, want positive numbers",
			stdError, df)
	}
	critical, err := StudentTQuantile(1-o.Alpha/2, df)
	if err != nil {
		return math.NaN(), err
	}
	// The power grows with the ratio: near the normal theory's answer by secants, which
	// bisection takes over where they leave the bracket.
	low, high := 0.0, critical+NormalQuantile(o.Power)+1
	for tTestPower(high, df, o.Alpha) < o.Power {
		low, high = high, 2*high
		if high > 1e9 {
			return math.NaN(), Undefined(quantity, "%v degrees of freedom have no power at level %v", df, o.Alpha)
		}
	}
	missing := func(ratio float64) float64 { return tTestPower(ratio, df, o.Alpha) - o.Power }
	ratio, before := high, low
	value, valueBefore := missing(ratio), missing(before)
	for range 100 {
		next := ratio - value*(ratio-before)/(value-valueBefore)
		if !(next > low && next < high) {
			next = low/2 + high/2
		}
		before, valueBefore = ratio, value
		ratio, value = next, missing(next)
		if value < 0 {
			low = ratio
		} else {
			high = ratio
		}
		if math.Abs(value) < 1e-12 || high-low < 1e-12*high {
			break
		}
	}
	return ratio * stdError, nil
}

// maxBlocksNeeded bounds the search of [BlocksNeeded].
const maxBlocksNeeded = 1 << 40

// BlocksNeeded returns the smallest number of blocks with which the paired t test detects a difference
// with the given power, from the standard deviation of the blocks' differences: √g times the standard
// error of a comparison over g blocks. Above 10^7 blocks it uses the normal distribution. Errors: a
// difference of 0, a standard deviation that is not positive, a level or power outside (0, 1), more
// than 2^40 blocks.
func BlocksNeeded(difference, sd float64, o PowerOptions) (int, error) {
	const quantity = "number of blocks"
	o, err := o.check(quantity)
	if err != nil {
		return 0, err
	}
	if difference == 0 || !isFinite(difference) || !(sd > 0) || !isFinite(sd) {
		return 0, Undefined(quantity,
			"difference %v with standard deviation %v, want a difference that is not 0 and a positive deviation", difference, sd)
	}
	effect := math.Abs(difference) / sd
	enough := func(g int) bool {
		return tTestPower(effect*math.Sqrt(float64(g)), float64(g-1), o.Alpha) >= o.Power
	}
	z := (NormalQuantile(1-o.Alpha/2) + NormalQuantile(o.Power)) / effect
	normal := math.Ceil(z * z) // for a known deviation: a few too few
	switch {
	case normal > maxBlocksNeeded:
		return 0, Undefined(quantity, "a difference of %v standard deviations needs more than 2^40 blocks", effect)
	case normal > 1e7:
		return int(normal), nil
	}
	g := max(int(normal), 2)
	for !enough(g) {
		g++
	}
	for g > 2 && enough(g-1) {
		g--
	}
	return g, nil
}
