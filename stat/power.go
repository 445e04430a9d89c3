// Power: which differences a test can find, and how many blocks it takes.

package stat

import "math"

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

// TTestPower returns the power of the two-sided t test with df degrees of freedom of a
// difference of ratio standard errors: the probability that |T| exceeds the critical
// value when T is noncentral t. It is level at 0. NaN for df ≤ 0 or values that are not
// finite.
func TTestPower(ratio, df, alpha float64) float64 {
	critical, err := StudentTQuantile(1-alpha/2, df)
	if err != nil || !isFinite(ratio) {
		return math.NaN()
	}
	// T is (Z + ratio)/s with s² = χ²/df, so given s it is beyond ±c where Z is beyond
	// ±c·s − ratio: integrated over the density of s by Simpson's rule, to where the
	// density ends or Z would have to be beyond 9.
	ratio = math.Abs(ratio)
	gamma, _ := math.Lgamma(df / 2)
	constant := math.Ln2 + df/2*math.Log(df/2) - gamma
	const steps = 2000
	low, high := max(0, 1-12/math.Sqrt(2*df)), min(1+12/math.Sqrt(2*df)+8/df, (ratio+9)/critical)
	if high <= low {
		return 0
	}
	h := (high - low) / steps
	var beyond float64
	for i := range steps + 1 {
		s := low + float64(h*float64(i))
		weight := 2.0
		switch {
		case i == 0 || i == steps:
			weight = 1
		case i%2 == 1:
			weight = 4
		}
		density := 0.0
		switch {
		case s > 0:
			density = math.Exp(constant + float64((df-1)*math.Log(s)) - float64(df*s*s)/2)
		case df == 1:
			density = math.Exp(constant)
		}
		beyond += float64(weight * density * (normalCDF(ratio-float64(critical*s)) + normalCDF(-float64(critical*s)-ratio)))
	}
	return min(beyond*h/3, 1)
}

// MinimumDetectableEffect returns the smallest difference that the two-sided t test finds
// with the power asked for, given the standard error of a difference and its degrees of
// freedom: what a comparison that found nothing can rule out the absence of. Errors: a
// standard error that is not positive, df ≤ 0, a level or power outside (0, 1).
func MinimumDetectableEffect(stdError, df float64, o PowerOptions) (float64, error) {
	const quantity = "minimum detectable effect"
	o, err := o.check(quantity)
	if err != nil {
		return math.NaN(), err
	}
	if !(stdError > 0) || !isFinite(stdError) || !(df > 0) || !isFinite(df) {
		return math.NaN(), Undefined(quantity, "standard error %v with %v degrees of freedom, want positive numbers", stdError, df)
	}
	low, high := 0.0, 1.0
	for TTestPower(high, df, o.Alpha) < o.Power {
		high *= 2
		if high > 1e6 {
			return math.NaN(), Undefined(quantity, "%v degrees of freedom have no power at level %v", df, o.Alpha)
		}
	}
	for range 60 {
		middle := low/2 + high/2
		if TTestPower(middle, df, o.Alpha) < o.Power {
			low = middle
		} else {
			high = middle
		}
	}
	return high * stdError, nil
}

// maxBlocksNeeded bounds the search of [BlocksNeeded].
const maxBlocksNeeded = 1 << 40

// BlocksNeeded returns the least number of blocks with which the paired t test finds a
// difference with the power asked for, given the standard deviation of the blocks'
// differences: √g times the standard error of a comparison over g blocks. Errors: a
// difference of 0, a standard deviation that is not positive, a level or power outside
// (0, 1), more than 2^40 blocks.
func BlocksNeeded(difference, sd float64, o PowerOptions) (int, error) {
	const quantity = "number of blocks"
	o, err := o.check(quantity)
	if err != nil {
		return 0, err
	}
	if difference == 0 || !isFinite(difference) || !(sd > 0) || !isFinite(sd) {
		return 0, Undefined(quantity, "difference %v with standard deviation %v, want a difference that is not 0 and a positive deviation", difference, sd)
	}
	effect := math.Abs(difference) / sd
	enough := func(g int) bool {
		return TTestPower(effect*math.Sqrt(float64(g)), float64(g-1), o.Alpha) >= o.Power
	}
	high := 2
	for !enough(high) {
		if high *= 2; high > maxBlocksNeeded {
			return 0, Undefined(quantity, "a difference of %v standard deviations takes more than 2^40 blocks", effect)
		}
	}
	low := high / 2
	for low+1 < high {
		if middle := (low + high) / 2; middle >= 2 && enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, nil
}
