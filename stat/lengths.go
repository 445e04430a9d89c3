// Episodes whose length goes with their values: a mean over states is then another quantity than one over episodes, and
// its interval holds less often.

package stat

import (
	"fmt"
	"math"

	"repscope/internal/text"
)

// Lengths says how values go with the lengths of their episodes.
type Lengths struct {
	Episodes int
	// Rho is Spearman's correlation of the length of an episode and the mean of its values, with its p value; NaN where
	// all lengths or means are equal.
	Rho, P float64
	// Mean is that over observations. EpisodeMean is the mean of the means of episodes, each of weight 1, with the
	// jackknife over episodes.
	Mean        float64
	EpisodeMean *Jackknifed
	stdError    float64 // of Mean
}

// fewestLengths is the number of episodes from which lengths are looked at.
const fewestLengths = 5

// LengthsOf compares values [n] with the lengths of their episodes; NaN values are left out. Errors
// ([UndefinedError]): labels of another length, no values, fewer than 5 episodes.
func LengthsOf(values []float64, episodes []int) (Lengths, error) {
	const quantity = "lengths of episodes"
	if len(episodes) != len(values) {
		return Lengths{}, Undefined(quantity, "%d episode labels for %d values", len(episodes), len(values))
	}
	var kept []float64
	var labels []int
	for i, v := range values {
		if !math.IsNaN(v) {
			kept, labels = append(kept, v), append(labels, episodes[i])
		}
	}
	blocks, err := NewBlocks(len(kept), labels, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		return Lengths{}, err
	}
	count := blocks.Count()
	if count < fewestLengths {
		return Lengths{}, Undefined(quantity, "%s, want at least %d", text.Count(count, "episode"), fewestLengths)
	}
	lengths, sums := make([]float64, count), make([]float64, count)
	for i, e := range blocks.Labels() {
		lengths[e]++
		sums[e] += kept[i]
	}
	for e := range sums {
		sums[e] /= lengths[e]
	}
	mean, err := JackknifeMean(blocks, kept)
	if err != nil {
		return Lengths{}, err
	}
	return lengthsOf(lengths, sums, mean)
}

// LengthsOfRatio compares the ratios of numerators and denominators, such as the losses and the residues of sequences,
// with the denominators; entries with a denominator of 0 are left out. Mean is Σ numerator/Σ denominator. Errors as
// for [LengthsOf].
func LengthsOfRatio(numerators, denominators []float64) (Lengths, error) {
	const quantity = "lengths of episodes"
	if len(numerators) != len(denominators) {
		return Lengths{}, Undefined(quantity, "%d numerators for %d denominators", len(numerators), len(denominators))
	}
	var ratios []float64
	columns := make([][]float64, 2)
	for i, d := range denominators {
		if d > 0 {
			ratios = append(ratios, numerators[i]/d)
			columns[0], columns[1] = append(columns[0], numerators[i]), append(columns[1], d)
		}
	}
	if len(ratios) < fewestLengths {
		return Lengths{}, Undefined(quantity, "%s, want at least %d", text.Count(len(ratios), "episode"), fewestLengths)
	}
	single, err := singles(len(ratios))
	if err != nil {
		return Lengths{}, err
	}
	mean, err := JackknifeSums(single, columns, 1, func(_ float64, sums, dst []float64) { dst[0] = sums[0] / sums[1] })
	if err != nil {
		return Lengths{}, err
	}
	return lengthsOf(columns[1], ratios, mean[0])
}

// singles are n blocks of one observation each.
func singles(n int) (*Blocks, error) {
	single := make([]int, n)
	for e := range single {
		single[e] = e
	}
	return NewBlocks(n, single, BlockSpec{Kind: EpisodeBlocks})
}

// lengthsOf compares lengths with the means of their episodes.
func lengthsOf(lengths, means []float64, mean *Jackknifed) (Lengths, error) {
	rank, err := Spearman(lengths, means)
	if err != nil {
		return Lengths{}, err
	}
	alone, err := singles(len(means))
	if err != nil {
		return Lengths{}, err
	}
	byEpisode, err := JackknifeMean(alone, means)
	if err != nil {
		return Lengths{}, err
	}
	return Lengths{
		Episodes: len(means), Rho: rank.Coefficient, P: rank.PValue,
		Mean: mean.Estimate, EpisodeMean: byEpisode, stdError: mean.StdError,
	}, nil
}

// Go reports whether the values go with the lengths: their correlation has p < 0.01, and the mean over observations
// differs from that over episodes by more than half its standard error. In episodes of unrelated lengths that is rare
// (1 in 100).
func (l Lengths) Go() bool {
	return l.P < 0.01 && math.Abs(l.Mean-l.EpisodeMean.Estimate) > l.stdError/2
}

// Warning names values that go with the lengths of their episodes, with the mean over episodes; empty for others. What
// is an observation, and episode what groups them, such as "state" and "episode".
func (l Lengths) Warning(name, what, episode string) string {
	if !l.Go() {
		return ""
	}
	direction := "higher"
	if l.Rho < 0 {
		direction = "lower"
	}
	over := fmt.Sprintf("%.4g", l.EpisodeMean.Estimate)
	if ci := l.EpisodeMean.Interval; ci.Defined() {
		over += fmt.Sprintf(" [%.4g, %.4g]", ci.Low, ci.High)
	}
	return fmt.Sprintf("%s: longer %ss have %s values (rank correlation %.2f), so that the interval of the mean over %ss "+
		"(%.4g) may miss it; report the mean over %ss too: %s", name, episode, direction, l.Rho, what, l.Mean, episode, over)
}
