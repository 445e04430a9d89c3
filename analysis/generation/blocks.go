// The blocks of samples that are deleted in turn for intervals.

package generation

import (
	"fmt"

	"repscope/stat"
)

// mostBlocks is how many blocks independent samples are dealt to at most: enough for 99
// degrees of freedom, and few enough to delete each in turn.
const mostBlocks = 100

// blocks groups n samples for the delete-block jackknife: the groups that are given, else
// single samples, which are dealt to at most most blocks (0 means mostBlocks), those of
// every label in turn, so that each block holds the labels in about the same shares. In a
// run without intervals it is nil. Errors: fewer than 3 samples.
func (a *analyzer) blocks(n int, labels, groups []int, most int) (*stat.Blocks, error) {
	if !a.o.Intervals {
		return nil, nil
	}
	if groups == nil {
		if most == 0 {
			most = mostBlocks
		}
		groups = deal(n, labels, most)
	}
	b, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return nil, err
	}
	if b.Kind() != stat.EpisodeBlocks {
		return nil, fmt.Errorf("the samples are one group: nothing shows their error")
	}
	return b, nil
}

// deal gives each of n samples the number of its block.
func deal(n int, labels []int, most int) []int {
	count := min(n, most)
	out := make([]int, n)
	if labels == nil {
		for i := range out {
			out[i] = i % count
		}
		return out
	}
	next := 0
	for _, of := range members(distinct(labels), labels) {
		for _, i := range of {
			out[i] = next % count
			next++
		}
	}
	return out
}
