// Representational similarity: rank correlation of the distances within two
// spaces.

package geometry

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/kernel"
	"repscope/stat"
)

// streamPairs keys the draw of the pairs whose distances are compared.
const streamPairs = 0x727361

// maxPairs is the most pairs whose positions fit into an int32.
const maxPairs = math.MaxInt32

// pairSample is the pairs of points whose distances are compared, the same for all
// models.
type pairSample struct {
	a, b []int32 // a < b, in the order (0,1), (0,2), …, (1,2), …
	all  bool    // none is left out
	of   int64   // number of pairs there are
}

// drawPairs takes all pairs of n points, or limit of them drawn without replacement;
// limit ≤ 0 means all.
func drawPairs(n, limit int, seed uint64) (pairSample, error) {
	count := n * (n - 1) / 2
	s := pairSample{all: limit <= 0 || count <= limit, of: int64(count)}
	if s.all && count > maxPairs {
		return s, fmt.Errorf("%d latents have %d pairs, more than the %d that can be ranked: give a number of pairs", n, count, maxPairs)
	}
	var chosen []int
	if !s.all {
		var err error
		if chosen, err = stat.NewRandom(stat.NewKey(seed, streamPairs)).SampleWithoutReplacement(count, limit); err != nil {
			return s, err
		}
		count = limit
	}
	s.a, s.b = make([]int32, count), make([]int32, count)
	first, start := 0, 0 // the pairs of point first begin at start
	for i := range count {
		at := i
		if chosen != nil {
			at = chosen[i]
		}
		for at-start >= n-1-first {
			start += n - 1 - first
			first++
		}
		s.a[i], s.b[i] = int32(first), int32(first+1+at-start)
	}
	return s, nil
}

// ranked is the pairs of one space in the order of their distances.
type ranked struct {
	order []int32   // pairs by ascending distance
	tied  []bool    // the pair at this place has the distance of the one before
	rank  []float64 // of each pair, ties share their mean; nil for a space without distances
}

// rankDistances ranks the distances ‖x_a − x_b‖, computed from differences. A
// space in which all are equal has no ranks.
func rankDistances(x matrix, pairs pairSample) ranked {
	entries := make([]distanceOfPair, len(pairs.a))
	for i := range entries {
		square := kernel.SquaredDistance(x.row(int(pairs.a[i])), x.row(int(pairs.b[i])))
		entries[i] = distanceOfPair{math.Float64bits(square), int32(i)}
	}
	entries = sortByDistance(entries)
	r := ranked{order: make([]int32, len(entries)), tied: make([]bool, len(entries))}
	for i, e := range entries {
		r.order[i] = e.pair
		r.tied[i] = i > 0 && e.bits == entries[i-1].bits
	}
	if len(entries) > 1 && entries[0].bits != entries[len(entries)-1].bits {
		r.rank = make([]float64, len(entries))
		r.without(nil, r.rank)
	}
	return r
}

// distanceOfPair is a pair and the bits of its squared distance, which, never negative,
// are in the order of the distances.
type distanceOfPair struct {
	bits uint64
	pair int32
}

// sortByDistance sorts by distance and keeps the order of equal ones: digit by digit from
// the lowest, each time by counting. It may return other memory than that of entries.
func sortByDistance(entries []distanceOfPair) []distanceOfPair {
	const digit, digits = 11, 6
	var starts [digits][1 << digit]int32
	for _, e := range entries {
		for d := range starts {
			starts[d][e.bits>>(d*digit)&(1<<digit-1)]++
		}
	}
	sorted := make([]distanceOfPair, len(entries))
	for d := range starts {
		start, sum := &starts[d], int32(0)
		for v, count := range start {
			start[v], sum = sum, sum+count
		}
		for _, e := range entries {
			at := &start[e.bits>>(d*digit)&(1<<digit-1)]
			sorted[*at] = e
			*at++
		}
		entries, sorted = sorted, entries
	}
	return entries
}

// without writes the ranks of the pairs that are not dropped among themselves;
// those of dropped pairs are left alone.
func (r ranked) without(dropped []bool, rank []float64) {
	place, group := 0, 0 // pairs ranked so far, and before the current group of ties
	members := make([]int32, 0, 16)
	settle := func() {
		mean := float64(group+place+1) / 2
		for _, m := range members {
			rank[m] = mean
		}
		members, group = members[:0], place
	}
	for i, pair := range r.order {
		if !r.tied[i] {
			settle()
		}
		if dropped != nil && dropped[pair] {
			continue
		}
		place++
		members = append(members, pair)
	}
	settle()
}

