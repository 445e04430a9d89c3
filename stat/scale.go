// Scales on which the errors of bounded numbers are symmetric.

package stat

import "math"

// Scale is an increasing transformation of a number with a range, on which its errors are assumed to
// be symmetric. The zero Scale is the identity, without a range.
type Scale struct {
	Low, High float64 // the range
	to, from  func(float64) float64
}

// RangeScale returns the scale of numbers from low to high (±Inf for no limit): the logit log((x −
// low)/(high − x)) between two limits (for correlations, twice Fisher's artanh); log x above a limit
// of 0; −log(high − x) below one. For other ranges it is the identity.
func RangeScale(low, high float64) Scale {
	s := Scale{Low: low, High: high}
	switch {
	case !(low < high), math.IsInf(low, 0) && math.IsInf(high, 0):
		return Scale{Low: math.Inf(-1), High: math.Inf(1)}
	case isFinite(low) && isFinite(high):
		s.to = func(x float64) float64 { return math.Log((x - low) / (high - x)) }
		s.from = func(y float64) float64 {
			if y > 0 {
				return high - (high-low)/(1+math.Exp(y))
			}
			return low + (high-low)/(1+math.Exp(-y))
		}
	case isFinite(high):
		s.to = func(x float64) float64 { return -math.Log(high - x) }
		s.from = func(y float64) float64 { return high - math.Exp(-y) }
	case low >= 0:
		s.to, s.from = math.Log, math.Exp
	}
	return s
}

// Bounded reports whether the scale differs from the identity.
func (s Scale) Bounded() bool { return s.to != nil }

// To returns the transformed number: ±Inf or NaN at the ends of the range and beyond.
func (s Scale) To(x float64) float64 {
	if s.to == nil {
		return x
	}
	return s.to(x)
}

// From returns the number inside the range from its transformed value.
func (s Scale) From(y float64) float64 {
	if s.to == nil {
		return y
	}
	return s.Within(s.from(y))
}

// Within limits a number to the range.
func (s Scale) Within(x float64) float64 {
	if s.Low == 0 && s.High == 0 {
		return x
	}
	return min(max(x, s.Low), s.High)
}

// OnScale computes the interval on a scale: for 1 − ratio of errors, such as a skill, [RangeScale] up to 1 gives
// log(1 − θ). If the estimate or a deletion lies at an end of the range or beyond, the interval stays as it is, cut
// there. It returns v.
func (v *Jackknifed) OnScale(s Scale) *Jackknifed {
	if !s.Bounded() {
		return v
	}
	return v.onScale(s.To, s.From, s.Low, s.High)
}
