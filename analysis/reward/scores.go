// Scores of one probe: from its predictions with and without each block to numbers with
// intervals.

package reward

import (
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/score"
	"repscope/report"
	"repscope/stat"
)

// outputs are what a probe says about every sample: a number, or a class with, where there
// are two classes, how much it prefers the second.
type outputs struct {
	values []float64
	class  []int
}

// evaluation is a probe's outputs, and what they are worth when the probe is fitted and
// evaluated without each block.
type evaluation struct {
	outputs
	fold []int      // the head of every sample; nil for one head
	left []deletion // by block, or by fold of cut; nil for a probe that is not fitted to these samples
	// cut is the fold of every sample where the error comes from differences between folds (see overFolds); nil: from
	// blocks.
	cut []int
}

// deletion holds the scores of what is left without a block.
type deletion struct {
	regression  score.Regression
	correlation float64
	area        float64
	confusion   *score.Confusion
}

// Score is one number of a row, with its interval.
type Score struct {
	Metric string
	report.Estimate
	SD report.Value // over samples; undefined where samples have no values of their own

	Jackknife *stat.Jackknifed // nil where undefined, and without intervals
	// OverFolds is the jackknife of a baseline that networks are compared with; nil for others.
	OverFolds *stat.Jackknifed
}

// intervalsOff is why there are no intervals.
const intervalsOff = "intervals are off (--bootstrap 0)"

// Scorer scores predictions of one target.
type Scorer struct {
	Target   *Target
	blocks   *stat.Blocks // nil without intervals
	outside  [][]int      // the samples outside each block
	fold     []int        // of every sample: correlations are those inside folds
	Values   []float64    // of a number
	positive []bool       // numbers above 0
	classes  []int        // of a class, as indices of labels
	labels   []int        // the classes, ascending
	count    int          // of classes; 0 for a number
}

func newScorer(s *samples, fold []int, t *Target) *Scorer {
	c := &Scorer{Target: t, blocks: s.blocks, fold: fold}
	if t.Classified() {
		all := s.classes(t)
		labels := make([]int, len(all))
		for i, v := range all {
			labels[i] = int(v)
		}
		c.labels, c.classes = score.Classes(labels)
		c.count = len(c.labels)
	} else {
		c.Values = s.Numbers(t)
		c.positive = make([]bool, len(c.Values))
		for i, v := range c.Values {
			c.positive[i] = v > 0
		}
	}
	if s.blocks != nil {
		labels := s.blocks.Labels()
		c.outside = make([][]int, s.blocks.Count())
		for j := range c.outside {
			for i, l := range labels {
				if l != j {
					c.outside[j] = append(c.outside[j], i)
				}
			}
		}
	}
	return c
}

// varies reports whether the target has more than one value or class: else no probe has
// anything to read.
func (c *Scorer) varies() bool {
	if c.Target.Classified() {
		return c.count > 1
	}
	return slices.Min(c.Values) < slices.Max(c.Values)
}

// scores are all scores of an evaluation, in the order of the result file.
func (c *Scorer) scores(e evaluation) ([]Score, error) {
	if e.cut != nil && c.blocks != nil {
		e.left = nil
		for f := range slices.Max(e.cut) + 1 {
			var index []int
			for i, fold := range e.cut {
				if fold != f {
					index = append(index, i)
				}
			}
			d, err := c.among(index, e.fold, e.outputs)
			if err != nil {
				return nil, err
			}
			e.left = append(e.left, d)
		}
	}
	if c.Target.Classified() {
		return c.ofClasses(e)
	}
	return c.ofValues(e)
}

// ofValues scores predicted numbers.
func (c *Scorer) ofValues(e evaluation) ([]Score, error) {
	all, err := score.Regress(c.Values, e.values)
	if err != nil {
		return nil, err
	}
	influence, err := score.RegressionInfluence(c.Values, e.values)
	if err != nil {
		return nil, err
	}
	var left []score.Regression
	if c.blocks != nil {
		if left, err = c.regressions(e); err != nil {
			return nil, err
		}
	}
	mse, err := c.jackknife(e, all.MSE, score.Values(left, score.Regression.MSEOf), influence.MSE)
	if err != nil {
		return nil, err
	}
	out := []Score{c.score("mse", report.Number(all.MSE), mse, onLogScale)}
	out[0].SD = report.Number(Spread(c.squares(e.values)))
	nmse, err := c.jackknife(e, all.NMSE, score.Values(left, score.Regression.NMSEOf), influence.NMSE)
	if err != nil {
		return nil, err
	}
	relative := c.score("nmse", report.NumberOr(all.NMSE, all.Reason), nmse, onLogScale)
	r2 := Score{Metric: "r2", SD: relative.SD, Estimate: report.WithInterval(report.NumberOr(all.R2, all.Reason), relative.CI)}
	if relative.CI.Defined() {
		r2.CI = report.Between(1-relative.CI.High, 1-relative.CI.Low)
	}
	if nmse != nil {
		if r2.Jackknife, err = stat.Combine(func(v []float64) float64 { return 1 - v[0] }, nmse); err != nil {
			return nil, err
		}
	}
	r, err := c.correlation(e)
	if err != nil {
		return nil, err
	}
	out = append(out, r2, relative, r)
	if c.Target.OfTransition {
		area, err := c.auroc(e)
		if err != nil {
			return nil, err
		}
		out = append(out, area)
	}
	return out, nil
}

