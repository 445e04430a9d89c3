// The statistics of one model's movement at every level, and of its curve over them.

package robustness

import (
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/quantile"
	"repscope/measure/spectrum"
	"repscope/report"
	"repscope/stat"
)

// jackknifes are the statistics of one model that others are compared with; nil where
// undefined, where no deletion changes them, and without intervals.
type jackknifes struct {
	relativeMean, relativeRMS, flips []*stat.Jackknifed // by level
	auc, slope                       *stat.Jackknifed
}

// describer summarizes the movement of one model.
type describer struct {
	m      *movement
	o      Options
	blocks *stat.Blocks // of states; nil without intervals
	of     *stat.Blocks // of states and draws
	rms    *stat.Jackknifed
	unit   *stat.Jackknifed // of levels; nil for a pixel range, and without intervals
	// By level: the numbers whose derivative by the level tells the error of the unit.
	means, roots, flips, cosines, inputs, medians []float64
	out                                           jackknifes
}

// describe summarizes every level, and the curve over the levels.
func (m *movement) describe(o Options, blocks *stat.Blocks, changed [][]float64,
	unit *Spread) (*Model, *jackknifes, error) {
	d := &describer{m: m, o: o, blocks: blocks}
	if unit != nil && blocks != nil && o.Corruption.OfRange() {
		var err error
		if d.unit, err = unit.jackknife(blocks); err != nil {
			return nil, nil, err
		}
		d.summarize(changed)
	}
	model := &Model{RMSDistance: report.Estimate{Value: m.rms}, TotalVariance: m.variance, EffectiveRank: m.effective, Duplicates: m.duplicates, Distances: m.distance, Cosines: m.cosine, Flips: m.flipped}
	if err := d.group(); err != nil {
		return nil, nil, err
	}
	model.RMSDistance.CI = d.interval(d.rms, m.rms)
	for l := range o.Levels {
		level, err := d.level(l, changed[l])
		if err != nil {
			return nil, nil, err
		}
		model.Levels = append(model.Levels, *level)
	}
	return model, &d.out, d.curve(model)
}

// summarize takes the numbers of all levels.
func (d *describer) summarize(changed [][]float64) {
	for l := range d.o.Levels {
		squares, cosines := 0.0, 0.0
		count := 0.0
		for i, v := range d.m.distance[l] {
			squares += float64(v * v)
			if c := d.m.cosine[l][i]; !math.IsNaN(c) {
				cosines += c
				count++
			}
		}
		sorted := slices.Clone(d.m.distance[l])
		slices.Sort(sorted)
		d.means = append(d.means, stat.Mean(d.m.distance[l]))
		d.roots = append(d.roots, math.Sqrt(squares/float64(len(sorted))))
		d.flips = append(d.flips, stat.Mean(d.m.flipped[l]))
		d.cosines = append(d.cosines, 1-cosines/count) // to a cosine of 1
		d.inputs = append(d.inputs, stat.Mean(changed[l]))
		d.medians = append(d.medians, quantile.Sorted(sorted, 0.5))
	}
}

// derivative is the derivative of a number by the logarithm of the level, from its values by level;
// alone where there is no other level.
func (d *describer) derivative(values []float64, l int, alone float64) float64 {
	if d.unit == nil {
		return 0
	}
	return logDerivative(d.o.Levels, values, l, alone)
}

// group prepares the blocks of draws and the RMS distance without each block.
func (d *describer) group() error {
	if d.blocks == nil {
		return nil
	}
	d.of = d.blocks
	if d.m.draws > 1 {
		owner := make([]int, d.m.clean.N*d.m.draws)
		for i := range owner {
			owner[i] = i / d.m.draws
		}
		var err error
		if d.of, err = d.blocks.Owning(owner); err != nil {
			return err
		}
	}
	if !d.m.rms.Defined() {
		return nil
	}
	var err error
	d.rms, err = spectrum.JackknifeRMSDistance(d.m.clean, d.blocks)
	return err
}

// interval is the interval of a jackknife, or the reason why its value is undefined.
func (d *describer) interval(j *stat.Jackknifed, v report.Value) report.Interval {
	if !v.Defined() {
		return report.NoInterval("%s", v.Reason)
	}
	return results.IntervalOf(j)
}

// mean jackknifes a mean over states; nil without intervals.
func (d *describer) mean(values []float64) (*stat.Jackknifed, error) {
	if d.blocks == nil {
		return nil, nil
	}
	return stat.JackknifeMean(d.blocks, values)
}

