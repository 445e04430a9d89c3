// What a model says of one position.

package token

import (
	"fmt"
	"math"

	"repscope/internal/kernel/vector"
)

// Prediction is what a model says of one position, and how the truth stands in it.
type Prediction struct {
	// Position is the place in the sequence of tokens, special ones counted.
	Position int
	Target   int // the true token
	// Predicted is the token of the largest logit, the first of equal ones.
	Predicted int
	// Rank is the number of tokens with a larger logit than the target, and of those with
	// an equal one before it: 0 where it is predicted.
	Rank int
	// NLL is −ln of the probability of the target, in nats.
	NLL float64
	// Prob is the probability of the target, Confidence the probability of the predicted token.
	Prob, Confidence float64
	// Entropy is the entropy of the predicted distribution, in nats.
	Entropy float64
	// Brier is Σ (p_k − [k = target])², from 0 to 2.
	Brier float64
}

// Correct reports whether the target is predicted.
func (p *Prediction) Correct() bool { return p.Predicted == p.Target }

// Predict scores the logits [V] of one position. Everything is computed in float64 with
// the largest logit subtracted. −Inf is the logit of a token that cannot be: its
// probability is 0, and its NLL as a target +Inf. Probabilities below 1e-307 of the largest are
// 0 in entropy and Brier score. Errors: a target outside the vocabulary, NaN, +Inf, or no
// finite logit.
func Predict(logits []float32, target int) (Prediction, error) {
	if target < 0 || target >= len(logits) {
		return Prediction{}, fmt.Errorf("target %d, want a token of the %d of the logits", target, len(logits))
	}
	row := logits
	if len(row)%vector.Categories != 0 {
		var room [64]float32
		row = append(room[:0], logits...)
		for len(row)%vector.Categories != 0 {
			row = append(row, float32(math.Inf(-1)))
		}
	}
	p := Prediction{Target: target}
	top, first, larger, equal := vector.Standing(row, logits[target])
	sum, weighted, squares := vector.Distribution(row, float64(top))
	if math.IsNaN(sum) {
		return p, unusable(logits)
	}
	p.Predicted, p.Rank = first, larger
	if equal > 1 {
		for _, v := range logits[:target] {
			if v == logits[target] {
				p.Rank++
			}
		}
	}
	log := math.Log(sum)
	p.NLL = log - (float64(logits[target]) - float64(top))
	p.Confidence = 1 / sum
	if p.Prob = p.Confidence; logits[target] < top {
		p.Prob = math.Exp(-p.NLL)
	}
	p.Entropy = log - weighted/sum
	p.Brier = squares/float64(sum*sum) - 2*p.Prob + 1
	return p, nil
}

// unusable describes the fault of logits that are no distribution.
func unusable(logits []float32) error {
	for k, v := range logits {
		if v != v || math.IsInf(float64(v), 1) {
			return fmt.Errorf("logit %d is %v", k, v)
		}
	}
	return fmt.Errorf("all logits are −Inf")
}