// delete scores the outputs of a probe that was fitted without block j, with a head for each
// fold, on the samples outside the block.
func (c *Scorer) delete(j int, fold []int, o outputs) (deletion, error) {
	return c.among(c.outside[j], fold, o)
}

// among scores some of the samples.
func (c *Scorer) among(index, fold []int, o outputs) (deletion, error) {
	var d deletion
	var err error
	if c.Target.Classified() {
		d.confusion, err = score.NewConfusion(c.count, At(c.classes, index), At(o.class, index))
		return d, err
	}
	values := At(o.values, index)
	if d.regression, err = score.Regress(At(c.Values, index), values); err != nil {
		return d, err
	}
	d.correlation, err = score.CorrelationByFold(At(c.fold, index), At(c.Values, index), values)
	if err != nil && !stat.IsUndefined(err) || !c.Target.OfTransition {
		return d, orNaN(err)
	}
	if fold != nil {
		fold = At(fold, index)
	}
	d.area, err = score.AUROCByFold(fold, At(c.positive, index), values)
	return d, orNaN(err)
}

// orNaN passes over the error of an undefined score, which is NaN.
func orNaN(err error) error {
	if stat.IsUndefined(err) {
		return nil
	}
	return err
}

// regressions scores what is left without each block.
func (c *Scorer) regressions(e evaluation) ([]score.Regression, error) {
	if e.left == nil {
		_, left, err := score.RegressionWithout(c.blocks, c.Values, e.values)
		return left, err
	}
	left := make([]score.Regression, len(e.left))
	for j, d := range e.left {
		left[j] = d.regression
	}
	return left, nil
}

// correlation is Pearson's r inside folds.
func (c *Scorer) correlation(e evaluation) (Score, error) {
	r, err := score.CorrelationByFold(c.fold, c.Values, e.values)
	if stat.IsUndefined(err) {
		return c.score("r", report.Undefined("%s", stat.Reason(err)), nil, asCorrelation), nil
	}
	if err != nil {
		return Score{}, err
	}
	var deletions, influence []float64
	if c.blocks != nil {
		if e.left == nil {
			_, deletions, err = score.CorrelationByFoldWithout(c.blocks, c.fold, c.Values, e.values)
		} else {
			deletions = score.Values(e.left, func(d deletion) float64 { return d.correlation })
		}
		if err != nil {
			return Score{}, err
		}
		if influence, err = score.CorrelationByFoldInfluence(c.fold, c.Values, e.values); err != nil {
			return Score{}, err
		}
	}
	j, err := c.jackknife(e, r, deletions, influence)
	return c.score("r", report.Number(r), j, asCorrelation), err
}

// auroc is how well a predicted number tells values above 0 from others, among the samples of
// one head.
func (c *Scorer) auroc(e evaluation) (Score, error) {
	area, err := score.AUROCByFold(e.fold, c.positive, e.values)
	if err != nil {
		if !stat.IsUndefined(err) {
			return Score{}, err
		}
		reason := "no value is above 0"
		if slices.Contains(c.positive, true) {
			reason = "all values are above 0"
			if slices.Contains(c.positive, false) {
				reason = "no fold has both values above 0 and other values"
			}
		}
		return c.score("auroc", report.Undefined("%s", reason), nil, asShare), nil
	}
	var left, influence []float64
	if c.blocks != nil {
		if e.left == nil {
			_, left, err = score.AUROCByFoldWithout(c.blocks, e.fold, c.positive, e.values)
		} else {
			left = score.Values(e.left, func(d deletion) float64 { return d.area })
		}
		if err != nil {
			return Score{}, err
		}
		if influence, err = score.AUROCByFoldInfluence(e.fold, c.positive, e.values); err != nil {
			return Score{}, err
		}
	}
	j, err := c.jackknife(e, area, left, influence)
	return c.score("auroc", report.Number(area), j, asShare), err
}

// ofClasses scores predicted classes.
func (c *Scorer) ofClasses(e evaluation) ([]Score, error) {
	all, err := score.NewConfusion(c.count, c.classes, e.class)
	if err != nil {
		return nil, err
	}
	influence, err := all.Influence(c.classes, e.class)
	if err != nil {
		return nil, err
	}
	var left []*score.Confusion
	if c.blocks != nil {
		if left, err = c.confusions(e); err != nil {
			return nil, err
		}
	}
	var out []Score
	for _, m := range []struct {
		name      string
		of        func(*score.Confusion) float64
		influence []float64
	}{
		{"accuracy", (*score.Confusion).Accuracy, influence.Accuracy},
		{"balanced_accuracy", (*score.Confusion).BalancedAccuracy, influence.BalancedAccuracy},
		{"f1", (*score.Confusion).MacroF1, influence.MacroF1},
	} {
		v := m.of(all)
		j, err := c.jackknife(e, v, score.Values(left, m.of), m.influence)
		if err != nil {
			return nil, err
		}
		out = append(out, c.score(m.name, report.NumberOr(v, "only one class"), j, asShare))
	}
	out[0].SD = report.Number(math.Sqrt(out[0].Value.V * (1 - out[0].Value.V)))
	return out, nil
}