// positive cuts the interval of a number that is never negative.
func positive(j *stat.Jackknifed) *stat.Jackknifed {
	if j == nil {
		return nil
	}
	return j.Within(0, math.Inf(1))
}

// level summarizes one level; changed holds ‖x' − x‖ at [state·draws + draw].
func (d *describer) level(l int, changed []float64) (*Level, error) {
	m := d.m
	all, err := stat.Summarize(m.distance[l])
	if err != nil {
		return nil, err
	}
	means := m.stateMeans(m.distance[l])
	perState, err := stat.Summarize(means)
	if err != nil {
		return nil, err
	}
	mean, err := d.mean(means)
	if err != nil {
		return nil, err
	}
	level := &Level{
		Sigma: d.o.Levels[l],
		Mean:  report.Estimate{Value: report.Number(all.Mean)},
		SD:    report.NumberOr(all.SD, all.Reason), SE: report.NumberOr(perState.SE, perState.Reason),
		Median: report.Estimate{Value: report.Number(all.Median)}, Min: report.Number(all.Min), Max: report.Number(all.Max),
		InputPerturbation: report.Estimate{Value: report.Number(stat.Mean(changed))},
		Samples:           len(m.distance[l]),
	}
	if err := d.relative(l, level, mean); err != nil {
		return nil, err
	}
	if mean, err = d.withUnit(mean, d.derivative(d.means, l, all.Mean)); err != nil {
		return nil, err
	}
	level.Mean.CI = d.interval(positive(mean), level.Mean.Value)
	median, input, err := d.others(m.distance[l], m.stateMeans(changed))
	if err != nil {
		return nil, err
	}
	if median, err = d.withUnit(median, d.derivative(d.medians, l, all.Median)); err != nil {
		return nil, err
	}
	if input, err = d.withUnit(input, d.derivative(d.inputs, l, level.InputPerturbation.V)); err != nil {
		return nil, err
	}
	level.Median.CI = d.interval(median, level.Median.Value)
	level.InputPerturbation.CI = d.interval(positive(input), level.InputPerturbation.Value)
	if err := d.flipRate(l, level); err != nil {
		return nil, err
	}
	return level, d.cosine(l, level)
}

// others jackknifes the median of distances and the mean change of the input; nil
// without intervals.
func (d *describer) others(distances, changed []float64) (median, input *stat.Jackknifed, err error) {
	if d.blocks == nil {
		return nil, nil, nil
	}
	medians, err := stat.JackknifeQuantiles(d.of, distances, 0.5)
	if err != nil {
		return nil, nil, err
	}
	input, err = d.mean(changed)
	return medians[0], input, err
}

// relative enters the mean and the root mean square distance over the RMS distance of
// the clean latents, which is deleted from as well.
func (d *describer) relative(l int, level *Level, mean *stat.Jackknifed) error {
	m := d.m
	squares := make([]float64, len(m.distance[l]))
	for i, v := range m.distance[l] {
		squares[i] = float64(v * v)
	}
	perState := m.stateMeans(squares)
	var relativeMean, relativeRMS *stat.Jackknifed
	if !m.rms.Defined() {
		level.RelativeMean.Value, level.RelativeRMS.Value = m.rms, m.rms
	} else {
		level.RelativeMean.Value = report.Number(level.Mean.V / m.rms.V)
		level.RelativeRMS.Value = report.Number(math.Sqrt(stat.Mean(perState)) / m.rms.V)
		if d.blocks != nil {
			square, err := stat.JackknifeMean(d.blocks, perState)
			if err != nil {
				return err
			}
			if relativeRMS, err = stat.Combine(func(v []float64) float64 { return math.Sqrt(max(v[0], 0)) / v[1] }, square, d.rms); err != nil {
				return err
			}
			if relativeMean, err = mean.Per(d.rms); err != nil {
				return err
			}
			if relativeRMS, err = d.withUnit(relativeRMS, d.derivative(d.roots, l, m.rms.V*level.RelativeRMS.V)/m.rms.V); err != nil {
				return err
			}
			if relativeMean, err = d.withUnit(relativeMean, d.derivative(d.means, l, level.Mean.V)/m.rms.V); err != nil {
				return err
			}
		}
	}
	d.out.relativeMean = append(d.out.relativeMean, varying(relativeMean))
	d.out.relativeRMS = append(d.out.relativeRMS, varying(relativeRMS))
	level.RelativeMean.CI = d.interval(positive(relativeMean), level.RelativeMean.Value)
	level.RelativeRMS.CI = d.interval(positive(relativeRMS), level.RelativeRMS.Value)
	return nil
}

