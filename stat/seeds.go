// Comparisons of models that were trained several times.

package stat

import (
	"fmt"
	"math"
)

// SeedComparison is the difference of two models over their training runs (seeds).
type SeedComparison struct {
	Comparison
	SeedsA, SeedsB int
	// SeedError is the share of the runs in the standard error, √(s²_A/k_A + s²_B/k_B) of
	// the runs' estimates; BlockError the share of the blocks, from the jackknife of the
	// difference of the means over runs.
	SeedError, BlockError, StdError float64
}

// CompareSeeds compares a statistic between two models with k_A and k_B training runs
// each, all measured on the same observations: a[s] is the jackknife of run s, over the
// same blocks for all. The difference is taken between the means over runs, and its error is
// about other runs and other observations: the variance between runs plus that between
// blocks,
//
//	V = s²_A/k_A + s²_B/k_B + V_blocks,
//
// Interval and P follow the sum of two independent errors, each with Student's t: of the runs, with
// Welch's degrees of freedom, and of the blocks (Behrens and Fisher). They hold for two and three runs as
// well, and are wide where both errors are alike. DF belongs to the single Student's t with the same
// interval. What a run does to a single block is in both terms, so the sum is too large rather than too
// small (the two-way variance of Cameron, Gelbach and Miller 2011, "Robust inference with multiway
// clustering", without its subtraction). The runs of a model with a single one are taken to vary as runs
// of the other model do, as one score against a small sample (Crawford and Howell 1998): its variance is
// the other's, s²_A·(1/k_A + 1), and a warning says so. A model that [CompareOptions.Fixed] names has no
// variance between runs. With one run of both nothing shows it: the comparison is the one of [Compare], and a
// warning says that it is about these runs. SignFlip and EffectSD are those over blocks, of the means over
// runs. Blocks that carry no test leave the p values undefined. Errors: no runs, other blocks.
func CompareSeeds(a, b []*Jackknifed, o CompareOptions) (SeedComparison, error) {
	const quantity = "comparison of runs"
	if len(a) == 0 || len(b) == 0 {
		return SeedComparison{}, Undefined(quantity, "%d and %d runs, want at least one of each model", len(a), len(b))
	}
	level, err := checkLevel(quantity, o.Level)
	if err != nil {
		return SeedComparison{}, err
	}
	meanA, seedsA, err := acrossSeeds(a)
	if err != nil {
		return SeedComparison{}, err
	}
	meanB, seedsB, err := acrossSeeds(b)
	if err != nil {
		return SeedComparison{}, err
	}
	compared, err := Compare(meanA, meanB, o)
	if err != nil {
		return SeedComparison{}, err
	}
	influence := subtract(meanA.Influence, meanB.Influence)
	fades := meanA.Pieces.fading(influence)
	difference, err := combine(func(at []float64) float64 { return at[0] - at[1] }, level, fades, meanA, meanB)
	if err != nil {
		return SeedComparison{}, err
	}
	k, seeds := [2]int{len(a), len(b)}, [2]float64{seedsA, seedsB}
	c := SeedComparison{Comparison: compared, SeedsA: len(a), SeedsB: len(b), BlockError: difference.StdError}
	seedDF := 0.0 // Σ v²/df of the variances between runs
	for i := range k {
		other := 1 - i
		switch {
		case k[i] > 1:
			v := seeds[i]
			if borrows := k[other] == 1 && !o.Fixed[other]; borrows {
				v *= float64(1 + k[i]) // s²·(1/k + 1)
				seeds[other] = float64(seeds[i] * float64(k[i]))
				c.warn("the %s model has only one run; its runs are assumed to vary like runs of the %s model; add "+
					"runs", nth[other], nth[i])
			}
			seedDF += float64(v*v) / float64(k[i]-1)
		case k[other] == 1 && !o.Fixed[i]:
			c.warn("the %s model has only one run, so that the interval does not include the variation of its "+
				"runs; add runs", nth[i])
		}
	}
	c.SeedError = math.Sqrt(seeds[0] + seeds[1])
	blocks := float64(difference.StdError * difference.StdError)
	total := seeds[0] + seeds[1] + blocks
	c.StdError = math.Sqrt(total)
	if difference.Reason != "" || !isFinite(total) || noError(c.SeedError, meanA.Estimate, meanB.Estimate) {
		return c, nil
	}
	runs := seeds[0] + seeds[1]
	var width float64
	p := func() float64 { return TTestP(c.T, c.DF) }
	if runs > 0 && blocks > 0 {
		sum := newTwoErrors(c.SeedError, float64(runs*runs)/seedDF, difference.StdError, difference.DF)
		if width, err = sum.quantile(1 - level); err == nil {
			c.DF = dfOf(width/c.StdError, 1-level)
		}
		p = func() float64 { return sum.p(c.Difference) }
	} else {
		parts := float64(blocks*blocks)/difference.DF + seedDF
		c.DF = float64(total*total) / parts
		width, err = StudentTQuantile((1+level)/2, c.DF)
		width *= c.StdError
	}
	if err != nil {
		return c, err
	}
	c.Interval = Interval{Low: c.Difference - width, High: c.Difference + width, Level: level}
	if meanA.Untestable == "" && meanA.Pieces.remembers(influence, fades) == "" {
		c.Reason = ""
		c.T = c.Difference / c.StdError
		c.P = p()
		c.PHolm = c.P
	}
	return c, nil
}

