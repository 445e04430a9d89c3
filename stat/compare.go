// Comparisons of models on the same observations.

package stat

import (
	"fmt"
	"math"
	"slices"
)

// CompareOptions are the choices of a comparison; the zero value is the default.
type CompareOptions struct {
	Level        float64        // of the interval; 0 means 0.95
	Method       IntervalMethod // of bootstrap intervals; default BCa
	Permutations int            // sign patterns drawn where not all are tried; 0 means 9,999
	Seed         uint64
}

// Comparison is the difference of one statistic between two models.
type Comparison struct {
	A, B       string  // model names, set by [CompareAll] and [CompareAllJackknifed]
	Difference float64 // A − B; NaN where undefined
	Interval   Interval
	// P is the two-sided p value of the sign-flip permutation test over blocks, see
	// [SignFlipTest]; PHolm is P after Holm's correction over all pairs (equal to P
	// for a single comparison). NaN where undefined.
	P, PHolm float64
	// Effect is the standardised mean difference d_z of the paired blocks: the mean of
	// the blocks' differences over their standard deviation, weighted by block size.
	// It counts in standard deviations between blocks, not between observations.
	Effect float64
	Blocks int  // number of blocks in the test
	Exact  bool // all sign patterns were tried
	Reason string
	// Warnings of the interval and the test.
	Warnings []string
}

// Compare compares two bootstrapped statistics, which must come from the same
// [Resamples]: the interval is that of the paired difference of the replicates,
// the test flips the signs of the blocks' shares in the difference: jackknife
// pseudo-values centred on it (for means: differences of block means).
func Compare(a, b *Bootstrapped, o CompareOptions) (Comparison, error) {
	const quantity = "comparison"
	level, err := checkLevel(quantity, o.Level)
	if err != nil {
		return Comparison{}, err
	}
	if a == nil || b == nil || a.resamples == nil || b.resamples == nil || !a.resamples.same(b.resamples) {
		return Comparison{}, Undefined(quantity, "the two statistics do not come from the same resamples")
	}
	d := &Bootstrapped{Estimate: a.Estimate - b.Estimate, resamples: a.resamples, BlockSizes: a.BlockSizes,
		Replicates: subtract(a.Replicates, b.Replicates), Jackknife: subtract(a.Jackknife, b.Jackknife)}
	d.finish(BootstrapOptions{Level: level, Method: o.Method})
	c := newComparison(d.Estimate, d.Interval)
	c.Warnings = d.Warnings
	if len(d.Jackknife) == 0 {
		c.Reason = d.Interval.Reason
		return c, nil
	}
	jackknifed, err := DeleteBlockJackknife(d.Estimate, d.Jackknife, d.BlockSizes, level)
	if err != nil {
		c.Reason = Reason(err)
		return c, nil
	}
	return c.test(jackknifed, o)
}

// CompareJackknifed compares two statistics by their delete-block jackknifes over
// the same blocks: the interval is the jackknife's of the difference, the test is
// that of [Compare].
func CompareJackknifed(a, b *Jackknifed, o CompareOptions) (Comparison, error) {
	const quantity = "comparison"
	if a == nil || b == nil || !slices.Equal(a.BlockSizes, b.BlockSizes) {
		return Comparison{}, Undefined(quantity, "the two statistics do not have the same blocks")
	}
	d, err := DeleteBlockJackknife(a.Estimate-b.Estimate, subtract(a.Replicates, b.Replicates), a.BlockSizes, o.Level)
	if err != nil {
		return Comparison{}, err
	}
	return newComparison(d.Estimate, d.Interval).test(d, o)
}

func newComparison(difference float64, interval Interval) Comparison {
	return Comparison{Difference: difference, Interval: interval, P: math.NaN(), PHolm: math.NaN(), Effect: math.NaN()}
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

// test fills in p value and effect from the jackknife of the difference. The
// pseudo-values are centred on the difference itself: their own mean is the
// jackknife's extrapolation to infinitely many observations, which for scores that
// depend on their number (ranks at a fixed k) is another quantity than the one
// reported. For means the two agree.
func (c Comparison) test(d *Jackknifed, o CompareOptions) (Comparison, error) {
	c.Blocks = len(d.PseudoValues)
	if d.Reason != "" {
		c.Reason = d.Reason
		return c, nil
	}
	total := 0
	for _, m := range d.BlockSizes {
		total += m
	}
	share := make([]float64, c.Blocks) // of block j in the difference
	contributions := make([]float64, c.Blocks)
	weights := make([]float64, c.Blocks)
	for j, m := range d.BlockSizes {
		weights[j] = float64(m) / float64(total)
		share[j] = d.PseudoValues[j] + d.Bias
		contributions[j] = weights[j] * share[j]
	}
	t, err := SignFlipTest(contributions, o.Permutations, o.Seed)
	if err != nil {
		return c, err
	}
	c.P, c.PHolm, c.Exact = t.P, t.P, t.Exact
	if c.Blocks < 6 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d blocks: the permutation test cannot give p below %.3g", c.Blocks, math.Ldexp(1, 1-c.Blocks)))
	}
	mean := Sum(contributions)
	var spread, squares float64
	for j, w := range weights {
		e := share[j] - mean
		spread += float64(w * float64(e*e))
		squares += float64(w * w)
	}
	// Σ w(δ−δ̄)²/(1 − Σ w²) is the n−1 variance for equal weights.
	sd := math.Sqrt(spread / (1 - squares))
	switch {
	case sd > 0:
		c.Effect = mean / sd
	case mean == 0:
		c.Effect = 0
	default:
		c.Reason = "all blocks differ by the same amount: the effect size is infinite"
	}
	return c, nil
}

