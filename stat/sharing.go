// Comparisons of models on observations of their own, or of their own and of others that
// they share.

package stat

import (
	"math"
	"slices"
)

// CompareSharing compares two statistics that each depend on their own observations, independent of
// each other, and on observations that both share. An example is the distance of the samples of two
// generators to the same real samples. The last shared blocks of both are the same. The variance of
// the difference is the sum of three variances: deleting blocks of a only, of b only, and shared
// blocks of both at once, with Satterthwaite's degrees of freedom,
//
//	df = (Σ v)²/Σ (v²/df_v).
//
// With shared = 0 the variances of both jackknifes are added. If all blocks are shared, the result is
// [Compare]. Blocks that allow no test leave the p values undefined, with a reason. The sign-flip test
// and the effect in standard deviations are defined only by Compare. Errors: shared blocks of unequal
// sizes.
func CompareSharing(a, b *Jackknifed, shared int, o CompareOptions) (Comparison, error) {
	ownA, ownB := len(a.BlockSizes)-shared, len(b.BlockSizes)-shared
	switch {
	case ownA < 0 || ownB < 0 || shared < 0 || !slices.Equal(a.BlockSizes[ownA:], b.BlockSizes[ownB:]):
		return Comparison{}, Undefined("comparison", "the two statistics do not share their last %d blocks", shared)
	case ownA == 0 && ownB == 0:
		return Compare(a, b, o)
	}
	c := Comparison{Difference: a.Estimate - b.Estimate, T: math.NaN(), DF: math.NaN(), P: math.NaN(), PHolm: math.NaN(), SignFlip: math.NaN(),
		EffectSD: math.NaN(), Blocks: ownA + ownB + shared}
	for _, w := range slices.Concat(a.Warnings, b.Warnings) {
		if !slices.Contains(c.Warnings, w) {
			c.Warnings = append(c.Warnings, w)
		}
	}
	level, err := checkLevel("comparison", o.Level)
	if err != nil {
		return c, err
	}
	var variance, df float64
	if c.Reason = firstOf(a.Reason, b.Reason); c.Reason == "" {
		if variance, df, err = sharingVariance(a, b, ownA, ownB, level); err != nil {
			return c, err
		}
		switch {
		case math.IsNaN(variance):
			c.Reason = "a standard error is undefined"
		case variance == 0:
			c.Reason = "neither statistic varies over its blocks, so that there is no standard error for a test"
		}
	}
	if c.Reason != "" {
		c.Interval = noInterval(level, "%s", c.Reason)
		return c, nil
	}
	t, err := StudentTQuantile((1+level)/2, df)
	if err != nil {
		return c, err
	}
	se := math.Sqrt(variance)
	c.DF = df
	c.Interval = Interval{Low: c.Difference - float64(t*se), High: c.Difference + float64(t*se), Level: level}
	if c.Reason = firstOf(a.Untestable, b.Untestable); c.Reason != "" {
		return c, nil
	}
	c.T = c.Difference / se
	c.P = TTestP(c.T, c.DF)
	c.PHolm = c.P
	return c, nil
}

// firstOf is the first text that is not empty.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// sharingVariance is the variance of the difference and its degrees of freedom. The first
// ownA and ownB blocks belong to each alone.
func sharingVariance(a, b *Jackknifed, ownA, ownB int, level float64) (variance, df float64, err error) {
	below := 0.0
	add := func(stdError, df float64) {
		v := float64(stdError * stdError)
		variance += v
		if v > 0 {
			below += float64(v*v) / df
		}
	}
	shared := len(a.BlockSizes) - ownA
	if shared == 0 {
		add(a.StdError, a.DF)
		add(b.StdError, b.DF)
		return variance, float64(variance*variance) / below, nil
	}
	for _, part := range []struct {
		sizes     []int
		replicate func(j int) float64
	}{
		{a.BlockSizes[:ownA], func(j int) float64 { return a.Replicates[j] - b.Estimate }},
		{b.BlockSizes[:ownB], func(j int) float64 { return a.Estimate - b.Replicates[j] }},
		{a.BlockSizes[ownA:], func(j int) float64 { return a.Replicates[ownA+j] - b.Replicates[ownB+j] }},
	} {
		if len(part.sizes) == 0 {
			continue
		}
		replicates := make([]float64, len(part.sizes))
		for j := range replicates {
			replicates[j] = part.replicate(j)
		}
		v, err := DeleteBlockJackknife(a.Estimate-b.Estimate, replicates, part.sizes, level)
		if err != nil {
			return 0, 0, err
		}
		add(v.StdError, v.DF)
	}
	return variance, float64(variance*variance) / below, nil
}
