// Baselines: what is known of a target without any latents.

package reward

import (
	"math"

	"repscope/stat"
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
		numbers = numbers || !c.target.classified()
		classes = classes || c.target.classified()
		transitions = transitions || c.target.rewarding()
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

// baseline says of every sample what a baseline knows of one target from the other folds,
// without one block (-1: with all); nil where the target has no such baseline.
func (a *analyzer) baseline(name string, c *scorer) func(skip int) outputs {
	switch {
	case name == BaselineMean && !c.target.classified():
		return func(skip int) outputs { return outputs{values: a.means(c, skip)} }
	case name == BaselineLast && c.target.rewarding():
		return func(skip int) outputs { return outputs{values: a.last(c, skip)} }
	case name == BaselineMajority && c.target.classified():
		return func(skip int) outputs { return outputs{class: a.majorities(c, skip)} }
	}
	return nil
}

// evaluate scores outputs that follow from all samples but those of a block.
func (a *analyzer) evaluate(c *scorer, of func(skip int) outputs) (evaluation, error) {
	e := evaluation{outputs: of(-1)}
	if a.data.blocks == nil {
		return e, nil
	}
	for j := range a.data.blocks.Count() {
		d, err := c.delete(j, nil, of(j))
		if err != nil {
			return e, err
		}
		e.left = append(e.left, d)
	}
	return e, nil
}

// means are, for every sample, the mean of the samples of the other folds outside a block.
func (a *analyzer) means(c *scorer, skip int) []float64 {
	sums, counts := make([]float64, a.data.folds), make([]float64, a.data.folds)
	for i, v := range c.values {
		if skip < 0 || a.label[i] != skip {
			sums[a.fold[i]] += v
			counts[a.fold[i]]++
		}
	}
	total, count := stat.Sum(sums), stat.Sum(counts)
	of := make([]float64, a.data.folds)
	for f := range of {
		if rest := count - counts[f]; rest > 0 {
			of[f] = (total - sums[f]) / rest
		}
	}
	out := make([]float64, len(c.values))
	for i := range out {
		out[i] = of[a.fold[i]]
	}
	return out
}

// last are the values of the transitions before, which are known whatever is deleted; the
// first transition of an episode has the mean of the other folds.
func (a *analyzer) last(c *scorer, skip int) []float64 {
	out := a.means(c, skip)
	for i, before := range a.before {
		if before >= 0 && !math.IsNaN(c.target.Values[before]) {
			out[i] = c.target.Values[before]
		}
	}
	return out
}

// majorities are, for every sample, the commonest class of the samples of the other folds
// outside a block, the first of equals.
func (a *analyzer) majorities(c *scorer, skip int) []int {
	counts := make([][]int, a.data.folds)
	for f := range counts {
		counts[f] = make([]int, c.count)
	}
	for i, k := range c.classes {
		if skip >= 0 && a.label[i] == skip {
			continue
		}
		for f := range counts {
			if f != a.fold[i] {
				counts[f][k]++
			}
		}
	}
	of := make([]int, a.data.folds)
	for f, count := range counts {
		for k, n := range count {
			if n > count[of[f]] {
				of[f] = k
			}
		}
	}
	out := make([]int, len(c.classes))
	for i := range out {
		out[i] = of[a.fold[i]]
	}
	return out
}