// SignFlip is the result of a sign-flip permutation test.
type SignFlip struct {
	P        float64
	Exact    bool // all 2^g patterns were tried
	Patterns int  // number of patterns behind P, the observed one included
}

// maxExactBlocks: up to 2^14 sign patterns are enumerated.
const maxExactBlocks = 14

// SignFlipTest tests whether differences, one per independent block, are
// symmetric about 0. The statistic is their sum; P is the share of sign patterns
// whose sum is at least as large in absolute value as the observed one (ties
// within 1e-13 relative count). Up to 14 differences all 2^g patterns are
// tried; beyond, draws random ones (0 means 9,999) under the seed and
// P = (b+1)/(draws+1). Pattern number i is the same for every caller with the
// same seed. Errors: no differences, NaN or Inf.
func SignFlipTest(differences []float64, draws int, seed uint64) (SignFlip, error) {
	const quantity = "sign-flip test"
	g := len(differences)
	if g == 0 {
		return SignFlip{}, Undefined(quantity, "no blocks")
	}
	if err := checkFinite(quantity, "differences", differences); err != nil {
		return SignFlip{}, err
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
		return SignFlip{P: float64(extreme) / float64(int(1)<<g), Exact: true, Patterns: 1 << g}, nil
	}
	if draws <= 0 {
		draws = 9999
	}
	extreme := 0
	for k := range draws {
		random := NewRandom(StreamSignFlip.Key(seed, uint64(k)))
		var sum float64
		var bits uint64
		for i, d := range differences {
			if i%64 == 0 {
				bits = random.Uint64()
			}
			// The sign bit, set or not, without a branch that would be mispredicted.
			sum += math.Float64frombits(math.Float64bits(d) ^ bits<<63)
			bits >>= 1
		}
		if math.Abs(sum) >= bound {
			extreme++
		}
	}
	return SignFlip{P: float64(extreme+1) / float64(draws+1), Patterns: draws + 1}, nil
}

// Holm returns the p values after Holm's (1979) step-down correction for as many
// tests as there are p values: in ascending order p_(i) becomes the running
// maximum of min(1, (m−i)·p_(i)), i = 0…m−1. NaN stays NaN and counts as no test.
func Holm(p []float64) []float64 {
	corrected := make([]float64, len(p))
	var order []int
	for i, v := range p {
		corrected[i] = v
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	running := 0.0
	for rank, i := range order {
		running = max(running, min(1, float64(len(order)-rank)*p[i]))
		corrected[i] = running
	}
	return corrected
}

// CompareAll compares all pairs (i < j, in order) of bootstrapped statistics of the
// same metric and applies Holm's correction over the pairs. An estimate that is
// undefined gives comparisons with a Reason.
func CompareAll(names []string, estimates []*Bootstrapped, o CompareOptions) ([]Comparison, error) {
	return compareAll(names, estimates, func(a, b *Bootstrapped) (Comparison, error) { return Compare(a, b, o) })
}

// CompareAllJackknifed is [CompareAll] for delete-block jackknifes.
func CompareAllJackknifed(names []string, estimates []*Jackknifed, o CompareOptions) ([]Comparison, error) {
	return compareAll(names, estimates, func(a, b *Jackknifed) (Comparison, error) { return CompareJackknifed(a, b, o) })
}

func compareAll[T any](names []string, estimates []T, compare func(a, b T) (Comparison, error)) ([]Comparison, error) {
	if len(names) != len(estimates) {
		return nil, Undefined("comparison", "%d names for %d statistics", len(names), len(estimates))
	}
	var all []Comparison
	var p []float64
	for i := range estimates {
		for j := i + 1; j < len(estimates); j++ {
			c, err := compare(estimates[i], estimates[j])
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
