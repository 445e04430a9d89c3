// Comparisons of models on the same observations.

package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
)

// CompareOptions are the choices of a comparison; the zero value is the default.
type CompareOptions struct {
	Level        float64 // of the interval; 0 means 0.95
	Permutations int     // sign patterns drawn where not all are tried; 0 means 9,999
	Seed         uint64
	// Fixed say of [CompareSeeds] which of the two models has no other runs than those it has,
	// as one that is not trained.
	Fixed [2]bool
}

// SameEverywhere is the reason why a nonzero difference has neither an interval nor a p value.
const SameEverywhere = "all blocks differ by the same amount, so that there is no standard error for a test"

// Comparison is the difference of one statistic between two models.
type Comparison struct {
	A, B       string  // model names, set by [CompareAll]
	Difference float64 // A − B; NaN where undefined
	Interval   Interval
	// T is the difference over its standard error, with DF degrees of freedom, and P
	// the two-sided p value of Student's t: below 1 − level exactly where the interval
	// leaves 0 out. PHolm is P after Holm's correction over all pairs (equal to P for a
	// single comparison). NaN where undefined.
	T, DF, P, PHolm float64
	// SignFlip is the p value of signFlipTest over the blocks' shares in the
	// difference, without the normal theory behind P; Exact says that all sign patterns
	// were tried. NaN where the errors come from [Halves].
	SignFlip float64
	Exact    bool
	// EffectSD is the difference in standard deviations between observations of its
	// influence (for means: of the paired differences), which no choice of blocks
	// changes. NaN where the influence is not known.
	EffectSD float64
	Blocks   int // number of blocks behind the interval
	Reason   string
	// Warnings of the interval and the test.
	Warnings []string
}

// Compare compares two statistics by their delete-block jackknifes over the same blocks. Interval and
// test come from the jackknife of the difference. Blocks that allow no test ([Blocks.Untestable])
// leave the p values undefined, with a reason. Errors: different blocks.
func Compare(a, b *Jackknifed, o CompareOptions) (Comparison, error) {
	const quantity = "comparison"
	if !sameBlocks(a, b) {
		return Comparison{}, Undefined(quantity, "the two statistics do not have the same blocks")
	}
	difference := subtract(a.Influence, b.Influence)
	fades := a.Pieces.fading(difference)
	d, err := combine(func(at []float64) float64 { return at[0] - at[1] }, o.Level, fades, a, b)
	if err != nil {
		return Comparison{}, err
	}
	if noError(d.StdError, a.Estimate, b.Estimate, a.StdError, b.StdError) {
		if d.StdError = 0; noError(math.Abs(d.Estimate), a.Estimate, b.Estimate) {
			d.Estimate = 0
		}
		d.interval(d.Interval.Level)
	}
	d.Untestable = firstOf(a.Untestable, b.Untestable)
	c := Comparison{Difference: d.Estimate, Interval: d.Interval, DF: d.DF, T: math.NaN(), P: math.NaN(), PHolm: math.NaN(),
		SignFlip: math.NaN(), EffectSD: math.NaN(), Blocks: len(d.BlockSizes), Warnings: a.Warnings}
	if d.Reason != "" {
		c.Reason = d.Reason
		return c, nil
	}
	if difference != nil {
		if sd := StandardDeviation(difference); !noError(sd, a.Estimate, b.Estimate, StandardDeviation(a.Influence)) {
			c.EffectSD = d.Estimate / sd
		}
	}
	if c.Reason = firstOf(d.Untestable, a.Pieces.remembers(difference, fades)); c.Reason != "" {
		return c, nil
	}
	if c.T, c.P = d.test(); math.IsNaN(c.P) {
		c.Reason = SameEverywhere
		c.Interval = noInterval(c.Interval.Level, "%s", c.Reason)
		return c, nil
	}
	c.PHolm = c.P
	if d.Halves != nil {
		return c, nil // blocks have no shares whose signs could be flipped
	}
	shares := d.shares()
	if d.Joined {
		shares = grouped(d.Pieces.Joined, shares)
	}
	flips, err := signFlipTest(shares, o.Permutations, o.Seed)
	c.SignFlip, c.Exact = flips.P, flips.Exact
	return c, err
}

