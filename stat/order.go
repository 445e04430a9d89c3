// Jackknifes of order statistics: quantiles, and the Theil–Sen slope, which is one of
// the slopes of all pairs; and of ranks.

package stat

import (
	"context"
	"math"
	"slices"

	"repscope/internal/parallel"
)

// JackknifeQuantiles jackknifes quantiles of values; NaN are left out. The
// jackknife of a quantile itself is not consistent; its influence (q − 1[x ≤ Q])/f
// is, with the density f over the range of probabilities that sampling error
// covers. The interval runs between the quantiles at the ends of the interval for
// the share of values below (Woodruff 1952, "Confidence intervals for medians and
// other position measures"); there is none where that range, or the range of as many
// independent values, reaches past the smallest or the largest value. Errors: a q outside (0, 1), no values, one block.
func JackknifeQuantiles(blocks *Blocks, values []float64, q ...float64) ([]*Jackknifed, error) {
	const quantity = "quantile"
	if len(values) != blocks.n {
		return nil, Undefined(quantity, "%d values for %d observations", len(values), blocks.n)
	}
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) == 0 {
		return nil, Undefined(quantity, "no values")
	}
	if err := checkFinite(quantity, "values", sorted); err != nil {
		return nil, err
	}
	slices.Sort(sorted)
	out := make([]*Jackknifed, len(q))
	for i, p := range q {
		if !(p > 0 && p < 1) {
			return nil, Undefined(quantity, "probability %v, want a number between 0 and 1", p)
		}
		var err error
		if out[i], err = blocks.quantile(values, sorted, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// quantile is one of [JackknifeQuantiles].
func (b *Blocks) quantile(values, sorted []float64, q float64) (*Jackknifed, error) {
	estimate := QuantileSorted(sorted, q)
	below, counted := make([]float64, len(values)), make([]float64, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		counted[i] = 1
		switch {
		case v < estimate:
			below[i] = 1
		case v == estimate:
			below[i] = 0.5
		}
	}
	terms := [][]float64{below, counted}
	ratio := func(_ float64, sums, dst []float64) { dst[0] = sums[0] / sums[1] }
	shares, err := JackknifeSums(b, terms, 1, ratio)
	if err != nil {
		return nil, err
	}
	_, ofShare, err := SumsInfluence(terms, 1, ratio)
	if err != nil {
		return nil, err
	}
	share := shares[0]
	// At least two order statistics to either side, or there is no density to see.
	reach := max(share.StdError, 2/float64(len(sorted)))
	if math.IsNaN(reach) {
		return b.Jackknife(estimate, shares[0].Replicates, nil)
	}
	low, high := max(q-reach, 0), min(q+reach, 1)
	spread := QuantileSorted(sorted, high) - QuantileSorted(sorted, low)
	influence := make([]float64, len(values))
	for i, v := range ofShare[0] {
		influence[i] = -v * spread / (high - low)
	}
	out, err := b.linear(estimate, influence)
	if err != nil || !out.Interval.Defined() {
		return out, err
	}
	half := (share.Interval.High - share.Interval.Low) / 2
	if share.StdError > 0 {
		// Few blocks may agree by chance; independent values would not reach less far.
		independent := half / share.StdError * math.Sqrt(q*(1-q)/float64(len(sorted)))
		if q < independent || q+independent > 1 {
			half = max(half, independent)
		}
	}
	out.between(q-half, q+half, func(p float64) float64 { return QuantileSorted(sorted, p) })
	return out, nil
}

// between makes the interval that between two quantiles.
func (v *Jackknifed) between(low, high float64, quantile func(p float64) float64) {
	if low < 0 || high > 1 {
		v.Interval = noInterval(v.Interval.Level,
			"the blocks differ so much that the interval would exceed the range of the values")
		return
	}
	v.Interval.Low, v.Interval.High = quantile(low), quantile(high)
}

// JackknifeTheilSen jackknifes the Theil–Sen slope of y on x (see [TheilSen]) by
// observations. The share of pairs whose slope is below the estimate is Kendall's
// statistic of x and the residuals, and its deletions are exact; deletions of the slope
// follow from how far apart the slopes of pairs lie there, and the interval runs
// between the slopes at the ends of the interval for the share, as Sen's (1968) does
// for independent errors. O(n log n), whatever the number of blocks. Errors as for
// TheilSen, and one block.
func JackknifeTheilSen(blocks *Blocks, x, y []float64) (*Jackknifed, error) {
	const quantity = "Theil–Sen slope"
	if len(x) != blocks.n {
		return nil, Undefined(quantity, "%d values for %d observations", len(x), blocks.n)
	}
	slopes, err := newPairSlopes(x, y)
	if err != nil {
		return nil, err
	}
	estimate, err := slopes.median()
	if err != nil {
		return nil, err
	}
	meanX, meanY := Mean(x), Mean(y)
	residual := make([]float64, len(x))
	for i := range residual {
		residual[i] = (y[i] - meanY) - float64(estimate*(x[i]-meanX))
	}
	share, err := blocks.shareBelow(x, residual)
	if err != nil || !share.Interval.Defined() {
		return share, err
	}
	half := (share.Interval.High - share.Interval.Low) / 2
	low, high := max(0.5-half, 0), min(0.5+half, 1)
	perShare := 0.0
	if half > 0 {
		perShare = (slopes.at(high) - slopes.at(low)) / (high - low)
	}
	replicates, influence := make([]float64, len(share.Replicates)), make([]float64, len(x))
	for j, v := range share.Replicates {
		replicates[j] = estimate - float64(perShare*(v-share.Estimate))
	}
	for i, v := range share.Influence {
		influence[i] = -v * perShare
	}
	v, err := blocks.Jackknife(estimate, replicates, influence)
	if err != nil || !v.Interval.Defined() {
		return v, err
	}
	v.between(0.5-half, 0.5+half, slopes.at)
	return v, nil
}

// shareBelow jackknifes the share of pairs that differ in x and have a slope below 0,
// ties in y counted half. Influence is per observation of these blocks.
func (b *Blocks) shareBelow(x, y []float64) (*Jackknifed, error) {
	net, comparable := concordances(x, y)
	total, pairs := sumInts(net)/2, sumInts(comparable)/2
	share := func(total, pairs int64) float64 { return 0.5 - float64(total)/float64(pairs)/2 }
	replicates := make([]float64, b.Count())
	for j := range replicates {
		members := b.index.order[b.cut[j]:b.cut[j+1]]
		u, v := make([]float64, len(members)), make([]float64, len(members))
		without, remaining := total, pairs
		for k, i := range members {
			u[k], v[k] = x[i], y[i]
			without -= net[i]
			remaining -= comparable[i]
		}
		insideNet, insidePairs := concordances(u, v) // taken away from both ends
		replicates[j] = share(without+sumInts(insideNet)/2, remaining+sumInts(insidePairs)/2)
	}
	estimate, n := share(total, pairs), float64(len(x))
	influence := make([]float64, len(x))
	for i := range influence {
		influence[i] = (n - 1) * (estimate - share(total-net[i], pairs-comparable[i]))
	}
	mean := Mean(influence)
	for i := range influence {
		influence[i] -= mean
	}
	v, err := b.Jackknife(estimate, replicates, influence)
	if err == nil {
		v.Influence = influence
	}
	return v, err
}

func sumInts(values []int64) int64 {
	var sum int64
	for _, v := range values {
		sum += v
	}
	return sum
}

// concordances counts, for every observation, the others with which it is in order
// less those with which it is not (ties in y count as neither), and the others with
// another x.
func concordances(x, y []float64) (net, comparable []int64) {
	n := len(x)
	net, comparable = make([]int64, n), make([]int64, n)
	rank, order := denseRanks(y), sortedOrder(x)
	pass := func(groups [][]int, sign int64) {
		below := make([]int64, n+1) // Fenwick tree over ranks
		inserted := int64(0)
		for _, group := range groups {
			for _, i := range group {
				upTo, less := prefix(below, rank[i]), prefix(below, rank[i]-1)
				net[i] += sign * (less - (inserted - upTo))
				comparable[i] += inserted
			}
			for _, i := range group {
				for r := rank[i]; r <= n; r += r & -r {
					below[r]++
				}
			}
			inserted += int64(len(group))
		}
	}
	var groups [][]int // of equal x
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && x[order[hi]] == x[order[lo]] {
			hi++
		}
		groups = append(groups, order[lo:hi])
		lo = hi
	}
	pass(groups, 1)
	slices.Reverse(groups)
	pass(groups, -1)
	return net, comparable
}

// prefix is the sum over ranks 1..r of a Fenwick tree.
func prefix(tree []int64, r int) int64 {
	var sum int64
	for ; r > 0; r -= r & -r {
		sum += tree[r]
	}
	return sum
}

// denseRanks are ranks from 1, the same for equal values, without gaps.
func denseRanks(values []float64) []int {
	order, ranks, rank := sortedOrder(values), make([]int, len(values)), 0
	for k, i := range order {
		if k == 0 || values[i] != values[order[k-1]] {
			rank++
		}
		ranks[i] = rank
	}
	return ranks
}

// JackknifeSpearman jackknifes the rank correlation of x and y (see [Spearman]): every
// deletion is ranked again, in O(n) from one sorting. NaN where x or y do not vary.
// Results do not depend on threads (≤ 0: all). Errors as for Spearman, and one block.
func JackknifeSpearman(ctx context.Context, blocks *Blocks, x, y []float64, threads int) (*Jackknifed, error) {
	const quantity = "Spearman correlation"
	if err := checkPair(quantity, x, y, 3); err != nil {
		return nil, err
	}
	if len(x) != blocks.n {
		return nil, Undefined(quantity, "%d values for %d observations", len(x), blocks.n)
	}
	labels, orderX, orderY := blocks.Labels(), sortedOrder(x), sortedOrder(y)
	values := make([]float64, blocks.Count()+1)
	err := parallel.With(ctx, threads, len(values), func() func(task int) error {
		ranksX, ranksY := make([]float64, len(x)), make([]float64, len(x))
		return func(task int) error {
			block := task - 1 // the first task deletes none
			count := ranksWithout(ranksX, x, orderX, labels, block)
			ranksWithout(ranksY, y, orderY, labels, block)
			values[task] = rankCorrelation(ranksX, ranksY, labels, block, float64(count))
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return blocks.Jackknife(values[0], values[1:], nil)
}

// ranksWithout puts the average ranks of the observations outside a block into dst,
// about their mean, and returns how many there are.
func ranksWithout(dst, values []float64, order, labels []int, block int) int {
	kept, from := 0, 0 // from: where in the order the current tie begins
	tie := 0           // how many of it are kept
	for end := 0; end <= len(order); end++ {
		if end == len(order) || values[order[end]] != values[order[from]] {
			shared := float64(kept) + float64(tie+1)/2
			for _, i := range order[from:end] {
				dst[i] = shared
			}
			kept, from, tie = kept+tie, end, 0
		}
		if end < len(order) && labels[order[end]] != block {
			tie++
		}
	}
	middle := float64(kept+1) / 2
	for i := range dst {
		dst[i] -= middle
	}
	return kept
}

// rankCorrelation is Pearson's coefficient of centered ranks of the observations
// outside a block.
func rankCorrelation(x, y []float64, labels []int, block int, count float64) float64 {
	var xx, yy, xy float64
	for i, l := range labels {
		if l != block {
			xx += float64(x[i] * x[i])
			yy += float64(y[i] * y[i])
			xy += float64(x[i] * y[i])
		}
	}
	if !(xx > 0 && yy > 0) || count < 3 {
		return math.NaN()
	}
	return min(max(xy/math.Sqrt(xx)/math.Sqrt(yy), -1), 1)
}
