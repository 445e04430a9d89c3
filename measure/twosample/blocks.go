// The jackknife over blocks of two samples, their tests, and pairs of blocks, which count once.

package twosample

import (
	"fmt"
	"math"
	"slices"

	"repscope/stat"
)

// JackknifeBlocks is [Jackknife] over the blocks of both samples: values without each block of the first sample, then
// of the second. No p value is computed where the blocks of one sample give none; the warnings of both are kept.
func JackknifeBlocks(estimate float64, without []float64, first, second *stat.Blocks) (*stat.Jackknifed, error) {
	j, err := Jackknife(estimate, without, first.Sizes(), second.Sizes(), 0)
	if err != nil {
		return nil, err
	}
	for _, b := range []*stat.Blocks{first, second} {
		if j.Untestable == "" {
			j.Untestable = b.Untestable()
		}
		for _, w := range b.Warnings() {
			if !slices.Contains(j.Warnings, w) {
				j.Warnings = append(j.Warnings, w)
			}
		}
	}
	return j, nil
}

// CountOnce returns the deletions of a mean over the first sample of values that depend on the second one, such as
// distances to the nearest point, with the variance of pairs counted once. Deleting blocks of the first sample and then
// of the second counts the variance of pairs of blocks in both: in simulations means of distances to the nearest point
// have 1.5 times, and shares of such points 3 times their variance. changes[b][j] is the change of the mean without
// block b of the second sample that comes from block j of the first. The deletions of the second sample lose
//
//	Σ_b (1 − q_b)·Σ_j e_bj²,  e_bj = c_bj − p_j·c_b· − q_b·c_·j + p_j·q_b·c_··
//
// of their variance, at most all: c are the changes, c_b·, c_·j and c_·· their sums, p and q the shares of the blocks.
// The variance of pairs of blocks of the second sample is still counted twice.
func CountOnce(mean float64, without []float64, changes [][]float64, first, second *stat.Blocks) ([]float64, error) {
	shares := func(b *stat.Blocks) (out []float64) {
		for _, m := range b.Sizes() {
			out = append(out, float64(m)/float64(len(b.Labels())))
		}
		return out
	}
	p, q := shares(first), shares(second)
	if len(without) != len(p)+len(q) || len(changes) != len(q) {
		return nil, fmt.Errorf("deletions: %d values and %d changes for %d and %d blocks", len(without), len(changes),
			len(p), len(q))
	}
	tail := without[len(p):]
	j, err := stat.DeleteBlockJackknife(mean, tail, second.Sizes(), 0)
	if err != nil {
		return nil, err
	}
	columns, total := make([]float64, len(p)), 0.0
	for _, row := range changes {
		if len(row) != len(p) {
			return nil, fmt.Errorf("deletions: changes of %d blocks, want %d", len(row), len(p))
		}
		for k, c := range row {
			columns[k] += c
			total += c
		}
	}
	pairs := 0.0
	for b, row := range changes {
		sum := stat.Sum(row)
		for k, c := range row {
			e := c - float64(p[k]*sum) - float64(q[b]*columns[k]) + float64(p[k]*q[b]*total)
			pairs += float64((1 - q[b]) * e * e)
		}
	}
	out := slices.Clone(without)
	if variance := float64(j.StdError * j.StdError); variance > 0 {
		factor := math.Sqrt(max(0, 1-pairs/variance))
		for b, v := range tail {
			expected := mean + float64(q[b]*total)
			out[len(p)+b] = expected + float64(factor*(v-expected))
		}
	}
	return out, nil
}
