// The jackknife over blocks of two samples, and what they say about tests.

package twosample

import (
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
