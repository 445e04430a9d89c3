// Ranks over tasks, and what decisions about pairs leave open.

package study

import (
	"context"
	"math"

	"repscope/stat"
)

// AverageRanks returns the mean rank of every model over the tasks, in the order of
// Models; see [AverageRanks]. The interval is about other tasks, as Friedman's test and
// critical-difference diagrams are, with or without [Options.Tasks]: estimate ± t·SE over
// T tasks, inside [1, M] for M models. It reaches at least −ln((1 − level)/2)/T to both
// sides, 3.7/T for 95 %: T tasks that rank a model alike leave open that it is one place
// off in 3.7/T of the others (the rule of three). [Percentile] resamples runs (and tasks, for
// Options.Tasks); ranks of resampled runs are drawn to the middle.
func (m *Matrix) AverageRanks(ctx context.Context, o Options) ([]Estimate, error) {
	if o.Method != Percentile {
		o.Tasks = true
	}
	ranks := statistic{of: func(of []ByTask, dst []float64) { copy(dst, AverageRanks(of)) }}
	if o.Tasks {
		ranks.deletions = ranksWithout
	}
	list, err := m.estimates(ctx, m.Models, len(m.Models), o, ranks)
	if err != nil || o.Method == Percentile {
		return list, err
	}
	if o, err = o.check(); err != nil {
		return nil, err
	}
	models, tasks := float64(len(m.Models)), float64(len(m.Tasks))
	for i, e := range list {
		if !e.Interval.Defined() || models < 2 {
			continue
		}
		least := -math.Log((1-o.Level)/2) / tasks
		e.Interval.Low = max(min(e.Interval.Low, e.Value-least), 1)
		e.Interval.High = min(max(e.Interval.High, e.Value+least), models)
		list[i] = e
	}
	return list, nil
}

// ranksWithout are average ranks without a task. Ranks are halves, so the sums are exact.
func ranksWithout(models []ByTask) deletion {
	ranks := ranksByTask(models)
	totals := make([]float64, len(models))
	for i := range ranks {
		totals[i] = stat.Sum(ranks[i])
	}
	return func(_, t, _ int, dst []float64) {
		for i := range dst {
			dst[i] = (totals[i] - ranks[i][t]) / float64(len(ranks[i])-1)
		}
	}
}

// Pair is a decision about two models, by their places in [Matrix.Models].
type Pair struct {
	X, Y       int
	Difference Estimate // of the statistic, X − Y, with its p value
	PHolm      float64  // after Holm's correction over all pairs
	Differs    bool     // PHolm is below 1 − level
}

// Decisions are those about all pairs of models.
type Decisions struct {
	Pairs     []Pair // X < Y, in order
	Positions []Positions
	// Groups of models that do not differ; none where they are too many.
	Groups []Group
	Ranks  []float64 // average ranks, by which Groups are ordered
}

// Decide compares all pairs of models by a statistic that is better when higher and
// returns what follows: which pairs differ after Holm's correction, the range of places
// of every model, and the groups that do not differ. Pairs without a p value, for which
// there is no error to test against, do not differ. Errors as for [Matrix.Estimate],
// and [Percentile], which gives no p values.
func (m *Matrix) Decide(ctx context.Context, s Statistic, o Options) (*Decisions, error) {
	if o.Method == Percentile {
		return nil, stat.Undefined("decisions", "percentile intervals have no p values; use the jackknife")
	}
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	d := &Decisions{Ranks: AverageRanks(m.cells)}
	var p []float64
	for x := range m.Models {
		for y := x + 1; y < len(m.Models); y++ {
			e, err := m.Difference(ctx, m.Models[x], m.Models[y], s, o)
			if err != nil {
				return nil, err
			}
			d.Pairs = append(d.Pairs, Pair{X: x, Y: y, Difference: e})
			p = append(p, e.P)
		}
	}
	n := len(m.Models)
	better := make([]bool, n*n)
	for i, corrected := range stat.Holm(p) {
		pair := &d.Pairs[i]
		pair.PHolm = corrected
		pair.Differs = corrected < 1-o.Level
		better[pair.X*n+pair.Y] = pair.Differs && pair.Difference.Value > 0
		better[pair.Y*n+pair.X] = pair.Differs && pair.Difference.Value < 0
	}
	d.Positions = PositionIntervals(n, func(i, j int) bool { return better[i*n+j] })
	d.Groups, err = Groups(d.Ranks, func(i, j int) bool { return better[i*n+j] || better[j*n+i] })
	return d, err
}
