// Representational similarity analysis: rank correlation of the distances within
// two spaces.

package similarity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/radix"
	"repscope/stat"
)

// maxPairs is the most pairs whose positions fit into an int32.
const maxPairs = math.MaxInt32

// Pairs are the pairs of points whose distances are compared, the same for all
// spaces.
type Pairs struct {
	n    int     // points
	a, b []int32 // a < b, in the order (0,1), (0,2), …, (1,2), …
	all  bool    // none is left out
	of   int64   // number of pairs there are
}

// Len is the number of pairs.
func (p *Pairs) Len() int { return len(p.a) }

// All reports whether no pair of points is left out.
func (p *Pairs) All() bool { return p.all }

// DrawPairs takes all pairs of n points, or limit of them drawn without replacement
// with the seed; limit ≤ 0 means all. More pairs than fit into an int32 are an error.
func DrawPairs(n, limit int, seed uint64) (*Pairs, error) {
	count := n * (n - 1) / 2
	s := &Pairs{n: n, all: limit <= 0 || count <= limit, of: int64(count)}
	if s.all && count > maxPairs {
		return nil, fmt.Errorf(
			"%d latents have %d pairs, more than the limit of %d: set a number of pairs", n, count, maxPairs)
	}
	var chosen []int
	if !s.all {
		var err error
		if chosen, err = stat.NewRandom(stat.StreamRSA.Key(seed)).SampleWithoutReplacement(count, limit); err != nil {
			return nil, err
		}
		count = limit
	}
	s.a, s.b = make([]int32, count), make([]int32, count)
	first, start := 0, 0 // the pairs of point first begin at start
	for i := range count {
		pair := i
		if chosen != nil {
			pair = chosen[i]
		}
		for pair-start >= n-1-first {
			start += n - 1 - first
			first++
		}
		s.a[i], s.b[i] = int32(first), int32(first+1+pair-start)
	}
	return s, nil
}

// RankCorrelation is how alike the distances within two spaces are ordered.
type RankCorrelation struct {
	// Estimate is Spearman's coefficient over the pairs, from −1 to 1, ties sharing
	// their mean rank; NaN for a space in which all distances are equal.
	Estimate
	// SamplingError is the standard error that drawing pairs causes, given the
	// points: 0 where all pairs are there, NaN where Value is.
	SamplingError float64
	// ByBlocks[a][b], a ≤ b, is the share of the pairs between blocks a and b in Value, by
	// their influence; see [stat.Jackknifed.WithoutPairTerms]. nil without blocks.
	ByBlocks [][]float64
}

// RSA is the representational similarity (Kriegeskorte, Mur & Bandettini 2008,
// "Representational similarity analysis – connecting the branches of systems
// neuroscience") of every two spaces a < b, in the order (0,1), (0,2), …, (1,2), …:
// Spearman's rank correlation of the Euclidean distances within the two spaces, over
// the given pairs of points. A distance belongs to a block if one of its points does.
//
// Spaces of different N or blocks, and pairs of another number of points, are an
// error. threads ≤ 0 means all; results do not depend on it. Ranking k pairs of a
// space takes k·log k and 28·k bytes.
func RSA(ctx context.Context, spaces []*Space, pairs *Pairs, threads int) ([]RankCorrelation, error) {
	var couples [][2]int
	for a := range spaces {
		for b := a + 1; b < len(spaces); b++ {
			couples = append(couples, [2]int{a, b})
		}
	}
	return RSAOf(ctx, spaces, couples, pairs, threads)
}

