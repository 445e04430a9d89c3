// The blocks of samples that are deleted in turn for intervals.

package generation

import (
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// mostBlocks is how many blocks independent samples are dealt to at most: enough for 99
// degrees of freedom, and few enough to delete each in turn.
const mostBlocks = 100

// blocks groups n samples for the delete-block jackknife: the groups that are given, else
// single samples, which are dealt to at most most blocks (0 means mostBlocks), samples of
// every label in turn, so that each block holds the labels in about the same shares. In a
// run without intervals it is nil. Errors: fewer than 3 samples, one group.
func (a *analyzer) blocks(n int, labels, groups []int, limit int) (*stat.Blocks, error) {
	if !a.o.Intervals {
		return nil, nil
	}
	if groups == nil {
		if limit == 0 {
			limit = mostBlocks
		}
		groups = deal(n, labels, limit)
	}
	b, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return nil, err
	}
	if b.Kind() != stat.EpisodeBlocks {
		return nil, fmt.Errorf("all samples belong to one group, so their error cannot be estimated")
	}
	return b, nil
}

// deal gives each of n samples the number of its block.
func deal(n int, labels []int, limit int) []int {
	count := max(min(n, limit), 1)
	out := make([]int, n)
	if labels == nil {
		for i := range out {
			out[i] = i % count
		}
		return out
	}
	next := 0
	for _, group := range members(DistinctLabels(labels), labels) {
		for _, i := range group {
			out[i] = next % count
			next++
		}
	}
	return out
}

// within are blocks of some of the samples, those that the blocks of all cut them into, and
// which block of all each of them is; nil where there are none of all.
func within(all *stat.Blocks, index []int) (blocks *stat.Blocks, number []int, err error) {
	if all == nil {
		return nil, nil, nil
	}
	labels := chosen(all.Labels(), index)
	if blocks, err = stat.NewBlocks(len(index), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks}); err != nil {
		return nil, nil, err
	}
	if blocks.Kind() != stat.EpisodeBlocks {
		return nil, nil, fmt.Errorf("there is only one block, so the error cannot be estimated")
	}
	number = make([]int, blocks.Count())
	for i, block := range blocks.Labels() {
		number[block] = labels[i]
	}
	return blocks, number, nil
}

// mean is the mean of scores of samples without those that are NaN, with an
// interval by deleting blocks; err is why there are no blocks.
func mean(path string, values []float64, blocks *stat.Blocks, err error) Estimate {
	sums := [][]float64{make([]float64, len(values)), make([]float64, len(values))}
	for i, v := range values {
		if !math.IsNaN(v) {
			sums[0][i], sums[1][i] = v, 1
		}
	}
	n := stat.Sum(sums[1])
	if n == 0 {
		return undefined(path, "not defined for any sample")
	}
	value := stat.Sum(sums[0]) / n
	if blocks == nil || err != nil {
		return estimate(path, value, nil, err)
	}
	j, err := stat.JackknifeSums(blocks, sums, 1, func(_ float64, sums, dst []float64) { dst[0] = sums[0] / sums[1] })
	if err != nil {
		return estimate(path, value, nil, err)
	}
	return estimate(path, j[0].Estimate, j[0], nil)
}

// share is the share of samples whose hit is true: with Wilson's interval where samples
// are independent, else by deleting their groups.
func (a *analyzer) share(path string, hits []bool, groups []int, blocks *stat.Blocks, err error) Estimate {
	if len(hits) == 0 {
		return undefined(path, "no samples")
	}
	values := make([]float64, len(hits))
	count := 0.0
	for i, hit := range hits {
		if hit {
			values[i] = 1
			count++
		}
	}
	e := mean(path, values, blocks, err)
	switch {
	case !a.o.Intervals:
	case groups == nil:
		ci, err := stat.Wilson(count, float64(len(hits)), 0)
		if err != nil {
			e.CI = report.NoInterval("%s", stat.Reason(err))
		} else {
			e.CI = results.Interval(ci)
		}
	case e.Jackknife != nil:
		e.Jackknife.AsShare(len(hits))
		e.CI = results.Interval(e.Jackknife.Interval)
	}
	return e
}

// deviation is the standard deviation of values with their number in the denominator; NaN
// are left out.
func deviation(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	mean, squares := sum/n, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			squares += float64((v - mean) * (v - mean))
		}
	}
	return math.Sqrt(squares / n)
}
