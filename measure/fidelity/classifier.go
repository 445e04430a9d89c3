// How well a classifier tells generated points from real ones.

package fidelity

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/measure/probe"
	"repscope/measure/score"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// ClassifierOptions are the choices of [Classify]; the zero value is the default.
type ClassifierOptions struct {
	// RealGroups and GeneratedGroups are groups of points that folds do not split, such as draws for one
	// condition or frames of one episode; nil: each point is one.
	RealGroups, GeneratedGroups []int
	Folds                       int // 0 for 5
	// Votes, if above 0, has Votes nearest neighbors vote in place of a logistic regression, which sees
	// differences of means only.
	Votes int
	// Blocks, if not nil, groups the m generated points and then the n real ones for the errors: each
	// block is deleted in turn and the classifiers fitted again.
	Blocks    *stat.Blocks
	Neighbors neighbors.Options // Threads, and Memory and Metric for votes
}

// Classifier measures how well a classifier separates generated from real points in held-out folds:
// the classifier two-sample test (Lopez-Paz and Oquab 2017, "Revisiting classifier two-sample tests").
type Classifier struct {
	// AUC is the probability that a generated point looks more generated than a real one, over pairs of one fold: ½
	// where the classifier cannot tell them, 1 where it always can.
	AUC float64
	// Accuracy is the mean of the shares of real and of generated points that are told right. It has no error: a
	// point that is left out turns several of the others, and deletions do not show how often that is so.
	Accuracy float64
	// Divergence is 1 + ½·(mean log₂(1 − q) of real points + mean log₂ q of generated ones), in bits, with the
	// probability q of being generated if both kinds were equally frequent: in expectation at most
	// the Jensen–Shannon divergence of the two distributions, whatever the classifier. It is below 0
	// where the classifier is worse than none.
	Divergence float64
	// JensenShannon is the lower bound √Divergence of the Jensen–Shannon distance, cut to [0, 1]: the
	// PolyGraph discrepancy (Krimmel et al. 2025) with this classifier.
	JensenShannon float64
	// AUCError and DivergenceError are errors with all classifiers fitted again; nil without Blocks.
	// JensenShannonInterval is the interval of Divergence on the scale of the distance. Of 200 draws of 80 real and
	// 60 generated points, 95 % intervals hold the mean AUC in 98 and the mean divergence in 92 %; where both are of
	// one distribution, 1 in 200 lies above ½ (go test ./measure/fidelity -run ClassifierIntervals -v -draws 200).
	AUCError, DivergenceError *stat.Jackknifed
	JensenShannonInterval     stat.Interval
	// Probability is q of every generated point and then of every real one.
	Probability []float64
}

// Classify fits, for every fold of both samples, a classifier on the other folds, and scores it on the fold: by
// default a logistic regression of standardized coordinates with a penalty chosen by grouped folds. real are
// [n, D], generated [m, D], of one type. Errors: points of different type or dimension, NaN or Inf,
// groups or blocks of another number of points, fewer groups than folds (a [stat.UndefinedError]),
// errors of the probes, the error of ctx.
func Classify(ctx context.Context, real, generated points.Points, o ClassifierOptions) (*Classifier, error) {
	if err := samePoints("real", real, "generated", generated); err != nil {
		return nil, err
	}
	if o.Folds == 0 {
		o.Folds = probe.DefaultFolds
	}
	data, err := o.data(real, generated)
	if err != nil {
		return nil, err
	}
	t := &twoSamples{folds: data.Folds, prior: float64(generated.N) / float64(real.N), generated: make([]bool, real.N+generated.N)}
	for i := range generated.N {
		t.generated[i] = true
	}
	predicted, without, err := o.fit(ctx, data, t)
	if err != nil {
		return nil, err
	}
	c := &Classifier{Probability: t.balanced(predicted)}
	s, err := t.score(c.Probability, nil)
	if err != nil {
		return nil, err
	}
	c.AUC, c.Accuracy, c.Divergence = s.auc, s.accuracy, s.divergence
	c.JensenShannon = distance(s.divergence)
	if o.Blocks != nil {
		err = c.errors(ctx, t, o.Blocks, without)
	}
	return c, err
}

// distance is the Jensen–Shannon distance of a divergence in bits.
func distance(divergence float64) float64 { return math.Sqrt(min(1, max(0, divergence))) }

// data joins both samples; folds hold a share of each.
func (o *ClassifierOptions) data(real, generated points.Points) (probe.Data, error) {
	a, err := groups("generated", o.GeneratedGroups, generated.N)
	if err != nil {
		return probe.Data{}, err
	}
	b, err := groups("real", o.RealGroups, real.N)
	if err != nil {
		return probe.Data{}, err
	}
	d := probe.Data{X: points.Join(generated, real)}
	for _, labels := range [][]int{a, b} {
		folds, err := probe.GroupFolds(labels, o.Folds)
		if err != nil {
			return d, err
		}
		d.Folds = append(d.Folds, folds...)
	}
	// No group has points of both samples.
	_, a = score.Classes(a)
	_, b = score.Classes(b)
	first := slices.Max(a) + 1
	d.Groups = a
	for _, g := range b {
		d.Groups = append(d.Groups, first+g)
	}
	return d, nil
}