// varying leaves out what no deletion changes: nothing shows its error.
func varying(j *stat.Jackknifed) *stat.Jackknifed {
	if j == nil || j.StdError == 0 {
		return nil
	}
	return j
}

// fewestCarriers is the number of values that must carry the spread of a mean for its
// interval to hold.
const fewestCarriers = 20

// carriers is the number of values that carry the spread of values: (Σ d²)²/Σ d⁴ for
// deviations d from the mean, a third of normal ones and one where a single value
// does.
func carriers(values []float64) float64 {
	mean := stat.Mean(values)
	squares, fourth := 0.0, 0.0
	for _, v := range values {
		d := (v - mean) * (v - mean)
		squares += d
		fourth += float64(d * d)
	}
	if fourth == 0 {
		return float64(len(values))
	}
	return squares * squares / fourth
}

func (d *describer) flipRate(l int, level *Level) error {
	means := d.m.stateMeans(d.m.flipped[l])
	level.FlipRate.Value = report.Number(stat.Mean(means))
	if d.m.collapsed() {
		level.FlipRate.Value = report.Undefined(allEqual)
	}
	flips, err := d.mean(means)
	if err == nil {
		flips, err = d.withUnit(flips, d.derivative(d.flips, l, 0))
	}
	if err != nil {
		return err
	}
	compared := varying(flips)
	if !d.m.rms.Defined() { // a collapsed encoder is compared with none
		compared = nil
	}
	d.out.flips = append(d.out.flips, compared)
	if flips != nil {
		flips.AsShare(len(means))
	}
	level.FlipRate.CI = d.interval(flips, level.FlipRate.Value)
	return nil
}

// cosine enters the mean over the latents that are not zero.
func (d *describer) cosine(l int, level *Level) error {
	draws := d.m.draws
	sums, counts := make([]float64, d.m.clean.N), make([]float64, d.m.clean.N)
	for i, v := range d.m.cosine[l] {
		if !math.IsNaN(v) {
			sums[i/draws] += v
			counts[i/draws]++
		}
	}
	count := stat.Sum(counts)
	switch {
	case !d.m.rms.Defined():
		level.Cosine.Value = d.m.rms
	case count == 0:
		level.Cosine.Value = report.Undefined("every latent is zero")
	default:
		level.Cosine.Value = report.Number(stat.Sum(sums) / count)
	}
	var j *stat.Jackknifed
	if d.blocks != nil && level.Cosine.Defined() {
		missing := make([]float64, len(sums)) // to a cosine of 1
		for i, v := range sums {
			missing[i] = counts[i] - v
		}
		means, err := stat.JackknifeSums(d.blocks, [][]float64{missing, counts}, 1,
			func(_ float64, s, dst []float64) { dst[0] = s[0] / s[1] })
		if err != nil {
			return err
		}
		if n := carriers(missing); n < fewestCarriers {
			level.Cosine.CI = report.NoInterval(
				"only %.0f of %d latents, near zero, determine its spread: too few for an interval", n, len(missing))
			return nil
		}
		if means[0], err = d.withUnit(means[0], d.derivative(d.cosines, l, 0)); err != nil {
			return err
		}
		j = means[0].OnLogScale()
		j.Interval.Low, j.Interval.High = max(1-j.Interval.High, -1), min(1-j.Interval.Low, 1)
	}
	level.Cosine.CI = d.interval(j, level.Cosine.Value)
	return nil
}

// curve enters the area under the relative mean over the levels and its slope.
func (d *describer) curve(model *Model) error {
	area, slope := curveWeights(d.o.Levels)
	for _, side := range []struct {
		weights []float64
		to      *report.Estimate
		keep    **stat.Jackknifed
	}{{area, &model.AUCRelative, &d.out.auc}, {slope, &model.CurveSlope, &d.out.slope}} {
		switch {
		case side.weights == nil:
			side.to.Value = report.Undefined("a curve needs at least two levels")
		case !d.m.rms.Defined():
			side.to.Value = d.m.rms
		default:
			side.to.Value = report.Number(weighted(side.weights, func(l int) float64 { return model.Levels[l].RelativeMean.V }))
		}
		var j *stat.Jackknifed
		if d.blocks != nil && side.to.Defined() {
			var err error
			if j, err = d.weightedMean(side.weights); err != nil {
				return err
			}
			derivative := weighted(side.weights, func(l int) float64 {
				return d.derivative(d.means, l, d.m.rms.V*model.Levels[l].RelativeMean.V) / d.m.rms.V
			})
			if j, err = d.withUnit(j, derivative); err != nil {
				return err
			}
			if side.to == &model.AUCRelative {
				j.Within(0, math.Inf(1))
			}
			*side.keep = varying(j)
		}
		side.to.CI = d.interval(j, side.to.Value)
	}
	return nil
}