func subtract(a, b []float64) []float64 {
	if len(a) != len(b) || len(a) == 0 {
		return nil
	}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// shares are the blocks' shares in the estimate, weighted by size. The
// pseudo-values are centered on the estimate itself: their own mean is the
// jackknife's extrapolation to infinitely many observations, which for scores that
// depend on their number (ranks at a fixed k) is another quantity than the one
// reported. For means the two agree.
func (v *Jackknifed) shares() []float64 {
	total := 0
	for _, m := range v.BlockSizes {
		total += m
	}
	out := make([]float64, len(v.PseudoValues))
	for j, m := range v.BlockSizes {
		out[j] = float64(m) / float64(total) * (v.PseudoValues[j] + v.Bias)
	}
	return out
}

// signFlip is the result of a sign-flip permutation test.
type signFlip struct {
	P        float64
	Exact    bool // all 2^g patterns were tried
	Patterns int  // number of patterns behind P, the observed one included
}

// maxExactBlocks: up to 2^14 sign patterns are enumerated.
const maxExactBlocks = 14

// signFlipTest tests whether differences, one per independent block, are
// symmetric about 0. The statistic is their sum; P is the share of sign patterns
// whose sum is at least as large in absolute value as the observed one (ties
// within 1e-13 relative count). Up to 14 differences all 2^g patterns are
// tried; beyond, draws random ones (0 means 9,999) under the seed and
// P = (b+1)/(draws+1). Pattern number i is the same for every caller with the
// same seed. Errors: no differences, NaN or Inf.
func signFlipTest(differences []float64, draws int, seed uint64) (signFlip, error) {
	const quantity = "sign-flip test"
	g := len(differences)
	if g == 0 {
		return signFlip{}, Undefined(quantity, "no blocks")
	}
	if err := checkFinite(quantity, "differences", differences); err != nil {
		return signFlip{}, err
	}
	size := sumOf(0, g, func(i int) float64 { return math.Abs(differences[i]) })
	bound := math.Abs(Sum(differences)) - 1e-13*size
	if g <= maxExactBlocks {
		extreme := 0
		// The last sign is fixed: a pattern and its opposite have the same |sum|.
		for pattern := range 1 << (g - 1) {
			sum := differences[g-1]
			for i, d := range differences[:g-1] {
				if pattern>>i&1 != 0 {
					d = -d
				}
				sum += d
			}
			if math.Abs(sum) >= bound {
				extreme += 2
			}
		}
		return signFlip{P: float64(extreme) / float64(int(1)<<g), Exact: true, Patterns: 1 << g}, nil
	}
	if draws <= 0 {
		draws = 9999
	}
	return signFlip{P: float64(flipped(differences, bound, draws, seed)+1) / float64(draws+1), Patterns: draws + 1}, nil
}

// flipped counts the random patterns whose sum is bound or more in absolute value. Four sums are made at a time, each
// in the order of the differences: one alone waits for every addition.
func flipped(differences []float64, bound float64, draws int, seed uint64) (count int) {
	words := (len(differences) + 63) / 64
	patterns, row := signPatterns(seed, draws, words), make([]uint64, 4*words)
	for k := 0; k < draws; k += 4 {
		signs := row
		if patterns != nil && k+4 <= draws {
			signs = patterns[k*words : (k+4)*words]
		} else {
			for i := k; i < min(k+4, draws); i++ {
				drawSigns(row[(i-k)*words:(i-k+1)*words], seed, i)
			}
		}
		var sums [4]float64
		for w := range words {
			a, b, c, d := signs[w], signs[words+w], signs[2*words+w], signs[3*words+w]
			s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
			for _, v := range differences[64*w : min(64*w+64, len(differences))] {
				// The sign bit, set or not, without a branch that would be mispredicted.
				bits := math.Float64bits(v)
				s0 += math.Float64frombits(bits ^ a<<63)
				s1 += math.Float64frombits(bits ^ b<<63)
				s2 += math.Float64frombits(bits ^ c<<63)
				s3 += math.Float64frombits(bits ^ d<<63)
				a, b, c, d = a>>1, b>>1, c>>1, d>>1
			}
			sums = [4]float64{s0, s1, s2, s3}
		}
		for _, sum := range sums[:min(4, draws-k)] {
			if math.Abs(sum) >= bound {
				count++
			}
		}
	}
	return count
}

// signs are the patterns that were drawn last: all comparisons of a result ask for the same ones.
var signs struct {
	sync.Mutex
	seed         uint64
	draws, words int
	patterns     []uint64
}

// mostSigns is how many words of patterns are kept.
const mostSigns = 1 << 20

// drawSigns draws the bits of pattern k.
func drawSigns(bits []uint64, seed uint64, k int) {
	random := NewRandom(StreamSignFlip.Key(seed, uint64(k)))
	for w := range bits {
		bits[w] = random.Uint64()
	}
}

// signPatterns are the bits of random patterns, that many words of each; none if they are too many to keep.
func signPatterns(seed uint64, draws, words int) []uint64 {
	if words > mostSigns/draws {
		return nil
	}
	signs.Lock()
	defer signs.Unlock()
	if signs.patterns != nil && signs.seed == seed && signs.draws == draws && signs.words == words {
		return signs.patterns
	}
	patterns := make([]uint64, draws*words)
	for k := range draws {
		drawSigns(patterns[k*words:(k+1)*words], seed, k)
	}
	signs.seed, signs.draws, signs.words, signs.patterns = seed, draws, words, patterns
	return patterns
}

// Holm returns the p values after Holm's (1979) step-down correction for as many
// tests as there are p values: in ascending order p_(i) becomes the running
// maximum of min(1, (m−i)·p_(i)), i = 0…m−1. NaN stays NaN and counts as no test.
func Holm(p []float64) []float64 {
	order := ascending(p)
	corrected := slices.Clone(p)
	running := 0.0
	for rank, i := range order {
		running = max(running, min(1, float64(len(order)-rank)*p[i]))
		corrected[i] = running
	}
	return corrected
}

// BenjaminiYekutieli returns the q values of m tests: the least false discovery rate at which each is rejected, for any
// dependence of the tests (Benjamini and Yekutieli 2001). In ascending order
//
//	q_(i) = min_{j ≥ i} min(1, m·(1 + 1/2 + … + 1/m)·p_(j)/j),  i = 1…m.
//
// Of the tests with q below 0.05, an expected share of at most 5 % is of true null hypotheses. NaN stays NaN and counts
// as no test.
func BenjaminiYekutieli(p []float64) []float64 {
	order := ascending(p)
	q := slices.Clone(p)
	factor := 0.0
	for i := range order {
		factor += 1 / float64(i+1)
	}
	factor *= float64(len(order))
	running := 1.0
	for rank, i := range slices.Backward(order) {
		running = min(running, factor*p[i]/float64(rank+1))
		q[i] = running
	}
	return q
}

// ascending are the places of the p values that are not NaN, from the smallest on.
func ascending(p []float64) []int {
	order := make([]int, 0, len(p))
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) }) // ties in any order: they become equal
	return order
}

// CompareAll compares all pairs (i < j, in order) of statistics of the same metric
// and applies Holm's correction over the pairs.
func CompareAll(names []string, estimates []*Jackknifed, o CompareOptions) ([]Comparison, error) {
	if len(names) != len(estimates) {
		return nil, Undefined("comparison", "%d names for %d statistics", len(names), len(estimates))
	}
	var all []Comparison
	var p []float64
	for i := range estimates {
		for j := i + 1; j < len(estimates); j++ {
			c, err := Compare(estimates[i], estimates[j], o)
			if err != nil {
				return nil, fmt.Errorf("compare %s with %s: %w", names[i], names[j], err)
			}
			c.A, c.B = names[i], names[j]
			all = append(all, c)
			p = append(p, c.P)
		}
	}
	for i, v := range Holm(p) {
		all[i].PHolm = v
	}
	return all, nil
}
