// Samples: which transitions and states the probes see, the folds of
// cross-validation and the blocks of intervals.

package reward

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/internal/text"
	"repscope/measure/motion"
	"repscope/points"
	"repscope/stat"
)

// samples are the observations of all probes.
type samples struct {
	now, next []int // states; where targets of states alone are probed, now is next
	group     []int // of each sample: its episode, or its piece of a single one, from 0
	groups    int
	folds     int
	Pieces    bool         // groups are pieces of a single episode
	blocks    *stat.Blocks // nil without intervals
	summary   SampleSummary
	warnings  []string
}

// n is the number of samples.
func (s *samples) n() int { return len(s.now) }

// newSamples lists the samples: transitions from a state to its successor; or, where no
// target and no model needs any, single states.
func newSamples(in Input, o Options) (*samples, error) {
	n := in.Models[0].Latents.N
	s := &samples{summary: SampleSummary{States: n}}
	if s.transitions(in, o) {
		for _, p := range in.pairs() {
			s.now, s.next = append(s.now, p.Now), append(s.next, p.Next)
		}
		s.summary.Ignored = n - len(s.now)
	} else {
		for i := range n {
			s.now, s.next = append(s.now, i), append(s.next, i)
		}
	}
	if err := s.drop(in, o.SkipNaN); err != nil {
		return nil, err
	}
	if len(in.Targets) == 0 {
		return s, nil
	}
	if s.n() < minimumSamples {
		return nil, fmt.Errorf("%s of a state and its successor, want at least %d",
			text.Count(s.n(), "transition"), minimumSamples)
	}
	s.divide(in, o)
	s.summary.Samples, s.summary.Groups, s.summary.Folds = s.n(), s.groups, s.folds
	return s, nil
}

// pairs are the states that have a successor, with it.
func (in *Input) pairs() []points.Pair { return in.PairsOf(in.Models[0].Latents.N) }

// PairsOf are the pairs of n states, before there are models.
func (in *Input) PairsOf(n int) []points.Pair {
	if in.Next == nil {
		return motion.Pairs(motion.Runs(n, in.Episode, in.Time))
	}
	var out []points.Pair
	for i, next := range in.Next {
		if next >= 0 {
			out = append(out, points.Pair{Now: i, Next: next})
		}
	}
	return out
}

// successors are the successors of all states, −1 where there is none.
func (in *Input) successors() []int {
	if in.Next != nil {
		return in.Next
	}
	out := make([]int, in.Models[0].Latents.N)
	for i := range out {
		out[i] = -1
	}
	for _, p := range in.pairs() {
		out[p.Now] = p.Next
	}
	return out
}

// minimumSamples is the least number of samples that anything is fitted on.
const minimumSamples = 10

// transitions reports whether the samples are transitions.
func (s *samples) transitions(in Input, o Options) bool {
	return o.Features == FeaturesCurrent ||
		slices.ContainsFunc(in.Targets, func(t Target) bool { return t.OfTransition }) ||
		slices.ContainsFunc(in.Models, func(m Model) bool { return m.Predicted.N > 0 })
}

// State is the one that a sample takes the value of a target from.
func (s *samples) State(t *Target, i int) int {
	if t.OfTransition {
		return s.now[i]
	}
	return s.next[i]
}

// States are those that some sample takes a value from, in ascending order.
func (s *samples) States() []int {
	out := slices.Concat(s.now, s.next)
	slices.Sort(out)
	return slices.Compact(out)
}

// drop leaves out samples that lack the value of a target or a prediction; unless they are
// to be skipped they are errors.
func (s *samples) drop(in Input, skip bool) error {
	var now, next []int
	for i := range s.now {
		missing := ""
		for k := range in.Targets {
			t := &in.Targets[k]
			state := s.State(t, i)
			if t.Missing != nil && t.Missing[state] || !t.Classified() && math.IsNaN(t.Values[state]) {
				missing = fmt.Sprintf("target %s: state %d has no value", t.Name, state)
			}
		}
		for k := range in.Models {
			if m := &in.Models[k]; !m.predicts(s.now[i]) {
				missing = fmt.Sprintf("%s: the prediction in row %d is not finite", m.Name, s.now[i])
			}
		}
		if missing == "" {
			now, next = append(now, s.now[i]), append(next, s.next[i])
			continue
		}
		if !skip {
			return errors.New(missing)
		}
		s.summary.Dropped++
	}
	s.now, s.next = now, next
	return nil
}

// Predictable are the transitions whose predictions are all finite. It is an
// error if there are others, unless these are to be skipped and enough are left.
func (m *Model) Predictable(pairs []points.Pair, skip bool) ([]points.Pair, error) {
	var finite []points.Pair
	first := -1
	for _, p := range pairs {
		if m.predicts(p.Now) {
			finite = append(finite, p)
		} else if first < 0 {
			first = p.Now
		}
	}
	if first < 0 || skip && len(finite) >= min(minimumSamples, len(pairs)) && len(finite) > 0 {
		return finite, nil
	}
	return pairs, fmt.Errorf("%s: the prediction in row %d is not finite, as for %d of %d transitions",
		m.Name, first, len(pairs)-len(finite), len(pairs))
}

