// Blocks: how states are grouped for intervals, and how what happens between states
// belongs to them.

package geometry

import (
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/motion"
	"repscope/measure/spectrum"
	"repscope/measure/sphere"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// The largest numbers of blocks that are deleted in turn: clusters are found again
// and similarities take a singular value decomposition or a ranking for each.
const (
	MaxBlocks           = 200
	MaxRefits           = 64
	MaxSimilarityBlocks = 50
)

// scope is a set of observations with the grouping of their blocks.
type scope struct {
	n      int          // of observations; 0 where there are too few
	reason string       // why there are too few
	blocks *stat.Blocks // what the jackknife deletes; nil without intervals
}

// coarsened merges blocks until at most count remain.
func (s scope) coarsened(count int) scope {
	if s.blocks != nil {
		s.blocks = s.blocks.Coarsen(count)
	}
	return s
}

// df are the degrees of freedom of a jackknife over the blocks, their number by size less one; 0 without intervals.
func (s scope) df() float64 {
	if s.blocks == nil {
		return 0
	}
	squares := 0.0
	for _, size := range s.blocks.Sizes() {
		squares += float64(size) * float64(size)
	}
	return float64(s.n)*float64(s.n)/squares - 1
}

// group makes the blocks of all scopes. Steps and turns belong to their first state, so
// that they can be combined with measurements of states.
func (a *analyzer) group() error {
	in, n := a.in, a.in.Models[0].Latents.N
	firsts := make([]int, len(a.pairs))
	for i, p := range a.pairs {
		firsts[i] = p.Now
	}
	a.steps, a.turns = few(len(a.pairs), "pairs"), few(len(a.triples), "triples")
	a.states, a.sample = scope{n: n}, scope{n: a.samples()}
	if !a.o.Intervals {
		return nil
	}
	series := a.series()
	blocks, err := a.blocks(n, in.Episode, series)
	if err != nil {
		return err
	}
	a.states.blocks, a.sample.blocks = blocks, blocks
	if in.Sample != nil {
		for i := range series {
			series[i] = at(series[i], in.Sample)
		}
		if a.sample.blocks, err = a.blocks(len(in.Sample), at(in.Episode, in.Sample), series); err != nil {
			return err
		}
	}
	for _, owned := range []struct {
		to    *scope
		owner []int
	}{{&a.steps, firsts}, {&a.turns, a.triples}} {
		if owned.to.n > 0 {
			if owned.to.blocks, err = blocks.Owning(owned.owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// few is the scope of n observations of what, with the reason if they are too few.
func few(n int, what string) scope {
	if n < 3 {
		return scope{reason: fmt.Sprintf("%d %s of consecutive states, want at least 3", n, what)}
	}
	return scope{n: n}
}

// blocks groups n states and keeps the warnings.
func (a *analyzer) blocks(n int, episode []int, series [][]float64) (*stat.Blocks, error) {
	blocks, err := stat.NewBlocks(n, episode, a.o.Block, series...)
	if err != nil {
		return nil, err
	}
	for _, w := range blocks.Warnings() {
		if !slices.Contains(a.warnings, w) {
			a.warnings = append(a.warnings, w)
		}
	}
	return blocks.Coarsen(MaxBlocks), nil
}

// series are what the length of blocks follows, a value per state: for each model the
// influence on the RMS distance, on the relative step, the alignment and the
// straightness, for these also the differences of models, and the coordinate that
// varies most, which stands for measures whose influence is not known.
func (a *analyzer) series() [][]float64 {
	kinds := make([][][]float64, 4)
	var all [][]float64
	for m, model := range a.in.Models {
		rms, spread, err := spectrum.RMSDistanceInfluence(model.Latents)
		if err != nil { // collapsed: nothing is measured
			continue
		}
		all = append(all, a.leading[m])
		kinds[0] = append(kinds[0], spread)
		if a.steps.n == 0 {
			continue
		}
		relative := a.onStates(a.steps, a.lengths[m], func(i int) int { return a.pairs[i].Now })
		step := stat.Mean(a.lengths[m])
		for i := range relative {
			relative[i] = relative[i]/rms - step*spread[i]/(rms*rms)
		}
		turns := motion.NewPath(model.Latents).Turns(a.triples)
		kinds[1] = append(kinds[1], relative)
		kinds[2] = append(kinds[2], a.onStates(a.turns, turns.Cosine, func(i int) int { return a.triples[i] }))
		if u, err := sphere.NewDirections(model.Latents); err == nil {
			kinds[3] = append(kinds[3], a.onStates(a.steps, u.Alignment(a.pairs), func(i int) int { return a.pairs[i].Now }))
		}
	}
	for _, kind := range kinds {
		all = append(all, stat.Differences(kind...)...)
	}
	return all
}

// onStates puts values of pairs or triples, less their mean, on their first states; 0
// elsewhere.
func (a *analyzer) onStates(s scope, values []float64, state func(i int) int) []float64 {
	out := make([]float64, a.states.n)
	if s.n == 0 {
		return out
	}
	mean := stat.Mean(values)
	for i, v := range values {
		out[state(i)] = v - mean
	}
	return out
}

// jackknife is the delete-block jackknife of a statistic; nil without intervals.
func (s scope) jackknife(estimate float64, without, influence []float64) (*stat.Jackknifed, error) {
	if s.blocks == nil || math.IsNaN(estimate) {
		return nil, nil
	}
	return s.blocks.Jackknife(estimate, without, influence)
}

// within is a number with the interval of its jackknife, cut at the ends of the range
// that the number can take.
func within(v report.Value, j *stat.Jackknifed, low, high float64) report.Estimate {
	switch {
	case !v.Defined():
		return report.WithInterval(v, report.NoInterval("%s", v.Reason))
	case j == nil:
		return report.WithInterval(v, report.NoInterval(intervalsOff))
	}
	return report.WithInterval(v, results.Interval(j.Within(low, high).Interval))
}

// onPowerScale makes the interval the interval of a power; nil stays nil.
func onPowerScale(j *stat.Jackknifed, power float64) *stat.Jackknifed {
	if j == nil {
		return nil
	}
	return j.OnPowerScale(power)
}

// mean jackknifes the mean of values; nil without intervals.
func (s scope) mean(values []float64) (report.Value, *stat.Jackknifed, error) {
	if s.n == 0 {
		return report.Undefined("%s", s.reason), nil, nil
	}
	if s.blocks == nil {
		return report.Number(stat.Mean(values)), nil, nil
	}
	j, err := stat.JackknifeMean(s.blocks, values)
	if err != nil {
		return report.Value{}, nil, err
	}
	return report.Number(j.Estimate), j, nil
}

// at returns the elements of v at the given places; v itself for a nil index.
func at[T any](v []T, index []int) []T {
	if index == nil {
		return v
	}
	return points.Pick(v, index)
}

// sampled are the points of the sample.
func sampled(p points.Points, index []int) points.Points {
	if index == nil {
		return p
	}
	return p.Select(index)
}
