// Which models may be the best: confidence sets by multiple comparisons with the best.

package stat

import "math"

// Extremes are, for each of several models, the p values of the hypotheses "no other model is above
// this one" and "no other model is below it". A small value means that some other model is above, or
// below. They are NaN for a model that is not compared with any other.
type Extremes struct {
	Highest, Lowest []float64
	// Joint says that they come from the joint distribution of the differences, else from
	// p values of pairs alone.
	Joint bool
}

// PairExtremes returns the Extremes of n models from tests of single pairs. pair returns the
// difference of the models i < j (first minus second) and its two-sided p value, NaN for an untested
// pair. For a model with k tests
//
//	p = min(1, k·min_j p_j),
//
// with p_j the one-sided p value of the difference from model j. This is Bonferroni's bound: it holds
// for any dependence of the differences and is exact for one test.
func PairExtremes(n int, pair func(i, j int) (difference, p float64)) Extremes {
	e := Extremes{Highest: filled(n, math.NaN()), Lowest: filled(n, math.NaN())}
	tests := make([]float64, n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			difference, p := pair(i, j)
			if math.IsNaN(p) || math.IsNaN(difference) {
				continue
			}
			above, below := p/2, 1-p/2 // of "i is not above j", "i is not below j"
			if difference < 0 {
				above, below = below, above
			}
			tests[i]++
			tests[j]++
			e.Highest[i], e.Lowest[i] = least(e.Highest[i], below), least(e.Lowest[i], above)
			e.Highest[j], e.Lowest[j] = least(e.Highest[j], above), least(e.Lowest[j], below)
		}
	}
	for i, k := range tests {
		e.Highest[i], e.Lowest[i] = math.Min(1, k*e.Highest[i]), math.Min(1, k*e.Lowest[i])
	}
	return e
}

// least is the smaller of two numbers; the first may be missing.
func least(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

func filled(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// JointExtremes returns the Extremes of models from their delete-block jackknifes over the same
// blocks. compared are their pairs as returned by [CompareAll]; pairs without a p value are not
// tested. With s_jb the share of block b in the statistic of model j, model i is compared with all
// others at once by
//
//	q_i = max_j Σ_b (s_jb − s_ib)/√(Σ_b (s_jb − s_ib)²),
//
// a monotone function of its largest t statistic (for equal blocks). The null distribution flips the
// signs of blocks for all models together: all patterns up to 14 blocks, otherwise 9,999 random
// patterns and their opposites. The test is exact if the models are equal and the shares of
// independent blocks are symmetric about 0, for any number of models and any dependence between them.
// A model that is worse than model i can only raise p.
// Pieces of episodes are flipped alone and in the groups of [Blocks.Jackknife]; p is the larger of both.
//
// For two models, for halves ([Halves]) and for statistics over different blocks the result is
// [PairExtremes] of compared.
func JointExtremes(estimates []*Jackknifed, compared []Comparison, o CompareOptions) Extremes {
	n := len(estimates)
	order := make([]int, n*n) // of a pair in compared
	k := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			order[i*n+j] = k
			k++
		}
	}
	joint := n > 2 && len(compared) == k
	for _, v := range estimates {
		joint = joint && sameBlocks(estimates[0], v) && v.Halves == nil && v.Reason == ""
	}
	if !joint {
		return PairExtremes(n, func(i, j int) (difference, p float64) {
			c := &compared[order[i*n+j]]
			return c.Difference, c.P
		})
	}
	single := make([]int, len(estimates[0].BlockSizes))
	for b := range single {
		single[b] = b
	}
	e := Extremes{Highest: make([]float64, n), Lowest: make([]float64, n), Joint: true}
	for _, groups := range [][]int{single, estimates[0].Pieces.groups()} {
		if groups == nil {
			continue
		}
		f := newFlips(estimates, groups)
		tested := make([]bool, n)
		for i := range n {
			for j := i + 1; j < n; j++ {
				if c := &compared[order[i*n+j]]; !math.IsNaN(c.P) {
					tested[i], tested[j] = true, true
				} else {
					f.inverse[i*n+j] = 0
				}
			}
		}
		next := f.extremes(o)
		for i, ok := range tested {
			e.Highest[i], e.Lowest[i] = max(e.Highest[i], next.Highest[i]), max(e.Lowest[i], next.Lowest[i])
			if !ok {
				e.Highest[i], e.Lowest[i] = math.NaN(), math.NaN()
			}
		}
	}
	return e
}

// flips are the shares of models in blocks whose signs are flipped.
type flips struct {
	n, blocks int
	shares    []float64 // [block, model]
	inverse   []float64 // [model i, model j > i]: 1/norm of their difference, 0 where it is not tested
	sums      []float64 // of the shares by model, under one pattern of signs
	// largest and smallest q of every model under one pattern.
	up, down []float64
}

