// Scores of rankings: how far a number separates positives from the others.

package score

import (
	"cmp"
	"math"
	"slices"

	"repscope/stat"
)

// AUROCByFold is the area under the receiver operating characteristic, the probability that a
// positive has a larger score than a negative, equal scores counted half (Mann and Whitney
// 1947): 1 separates, ½ is chance. Pairs are of one fold only, Σ_f U_f/Σ_f n₊_f·n₋_f. Heads of different folds are
// different functions: a fold whose positives are many is predicted by a head that saw few, so that
// the AUROC of all pairs of cross-fitted scores is too low, below ½ where there is nothing to predict
// (Airola et al. 2011, "An experimental comparison of cross-validation techniques for estimating the
// area under the ROC curve"). nil is one fold. Errors: different lengths,
// NaN, and no fold with both classes ([stat.UndefinedError]).
func AUROCByFold(folds []int, positive []bool, score []float64) (float64, error) {
	const quantity = "AUROC"
	if err := checkFolds(quantity, folds, positive, score); err != nil {
		return math.NaN(), err
	}
	all := foldsOf(folds, len(score))
	parts := make([]pairs, len(all))
	for f, index := range all {
		parts[f] = countPairs(positive, score, ascending(score, index))
	}
	if area := areaOf(parts); !math.IsNaN(area) {
		return area, nil
	}
	var total pairs
	for _, p := range parts {
		total.positives, total.negatives = total.positives+p.positives, total.negatives+p.negatives
	}
	if reason := total.undefined(); reason != "" {
		return math.NaN(), stat.Undefined(quantity, "%s", reason)
	}
	return math.NaN(), stat.Undefined(quantity, "no fold has positives and negatives")
}

// AUROCByFoldWithout returns [AUROCByFold] of all observations, and of the observations outside each
// block, from exact counts of pairs in O(n log n) for all blocks together. NaN if only one class
// remains. Errors as for [AUROCByFold], and blocks for another number of observations.
func AUROCByFoldWithout(blocks *stat.Blocks, folds []int, positive []bool,
	score []float64) (all float64, without []float64, err error) {
	if all, err = AUROCByFold(folds, positive, score); err != nil {
		return math.NaN(), nil, err
	}
	if err := checkBlocks("AUROC", blocks, len(score)); err != nil {
		return math.NaN(), nil, err
	}
	index := foldsOf(folds, len(score))
	total, won := countWins(index, positive, score)
	fold := make([]int, len(score)) // the fold of each observation, as a number
	for f, members := range index {
		for _, i := range members {
			fold[i] = f
		}
	}
	rest := make([]pairs, len(total))
	for j := range blocks.Count() {
		copy(rest, total)
		inside := make(map[int][]int)
		for _, i := range blocks.Block(j) {
			inside[fold[i]] = append(inside[fold[i]], i)
			rest[fold[i]].halves -= won[i]
		}
		for f, members := range inside {
			gone := countPairs(positive, score, ascending(score, members))
			rest[f].positives -= gone.positives
			rest[f].negatives -= gone.negatives
			rest[f].halves += gone.halves // both members of these pairs took them away
		}
		without = append(without, areaOf(rest))
	}
	return all, without, nil
}

// AUROCByFoldInfluence returns the influence of every observation on [AUROCByFold]:
// n·(u − A·m)/(number of pairs) for an observation with m pairs, where the positive wins u.
// Errors as for [AUROCByFold].
func AUROCByFoldInfluence(folds []int, positive []bool, score []float64) ([]float64, error) {
	area, err := AUROCByFold(folds, positive, score)
	if err != nil {
		return nil, err
	}
	index := foldsOf(folds, len(score))
	total, won := countWins(index, positive, score)
	count := 0.0
	for _, p := range total {
		count += p.count()
	}
	out := make([]float64, len(score))
	for f, members := range index {
		for _, i := range members {
			others := total[f].positives
			if positive[i] {
				others = total[f].negatives
			}
			out[i] = float64(len(score)) * (float64(won[i])/2 - float64(area*float64(others))) / count
		}
	}
	return out, nil
}

// foldsOf lists the observations of every fold.
func foldsOf(folds []int, n int) [][]int {
	if folds == nil {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return [][]int{all}
	}
	classes, class := Classes(folds)
	out := make([][]int, len(classes))
	for i, f := range class {
		out[f] = append(out[f], i)
	}
	return out
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

// count is the number of pairs.
func (p pairs) count() float64 { return float64(p.positives) * float64(p.negatives) }

// areaOf is the share of pairs of each part that the positive wins; NaN where there are none.
func areaOf(parts []pairs) float64 {
	halves, count := int64(0), 0.0
	for _, p := range parts {
		halves += p.halves
		count += p.count()
	}
	return float64(halves) / 2 / count
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

// countWins counts the pairs of every fold, and the pairs of every observation that the positive wins, in
// halves.
func countWins(index [][]int, positive []bool, score []float64) ([]pairs, []int64) {
	total, won := make([]pairs, len(index)), make([]int64, len(score))
	for f, members := range index {
		order := ascending(score, members)
		total[f] = countPairs(positive, score, order)
		var below pairs
		runs(score, order, func(run []int) {
			hits := hitsOf(positive, run)
			misses := int64(len(run)) - hits
			for _, i := range run {
				if positive[i] {
					won[i] = 2*below.negatives + misses
				} else {
					won[i] = 2*(total[f].positives-below.positives-hits) + hits
				}
			}
			below.positives, below.negatives = below.positives+hits, below.negatives+misses
		})
	}
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

func checkFolds(quantity string, folds []int, positive []bool, score []float64) error {
	if folds != nil && len(folds) != len(score) {
		return stat.Undefined(quantity, "%d folds and %d scores, want the same number", len(folds), len(score))
	}
	return checkRanking(quantity, positive, score)
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
