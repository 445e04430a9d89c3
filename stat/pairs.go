// The jackknife's correction for what rests on two blocks together.

package stat

import "math"

// WithoutPairTerms corrects the variance for terms that the jackknife counts twice: joint effects of
// two blocks, as in statistics of pairs or of nearest neighbors. pair[a][b] + pair[b][a] is the joint
// effect of the blocks a and b, θ − θ_(−a) − θ_(−b) + θ_(−ab), or its main part. Its row effects p_a +
// p_b, scaled by sizes, are removed and the squares of the residuals are summed (Efron & Stein 1981,
// "The jackknife estimate of variance", who use this sum to correct the bias). Deletions are then
// shrunk toward the estimate until their variance is smaller by part times this sum, or half as large:
// in theory the share is at most a half. part lies between 0 and 1; smaller values protect the level
// of a test against the error of the sum. Fewer than 4 blocks, or a number of blocks other than that
// of pair, change nothing. It returns v.
func (v *Jackknifed) WithoutPairTerms(pair [][]float64, part float64) *Jackknifed {
	g := len(v.BlockSizes)
	if g < 4 || len(pair) != g || !(v.StdError > 0) {
		return v
	}
	size := func(a int) float64 { return float64(v.BlockSizes[a]) }
	both := func(a, b int) float64 { return pair[a][b] + pair[b][a] }
	row, all := make([]float64, g), 0.0
	for a := range g {
		sum, others := 0.0, 0.0
		for b := range g {
			if a != b {
				sum += both(a, b)
				others += size(b)
			}
		}
		row[a] = sum / others / size(a)
		all += row[a] / float64(g)
	}
	// A row's mean over the others holds their effects, too.
	stretch := float64(g-1) / float64(g-2)
	squares := 0.0
	for a := range g {
		for b := range a {
			d := both(a, b) - (all+stretch*(row[a]-all)+stretch*(row[b]-all))*size(a)*size(b)
			squares += float64(d * d)
		}
	}
	factor := math.Sqrt(1 - float64(part*min(squares/(v.StdError*v.StdError), 0.5)))
	if !(factor < 1) {
		return v
	}
	replicates := make([]float64, g)
	for j, r := range v.Replicates {
		replicates[j] = v.Estimate + float64(factor*(r-v.Estimate))
	}
	corrected := &Jackknifed{Estimate: v.Estimate, Replicates: replicates, BlockSizes: v.BlockSizes, Pieces: v.Pieces,
		Widening: v.Widening}
	if corrected.delete(v.Interval.Level) != nil {
		return v
	}
	corrected.Influence, corrected.Untestable, corrected.Warnings = v.Influence, v.Untestable, v.Warnings
	*v = *corrected
	return v
}
