// Scales on which the errors of bounded numbers are symmetric.

package stat

import "math"

// Scale is an increasing function of a number with a range, on which its errors are taken to
// be symmetric; the zero Scale is the number itself, without a range.
type Scale struct {
	Low, High float64 // the range
	to, from  func(float64) float64
}

// RangeScale is the scale of numbers from low to high (±Inf for no limit): the logit
// log((x − low)/(high − x)) between two limits, which for correlations is twice Fisher's
// artanh; log x above a limit from 0; −log(high − x) below one. Numbers of other ranges are
// their own scale.
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

// Bounded reports whether the scale is another than the number's own.
func (s Scale) Bounded() bool { return s.to != nil }

// To is the place of a number: ±Inf or NaN at the ends of the range and beyond.
func (s Scale) To(x float64) float64 {
	if s.to == nil {
		return x
	}
	return s.to(x)
}

// From is the number at a place, inside the range.
func (s Scale) From(y float64) float64 {
	if s.to == nil {
		return y
	}
	return s.Within(s.from(y))
}

// Within cuts a number at the ends of the range.
func (s Scale) Within(x float64) float64 {
	if s.Low == 0 && s.High == 0 {
		return x
	}
	return min(max(x, s.Low), s.High)
}
