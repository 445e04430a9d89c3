// Comparisons of models on observations of their own.

package stat

import "math"

// CompareIndependent compares two statistics whose observations are independent of each
// other, such as one score of samples that two generators drew: the variance of the
// difference is the sum of those of their jackknifes, with Satterthwaite's degrees of
// freedom,
//
//	df = (SE²_A + SE²_B)²/(SE⁴_A/df_A + SE⁴_B/df_B).
//
// It takes no block of one for a block of the other; [Compare] is for statistics of the
// same observations. Blocks that carry no test leave the p values undefined, with the
// reason; a sign-flip test and an effect in standard deviations are not defined.
func CompareIndependent(a, b *Jackknifed, o CompareOptions) (Comparison, error) {
	c := Comparison{Difference: a.Estimate - b.Estimate, T: math.NaN(), DF: math.NaN(), P: math.NaN(), PHolm: math.NaN(), SignFlip: math.NaN(),
		EffectSD: math.NaN(), Blocks: len(a.BlockSizes) + len(b.BlockSizes)}
	for _, w := range append(append([]string{}, a.Warnings...), b.Warnings...) {
		if len(c.Warnings) == 0 || c.Warnings[len(c.Warnings)-1] != w {
			c.Warnings = append(c.Warnings, w)
		}
	}
	level := o.Level
	if level == 0 {
		level = 0.95
	}
	va, vb := float64(a.StdError*a.StdError), float64(b.StdError*b.StdError)
	for _, of := range []*Jackknifed{a, b} {
		if of.Reason != "" && c.Reason == "" {
			c.Reason = of.Reason
		}
	}
	switch {
	case c.Reason != "":
	case math.IsNaN(va + vb):
		c.Reason = "a standard error is not defined"
	case va+vb == 0:
		c.Reason = "neither statistic varies over its blocks: there is no error to test against"
	}
	if c.Reason != "" {
		c.Interval = noInterval(level, "%s", c.Reason)
		return c, nil
	}
	c.DF = satterthwaite(va, a.DF, vb, b.DF)
	se := math.Sqrt(va + vb)
	t, err := StudentTQuantile((1+level)/2, c.DF)
	if err != nil {
		return c, err
	}
	c.Interval = Interval{Low: c.Difference - float64(t*se), High: c.Difference + float64(t*se), Level: level}
	for _, of := range []*Jackknifed{a, b} {
		if of.Untestable != "" {
			c.Reason = of.Untestable
			return c, nil
		}
	}
	c.T = c.Difference / se
	c.P, _ = twoSidedP(c.T, c.DF)
	c.PHolm = c.P
	return c, nil
}

// satterthwaite is the degrees of freedom of the sum of two variances.
func satterthwaite(va, dfA, vb, dfB float64) float64 {
	below := 0.0
	for _, of := range [][2]float64{{va, dfA}, {vb, dfB}} {
		if of[0] > 0 {
			below += float64(of[0]*of[0]) / of[1]
		}
	}
	return float64((va+vb)*(va+vb)) / below
}
