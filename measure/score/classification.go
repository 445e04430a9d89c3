// Scores of predicted classes.

package score

import (
	"math"
	"slices"

	"repscope/stat"
)

// Classes returns the distinct labels in ascending order and the index of each label among them.
func Classes(labels []int) (classes, index []int) {
	classes = slices.Compact(slices.Sorted(slices.Values(labels)))
	index = make([]int, len(labels))
	for i, label := range labels {
		index[i], _ = slices.BinarySearch(classes, label)
	}
	return classes, index
}

// Confusion counts how often each class was taken for each.
type Confusion struct {
	Classes int
	Count   []int64 // Count[t·Classes + p] observations of class t were predicted as p
}

// NewConfusion counts pairs of true and predicted classes 0 … classes−1; classes may be absent.
// Errors: no values, unequal lengths, a class out of range.
func NewConfusion(classes int, truth, predicted []int) (*Confusion, error) {
	if err := checkClasses("confusion", classes, truth, predicted); err != nil {
		return nil, err
	}
	c := &Confusion{Classes: classes, Count: make([]int64, classes*classes)}
	for i, t := range truth {
		c.Count[t*classes+predicted[i]]++
	}
	return c, nil
}

// ConfusionWithout counts all observations, and the observations outside each block. Errors as for
// [NewConfusion], and blocks for another number of observations.
func ConfusionWithout(blocks *stat.Blocks, classes int,
	truth, predicted []int) (all *Confusion, without []*Confusion, err error) {
	if all, err = NewConfusion(classes, truth, predicted); err != nil {
		return nil, nil, err
	}
	if err := checkBlocks("confusion", blocks, len(truth)); err != nil {
		return nil, nil, err
	}
	for j := range blocks.Count() {
		rest := &Confusion{Classes: classes, Count: slices.Clone(all.Count)}
		for _, i := range blocks.Block(j) {
			rest.Count[truth[i]*classes+predicted[i]]--
		}
		without = append(without, rest)
	}
	return all, without, nil
}

// of returns how often class k is true, how often predicted, and how often both.
func (c *Confusion) of(k int) (truth, predicted, both int64) {
	for o := range c.Classes {
		truth += c.Count[k*c.Classes+o]
		predicted += c.Count[o*c.Classes+k]
	}
	return truth, predicted, c.Count[k*c.Classes+k]
}

// Total is the number of observations.
func (c *Confusion) Total() (n int64) {
	for _, v := range c.Count {
		n += v
	}
	return n
}

// Accuracy is the share of observations whose class was predicted; NaN for none.
func (c *Confusion) Accuracy() float64 {
	hits := int64(0)
	for k := range c.Classes {
		hits += c.Count[k*c.Classes+k]
	}
	return float64(hits) / float64(c.Total())
}

// BalancedAccuracy is the mean recall of the classes that occur, from 0 to 1; chance and the
// majority class have 1/(their number). NaN where fewer than two classes occur.
func (c *Confusion) BalancedAccuracy() float64 {
	sum, occur := 0.0, 0
	for k := range c.Classes {
		if truth, _, both := c.of(k); truth > 0 {
			sum += float64(both) / float64(truth)
			occur++
		}
	}
	if occur < 2 {
		return math.NaN()
	}
	return sum / float64(occur)
}

// MacroF1 is the mean over the classes that occur or are predicted of the harmonic mean
// 2·both/(truth + predicted) of precision and recall, from 0 to 1. A class that is never
// predicted has 0. NaN for no observations.
func (c *Confusion) MacroF1() float64 {
	sum, occur := 0.0, 0
	for k := range c.Classes {
		if truth, predicted, both := c.of(k); truth+predicted > 0 {
			sum += float64(2*both) / float64(truth+predicted)
			occur++
		}
	}
	return sum / float64(occur)
}

// F1 returns the F1 score of each class; NaN for a class that neither occurs nor is predicted.
func (c *Confusion) F1() []float64 {
	out := make([]float64, c.Classes)
	for k := range out {
		truth, predicted, both := c.of(k)
		out[k] = float64(2*both) / float64(truth+predicted)
	}
	return out
}

// Recall is the share of each class that was predicted as such; NaN for one that does not occur.
func (c *Confusion) Recall() []float64 {
	out := make([]float64, c.Classes)
	for k := range out {
		truth, _, both := c.of(k)
		out[k] = float64(both) / float64(truth)
	}
	return out
}

// ClassInfluences are the first-order share of every observation in the scores of a
// [Confusion], with mean 0.
type ClassInfluences struct{ Accuracy, BalancedAccuracy, MacroF1 []float64 }

// Influence returns the influence of the counted observations. BalancedAccuracy is
// nil where it is undefined. Errors as for [NewConfusion].
func (c *Confusion) Influence(truth, predicted []int) (ClassInfluences, error) {
	if err := checkClasses("confusion", c.Classes, truth, predicted); err != nil {
		return ClassInfluences{}, err
	}
	n := len(truth)
	out := ClassInfluences{Accuracy: make([]float64, n), MacroF1: make([]float64, n)}
	accuracy, occur, named := c.Accuracy(), 0.0, 0.0
	truths, sums, recall, f1 := make([]float64, c.Classes), make([]float64, c.Classes), c.Recall(), c.F1()
	for k := range c.Classes {
		t, p, _ := c.of(k)
		truths[k], sums[k] = float64(t), float64(t+p)
		if t > 0 {
			occur++
		}
		if t+p > 0 {
			named++
		}
	}
	if occur >= 2 {
		out.BalancedAccuracy = make([]float64, n)
	}
	for i, t := range truth {
		p, hit := predicted[i], 0.0
		if t == p {
			hit = 1
		}
		out.Accuracy[i] = hit - accuracy
		if occur >= 2 {
			out.BalancedAccuracy[i] = float64(n) / truths[t] * (hit - recall[t]) / occur
		}
		// ∂F1/∂both = 2/(truth + predicted), ∂F1/∂truth = ∂F1/∂predicted = −F1/(truth + predicted).
		out.MacroF1[i] = float64(n) / named * (float64(2*hit)/sums[t] - f1[t]/sums[t] - f1[p]/sums[p])
	}
	return out, nil
}

func checkClasses(quantity string, classes int, truth, predicted []int) error {
	if len(truth) != len(predicted) {
		return stat.Undefined(quantity, "%d classes and %d predictions, want the same number", len(truth), len(predicted))
	}
	if len(truth) == 0 {
		return stat.Undefined(quantity, "no values")
	}
	for i, t := range truth {
		for _, k := range []int{t, predicted[i]} {
			if k < 0 || k >= classes {
				return stat.Undefined(quantity, "observation %d has class %d, want 0 … %d", i, k, classes-1)
			}
		}
	}
	return nil
}