// correlation is Pearson's over the pairs that are not dropped, of which there are
// n; the mean of ranks is known.
func correlation(x, y []float64, dropped []bool, n int) float64 {
	mean := float64(n+1) / 2
	var xy, xx, yy float64
	for i, v := range x {
		if dropped != nil && dropped[i] {
			continue
		}
		a, b := v-mean, y[i]-mean
		xy += float64(a * b)
		xx += float64(a * a)
		yy += float64(b * b)
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return max(-1, min(1, xy/math.Sqrt(xx*yy)))
}

// rsaResult is the rank correlations of all pairs of spaces a < b, in order.
type rsaResult struct {
	value, se []float64
	without   [][]float64 // per pair of spaces, without each block
}

// rsa correlates the ranks of distances between all pairs of spaces. block is the
// block of each point, of which there are blocks; fewer than two give no values
// without a block.
func rsa(ctx context.Context, spaces []matrix, pairs pairSample, block []int, blocks, threads int) (*rsaResult, error) {
	all := make([]ranked, len(spaces))
	err := parallel(ctx, threads, len(spaces), func() func(int) error {
		return func(m int) error {
			all[m] = rankDistances(spaces[m], pairs)
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	type couple struct{ a, b int }
	var couples []couple
	for a := range spaces {
		for b := a + 1; b < len(spaces); b++ {
			couples = append(couples, couple{a, b})
		}
	}
	out := &rsaResult{value: make([]float64, len(couples)), se: make([]float64, len(couples)), without: make([][]float64, len(couples))}
	err = parallel(ctx, threads, len(couples), func() func(int) error {
		return func(c int) error {
			out.value[c], out.se[c] = math.NaN(), math.NaN()
			x, y := all[couples[c].a], all[couples[c].b]
			if x.rank != nil && y.rank != nil {
				out.value[c] = correlation(x.rank, y.rank, nil, len(pairs.a))
				out.se[c] = samplingError(x, y, pairs)
			}
			return nil
		}
	})
	if err != nil || blocks < 2 {
		return out, err
	}
	for c := range out.without {
		out.without[c] = make([]float64, blocks)
	}
	err = parallel(ctx, threads, blocks, func() func(int) error {
		dropped := make([]bool, len(pairs.a))
		ranks := make([][]float64, len(spaces))
		for m := range ranks {
			if all[m].rank != nil {
				ranks[m] = make([]float64, len(pairs.a))
			}
		}
		return func(b int) error {
			left := 0
			for i := range dropped {
				dropped[i] = block[pairs.a[i]] == b || block[pairs.b[i]] == b
				if !dropped[i] {
					left++
				}
			}
			for m, r := range all {
				if r.rank != nil {
					r.without(dropped, ranks[m])
				}
			}
			for c, pair := range couples {
				out.without[c][b] = math.NaN()
				if x, y := ranks[pair.a], ranks[pair.b]; x != nil && y != nil {
					out.without[c][b] = correlation(x, y, dropped, left)
				}
			}
			return ctx.Err()
		}
	})
	return out, err
}

// samplingError is the standard error of Spearman's coefficient that drawing pairs
// causes, given the points: 0 when all pairs are there. It is the standard
// deviation of the coefficient's influence function
//
//	12·(F(x)·G(y) + E[1(X ≥ x)·G(Y)] + E[1(Y ≥ y)·F(X)]) + const
//
// over √k, with the correction √(1 − k/N) for drawing k of N without replacement.
func samplingError(x, y ranked, pairs pairSample) float64 {
	if pairs.all {
		return 0
	}
	k := float64(len(pairs.a))
	influence := make([]float64, len(pairs.a))
	for i, r := range x.rank {
		influence[i] = (r - 0.5) * (y.rank[i] - 0.5) / (k * k)
	}
	for _, side := range []struct{ by, other ranked }{{x, y}, {y, x}} {
		above := 0.0
		for place := len(side.by.order) - 1; place >= 0; place-- {
			pair := side.by.order[place]
			above += (side.other.rank[pair] - 0.5) / (k * k)
			influence[pair] += above
		}
	}
	return 12 * stat.StandardDeviation(influence) / math.Sqrt(k) * math.Sqrt(1-k/float64(pairs.of))
}
