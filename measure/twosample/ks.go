// The two-sample test of Kolmogorov and Smirnov, exactly and with ties.

package twosample

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/stat"
)

// exactLimit is the largest product of sample sizes whose exact p value is computed.
const exactLimit = 100_000_000

// KS is the two-sided two-sample test of Kolmogorov and Smirnov.
type KS struct {
	// Statistic is max |F − G|, from 0 to 1, a multiple of 1/lcm(n, m).
	Statistic float64
	// P is the probability of at least this statistic when the pooled values are divided
	// between the samples at random: given the ties, which make the distances that can
	// be seen fewer (Schröer & Trenkler 1995, "Exact and randomization distributions of
	// Kolmogorov–Smirnov tests two or three samples").
	P float64
	// PContinuous is the p value for samples without ties, which is too large with them:
	// the p value of scipy.stats.ks_2samp. Equal to P where no value is tied between the samples.
	PContinuous float64
	// Exact says that both are exact, for n·m up to 10⁸. Above, both are from
	// Kolmogorov's limit with Stephens' correction for finite samples, too large with
	// ties.
	Exact bool
	// Ties is the number of values, of both samples, that another one equals.
	Ties int
	// Reason is why there are no p values, which are NaN then; empty if there are.
	Reason string
}

// KolmogorovSmirnov tests whether two samples of independent numbers come from one
// distribution. Time is O(n·m). An empty sample, NaN or Inf is a [stat.UndefinedError].
func KolmogorovSmirnov(x, y []float64) (KS, error) {
	if err := check("Kolmogorov–Smirnov statistic", x, y); err != nil {
		return KS{}, err
	}
	n, m := len(x), len(y)
	ks, largest, ends := compared(sorted(x), sorted(y))
	if n*m > exactLimit {
		ks.P = kolmogorov(ks.Statistic, float64(n)*float64(m)/float64(n+m))
		ks.PContinuous = ks.P
		return ks, nil
	}
	ks.Exact = true
	ks.P = outside(n, m, largest, ends)
	ks.PContinuous = ks.P
	if ks.Ties > 0 {
		ks.PContinuous = outside(n, m, largest, nil)
	}
	return ks, nil
}

// compared returns the statistic of sorted values, the same times both sizes, and after which pooled values a new one
// begins.
func compared(x, y []float64) (ks KS, largest int, ends []bool) {
	n, m := len(x), len(y)
	ends = make([]bool, n+m+1)
	for i, j := 0, 0; i < n || j < m; {
		value, before := 0.0, i+j
		if j == m || (i < n && x[i] < y[j]) {
			value = x[i]
		} else {
			value = y[j]
		}
		for i < n && x[i] == value {
			i++
		}
		for j < m && y[j] == value {
			j++
		}
		if i+j > before+1 {
			ks.Ties += i + j - before
		}
		ends[i+j] = true
		largest = max(largest, abs(i*m-j*n))
	}
	ks.Statistic = float64(largest) / float64(n) / float64(m)
	return ks, largest, ends
}

// KolmogorovSmirnovGroups is [KolmogorovSmirnov] of samples whose values depend on each other inside of groups, which
// o.GroupsX and o.GroupsY name. P is (1 + e)/(1 + N), where in e of N = o.Permutations random divisions of the groups
// into two samples, of as many groups as they have, the statistic is at least as large; PContinuous is NaN. Where one
// sample alone has groups, or one group, there is no p value. Without groups it is [KolmogorovSmirnov].
func KolmogorovSmirnovGroups(ctx context.Context, x, y []float64, o Options) (KS, error) {
	if o.GroupsX == nil && o.GroupsY == nil {
		return KolmogorovSmirnov(x, y)
	}
	const quantity = "Kolmogorov–Smirnov statistic"
	if err := check(quantity, x, y); err != nil {
		return KS{}, err
	}
	for side, groups := range [][]int{o.GroupsX, o.GroupsY} {
		if n := []int{len(x), len(y)}[side]; groups != nil && len(groups) != n {
			return KS{}, fmt.Errorf("%s: groups of %s for %d", quantity, text.Count(len(groups), "value"), n)
		}
	}
	ks, _, _ := compared(sorted(x), sorted(y))
	ks.P, ks.PContinuous = math.NaN(), math.NaN()
	if o.GroupsX == nil || o.GroupsY == nil {
		ks.Reason = onlyOneHasGroups
		return ks, nil
	}
	d := newDivided(x, y, o.GroupsX, o.GroupsY)
	if d.sides[0] < 2 || d.sides[1] < 2 {
		ks.Reason = fmt.Sprintf("samples of %s and of %d: want at least 2 of each", text.Count(d.sides[0], "group"),
			d.sides[1])
		return ks, nil
	}
	exceeding := make([]bool, o.Permutations)
	err := parallel.With(ctx, o.Threads, o.Permutations, func() func(int) error {
		inX := make([]bool, d.sides[0]+d.sides[1])
		return func(k int) error {
			for at, unit := range stat.NewRandom(stat.StreamTwoSample.Key(o.Seed, uint64(k))).Perm(len(inX)) {
				inX[unit] = at < d.sides[0]
			}
			exceeding[k] = d.statistic(inX) >= ks.Statistic-1e-12
			return nil
		}
	})
	if err != nil {
		return KS{}, err
	}
	count := 0
	for _, yes := range exceeding {
		if yes {
			count++
		}
	}
	ks.P = float64(1+count) / float64(1+o.Permutations)
	return ks, nil
}

