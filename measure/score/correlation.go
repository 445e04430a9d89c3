// Correlation of predictions with a real target, among the observations of one fold.

package score

import (
	"math"

	"repscope/stat"
)

// products are the moments of target and prediction, and Σ (y − ȳ)(p − p̄).
type products struct {
	target, predicted moments
	both              float64
}

func noProducts() products { return products{target: noMoments(), predicted: noMoments()} }

func productsOf(truth, predicted []float64, index []int) products {
	n := len(index)
	out := products{
		target:    momentsOf(n, func(k int) float64 { return truth[index[k]] }),
		predicted: momentsOf(n, func(k int) float64 { return predicted[index[k]] }),
	}
	terms := make([]float64, n)
	for k, i := range index {
		terms[k] = (truth[i] - out.target.mean) * (predicted[i] - out.predicted.mean)
	}
	out.both = stat.Sum(terms)
	return out
}

func (a products) join(b products) products {
	out := products{a.target.join(b.target), a.predicted.join(b.predicted), a.both + b.both}
	if a.target.n > 0 && b.target.n > 0 {
		dy, dp := b.target.mean-a.target.mean, b.predicted.mean-a.predicted.mean
		out.both += float64(dy*dp) * (a.target.n * (b.target.n / (a.target.n + b.target.n)))
	}
	return out
}

// summed adds the folds, each around its own means; constant says which is constant in every fold.
func summed(folds []products) (target, predicted, both float64, constant string) {
	constantTarget, constantPrediction := true, true
	for _, f := range folds {
		target, predicted, both = target+f.target.squares, predicted+f.predicted.squares, both+f.both
		constantTarget = constantTarget && f.target.constant()
		constantPrediction = constantPrediction && f.predicted.constant()
	}
	switch size := target * predicted; {
	case constantTarget:
		constant = "the target is constant"
	case constantPrediction:
		constant = "the predictions are constant"
	case !(target > 0 && predicted > 0) || math.IsInf(target, 1) || math.IsInf(predicted, 1) || math.IsNaN(size):
		constant = "squares overflow or underflow; rescale the target"
	}
	return target, predicted, both, constant
}

func correlationOf(folds []products) (float64, string) {
	target, predicted, both, constant := summed(folds)
	if constant != "" {
		return math.NaN(), constant
	}
	return min(1, max(-1, both/math.Sqrt(target)/math.Sqrt(predicted))), ""
}

// CorrelationByFold returns Pearson's r of targets y [n] and predictions p [n],
//
//	Σ (y − ȳ)(p − p̄)/√(Σ (y − ȳ)²·Σ (p − p̄)²)
//
// from −1 to 1, with the means ȳ and p̄ of the fold of each observation: predictions of heads that were fitted
// without one fold each have offsets that go against the fold's own mean. No folds is one fold. A target, or
// predictions, that are constant in every fold are a [stat.UndefinedError]. Other errors as for [Regress].
func CorrelationByFold(folds []int, truth, predicted []float64) (float64, error) {
	const quantity = "correlation"
	if err := checkCorrelation(quantity, folds, truth, predicted); err != nil {
		return math.NaN(), err
	}
	var parts []products
	for _, index := range foldsOf(folds, len(truth)) {
		parts = append(parts, productsOf(truth, predicted, index))
	}
	r, reason := correlationOf(parts)
	if reason != "" {
		return r, stat.Undefined(quantity, "%s", reason)
	}
	return r, nil
}

// CorrelationByFoldWithout is [CorrelationByFold] of all observations, and of those outside each block, NaN where it
// is undefined.
func CorrelationByFoldWithout(blocks *stat.Blocks, folds []int, truth, predicted []float64) (all float64,
	without []float64, err error) {
	const quantity = "correlation"
	if err := checkCorrelation(quantity, folds, truth, predicted); err != nil {
		return math.NaN(), nil, err
	}
	if err := checkBlocks(quantity, blocks, len(truth)); err != nil {
		return math.NaN(), nil, err
	}
	members, labels := foldsOf(folds, len(truth)), blocks.Labels()
	parts := make([][]products, blocks.Count())
	for j := range parts {
		parts[j] = make([]products, len(members))
	}
	for f, index := range members {
		split := make([][]int, len(parts))
		for _, i := range index {
			split[labels[i]] = append(split[labels[i]], i)
		}
		for j := range parts {
			parts[j][f] = productsOf(truth, predicted, split[j])
		}
	}
	none := make([]products, len(members))
	for f := range none {
		none[f] = noProducts()
	}
	whole, deletions := withoutEach(parts, none, func(a, b []products) []products {
		out := make([]products, len(a))
		for f := range a {
			out[f] = a[f].join(b[f])
		}
		return out
	})
	for _, part := range deletions {
		r, _ := correlationOf(part)
		without = append(without, r)
	}
	all, _ = correlationOf(whole)
	return all, without, nil
}

// CorrelationByFoldInfluence returns the influence of every observation on [CorrelationByFold], z_y·z_p − r·(z_y² +
// z_p²)/2 for deviations z from the means of the fold in units of the standard deviation within folds; nil where r is
// undefined. Errors as for [CorrelationByFold].
func CorrelationByFoldInfluence(folds []int, truth, predicted []float64) ([]float64, error) {
	if err := checkCorrelation("correlation", folds, truth, predicted); err != nil {
		return nil, err
	}
	members := foldsOf(folds, len(truth))
	var parts []products
	for _, index := range members {
		parts = append(parts, productsOf(truth, predicted, index))
	}
	r, reason := correlationOf(parts)
	if reason != "" {
		return nil, nil
	}
	target, prediction, _, _ := summed(parts)
	n, out := float64(len(truth)), make([]float64, len(truth))
	for f, index := range members {
		for _, i := range index {
			y := (truth[i] - parts[f].target.mean) / math.Sqrt(target/n)
			p := (predicted[i] - parts[f].predicted.mean) / math.Sqrt(prediction/n)
			out[i] = float64(y*p) - float64(r/2*(float64(y*y)+float64(p*p)))
		}
	}
	return out, nil
}

func checkCorrelation(quantity string, folds []int, truth, predicted []float64) error {
	if err := checkTargets(quantity, truth, predicted); err != nil {
		return err
	}
	return checkFolds(quantity, folds, make([]bool, len(truth)), predicted)
}