// nth names the models of a warning.
var nth = [2]string{"first", "second"}

func (c *SeedComparison) warn(format string, arguments ...any) {
	c.Warnings = append(c.Warnings[:len(c.Warnings):len(c.Warnings)], fmt.Sprintf(format, arguments...))
}

// BlocksNeeded returns the least number of blocks that detects the observed difference
// with the requested power, for the same number of runs. More blocks reduce the error
// of blocks, not the error between runs. Errors as for the function [BlocksNeeded], and
// for a comparison without degrees of freedom, and runs that differ so much that no number of blocks
// suffices.
func (c SeedComparison) BlocksNeeded(o PowerOptions) (int, error) {
	const quantity = "number of blocks"
	blocks := float64(c.Blocks)
	if !(c.SeedError > 0) {
		return BlocksNeeded(c.Difference, c.BlockError*math.Sqrt(blocks), o)
	}
	if c.Difference == 0 || !isFinite(c.Difference) || !isFinite(c.BlockError) {
		return 0, Undefined(quantity,
			"difference %v with block error %v, want a nonzero difference", c.Difference, c.BlockError)
	}
	ratio, err := MinimumDetectableEffect(1, c.DF, o)
	if err != nil {
		return 0, err
	}
	least := math.Abs(c.Difference) / ratio // the error with which the difference is found
	rest := least*least - c.SeedError*c.SeedError
	if rest <= 0 {
		return 0, Undefined(quantity, "the runs differ too much: more blocks cannot resolve the difference; add runs")
	}
	needed := math.Ceil(blocks * c.BlockError * c.BlockError / rest)
	if needed > maxBlocksNeeded {
		return 0, Undefined(quantity, "the difference needs more than 2^40 blocks")
	}
	return max(int(needed), 2), nil
}

// acrossSeeds is the mean of a statistic over runs, jackknifed by blocks, and the
// variance of that mean between runs: 0 for one run.
func acrossSeeds(runs []*Jackknifed) (mean *Jackknifed, variance float64, err error) {
	if len(runs) == 1 {
		return runs[0], 0, nil
	}
	mean, err = Combine(func(values []float64) float64 { return Mean(values) }, runs...)
	if err != nil {
		return nil, 0, err
	}
	estimates := make([]float64, len(runs))
	for i, v := range runs {
		estimates[i] = v.Estimate
	}
	_, variance = MeanVariance(estimates)
	return mean, max(variance, 0) / float64(len(runs)), nil
}
