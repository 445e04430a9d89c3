// Ordinary least squares of one variable on another.

package stat

import "math"

// LinearFit is the least-squares line y = Intercept + Slope·x, with the classical
// statistics of independent normal errors. For dependent frames take intervals
// from [Blocks.Jackknife] and read PValue with care.
type LinearFit struct {
	N         int
	Slope     float64
	Intercept float64
	R         float64 // Pearson correlation; NaN for constant y
	RSquared  float64 // R²; NaN for constant y
	// PValue is two-sided for slope 0, from t = R·√((n−2)/(1−R²)) with n−2 degrees of
	// freedom. LogPValue is its natural logarithm, finite where PValue underflows
	// to 0. Both are NaN for constant y; a perfect fit has 0 and −Inf.
	PValue, LogPValue float64
	StdError          float64  // of Slope
	InterceptStdError float64  // of Intercept
	SlopeInterval     Interval // Slope ± t·StdError, 95 %
	ResidualSD        float64  // √(residual sum of squares / (n−2))
	MeanX             float64
	SumSquaresX       float64 // Σ(x − x̄)²
	Reason            string  // why R and the p value are undefined
}

// Regression fits y on x by ordinary least squares (the numbers of
// scipy.stats.linregress; the standard errors come from the residuals, so they
// keep their digits for nearly perfect fits). Errors: different lengths, fewer
// than 3 observations, NaN or Inf, constant x.
func Regression(x, y []float64) (LinearFit, error) {
	const quantity = "regression"
	if err := checkPair(quantity, x, y, 3); err != nil {
		return LinearFit{}, err
	}
	m := centeredMoments(x, y)
	if m.constantX {
		return LinearFit{}, Undefined(quantity, "x is constant (%v)", x[0])
	}
	if !isFinite(m.xx) || !isFinite(m.yy) || !isFinite(m.xy) || m.xx == 0 {
		return LinearFit{}, Undefined(quantity, "squares overflow or underflow; rescale the data")
	}
	n := len(x)
	f := LinearFit{N: n, MeanX: m.meanX, SumSquaresX: m.xx}
	f.Slope = m.xy / m.xx
	f.Intercept = m.meanY - float64(f.Slope*m.meanX)
	residual := sumOf(0, n, func(i int) float64 {
		e := (y[i] - m.meanY) - float64(f.Slope*(x[i]-m.meanX))
		return float64(e * e)
	})
	freedom := float64(n - 2)
	f.ResidualSD = math.Sqrt(residual / freedom)
	f.StdError = f.ResidualSD / math.Sqrt(m.xx)
	f.InterceptStdError = f.StdError * math.Sqrt(m.xx/float64(n)+float64(m.meanX*m.meanX))
	if m.constantY {
		f.Slope, f.Intercept = 0, y[0]
		f.ResidualSD, f.StdError, f.InterceptStdError = 0, 0, 0
		f.R, f.RSquared, f.PValue, f.LogPValue = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		f.Reason = "y is constant"
	} else {
		f.R = m.correlation()
		f.RSquared = f.R * f.R
		f.PValue, f.LogPValue = twoSidedP(f.Slope/f.StdError, freedom)
	}
	f.SlopeInterval = f.interval(f.Slope, f.StdError, 0.95)
	return f, nil
}

func (f LinearFit) interval(center, se, level float64) Interval {
	t, err := StudentTQuantile((1+level)/2, float64(f.N-2))
	if err != nil {
		return noInterval(level, "%s", Reason(err))
	}
	return Interval{Low: center - float64(t*se), High: center + float64(t*se), Level: level}
}

// moments holds the centered second moments of pairs.
type moments struct {
	meanX, meanY         float64
	xx, yy, xy           float64
	constantX, constantY bool
}

func centeredMoments(x, y []float64) moments {
	n := len(x)
	m := moments{meanX: Mean(x), meanY: Mean(y), constantX: isConstant(x), constantY: isConstant(y)}
	// A second correction of the means: large offsets lose no digits.
	m.meanX += sumOf(0, n, func(i int) float64 { return x[i] - m.meanX }) / float64(n)
	m.meanY += sumOf(0, n, func(i int) float64 { return y[i] - m.meanY }) / float64(n)
	m.xx = sumOf(0, n, func(i int) float64 { d := x[i] - m.meanX; return float64(d * d) })
	m.yy = sumOf(0, n, func(i int) float64 { d := y[i] - m.meanY; return float64(d * d) })
	m.xy = sumOf(0, n, func(i int) float64 { return float64((x[i] - m.meanX) * (y[i] - m.meanY)) })
	return m
}

// correlation returns xy/√(xx·yy), clamped to [−1, 1].
func (m moments) correlation() float64 {
	r := m.xy / math.Sqrt(m.xx) / math.Sqrt(m.yy)
	return min(max(r, -1), 1)
}

func isConstant(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}
