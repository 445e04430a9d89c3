// Scores of rankings: how far a number separates positives from the others.

package score

import (
	"cmp"
	"math"
	"slices"

	"repscope/stat"
)

// AUROC is the area under the receiver operating characteristic, the probability that a
// positive has a larger score than a negative, equal scores counted half (Mann and Whitney
// 1947): 1 separates, ½ is chance. Errors: different lengths, NaN, and only one class
// ([stat.UndefinedError]).
func AUROC(positive []bool, score []float64) (float64, error) {
	const quantity = "AUROC"
	if err := checkRanking(quantity, positive, score); err != nil {
		return math.NaN(), err
	}
	c := countPairs(positive, score, ascending(score, nil))
	if c.undefined() != "" {
		return math.NaN(), stat.Undefined(quantity, "%s", c.undefined())
	}
	return c.area(), nil
}

// AUROCWithout returns the AUROC of all observations and of those outside block 0, 1, …, by
// counts of pairs: exact, in O(n log n) for all blocks together. NaN where only one class is
// left. Errors as for [AUROC], and blocks of another number of observations.
func AUROCWithout(blocks *stat.Blocks, positive []bool, score []float64) (all float64, without []float64, err error) {
	const quantity = "AUROC"
	if all, err = AUROC(positive, score); err != nil {
		return math.NaN(), nil, err
	}
	if err := checkBlocks(quantity, blocks, len(score)); err != nil {
		return math.NaN(), nil, err
	}
	total, won := countWins(positive, score)
	for j := range blocks.Count() {
		index := blocks.Block(j)
		inside := countPairs(positive, score, ascending(score, index))
		left := pairs{positives: total.positives - inside.positives, negatives: total.negatives - inside.negatives,
			halves: total.halves + inside.halves} // the pairs inside were in both of its members
		for _, i := range index {
			left.halves -= won[i]
		}
		without = append(without, left.area())
	}
	return all, without, nil
}

// AUROCInfluence returns the influence of every observation on AUROC: n/n₊·(w − A) for a
// positive that wins the share w of its pairs, and likewise for a negative with the share that it
// loses. Errors as for [AUROC].
func AUROCInfluence(positive []bool, score []float64) ([]float64, error) {
	area, err := AUROC(positive, score)
	if err != nil {
		return nil, err
	}
	total, won := countWins(positive, score)
	out := make([]float64, len(score))
	for i, w := range won {
		own, other := total.negatives, total.positives
		if positive[i] {
			own, other = total.positives, total.negatives
		}
		out[i] = float64(len(score)) / float64(own) * (float64(w)/float64(2*other) - area)
	}
	return out, nil
}

// pairs counts pairs of a positive and a negative; halves is two for each that the positive wins
// and one for each tie.
type pairs struct{ positives, negatives, halves int64 }

func (p pairs) undefined() string {
	switch {
	case p.positives == 0:
		return "no positives"
	case p.negatives == 0:
		return "no negatives"
	}
	return ""
}

// area is NaN where there are no pairs.
func (p pairs) area() float64 {
	if p.undefined() != "" {
		return math.NaN()
	}
	return float64(p.halves) / 2 / (float64(p.positives) * float64(p.negatives))
}

// ascending lists the observations of an index, nil for all, by score.
func ascending(score []float64, index []int) []int {
	order := slices.Clone(index)
	if index == nil {
		order = make([]int, len(score))
		for i := range order {
			order[i] = i
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(score[a], score[b]), cmp.Compare(a, b)) })
	return order
}

// runs calls visit for every run of equal scores in an order, ascending.
func runs(score []float64, order []int, visit func(run []int)) {
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && score[order[hi]] == score[order[lo]] {
			hi++
		}
		visit(order[lo:hi])
		lo = hi
	}
}

func countPairs(positive []bool, score []float64, order []int) pairs {
	var p pairs
	runs(score, order, func(run []int) {
		hits := hitsOf(positive, run)
		misses := int64(len(run)) - hits
		p.halves += hits * (2*p.negatives + misses)
		p.positives, p.negatives = p.positives+hits, p.negatives+misses
	})
	return p
}

// countWins also returns, for every observation, its pairs that the positive wins, in halves.
func countWins(positive []bool, score []float64) (pairs, []int64) {
	order := ascending(score, nil)
	total := countPairs(positive, score, order)
	won := make([]int64, len(score))
	var below pairs
	runs(score, order, func(run []int) {
		hits := hitsOf(positive, run)
		misses := int64(len(run)) - hits
		for _, i := range run {
			if positive[i] {
				won[i] = 2*below.negatives + misses
			} else {
				won[i] = 2*(total.positives-below.positives-hits) + hits
			}
		}
		below.positives, below.negatives = below.positives+hits, below.negatives+misses
	})
	return total, won
}

func hitsOf(positive []bool, run []int) (hits int64) {
	for _, i := range run {
		if positive[i] {
			hits++
		}
	}
	return hits
}

// AveragePrecision is Σ (R_k − R_{k−1})·P_k over the distinct scores as thresholds, descending,
// with precision P and recall R (scikit-learn's, without interpolation): from about the share of
// positives, for chance, to 1. Errors: different lengths, NaN, and no positives.
func AveragePrecision(positive []bool, score []float64) (float64, error) {
	const quantity = "average precision"
	if err := checkRanking(quantity, positive, score); err != nil {
		return math.NaN(), err
	}
	v := precision(positive, score, ascending(score, nil), nil, -1)
	if math.IsNaN(v) {
		return v, stat.Undefined(quantity, "no positives")
	}
	return v, nil
}

// AveragePrecisionWithout returns it for all observations and for those outside block 0, 1, …,
// each in O(n) from one sorting. NaN where no positive is left. Errors as for
// [AveragePrecision], and blocks of another number of observations.
func AveragePrecisionWithout(blocks *stat.Blocks, positive []bool, score []float64) (all float64, without []float64, err error) {
	if all, err = AveragePrecision(positive, score); err != nil {
		return all, nil, err
	}
	if err := checkBlocks("average precision", blocks, len(score)); err != nil {
		return math.NaN(), nil, err
	}
	order, labels := ascending(score, nil), blocks.Labels()
	for j := range blocks.Count() {
		without = append(without, precision(positive, score, order, labels, j))
	}
	return all, without, nil
}

// precision is the average precision without the observations of a label, in an ascending order.
func precision(positive []bool, score []float64, order, labels []int, without int) float64 {
	sum, hits, taken := 0.0, 0, 0
	for hi := len(order); hi > 0; {
		lo, before := hi, hits
		for lo > 0 && score[order[lo-1]] == score[order[hi-1]] {
			lo--
			if labels != nil && labels[order[lo]] == without {
				continue
			}
			taken++
			if positive[order[lo]] {
				hits++
			}
		}
		if hits > before {
			sum += float64(hits-before) * (float64(hits) / float64(taken))
		}
		hi = lo
	}
	return sum / float64(hits) // NaN for 0/0
}

func checkRanking(quantity string, positive []bool, score []float64) error {
	if len(positive) != len(score) {
		return stat.Undefined(quantity, "%d classes and %d scores, want the same number", len(positive), len(score))
	}
	for i, s := range score {
		if math.IsNaN(s) {
			return stat.Undefined(quantity, "score %d is NaN", i)
		}
	}
	return nil
}