func groups(role string, labels []int, n int) ([]int, error) {
	if labels == nil {
		labels = make([]int, n)
		for i := range labels {
			labels[i] = i
		}
	}
	if len(labels) != n {
		return nil, fmt.Errorf("groups of %d %s points, want %d", len(labels), role, n)
	}
	return labels, nil
}

// refits calls visit with the probability of being generated of all points without each block.
type refits func(ctx context.Context, blocks *stat.Blocks, visit func(block int, predicted []float64) error) error

// fit returns the probability of being generated of every point, as the classifiers say it.
func (o *ClassifierOptions) fit(ctx context.Context, d probe.Data, t *twoSamples) ([]float64, refits, error) {
	if o.Votes > 0 {
		y := make([]float64, len(t.generated))
		for i, g := range t.generated {
			if g {
				y[i] = 1
			}
		}
		fit, err := probe.CrossFitNeighbors(ctx, d, points.Float64(y, 1), probe.NeighborOptions{
			K: o.Votes, Metric: o.Neighbors.Metric, Memory: o.Neighbors.Memory, Threads: o.Neighbors.Threads,
		})
		if err != nil {
			return nil, nil, err
		}
		// Half a vote for each keeps shares off 0 and 1.
		softened := func(share []float64) []float64 {
			out := make([]float64, len(share))
			for i, s := range share {
				out[i] = (s*float64(o.Votes) + 0.5) / float64(o.Votes+1)
			}
			return out
		}
		return softened(fit.Predicted[0]), func(ctx context.Context, blocks *stat.Blocks, visit func(int, []float64) error) error {
			return fit.Without(ctx, blocks, func(j int, predicted [][]float64) error { return visit(j, softened(predicted[0])) })
		}, nil
	}
	class := make([]int, len(t.generated))
	for i, g := range t.generated {
		if g {
			class[i] = 1
		}
	}
	fit, err := probe.CrossFitLogistic(ctx, d, class, 2,
		probe.LogisticOptions{Standardize: true, Threads: o.Neighbors.Threads})
	if err != nil {
		return nil, nil, err
	}
	second := func(p []float64) []float64 {
		out := make([]float64, len(p)/2)
		for i := range out {
			out[i] = p[2*i+1]
		}
		return out
	}
	return second(fit.Predicted[0]), func(ctx context.Context, blocks *stat.Blocks, visit func(int, []float64) error) error {
		return fit.Without(ctx, blocks, func(j int, predicted [][]float64) error { return visit(j, second(predicted[0])) })
	}, nil
}

// twoSamples is what the scores need besides the predictions.
type twoSamples struct {
	generated []bool
	folds     []int
	prior     float64 // odds of being generated among all points
}

// balanced turns probabilities among all points into those among equally many of both kinds.
func (t *twoSamples) balanced(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = v / (v + t.prior*(1-v))
	}
	return out
}

type twoSampleScores struct{ auc, accuracy, divergence float64 }

// smallest keeps logarithms finite.
const smallest = 1e-10

// score takes the points that keep says, nil for all.
func (t *twoSamples) score(q []float64, keep func(i int) bool) (twoSampleScores, error) {
	var positive []bool
	var folds []int
	var probability []float64
	var right, count [2]float64
	var logs [2]float64
	for i, v := range q {
		if keep != nil && !keep(i) {
			continue
		}
		kind, correct := 0, 1-v
		if t.generated[i] {
			kind, correct = 1, v
		}
		positive, folds, probability = append(positive, t.generated[i]), append(folds, t.folds[i]), append(probability, v)
		count[kind]++
		logs[kind] += math.Log2(max(correct, smallest))
		switch {
		case correct > 0.5:
			right[kind]++
		case correct == 0.5:
			right[kind] += 0.5
		}
	}
	auc, err := score.AUROCByFold(folds, positive, probability)
	return twoSampleScores{
		auc:        auc,
		accuracy:   (right[0]/count[0] + right[1]/count[1]) / 2,
		divergence: 1 + (logs[0]/count[0]+logs[1]/count[1])/2,
	}, err
}

// errors deletes blocks.
func (c *Classifier) errors(ctx context.Context, t *twoSamples, blocks *stat.Blocks, without refits) error {
	labels := blocks.Labels()
	if len(labels) != len(t.generated) {
		return fmt.Errorf("blocks of %d points, want %d, the generated and real points", len(labels), len(t.generated))
	}
	g := blocks.Count()
	auc, divergence := make([]float64, g), make([]float64, g)
	err := without(ctx, blocks, func(j int, predicted []float64) error {
		s, err := t.score(t.balanced(predicted), func(i int) bool { return labels[i] != j })
		if err != nil {
			s = twoSampleScores{math.NaN(), math.NaN(), math.NaN()}
		}
		auc[j], divergence[j] = s.auc, s.divergence
		return nil
	})
	if err != nil {
		return err
	}
	if c.AUCError, err = blocks.Jackknife(c.AUC, auc, nil); err != nil {
		return err
	}
	if c.DivergenceError, err = blocks.Jackknife(c.Divergence, divergence, nil); err != nil {
		return err
	}
	c.AUCError.Within(0, 1)
	c.JensenShannonInterval = c.DivergenceError.Interval
	if v := &c.JensenShannonInterval; v.Defined() {
		v.Low, v.High = distance(v.Low), distance(v.High)
	}
	return nil
}