// divided are the pooled values of two samples, ascending, with their groups.
type divided struct {
	values []float64
	unit   []int // group of each value; groups of x come first
	sides  [2]int
}

func newDivided(x, y []float64, groupsX, groupsY []int) *divided {
	pooled := slices.Concat(x, y)
	unit := make([]int, len(pooled))
	d := &divided{}
	units := 0
	for side, groups := range [][]int{groupsX, groupsY} {
		for _, members := range groupsOf(len(groups), groups) {
			for _, i := range members {
				unit[side*len(x)+i] = units
			}
			units++
			d.sides[side]++
		}
	}
	order := make([]int, len(pooled))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pooled[a], pooled[b]) })
	for _, i := range order {
		d.values, d.unit = append(d.values, pooled[i]), append(d.unit, unit[i])
	}
	return d
}

// statistic is max |F − G| of the division that gives x some groups.
func (d *divided) statistic(inX []bool) float64 {
	n := 0
	for _, unit := range d.unit {
		if inX[unit] {
			n++
		}
	}
	m, below, largest := len(d.unit)-n, 0, 0.0
	for i, unit := range d.unit {
		if inX[unit] {
			below++
		}
		if i+1 == len(d.values) || d.values[i+1] != d.values[i] {
			largest = max(largest, math.Abs(float64(below)/float64(n)-float64(i+1-below)/float64(m)))
		}
	}
	return largest
}

func abs(v int) int { return max(v, -v) }

// outside is the probability that a random order of n and m values, seen where ends are
// true (nil: everywhere), leads to |i·m − j·n| ≥ limit somewhere. The chance of
// having been there, of random paths to (i, j), is the mean over the paths from (i−1, j) and
// (i, j−1), which are i/(i+j) and j/(i+j) of all.
func outside(n, m, limit int, ends []bool) float64 {
	if limit == 0 {
		return 1
	}
	q := make([]float64, m+1)
	for i := 0; i <= n; i++ {
		for j := 0; j <= m; j++ {
			switch {
			case (ends == nil || ends[i+j]) && abs(i*m-j*n) >= limit:
				q[j] = 1
			case i == 0 && j == 0:
				q[j] = 0
			case j > 0:
				before := q[j-1]
				if i == 0 {
					q[j] = before
					continue
				}
				q[j] += (before - q[j]) * float64(j) / float64(i+j)
			}
		}
	}
	return min(1, q[m])
}

// kolmogorov is the limit of P(√en·D ≥ λ), 2·Σ (−1)^(k−1)·exp(−2k²λ²), with
// λ = (√en + 0.12 + 0.11/√en)·d (Stephens 1970).
func kolmogorov(d, en float64) float64 {
	root := math.Sqrt(en)
	lambda := (root + 0.12 + 0.11/root) * d
	if lambda < 0.2 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		term := math.Exp(-2 * k * k * lambda * lambda)
		sum += sign * term
		sign = -sign
		if term < 1e-18 {
			break
		}
	}
	return min(1, max(0, 2*sum))
}
