// Kendall's rank correlation without each block.

package stat

import (
	"context"
	"math"

	"repscope/internal/parallel"
)

// JackknifeKendall jackknifes τ_b of x and y (see [Kendall]): the share of concordant minus the share
// of discordant pairs, divided by the geometric mean of the shares of pairs untied in x and in y. A
// deletion removes every pair with a deleted observation, so that all deletions together take O(n²)
// for any number of blocks. The result is NaN if x or y is constant. It does not depend on threads (≤
// 0: all). Errors as for Kendall, and one block.
func JackknifeKendall(ctx context.Context, blocks *Blocks, x, y []float64, threads int) (*Jackknifed, error) {
	const quantity = "Kendall correlation"
	if err := checkPair(quantity, x, y, 3); err != nil {
		return nil, err
	}
	if len(x) != blocks.n {
		return nil, Undefined(quantity, "%d values for %d observations", len(x), blocks.n)
	}
	labels := blocks.Labels()
	// Of every observation: its pairs with all others, and with observations of its own block, which
	// would be taken away twice.
	with, inside := make([]pairCounts, len(x)), make([]pairCounts, len(x))
	err := parallel.For(ctx, threads, len(x), func(_, i int) {
		for j := range x {
			p := pairOf(x[i], x[j], y[i], y[j])
			with[i].add(p, 1)
			if labels[i] == labels[j] {
				inside[i].add(p, 1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var all pairCounts
	without := make([]pairCounts, blocks.Count())
	for i := range x {
		all.add(with[i], 1)
		without[labels[i]].add(with[i], -2)
		without[labels[i]].add(inside[i], 1)
	}
	replicates := make([]float64, len(without))
	for b := range without {
		without[b].add(all, 1)
		replicates[b] = without[b].tau()
	}
	return blocks.Jackknife(all.tau(), replicates, nil)
}

// pairCounts are counts of ordered pairs: those that agree less those that do not, and those that
// x and y tell apart.
type pairCounts struct{ agree, x, y int64 }

// pairOf counts one pair.
func pairOf(x, otherX, y, otherY float64) pairCounts {
	dx, dy := order(x, otherX), order(y, otherY)
	return pairCounts{dx * dy, dx * dx, dy * dy}
}

// order is −1, 0 or 1.
func order(a, b float64) int64 {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// add adds counts that many times.
func (c *pairCounts) add(d pairCounts, times int64) {
	c.agree += times * d.agree
	c.x += times * d.x
	c.y += times * d.y
}

// tau is τ_b; NaN where x or y do not vary.
func (c *pairCounts) tau() float64 {
	if c.x == 0 || c.y == 0 {
		return math.NaN()
	}
	return tauB(float64(c.agree), float64(c.x), float64(c.y))
}
