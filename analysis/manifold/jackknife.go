// Intervals by deleting blocks: dependent frames leave together, and no latent
// occurs twice, as it would in a bootstrap resample (which would make nearest
// neighbour distances zero and the spectrum steeper).

package manifold

import (
	"math"
	"slices"

	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// maxBlocks bounds the number of deletions: each costs a pass over the ratios.
const maxBlocks = 200

// jackknifeNeighbors is the length of neighbour lists from which the first two
// neighbours outside a deleted block are read; where a list is exhausted, all
// latents are looked at.
const jackknifeNeighbors = 32

// linearIntervals fills in the interval of the participation ratio and returns
// its jackknife, nil without blocks.
func (m *Model) linearIntervals(z points.Points, blocks *stat.Blocks) *stat.Jackknifed {
	if blocks == nil {
		m.ParticipationRatioCI = report.NoInterval("intervals are off")
		return nil
	}
	replicates := spectrum.ParticipationRatiosWithout(z, blocks)
	jackknifed, err := stat.DeleteBlockJackknife(m.ParticipationRatio.V, replicates, blocks.Sizes(), 0)
	if err != nil {
		m.ParticipationRatioCI = report.NoInterval("%s", stat.Reason(err))
		return nil
	}
	m.ParticipationRatioCI = blockInterval(jackknifed)
	return jackknifed
}

// jackknife deletes every block in turn and estimates Two-NN again, with the
// neighbours that remain. It returns nil without blocks or where a deletion
// leaves nothing to estimate from.
func (d *distinct) jackknife(z points.Points, blocks *stat.Blocks, full TwoNN) (mle, fit *stat.Jackknifed) {
	if blocks == nil {
		return nil, nil
	}
	labels := blocks.Labels()
	label := make([]int, len(d.index))
	for i, original := range d.index {
		label[i] = labels[original]
	}
	// Blocks keep their full sizes, duplicates or not, so that models with
	// different duplicates are compared over the same blocks.
	var mles, fits []float64
	for j := range blocks.Count() {
		ratio := d.ratiosWithout(z, label, j)
		total, err := sumLog(ratio)
		if err != nil {
			return nil, nil
		}
		slices.Sort(ratio)
		mles = append(mles, float64(len(ratio))/total)
		fits = append(fits, twoNNFit(ratio))
	}
	mle, err := stat.DeleteBlockJackknife(full.MLE, mles, blocks.Sizes(), 0)
	if err != nil {
		return nil, nil
	}
	if isFinite(full.Fit) && !slices.ContainsFunc(fits, math.IsNaN) {
		if fit, err = stat.DeleteBlockJackknife(full.Fit, fits, blocks.Sizes(), 0); err != nil {
			fit = nil
		}
	}
	return mle, fit
}

// ratiosWithout returns r2/r1 of every latent outside block j, among those.
func (d *distinct) ratiosWithout(z points.Points, label []int, j int) []float64 {
	var out []float64
	for i := range label {
		if label[i] == j {
			continue
		}
		var r [2]float64
		found := 0
		for m := i * d.nearest.K; m < (i+1)*d.nearest.K && found < 2; m++ {
			if label[d.nearest.Index[m]] != j {
				r[found] = d.nearest.Distance[m]
				found++
			}
		}
		if found < 2 {
			r = d.twoNearestWithout(z, label, i, j)
		}
		if r[0] > 0 && !math.IsInf(r[1], 0) {
			out = append(out, r[1]/r[0])
		}
	}
	return out
}

// twoNearestWithout looks at all latents outside block j for the two nearest of
// latent i.
func (d *distinct) twoNearestWithout(z points.Points, label []int, i, j int) [2]float64 {
	best := [2]float64{math.Inf(1), math.Inf(1)}
	a, b := z.Row(d.index[i], nil), make([]float64, z.Dim)
	for other := range label {
		if other == i || label[other] == j {
			continue
		}
		square := 0.0
		for k, v := range z.Row(d.index[other], b) {
			square += float64((a[k] - v) * (a[k] - v))
		}
		switch {
		case square < best[0]:
			best[0], best[1] = square, best[0]
		case square < best[1]:
			best[1] = square
		}
	}
	return [2]float64{math.Sqrt(best[0]), math.Sqrt(best[1])}
}
