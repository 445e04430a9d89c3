// Ranks of the truth among the members.

package ensemble

import (
	"fmt"
	"math"
)

// rankUnit is what one cell adds to a rank histogram: 720,720 is divisible by 1 … 16, so
// that ties are split evenly in integers.
const rankUnit = 720720

// AddRanks counts, for each weighted cell, the rank of the truth among the members, 0 … S, in units of
// 1/rankUnit. counts has S + 1 entries; counts[r] increases by rankUnit if r members lie below the
// truth. A truth equal to e members has e + 1 possible ranks, each increased by rankUnit/(e + 1); the
// remainder of this division goes to the middle ranks, so that a cell always adds rankUnit. Counts are
// integers and can be added exactly over samples, in any order. Cells with a NaN are not counted.
// Error: another number of counts.
func AddRanks[T Float](counts []int64, s Sample[T]) error {
	if len(counts) != s.count+1 {
		return fmt.Errorf("%d rank counts for %d members, want one more than members", len(counts), s.count)
	}
	var below, above [width]int32
	eachColumns(s, func(c *columns[T], first, n int) {
		clear(below[:])
		clear(above[:])
		for k := range s.count {
			for i, v := range c.row(k) {
				below[i] += count(v < c.y[i])
				above[i] += count(v > c.y[i])
			}
		}
		for i := range n {
			if s.weight(first+i) != 0 && !math.IsNaN(c.absolute[i]) {
				spreadRank(counts[below[i] : s.count-int(above[i])+1])
			}
		}
	})
	return nil
}

// count is 1 for true, without a branch.
func count(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// spreadRank adds one cell to the ranks among which its truth is tied.
func spreadRank(counts []int64) {
	n := len(counts)
	share, rest := int64(rankUnit/n), rankUnit%n
	for i := range counts {
		counts[i] += share
	}
	for i := (n - rest) / 2; rest > 0; i, rest = i+1, rest-1 {
		counts[i]++
	}
}

// RankShares returns the share of cells at each rank; NaN if there are none. Means over
// samples of different weights are taken of shares, sums over cells of counts.
func RankShares(counts []int64) []float64 {
	total := totalOf(counts)
	shares := make([]float64, len(counts))
	for i, v := range counts {
		shares[i] = float64(v) / float64(total)
	}
	return shares
}

func totalOf(counts []int64) int64 {
	total := int64(0)
	for _, v := range counts {
		total += v
	}
	return total
}

// ReliabilityIndex returns Σ |f_r − 1/(S + 1)| over the shares f_r of ranks (Delle Monache et al.,
// Journal of Geophysical Research 111, 2006): 0 for a flat histogram, up to 2·S/(S + 1) if all truths
// have the same rank. It is positive by chance alone, about √(2(S + 1)/(π·n)) for n independent cells.
// This and the following functions accept the shares of [RankShares], or their means over samples. NaN
// if a share is NaN.
func ReliabilityIndex(shares []float64) float64 {
	sum, flat := 0.0, 1/float64(len(shares))
	for _, share := range shares {
		sum += math.Abs(share - flat)
	}
	return sum
}

// RankContrasts returns two departures of ranks from a flat histogram, means over cells of
// u = (r + ½)/(S + 1) for rank r (Jolliffe & Primo, Monthly Weather Review 136, 2008):
//
//	bias = mean (1 − 2u),    positive where the truth tends to lie below the members: forecasts too high
//	dispersion = mean (1 − 12·(u − ½)²/(1 − 1/(S + 1)²)),    positive where it lies in their middle: spread too large
//
// Both are 0 for a flat histogram, of any number of members, and bias lies in (−1, 1). As
// means they can be given intervals from samples that are independent.
func RankContrasts(shares []float64) (bias, dispersion float64) {
	n := float64(len(shares))
	square := 0.0
	for r, share := range shares {
		u := (float64(r)+0.5)/n - 0.5
		bias -= float64(2 * u * share)
		square += float64(float64(u*u) * share)
	}
	return bias, 1 - square*12/(1-1/(n*n)) // 1/12·(1 − 1/n²) is the variance of u if all ranks are equally frequent
}

// PIT returns a histogram of the probability integral transform with the given number of bins, as
// shares. A truth of rank r is spread evenly over [r/(S + 1), (r + 1)/(S + 1)], so that ensembles of
// different sizes have the same bins and a flat rank histogram is flat. nil for no bins.
func PIT(shares []float64, bins int) []float64 {
	if bins < 1 {
		return nil
	}
	out := make([]float64, bins)
	n := len(shares)
	for r, share := range shares {
		// In units of 1/(n·bins): rank r covers [r·bins, (r+1)·bins), bin b covers [b·n, (b+1)·n).
		for b := r * bins / n; b < bins && b*n < (r+1)*bins; b++ {
			overlap := min((r+1)*bins, (b+1)*n) - max(r*bins, b*n)
			out[b] += share * float64(overlap) / float64(bins)
		}
	}
	return out
}
