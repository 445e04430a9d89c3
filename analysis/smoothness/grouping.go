// How states, and the pairs that begin at them, are grouped into blocks, and the unit
// that distances are divided by.

package smoothness

import (
	"repscope/analysis/internal/results"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/stat"
)

// unit is what the latent distances of one model are divided by.
type unit struct {
	latents   points.Points
	rms       float64   // 0 for distances as they are
	influence []float64 // of every state on rms
	collapsed string    // why there is nothing to measure: constant latents
}

// units are the units of all models in the scale asked for.
func (p *plan) units() ([]unit, error) {
	out := make([]unit, len(p.in.Models))
	for i, m := range p.in.Models {
		z := m.Latents
		if p.o.Scale == spectrum.ScaleL2 {
			var err error
			if z, err = spectrum.Scaled(z, spectrum.ScaleL2); err != nil {
				return nil, err
			}
		}
		rms, influence, err := spectrum.RMSDistanceInfluence(z)
		switch {
		case err != nil:
			out[i].collapsed = stat.Reason(err)
		case p.o.Scale == spectrum.ScaleRMS:
			out[i] = unit{latents: z, rms: rms, influence: influence}
		}
	}
	return out, nil
}

// scaled divides distances by the unit; distances of constant latents, all 0, stay.
func (u unit) scaled(distances []float64) []float64 {
	if u.rms == 0 {
		return distances
	}
	out := make([]float64, len(distances))
	for i, d := range distances {
		out[i] = d / u.rms
	}
	return out
}

// per divides a jackknifed statistic of raw distances by the unit; nil stays nil.
func (u unit) per(v *stat.Jackknifed, jackknifed *stat.Jackknifed) (*stat.Jackknifed, error) {
	if v == nil || jackknifed == nil {
		return v, nil
	}
	return v.Per(jackknifed)
}

// grouping are the blocks of one horizon: of states, which the unit is taken over, and
// of the pairs that begin at them.
type grouping struct {
	states, pairs *stat.Blocks
	few           *stat.Blocks // of pairs, at most fewBlocks, for statistics that are ranked again
}

// fewBlocks bounds the deletions that are ranked again.
const fewBlocks = 200

// group groups the states for the pairs at one horizon; nil without intervals. All
// statistics of a horizon share the blocks, those that the longest memory among them
// asks for: slope and unit must share theirs to be divided, one table has one caption,
// and blocks that are too long cost some width where short ones cost coverage. Each
// horizon has its own, because pairs that overlap depend on each other for longer.
func (p *plan) group(horizon int, pixel []float64, all *Part, units []unit) (*grouping, error) {
	if !p.o.Intervals {
		return nil, nil
	}
	pairs := p.in.Pairs[horizon]
	owner := make([]int, len(pairs))
	for i, pair := range pairs {
		owner[i] = pair.Now
	}
	g := &grouping{}
	var err error
	if g.states, err = stat.NewBlocks(p.in.Frames.N, p.in.Episode, p.o.Block); err != nil {
		return nil, err
	}
	if g.states.Kind() == stat.MovingBlocks { // their length follows the statistics
		distances := make([][]float64, len(units))
		for i := range units {
			distances[i] = p.of(horizon, all.Models[i].Scaled)
		}
		if g.states, err = p.longest(owner, pixel, distances, units); err != nil {
			return nil, err
		}
	}
	return g.owning(owner)
}

// owning groups pairs by their first states.
func (g *grouping) owning(owner []int) (*grouping, error) {
	out := &grouping{states: g.states}
	var err error
	if out.pairs, err = g.states.Owning(owner); err != nil {
		return nil, err
	}
	out.few, err = g.states.Coarsen(fewBlocks).Owning(owner)
	return out, err
}

// longest are the longest of the blocks that the statistics ask for, of all models and
// their differences.
func (p *plan) longest(owner []int, pixel []float64, distances [][]float64, units []unit) (*stat.Blocks, error) {
	var series [influences][][]float64
	for i, latent := range distances {
		if units[i].collapsed != "" {
			continue
		}
		for k, s := range p.influence(owner, pixel, latent, units[i]) {
			series[k] = append(series[k], s)
		}
	}
	return results.LongestBlocks(p.in.Frames.N, p.in.Episode, p.o.Block, series[:]...)
}

// influences is the number of statistics that the length of blocks follows.
const influences = 4

// influence is the influence of every state on the slope, R², and the ratio's mean and median.
func (p *plan) influence(owner []int, pixel, latent []float64, u unit) (series [influences][]float64) {
	n := p.in.Frames.N
	byUnit := func(ofPair []float64, share float64) []float64 {
		out := make([]float64, n)
		for i, v := range ofPair {
			out[owner[i]] += float64(v * float64(n) / float64(len(ofPair)))
		}
		if u.rms > 0 {
			for i, v := range u.influence {
				out[i] = (out[i] - float64(share*v)) / u.rms
			}
		}
		return out
	}
	slope, square := make([]float64, len(pixel)), make([]float64, len(pixel))
	estimate := 0.0
	if line, err := stat.RegressionInfluence(pixel, latent); err == nil {
		slope, square = line[0], line[3]
		if fit, err := stat.Regression(pixel, latent); err == nil {
			estimate = fit.Slope
		}
	}
	series[0] = byUnit(slope, u.share(estimate))
	series[1] = byUnit(square, 0)
	ratios, moving := p.ratios(pixel, latent)
	mean, median := 0.0, 0.0
	if len(moving) > 0 {
		mean, median = stat.Mean(moving), stat.Median(moving)
	}
	centered, above := make([]float64, len(ratios)), make([]float64, len(ratios))
	for i, r := range ratios {
		if r == r { // a pair that moves
			centered[i] = r - mean
			above[i] = -0.5
			if r > median {
				above[i] = 0.5
			}
		}
	}
	series[2] = byUnit(centered, u.share(mean))
	series[3] = byUnit(above, 0)
	return series
}

// share is how much of the unit's influence a statistic of raw distances takes along.
func (u unit) share(estimate float64) float64 {
	if u.rms == 0 {
		return 0
	}
	return estimate / u.rms
}
