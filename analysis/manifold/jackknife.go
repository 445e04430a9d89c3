// Intervals by deleting blocks: dependent frames leave together, and no latent
// occurs twice, as it would in a bootstrap resample (which would make nearest
// neighbour distances zero and the spectrum steeper).

package manifold

import (
	"math"
	"slices"

	"repscope/measure/dimension"
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
	jackknifed, err := blocks.Jackknife(m.ParticipationRatio.V, replicates, nil)
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
func jackknife(d *dimension.Distinct, blocks *stat.Blocks, full dimension.TwoNN) (mle, fit *stat.Jackknifed) {
	if blocks == nil {
		return nil, nil
	}
	mles, fits, err := d.WithoutBlocks(blocks)
	if err != nil {
		return nil, nil
	}
	// Blocks keep their full sizes, duplicates or not, so that models with
	// different duplicates are compared over the same blocks.
	if mle, err = blocks.Jackknife(full.MLE, mles, nil); err != nil {
		return nil, nil
	}
	if isFinite(full.Fit) && !slices.ContainsFunc(fits, math.IsNaN) {
		if fit, err = blocks.Jackknife(full.Fit, fits, nil); err != nil {
			fit = nil
		}
	}
	return mle, fit
}