// confusions counts what is left without each block.
func (c *Scorer) confusions(e evaluation) ([]*score.Confusion, error) {
	if e.left == nil {
		_, left, err := score.ConfusionWithout(c.blocks, c.count, c.classes, e.class)
		return left, err
	}
	left := make([]*score.Confusion, len(e.left))
	for j, d := range e.left {
		left[j] = d.confusion
	}
	return left, nil
}

// squares are the squared errors of predicted numbers, or 1 for each wrong class and 0 for
// each right one.
func (c *Scorer) squares(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		d := v - c.Values[i]
		out[i] = d * d
	}
	return out
}

// losses are the squared error, or whether the class is wrong, of every sample.
func (c *Scorer) losses(o outputs) []float64 {
	if !c.Target.Classified() {
		return c.squares(o.values)
	}
	out := make([]float64, len(o.class))
	for i, k := range o.class {
		if k != c.classes[i] {
			out[i] = 1
		}
	}
	return out
}

// jackknife is the delete-block jackknife of a score, or that over folds; nil without intervals and where the
// score is undefined.
func (c *Scorer) jackknife(e evaluation, estimate float64, without, influence []float64) (*stat.Jackknifed, error) {
	switch {
	case c.blocks == nil || math.IsNaN(estimate):
		return nil, nil
	case e.cut != nil:
		return overFolds(e.cut, estimate, without, influence)
	}
	return c.blocks.Jackknife(estimate, without, influence)
}

// overFolds is the jackknife of a score of K folds, each predicted by a network of its own, from the scores without
// each fold. The folds differ by their samples and by their networks. Networks of two folds share most of their
// training episodes, so that the scores of folds go together: with n₁ samples to train on for n₂ to test,
//
//	var = (1/K + n₂/n₁)·S² = (1/K)·(1 + K/(K − 1))·S²
//
// (Nadeau and Bengio 2003, "Inference for the generalization error"), which is the jackknife's variance with deletions
// √(1 + K/(K − 1)) times as far from the score. Degrees of freedom are counted by folds.
//
// In simulations of 8 to 20 episodes with lognormal lengths, 30 % of the variance between episodes or an
// autocorrelation of 0.9, intervals hold the mean score 87 to 99 times in 100; given the networks, 74 to 95 times.
func overFolds(fold []int, estimate float64, without, influence []float64) (*stat.Jackknifed, error) {
	sizes, k := make([]int, len(without)), float64(len(without))
	for _, f := range fold {
		sizes[f]++
	}
	further, stretch := make([]float64, len(without)), math.Sqrt(1+k/(k-1))
	for f, v := range without {
		further[f] = estimate + float64(stretch*(v-estimate))
	}
	j, err := stat.DeleteBlockJackknife(estimate, further, sizes, 0)
	if err != nil {
		return nil, err
	}
	j.Influence, j.Untestable = influence, networksUntested
	return j, nil
}

// score is a number with the interval of its jackknife, shaped to the range of the number.
func (c *Scorer) score(metric string, v report.Value, j *stat.Jackknifed, shape func(*stat.Jackknifed) *stat.Jackknifed) Score {
	s := Score{Metric: metric, Estimate: report.Estimate{Value: v}, Jackknife: j, SD: report.Undefined(
		"not a mean over samples")}
	switch {
	case !v.Defined():
		s.CI = report.NoInterval("%s", v.Reason)
	case j == nil:
		s.CI = report.NoInterval(intervalsOff)
	default:
		shaped := *j
		s.CI = results.IntervalOf(shape(&shaped))
	}
	return s
}

// onLogScale is for positive numbers whose error is a factor.
func onLogScale(j *stat.Jackknifed) *stat.Jackknifed { return j.OnLogScale() }

// asCorrelation is for correlations.
func asCorrelation(j *stat.Jackknifed) *stat.Jackknifed { return j.OnFisherScale() }

// asShare is for numbers between 0 and 1.
func asShare(j *stat.Jackknifed) *stat.Jackknifed { return j.Within(0, 1) }

// Spread is the standard deviation with denominator n.
func Spread(values []float64) float64 {
	n := float64(len(values))
	if n < 2 {
		return 0
	}
	_, v := stat.MeanVariance(values)
	return math.Sqrt(v * (n - 1) / n)
}

// At returns the elements of v at the given places.
func At[T any](v []T, index []int) []T {
	out := make([]T, len(index))
	for i, j := range index {
		out[i] = v[j]
	}
	return out
}

// UndefinedValues are n values of nothing.
func UndefinedValues(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