// weightedMean jackknifes Σ weight·(relative mean) over the levels.
func (d *describer) weightedMean(weights []float64) (*stat.Jackknifed, error) {
	mean, err := stat.JackknifeMean(d.blocks, d.m.weightedMeans(weights))
	if err != nil {
		return nil, err
	}
	return mean.Per(d.rms)
}

// weightedMeans are Σ weight·(mean distance of a state) over the levels, by state.
func (m *movement) weightedMeans(weights []float64) []float64 {
	out := make([]float64, m.clean.N)
	for l, w := range weights {
		for i, v := range m.stateMeans(m.distance[l]) {
			out[i] += float64(w * v)
		}
	}
	return out
}

func weighted(weights []float64, value func(l int) float64) float64 {
	sum := 0.0
	for l, w := range weights {
		sum += float64(w * value(l))
	}
	return sum
}

// curveWeights are the weights of the values at the levels in the area under a curve by the
// trapezoidal rule over the range of levels, and in the least-squares slope; nil for
// one level.
func curveWeights(levels []float64) (area, slope []float64) {
	if len(levels) < 2 {
		return nil, nil
	}
	order := make([]int, len(levels))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if levels[a] < levels[b] {
			return -1
		}
		return 1
	})
	area, slope = make([]float64, len(levels)), make([]float64, len(levels))
	first, last := levels[order[0]], levels[order[len(order)-1]]
	for k := 1; k < len(order); k++ {
		half := (levels[order[k]] - levels[order[k-1]]) / 2 / (last - first)
		area[order[k-1]] += half
		area[order[k]] += half
	}
	mean, squares := stat.Mean(levels), 0.0
	for _, v := range levels {
		squares += (v - mean) * (v - mean)
	}
	for i, v := range levels {
		slope[i] = (v - mean) / squares
	}
	return area, slope
}

// blocks are the blocks of the states, which all statistics of a run share: nil without
// intervals. Pieces of episodes are as long as the longest memory asks for, of the
// relative mean at the compared level, of the area under its curve and of the flips, for
// all models and their differences.
func (p *plan) blocks(moved []*movement, compared int) (*stat.Blocks, error) {
	if !p.o.Intervals {
		return nil, nil
	}
	n := p.in.States.Len()
	blocks, err := stat.NewBlocks(n, p.in.Episode, p.o.Block)
	if err != nil || blocks.Kind() == stat.EpisodeBlocks {
		return blocks, err
	}
	weights := make([]float64, len(p.o.Levels))
	weights[compared] = 1
	area, _ := curveWeights(p.o.Levels)
	var relative, areas, flips [][]float64
	for _, m := range moved {
		if !m.rms.Defined() {
			continue
		}
		_, ofRMS, err := spectrum.RMSDistanceInfluence(m.clean)
		if err != nil {
			return nil, err
		}
		relative = append(relative, p.withUnit(m, weights, m.influence(weights, ofRMS)))
		areas = append(areas, p.withUnit(m, area, m.influence(area, ofRMS)))
		flips = append(flips, m.stateMeans(m.flipped[compared]))
	}
	return results.LongestBlocks(n, p.in.Episode, p.o.Block, relative, areas, flips)
}

// withUnit adds to the influence of every state on Σ weight·(mean distance)/RMS distance that by
// the unit of levels, if it is one of the states.
func (p *plan) withUnit(m *movement, weights, influence []float64) []float64 {
	if p.in.Spread == nil || !p.o.Corruption.OfRange() {
		return influence
	}
	means := make([]float64, len(p.o.Levels))
	for l := range means {
		means[l] = stat.Mean(m.distance[l])
	}
	derivative := weighted(weights, func(l int) float64 { return logDerivative(p.o.Levels, means, l, means[l]) / m.rms.V })
	for i, v := range p.in.Spread.influence() {
		influence[i] += float64(derivative * v)
	}
	return influence
}

// influence is the influence of every state on Σ weight·(mean distance)/RMS distance.
func (m *movement) influence(weights, ofRMS []float64) []float64 {
	out := m.weightedMeans(weights)
	mean := stat.Mean(out)
	share := mean / m.rms.V
	for i, v := range ofRMS {
		out[i] = (out[i] - mean - float64(share*v)) / m.rms.V
	}
	return out
}
