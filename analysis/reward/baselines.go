// Baselines: predictions of a target without latents.

package reward

import (
	"context"
	"math"

	"repscope/measure/probe"
	"repscope/points"
)

// The baselines, which are models of every result.
const (
	BaselineMean     = "mean"        // the mean of the other folds
	BaselineLast     = "last_reward" // the value of the transition before
	BaselineMajority = "majority"    // the commonest class of the other folds
)

// Baselines are the names of the baselines, which no model may have.
func Baselines() []string { return []string{BaselineMean, BaselineLast, BaselineMajority} }

// baselines are those that some target has.
func (a *analyzer) baselines() []string {
	var numbers, classes, transitions bool
	for _, c := range a.scorers {
		numbers = numbers || !c.Target.Classified()
		classes = classes || c.Target.Classified()
		transitions = transitions || c.Target.Rewarding()
	}
	var out []string
	for _, b := range []struct {
		name string
		has  bool
	}{{BaselineMean, numbers}, {BaselineLast, transitions}, {BaselineMajority, classes}} {
		if b.has {
			out = append(out, b.name)
		}
	}
	return out
}

// baseline evaluates what a baseline knows of one target from the other folds, and from them
// without each block; false where the target has no such baseline.
func (a *analyzer) baseline(ctx context.Context, name string, c *Scorer) (e evaluation, has bool, err error) {
	switch {
	case name == BaselineMean && !c.Target.Classified(), name == BaselineLast && c.Target.Rewarding(),
		name == BaselineMajority && c.Target.Classified():
	default:
		return e, false, nil
	}
	one := newColumns([]*Scorer{c})
	// Where nothing is left to take the mean of, it is 0.
	outputs := func(mean []float64) outputs {
		latents := make([]float64, len(mean))
		for i, v := range mean {
			if !math.IsNaN(v) {
				latents[i] = v
			}
		}
		if name == BaselineLast {
			a.last(c, latents)
		}
		return one.outputs(0, latents)
	}
	n := a.data.n()
	d, y := probe.Data{X: points.Points{N: n, Dim: 1}, Groups: a.data.group, Folds: a.fold}, one.targets(n)
	mean, err := probe.CrossFitMean(d, y)
	if err != nil {
		return e, true, err
	}
	e.outputs = outputs(mean)
	if a.data.blocks == nil {
		return e, true, nil
	}
	err = probe.MeanWithout(ctx, d, y, a.data.blocks, func(j int, predicted [][]float64) error {
		left, err := c.delete(j, nil, outputs(predicted[0]))
		e.left = append(e.left, left)
		return err
	})
	return e, true, err
}

// last puts in the values of the transitions before, which are known whatever is deleted; the
// first transition of an episode keeps the mean of the other folds.
func (a *analyzer) last(c *Scorer, mean []float64) {
	for i, before := range a.before {
		if before >= 0 && !math.IsNaN(c.Target.Values[before]) {
			mean[i] = c.Target.Values[before]
		}
	}
}