// newFlips adds the shares of blocks up over groups, which are numbered from 0 in the order of the blocks.
func newFlips(estimates []*Jackknifed, groups []int) *flips {
	n, g := len(estimates), groups[len(groups)-1]+1
	f := &flips{n: n, blocks: g, shares: make([]float64, g*n), inverse: make([]float64, n*n),
		sums: make([]float64, n), up: make([]float64, n), down: make([]float64, n)}
	for i, v := range estimates {
		for b, s := range v.shares() {
			f.shares[groups[b]*n+i] += s
		}
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			squares := sumOf(0, g, func(b int) float64 {
				d := f.shares[b*n+j] - f.shares[b*n+i]
				return d * d
			})
			if squares > 0 {
				f.inverse[i*n+j] = 1 / math.Sqrt(squares)
			}
		}
	}
	return f
}

// flip finds the q of all models under a pattern: a set bit flips the sign of a block.
func (f *flips) flip(pattern []uint64) {
	clear(f.sums)
	for b := range f.blocks {
		sign := pattern[b/64] >> (b % 64) << 63
		for i, s := range f.shares[b*f.n : (b+1)*f.n] {
			f.sums[i] += math.Float64frombits(math.Float64bits(s) ^ sign)
		}
	}
	for i := range f.up {
		f.up[i], f.down[i] = math.Inf(-1), math.Inf(1)
	}
	for i, sum := range f.sums {
		up, down := f.up[i], f.down[i]
		inverse, ups, downs := f.inverse[i*f.n:(i+1)*f.n], f.up[:f.n], f.down[:f.n]
		for j := i + 1; j < f.n; j++ {
			q := (f.sums[j] - sum) * inverse[j]
			up, down = max(up, q), min(down, q)
			ups[j], downs[j] = max(ups[j], -q), min(downs[j], -q)
		}
		f.up[i], f.down[i] = up, down
	}
}

// extremes are the shares of patterns, each with its opposite, under which the largest q of
// a model is at least the one that was seen.
func (f *flips) extremes(o CompareOptions) Extremes {
	words := (f.blocks + 63) / 64
	pattern := make([]uint64, words)
	f.flip(pattern)
	// Ties within rounding count.
	highest, lowest := make([]float64, f.n), make([]float64, f.n)
	for i := range f.n {
		highest[i], lowest[i] = f.up[i]-1e-12*math.Sqrt(float64(f.blocks)), -f.down[i]-1e-12*math.Sqrt(float64(f.blocks))
	}
	above, below := make([]int, f.n), make([]int, f.n)
	count := func() {
		for i, up := range f.up {
			down := -f.down[i]
			above[i] += atLeast(up, highest[i]) + atLeast(down, highest[i])
			below[i] += atLeast(down, lowest[i]) + atLeast(up, lowest[i])
		}
	}
	count()
	total := 2
	if f.blocks <= maxExactBlocks {
		for k := uint64(1); k < 1<<(f.blocks-1); k++ { // the last sign is fixed: opposites are counted
			pattern[0] = k
			f.flip(pattern)
			count()
		}
		total = 1 << f.blocks
	} else {
		draws := o.Permutations
		if draws <= 0 {
			draws = 9999
		}
		kept := signPatterns(o.Seed, draws, words)
		for k := range draws {
			if kept != nil {
				pattern = kept[k*words : (k+1)*words]
			} else {
				drawSigns(pattern, o.Seed, k)
			}
			f.flip(pattern)
			count()
		}
		total = 2 * (draws + 1)
	}
	e := Extremes{Highest: make([]float64, f.n), Lowest: make([]float64, f.n), Joint: true}
	for i := range f.n {
		e.Highest[i], e.Lowest[i] = float64(above[i])/float64(total), float64(below[i])/float64(total)
	}
	return e
}

func atLeast(v, bound float64) int {
	if v >= bound {
		return 1
	}
	return 0
}

// BestSet returns a confidence set for the best of several models (Hsu 1984, "Constrained simultaneous
// confidence intervals for multiple comparisons with the best"). p are the Extremes in the direction
// that is better. better reports whether one model was found better than another by a test corrected
// for all pairs of all families; it may be nil. Where it finds no pair, no model is excluded: equal models
// are told apart as seldom as their pairs are. Otherwise a model is outside the set if its p is below
// alpha, or if any other model was found better, so that pairwise results never contradict the set. Models
// without a test (p is NaN) are not in the set. decided reports whether some model is outside; if not, no
// model should be marked. alpha 0 means 0.05.
//
// The best model is in the set with a probability of at least 1 − alpha, and so is each of several
// equally good models.
func BestSet(p []float64, alpha float64, better func(i, j int) bool) (in []bool, decided bool) {
	if alpha == 0 {
		alpha = 0.05
	}
	in = make([]bool, len(p))
	beaten, differ := make([]bool, len(p)), better == nil
	for i := range p {
		for j := range p {
			beaten[i] = beaten[i] || better != nil && j != i && better(j, i)
		}
		differ = differ || beaten[i]
	}
	for i, v := range p {
		if math.IsNaN(v) {
			continue
		}
		in[i] = !differ || v >= alpha && !beaten[i]
		decided = decided || !in[i]
	}
	return in, decided
}
