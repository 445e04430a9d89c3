// Package stat holds the statistics that all analyzes of repscope share:
// least squares and rank statistics, quantiles, dependence along episodes, the
// block bootstrap, the delete-block jackknife, paired comparisons with Holm's
// correction, and a counter-based random generator.
//
// Consecutive frames are dependent. Formulas that assume independence (the p
// value and standard error of a regression, the ± SE of a mean) are given
// because readers expect them; the intervals to report come from jackknives
// that delete whole episodes, or pieces of one, and models are compared over the
// same deletions:
//
//	blocks, err := stat.NewBlocks(len(a), episodes, stat.BlockSpec{Kind: stat.AutoBlocks}, stat.Differences(a, b)...)
//	first, err := stat.JackknifeMean(blocks, a)
//	second, err := stat.JackknifeMean(blocks, b)
//	comparison, err := stat.Compare(first, second, stat.CompareOptions{Seed: seed})
//
// Two conventions hold everywhere. Input that no statistic can be computed from
// (different lengths, NaN or Inf, too few values, a constant regressor) is an
// error; [Reason] gives the text for a result file. A quantity that is
// undefined although its neighbors are not is NaN, and a Reason field next to
// it says why. And every sum is taken in a fixed order in float64, every random
// draw is a function of a seed and its coordinates, so that results do not
// depend on the number of threads.
package stat