// RSAOf returns [RSA] of the pairs of spaces in couples, each by two indices into spaces, in their order. Errors as
// for RSA.
func RSAOf(ctx context.Context, spaces []*Space, couples [][2]int, pairs *Pairs, threads int) ([]RankCorrelation, error) {
	for _, s := range spaces {
		if s.x.N != pairs.n {
			return nil, fmt.Errorf("RSA: pairs of %d points for spaces of %d", pairs.n, s.x.N)
		}
		if !slices.Equal(s.block, spaces[0].block) {
			return nil, errors.New("RSA: the spaces have different blocks")
		}
	}
	r := rankings{pairs: pairs, all: make([]ranked, len(spaces))}
	used := make([]bool, len(spaces))
	for _, c := range couples {
		used[c[0]], used[c[1]] = true, true
		r.couples = append(r.couples, couple{c[0], c[1]})
	}
	err := parallel.For(ctx, threads, len(spaces), func(_, m int) {
		if used[m] {
			r.all[m] = rankDistances(spaces[m], pairs)
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]RankCorrelation, len(r.couples))
	err = parallel.For(ctx, threads, len(out), func(_, c int) { out[c] = r.correlate(r.couples[c], spaces[0]) })
	if err != nil || len(out) == 0 {
		return out, err
	}
	return out, r.deleteBlocks(ctx, spaces[0], out, threads)
}

// couple is the numbers of two spaces.
type couple struct{ a, b int }

// rankings are the ranks of the distances of all spaces, and which are correlated.
type rankings struct {
	pairs   *Pairs
	all     []ranked
	couples []couple
}

// correlate is the correlation over all pairs.
func (r rankings) correlate(c couple, grouped *Space) RankCorrelation {
	out := RankCorrelation{Estimate: Estimate{Value: math.NaN()}, SamplingError: math.NaN()}
	x, y := r.all[c.a], r.all[c.b]
	if x.rank == nil || y.rank == nil {
		return out
	}
	out.Value = correlation(x.rank, y.rank, nil, len(r.pairs.a))
	if r.pairs.all && grouped.blocks == 0 {
		out.SamplingError = 0
		return out
	}
	influence := rankInfluence(x, y)
	out.SamplingError = r.pairs.samplingError(influence)
	if grouped.blocks > 0 {
		out.ByBlocks = r.pairs.byBlocks(influence, grouped)
	}
	return out
}

// byBlocks adds up the shares of the pairs in a mean by the blocks of their points.
func (p *Pairs) byBlocks(influence []float64, grouped *Space) [][]float64 {
	out := make([][]float64, grouped.blocks)
	for a := range out {
		out[a] = make([]float64, grouped.blocks)
	}
	mean, k := stat.Mean(influence), float64(len(influence))
	for i, v := range influence {
		a, b := grouped.block[p.a[i]], grouped.block[p.b[i]]
		out[min(a, b)][max(a, b)] += (v - mean) / k
	}
	return out
}

// deleteBlocks fills in the correlations without each block.
func (r rankings) deleteBlocks(ctx context.Context, grouped *Space, out []RankCorrelation, threads int) error {
	if grouped.blocks == 0 {
		return nil
	}
	for c := range out {
		out[c].Without = slices.Repeat([]float64{math.NaN()}, grouped.blocks)
	}
	if grouped.blocks == 1 { // nothing is left
		return nil
	}
	return parallel.With(ctx, threads, grouped.blocks, func() func(int) error {
		dropped := make([]bool, len(r.pairs.a))
		ranks := make([][]float64, len(r.all))
		for m := range ranks {
			if r.all[m].rank != nil {
				ranks[m] = make([]float64, len(r.pairs.a))
			}
		}
		return func(b int) error {
			kept := r.pairs.drop(grouped.block, b, dropped)
			for m, space := range r.all {
				if space.rank != nil {
					space.without(dropped, ranks[m])
				}
			}
			for c, pair := range r.couples {
				if x, y := ranks[pair.a], ranks[pair.b]; x != nil && y != nil {
					out[c].Without[b] = correlation(x, y, dropped, kept)
				}
			}
			return ctx.Err()
		}
	})
}

// drop marks the pairs that touch block b, given the block of every point, and
// returns how many are left.
func (p *Pairs) drop(block []int, b int, dropped []bool) (kept int) {
	for i := range dropped {
		dropped[i] = block[p.a[i]] == b || block[p.b[i]] == b
		if !dropped[i] {
			kept++
		}
	}
	return kept
}

// ranked is the pairs of one space in the order of their distances.
type ranked struct {
	order []int32   // pairs by ascending distance
	tied  []bool    // the pair at this place has the distance of the one before
	rank  []float64 // of each pair, ties share their mean; nil for a space without distances
}

// rankDistances ranks the distances ‖x_a − x_b‖, computed from differences. A
// space in which all are equal has no ranks.
func rankDistances(s *Space, pairs *Pairs) ranked {
	// The bits of squared distances, never negative, are in the order of the distances.
	entries := make([]radix.Entry[int32], len(pairs.a))
	for i := range entries {
		square := kernel.SquaredDistance(s.point(pairs.a[i]), s.point(pairs.b[i]))
		entries[i] = radix.Entry[int32]{Key: math.Float64bits(square), Value: int32(i)}
	}
	entries = radix.Sort(entries)
	r := ranked{order: make([]int32, len(entries)), tied: make([]bool, len(entries))}
	for i, e := range entries {
		r.order[i] = e.Value
		r.tied[i] = i > 0 && e.Key == entries[i-1].Key
	}
	if len(entries) > 1 && entries[0].Key != entries[len(entries)-1].Key {
		r.rank = make([]float64, len(entries))
		r.without(nil, r.rank)
	}
	return r
}

// without writes the ranks of the pairs that are not dropped among themselves;
// ranks of dropped pairs are left alone.
func (r ranked) without(dropped []bool, rank []float64) {
	place := 0 // pairs ranked so far
	kept := func(pair int32) bool { return dropped == nil || !dropped[pair] }
	for first, last := 0, 0; first < len(r.order); first = last {
		for last = first + 1; last < len(r.order) && r.tied[last]; last++ {
		}
		if last == first+1 {
			if pair := r.order[first]; kept(pair) {
				place++
				rank[pair] = float64(place)
			}
			continue
		}
		before := place
		for _, pair := range r.order[first:last] {
			if kept(pair) {
				place++
			}
		}
		mean := float64(before+place+1) / 2
		for _, pair := range r.order[first:last] {
			if kept(pair) {
				rank[pair] = mean
			}
		}
	}
}

// correlation is Pearson's over the pairs that are not dropped, and there are
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

// rankInfluence is the influence of every pair on Spearman's coefficient of the ranks,
//
//	12·(F(x)·G(y) + E[1(X ≥ x)·G(Y)] + E[1(Y ≥ y)·F(X)]) + const.
func rankInfluence(x, y ranked) []float64 {
	k := float64(len(x.rank))
	influence := make([]float64, len(x.rank))
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
	for i := range influence {
		influence[i] *= 12
	}
	return influence
}

// samplingError is the standard error of Spearman's coefficient that drawing pairs
// causes, given the points: the standard deviation of the influence over √k, with the
// correction √(1 − k/N) for drawing k of N without replacement; 0 when all pairs are there.
func (p *Pairs) samplingError(influence []float64) float64 {
	if p.all {
		return 0
	}
	k := float64(len(influence))
	return stat.StandardDeviation(influence) / math.Sqrt(k) * math.Sqrt(1-k/float64(p.of))
}