// predicts reports whether all that the model predicts from a state, if anything, is finite.
func (m *Model) predicts(state int) bool {
	if m.Predicted.N > 0 {
		for _, v := range m.Predicted.Row(state, nil) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	for _, g := range m.Given {
		if v := g.Values[state]; math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// divide groups the samples by episode. A single episode is cut into as many pieces as
// there are folds, and samples at their borders are left out: they would tell one piece
// about the next.
func (s *samples) divide(in Input, o Options) {
	s.folds = o.Folds
	s.number(in.Episode)
	switch {
	case s.groups == 1:
		s.cut(in, o)
	case s.groups < o.Folds:
		s.folds = s.groups
		s.warn("only %s for %d folds: each episode is used as one fold", text.Count(s.groups, "episode"), o.Folds)
	}
}

// number numbers the episodes of the samples in the order of their first appearance.
func (s *samples) number(episode []int) {
	labels := make([]int, s.n())
	if episode != nil {
		for i, state := range s.next {
			labels[i] = episode[state]
		}
	}
	s.group, s.groups = points.Numbered(labels)
}

// cut divides the samples of a single episode into pieces with gaps between them.
func (s *samples) cut(in Input, o Options) {
	n := s.n()
	s.Pieces, s.folds = true, min(o.Folds, n/2)
	s.groups = s.folds
	gap := min(s.memory(in), n/s.folds/4)
	var now, next, group []int
	for i := range n {
		piece := i * s.folds / n
		last := i+gap < n && (i+gap)*s.folds/n != piece // near the end of a piece that another follows
		if last {
			s.summary.Gaps++
			continue
		}
		now, next, group = append(now, s.now[i]), append(next, s.next[i]), append(group, piece)
	}
	s.now, s.next, s.group = now, next, group
	s.warn("only one episode: cross-validation uses %d pieces of it, with %s left out between them; scores do not "+
		"generalize to other episodes",
		s.folds, text.Count(gap, "sample"))
}

// memory is three times the longest autocorrelation time of the targets and of the
// coordinates of the latents that vary most, in samples.
func (s *samples) memory(in Input) int {
	longest := 1.0
	for _, series := range s.series(in) {
		if t, err := stat.IntegratedAutocorrelationTime(series, nil); err == nil {
			longest = max(longest, t.Tau)
		}
	}
	return int(math.Ceil(3 * longest))
}

// series are what the length of blocks follows: the targets, their squared deviations
// from the mean, and the leading coordinate of every model's latents.
func (s *samples) series(in Input) [][]float64 {
	var out [][]float64
	for t := range in.Targets {
		values := s.Numbers(&in.Targets[t])
		mean := stat.Mean(values)
		squares := make([]float64, len(values))
		for i, v := range values {
			squares[i] = (v - mean) * (v - mean)
		}
		out = append(out, values, squares)
	}
	for _, m := range in.Models {
		out = append(out, s.leading(m.Latents))
	}
	return out
}

// leading is the coordinate of the latents that varies most, by sample.
func (s *samples) leading(z points.Points) []float64 {
	rows := z.Select(s.next)
	best, highest := []float64(nil), -1.0
	row := make([]float64, rows.Dim)
	columns := make([][]float64, rows.Dim)
	for i := range rows.N {
		for k, v := range rows.Row(i, row) {
			columns[k] = append(columns[k], v)
		}
	}
	for _, c := range columns {
		if _, v := stat.MeanVariance(c); v > highest {
			best, highest = c, v
		}
	}
	return best
}

// Numbers are the values of a target by sample, classes as numbers.
func (s *samples) Numbers(t *Target) []float64 {
	out := make([]float64, s.n())
	for i := range out {
		if state := s.State(t, i); t.Classified() {
			out[i] = float64(t.Classes[state])
		} else {
			out[i] = t.Values[state]
		}
	}
	return out
}

// classes are the classes of a target by sample.
func (s *samples) classes(t *Target) []int64 {
	out := make([]int64, s.n())
	for i := range out {
		out[i] = t.Classes[s.State(t, i)]
	}
	return out
}

func (s *samples) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// maxBlocks is the largest number of blocks that are deleted in turn: probes are fitted
// again without each.
const maxBlocks = 100

// block groups the samples for intervals. Blocks lie inside the episodes, so that each
// belongs to one fold.
func (s *samples) block(in Input, spec stat.BlockSpec) error {
	episode := make([]int, s.n())
	for i, state := range s.next {
		if in.Episode != nil {
			episode[i] = in.Episode[state]
		}
	}
	blocks, err := stat.NewBlocks(s.n(), episode, spec, s.series(in)...)
	if err != nil {
		return err
	}
	s.blocks = blocks.Coarsen(maxBlocks)
	s.warnings = append(s.warnings, blocks.Warnings()...)
	return nil
}

// choiceGroups are the groups by which penalties are chosen among the samples of the other
// folds. Where these are of one episode, its pieces are.
func (s *samples) choiceGroups() []int {
	if s.groups > 2 {
		return s.group
	}
	const pieces = 5
	size, seen := make([]int, s.groups), make([]int, s.groups)
	for _, g := range s.group {
		size[g]++
	}
	out := make([]int, s.n())
	for i, g := range s.group {
		out[i] = g*pieces + seen[g]*pieces/size[g]
		seen[g]++
	}
	return out
}
