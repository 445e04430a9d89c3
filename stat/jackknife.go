// The delete-block jackknife: how far every statistic would move without a block
// of dependent observations, and the interval and the test that follow.

package stat

import (
	"fmt"
	"math"
	"slices"
)

// Jackknifed is a statistic with its delete-block jackknife.
type Jackknifed struct {
	Estimate  float64 // θ on all data
	Corrected float64 // jackknife estimate, Estimate − Bias
	Bias      float64 // estimated bias of θ
	StdError  float64 // NaN where undefined
	// DF are the degrees of freedom of the interval: one less than the number of
	// blocks, counted by size as (Σ m)²/Σ m², which is the number of equal ones.
	DF       float64
	Interval Interval // Estimate ± t·StdError, on the scale asked for
	// Replicates θ_(−j) and BlockSizes m_j as given.
	Replicates []float64
	BlockSizes []int
	// PseudoValues τ_j = h_j·θ − (h_j−1)·θ_(−j), h_j = n/m_j: the share of block j, in
	// the units of θ. For a mean τ_j is the mean of block j.
	PseudoValues []float64
	// Influence is the first-order share of every observation, with mean 0: θ − θ_(−i)
	// times n. Its standard deviation is one between states, whatever the blocks. nil
	// where it is not known.
	Influence []float64
	// Halves are the estimates of halves of the blocks, where the error comes from
	// these and not from deletions; see [Halves].
	Halves *HalfEstimates
	// Joined says that StdError and DF come from ten groups of neighboring blocks, which are wider than intervals of the
	// blocks themselves: the memory lasts longer than a block; see [Blocks.Jackknife].
	Joined bool
	// Widening is the factor of StdError for memory that outlasts the pieces of an episode, as far as the spectrum of the
	// influence allows for it; 0 where it is not known.
	Widening float64
	// Tails says that DF follow the tails of the blocks' shares; see WithTails.
	Tails bool
	// Untestable says why no p value is computed from these blocks; empty if one is.
	Untestable string
	Warnings   []string // of the blocks
	Reason     string   // why StdError is undefined
	Pieces     *Pieces  // how blocks follow each other where they are pieces of episodes; else nil
}

// DeleteBlockJackknife returns the standard error and the interval of an estimate
// from its values without each of g disjoint blocks. replicates[j] is the
// statistic computed without block j, which holds sizes[j] of the n = Σ sizes
// observations; sizes may differ (Busing, Meijer and van der Leeden 1999,
// "Delete-m jackknife for unequal m"; for equal sizes the common delete-d
// jackknife):
//
//	θ_J = g·θ − Σ (1 − m_j/n)·θ_(−j)
//	var = Σ w_j·(τ_j − θ_J)²/(h_j − 1), w_j = m_j/n
//
// where the paper has 1/g for w_j. Theirs is right only if a block of twice the size
// has half the variance; with w_j blocks that differ for other reasons, as episodes
// do, have theirs counted too (the sandwich estimator for clusters).
//
// level 0 means 0.95. Errors: fewer than 2 blocks, lengths that differ, a size
// below 1, a level outside (0, 1). A NaN among the values gives an undefined
// interval with a reason.
func DeleteBlockJackknife(estimate float64, replicates []float64, sizes []int, level float64) (*Jackknifed, error) {
	v := &Jackknifed{Estimate: estimate, Replicates: replicates, BlockSizes: sizes}
	if err := v.delete(level); err != nil {
		return nil, err
	}
	return v, nil
}

// delete fills in the jackknife of Estimate, Replicates and BlockSizes.
func (v *Jackknifed) delete(level float64) error {
	const quantity = "jackknife"
	level, err := checkLevel(quantity, level)
	if err != nil {
		return err
	}
	estimate, replicates, sizes := v.Estimate, v.Replicates, v.BlockSizes
	g := len(replicates)
	if g < 2 {
		return Undefined(quantity, "%d block(s), want at least 2", g)
	}
	if len(sizes) != g {
		return Undefined(quantity, "%d block sizes for %d replicates", len(sizes), g)
	}
	var total, squares float64
	for j, m := range sizes {
		if m < 1 {
			return Undefined(quantity, "block %d has %d observations, want at least 1", j, m)
		}
		total += float64(m)
		squares += float64(m) * float64(m)
	}
	v.PseudoValues = make([]float64, g)
	var shift float64
	for j, r := range replicates {
		h := total / float64(sizes[j])
		// In differences from θ, so that a large θ costs no digits.
		shift += float64((1 - 1/h) * (estimate - r))
		v.PseudoValues[j] = estimate + float64((h-1)*(estimate-r))
	}
	// θ_J = θ + Σ (1 − m_j/n)·(θ − θ_(−j)), because Σ (1 − m_j/n) = g − 1.
	v.Corrected, v.Bias = estimate+shift, -shift
	v.errors(level)
	return nil
}

// errors are the standard error, the degrees of freedom and the interval, from the pseudo-values: of the blocks or,
// where they are wider, of groups of neighboring blocks.
func (v *Jackknifed) errors(level float64) {
	var total, squares, spread float64
	for _, m := range v.BlockSizes {
		total += float64(m)
		squares += float64(m) * float64(m)
	}
	shares := make([]float64, len(v.BlockSizes))
	for j, m := range v.BlockSizes {
		d := v.PseudoValues[j] - v.Corrected
		w := float64(m) / total
		shares[j] = w * d
		spread += float64(w*w) * float64(d*d) / (1 - w)
	}
	v.StdError, v.DF, v.Joined = math.Sqrt(spread), total*total/squares-1, false
	if noError(v.StdError, v.Estimate) {
		v.StdError = 0
	}
	if v.Tails && isFinite(v.StdError) {
		v.DF = min(v.DF, tailDF(shares))
	}
	if groups := v.joined(); groups != nil && v.StdError > 0 && isFinite(v.StdError) {
		joined, weights := grouped(groups, shares), make([]float64, joinedPieces)
		for j, m := range v.BlockSizes {
			weights[groups[j]] += float64(m) / total
		}
		stdError, df := errorOf(joined, weights)
		if v.Tails {
			df = min(df, tailDF(joined))
		}
		if halfWidth(stdError, df, level) > halfWidth(v.StdError, v.DF, level) {
			v.StdError, v.DF, v.Joined = stdError, df, true
		}
	}
	if v.Widening > 1 {
		v.StdError *= v.Widening
	}
	v.interval(level)
}

// errorOf is the standard error of a sum of shares, by blocks of these weights, and its degrees of freedom.
func errorOf(shares, weights []float64) (stdError, df float64) {
	variance, squares := 0.0, 0.0
	for k, s := range shares {
		variance += float64(s*s) / (1 - weights[k])
		squares += float64(weights[k] * weights[k])
	}
	return math.Sqrt(variance), 1/squares - 1
}

// grouped are sums over groups of neighboring blocks.
func grouped(groups []int, shares []float64) []float64 {
	out := make([]float64, joinedPieces)
	for j, s := range shares {
		out[groups[j]] += s
	}
	return out
}

// halfWidth is t·stdError, NaN where undefined.
func halfWidth(stdError, df, level float64) float64 {
	t, err := StudentTQuantile((1+level)/2, df)
	if err != nil {
		return math.NaN()
	}
	return t * stdError
}

// tailDF are the degrees of freedom that a standard error has by the spread of the squares of its shares, +Inf where
// they do not spread.
func tailDF(shares []float64) float64 {
	squares, fourths, g := 0.0, 0.0, float64(len(shares))
	for _, s := range shares {
		squares += float64(s * s)
		fourths += float64(s * s * s * s)
	}
	if spread := fourths - squares*squares/g; spread > 0 {
		return 2 * squares * squares / spread * (g - 1) / g
	}
	return math.Inf(1)
}

// noError reports whether a standard error is due to rounding in numbers of this size: equal
// scores have none, whatever the last bits of their sums.
func noError(stdError float64, sizes ...float64) bool {
	size := 0.0
	for _, v := range sizes {
		size = max(size, math.Abs(v))
	}
	return stdError <= 1e-13*size
}

// interval is Estimate ± t·StdError.
func (v *Jackknifed) interval(level float64) {
	if !isFinite(v.Estimate) || !isFinite(v.StdError) {
		v.Reason = "the estimate or one of its deletions is undefined"
		v.Corrected, v.Bias, v.StdError = math.NaN(), math.NaN(), math.NaN()
		v.Interval = noInterval(level, "%s", v.Reason)
		return
	}
	t, err := StudentTQuantile((1+level)/2, v.DF)
	if err != nil {
		v.Interval = noInterval(level, "%s", Reason(err))
		return
	}
	half := float64(t * v.StdError)
	v.Interval = Interval{Low: v.Estimate - half, High: v.Estimate + half, Level: level}
}

// test returns the two-sided p value of θ = 0 by Student's t: it is below
// 1 − level exactly where the interval leaves 0 out.
func (v *Jackknifed) test() (t, p float64) {
	if v.Reason != "" || v.Untestable != "" {
		return math.NaN(), math.NaN()
	}
	if v.StdError == 0 {
		if v.Estimate == 0 {
			return 0, 1
		}
		return math.NaN(), math.NaN()
	}
	t = v.Estimate / v.StdError
	return t, TTestP(t, v.DF)
}

// WithTails reduces DF according to the spread of the squares of the blocks' shares s_j = w_j·(τ_j −
// θ_J) (Satterthwaite),
//
//	2·(Σ s²)²/(Σ s⁴ − (Σ s²)²/g)·(g − 1)/g,
//
// and widens interval and test accordingly. It is meant for functions of squares, where a few blocks
// contribute most, so that the standard error is often too small. Combinations and comparisons of such
// statistics inherit it. It returns v.
func (v *Jackknifed) WithTails() *Jackknifed {
	v.Tails = true
	if !v.Interval.Defined() || v.Halves != nil {
		return v
	}
	v.errors(v.Interval.Level)
	return v
}

// WithMemory widens interval and test of a statistic of unknown influence by the median factor of the series: for
// statistics that move with the means of the series, whose long memory outlasts the blocks. Combinations and
// comparisons inherit it. It returns v.
func (v *Jackknifed) WithMemory() *Jackknifed {
	if v.Influence == nil && v.Halves == nil && v.Pieces != nil && v.Pieces.Widening > 1 && v.Interval.Defined() {
		v.Widening = v.Pieces.Widening
		v.errors(v.Interval.Level)
	}
	return v
}

// Within limits the interval to the range of the statistic (±Inf for no limit) and returns v.
func (v *Jackknifed) Within(low, high float64) *Jackknifed {
	if v.Interval.Defined() {
		v.Interval.Low, v.Interval.High = min(max(v.Interval.Low, low), high), max(min(v.Interval.High, high), low)
	}
	return v
}

// widestFactor is the most that the ends of an interval of a logarithm may differ by: one that
// spans more orders of magnitude says nothing, and reads as if it did.
const widestFactor = 1e6

// leastLogDF are the degrees of freedom below which there is no interval of a logarithm. Where blocks
// differ by a factor of three or more, two of them give one that is too wide about as often as not, and
// the others, which are the narrow ones, have a coverage of 71 to 90 % (docs/statistics/calibration-claims.md).
const leastLogDF = 1.5

// OnLogScale computes the interval on a logarithmic scale, for positive statistics with a
// multiplicative error; it returns v. If the estimate or a deletion is not positive, the interval
// stays as it is, cut at 0. An interval that spans more than six orders of magnitude, or one with
// fewer than 1.5 degrees of freedom (as from two blocks), becomes undefined, with this as its reason.
func (v *Jackknifed) OnLogScale() *Jackknifed {
	if !v.scaled(math.Log, math.Exp, 0, math.Inf(1)) {
		return v
	}
	switch i := v.Interval; {
	case i.Low == i.High: // there is no error
	case v.DF < leastLogDF:
		v.Interval = noInterval(i.Level,
			"%.2g degrees of freedom are too few for an error; want at least 3 blocks of similar size", v.DF)
	case !(i.High/i.Low <= widestFactor):
		v.Interval = noInterval(i.Level,
			"from %.2g to %.2g, more than six orders of magnitude: the blocks are too few for an error", i.Low, i.High)
	}
	return v
}

// OnFisherScale computes the interval on Fisher's scale z = artanh, for correlations; it returns v. If
// the estimate or a deletion is ±1, the interval stays as it is, cut there.
func (v *Jackknifed) OnFisherScale() *Jackknifed {
	return v.onScale(math.Atanh, math.Tanh, -1, 1)
}

// OnPowerScale computes the interval on the scale sign(θ)·|θ|^power, for squares or powers of
// statistics with a symmetric error, such as measures of agreement near 0 (1/2); it returns v. A
// negative power is for positive statistics; an interval that reaches infinity there is computed on a
// logarithmic scale instead.
func (v *Jackknifed) OnPowerScale(power float64) *Jackknifed {
	if power < 0 {
		inverse := func(p float64) func(float64) float64 {
			return func(x float64) float64 { return -math.Pow(max(x, 0), p) }
		}
		back := func(x float64) float64 { return math.Pow(max(-x, 0), 1/power) }
		before := v.Interval
		if v.onScale(inverse(power), back, 0, math.Inf(1)); !math.IsInf(v.Interval.High, 1) {
			return v
		}
		v.Interval = before
		return v.OnLogScale()
	}
	raise := func(p float64) func(float64) float64 {
		return func(x float64) float64 { return math.Copysign(math.Pow(math.Abs(x), p), x) }
	}
	return v.onScale(raise(power), raise(1/power), math.Inf(-1), math.Inf(1))
}

func (v *Jackknifed) onScale(to, from func(float64) float64, low, high float64) *Jackknifed {
	v.scaled(to, from, low, high)
	return v
}

// scaled makes the interval on a scale, or where a number has no place on it cuts it at the ends;
// it reports which.
func (v *Jackknifed) scaled(to, from func(float64) float64, low, high float64) bool {
	if !v.Interval.Defined() {
		return false
	}
	scaled, err := combine(func(at []float64) float64 { return to(at[0]) }, v.Interval.Level, nil, v)
	if err != nil || !scaled.Interval.Defined() {
		v.Within(low, high)
		return false
	}
	v.Interval.Low, v.Interval.High = from(scaled.Interval.Low), from(scaled.Interval.High)
	return true
}

// Jackknife is [DeleteBlockJackknife] over the blocks of the partition, at 95 %,
// with what they say about tests. influence has a value of every observation, or is nil.
// Where the blocks are more than ten pieces of episodes, of automatic length, the interval
// is the wider of two: by the pieces, and by ten groups of neighboring pieces
// with the degrees of freedom of the groups.
func (b *Blocks) Jackknife(estimate float64, replicates, influence []float64) (*Jackknifed, error) {
	v := &Jackknifed{Estimate: estimate, Replicates: replicates, BlockSizes: b.Sizes(), Pieces: b.pieces,
		Influence: b.perOwner(influence), Untestable: b.Untestable(), Warnings: b.Warnings()}
	v.Widening = v.Pieces.widening(v.Pieces.fading(v.Influence), v.BlockSizes)
	if err := v.delete(0); err != nil {
		return nil, err
	}
	return v, nil
}

// perOwner adds up the influence of what each observation of an owning grouping
// owns.
func (b *Blocks) perOwner(influence []float64) []float64 {
	if b.owned == nil || influence == nil {
		return influence
	}
	out := make([]float64, b.owned.n)
	factor := float64(b.owned.n) / float64(b.n)
	for i, o := range b.owner {
		out[o] += float64(factor * influence[i])
	}
	return out
}

// linear is the jackknife of a statistic that moves by its influence alone.
func (b *Blocks) linear(estimate float64, influence []float64) (*Jackknifed, error) {
	replicates := make([]float64, b.Count())
	for j := range replicates {
		lo, hi := b.cut[j], b.cut[j+1]
		sum := sumOf(lo, hi, func(p int) float64 { return influence[b.index.order[p]] })
		replicates[j] = estimate - sum/float64(b.n-(hi-lo))
	}
	return b.Jackknife(estimate, replicates, influence)
}

// JackknifeSums jackknifes statistics that are functions of sums over observations, such as means,
// ratios and regressions. terms has one or more sequences of n values. statistic receives a number of
// observations and the sum of every sequence over them, and fills dst[:size]. Subtract a constant near
// the mean from each sequence if cancellation matters. Errors: sequences of unequal length, NaN or
// Inf, one block.
func JackknifeSums(
	blocks *Blocks, terms [][]float64, size int, statistic func(count float64, sums, dst []float64),
) ([]*Jackknifed, error) {
	if err := checkTerms(blocks.n, terms); err != nil {
		return nil, err
	}
	estimates, influence := sumsInfluence(blocks.n, terms, size, statistic)
	total := sumsOf(terms, blocks.n, func(p int) int { return p })
	replicates := make([][]float64, size)
	dst, sums := make([]float64, size), make([]float64, len(terms))
	for j := range blocks.Count() {
		lo, hi := blocks.cut[j], blocks.cut[j+1]
		for t, values := range terms {
			sums[t] = total[t] - sumOf(lo, hi, func(p int) float64 { return values[blocks.index.order[p]] })
		}
		statistic(float64(blocks.n-(hi-lo)), sums, dst)
		for s, v := range dst {
			replicates[s] = append(replicates[s], v)
		}
	}
	out := make([]*Jackknifed, size)
	for s := range out {
		var err error
		if out[s], err = blocks.Jackknife(estimates[s], replicates[s], influence[s]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// SumsInfluence returns the estimates of [JackknifeSums] and the influence of every
// observation on them, n·Σ ∂θ/∂S_t·(x_t − S_t/n): the series whose dependence
// decides the length of blocks.
func SumsInfluence(
	terms [][]float64, size int, statistic func(count float64, sums, dst []float64),
) (estimates []float64, influence [][]float64, err error) {
	if len(terms) == 0 {
		return nil, nil, Undefined("influence", "no sequences")
	}
	if err := checkTerms(len(terms[0]), terms); err != nil {
		return nil, nil, err
	}
	estimates, influence = sumsInfluence(len(terms[0]), terms, size, statistic)
	return estimates, influence, nil
}

func checkTerms(n int, terms [][]float64) error {
	const quantity = "jackknife"
	for t, values := range terms {
		if len(values) != n {
			return Undefined(quantity, "sequence %d has %d values for %d observations", t, len(values), n)
		}
		if err := checkFinite(quantity, fmt.Sprintf("sequence %d", t), values); err != nil {
			return err
		}
	}
	return nil
}

func sumsOf(terms [][]float64, n int, place func(p int) int) []float64 {
	total := make([]float64, len(terms))
	for t, values := range terms {
		total[t] = sumOf(0, n, func(p int) float64 { return values[place(p)] })
	}
	return total
}

// sumsInfluence takes derivatives by central differences, a small share of each
// term's spread to both sides.
func sumsInfluence(
	n int, terms [][]float64, size int, statistic func(count float64, sums, dst []float64),
) (estimates []float64, influence [][]float64) {
	const share = 1e-4
	count := float64(n)
	total := sumsOf(terms, n, func(p int) int { return p })
	estimates, influence = make([]float64, size), make([][]float64, size)
	sums := append([]float64(nil), total...)
	statistic(count, sums, estimates)
	for s := range influence {
		influence[s] = make([]float64, n)
	}
	up, down := make([]float64, size), make([]float64, size)
	for t, values := range terms {
		step := share * count * StandardDeviation(values)
		if !(step > 0) {
			continue
		}
		copy(sums, total)
		sums[t] = total[t] + step
		statistic(count, sums, up)
		copy(sums, total)
		sums[t] = total[t] - step
		statistic(count, sums, down)
		mean := total[t] / count
		for s := range influence {
			slope := count * (up[s] - down[s]) / (2 * step)
			if !isFinite(slope) {
				continue
			}
			for i, x := range values {
				influence[s][i] += float64(slope * (x - mean))
			}
		}
	}
	return estimates, influence
}

// JackknifeMean returns the delete-block jackknife of the mean of values [n]: estimate, standard error and values
// without each block. Errors as for [JackknifeSums].
func JackknifeMean(blocks *Blocks, values []float64) (*Jackknifed, error) {
	mean := Mean(values)
	centered := make([]float64, len(values))
	for i, v := range values {
		centered[i] = v - mean
	}
	out, err := JackknifeSums(blocks, [][]float64{centered}, 1, func(count float64, sums, dst []float64) {
		dst[0] = mean + sums[0]/count
	})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Combine returns the jackknife of a function of statistics that were jackknifed over the same blocks,
// such as the ratio of two, deletion by deletion. Errors: different blocks, no statistics.
func Combine(f func(values []float64) float64, parts ...*Jackknifed) (*Jackknifed, error) {
	const quantity = "jackknife"
	if len(parts) == 0 {
		return nil, Undefined(quantity, "nothing to combine")
	}
	first := parts[0]
	values, complete := make([]float64, len(parts)), true
	for p, v := range parts {
		if !sameBlocks(first, v) {
			return nil, Undefined(quantity, "the statistics do not have the same blocks")
		}
		values[p] = v.Estimate
		complete = complete && v.Influence != nil
	}
	var influence []float64
	if complete {
		influence = combinedInfluence(f, values, parts)
	}
	out, err := combine(f, first.Interval.Level, first.Pieces.fading(influence), parts...)
	if err != nil {
		return nil, err
	}
	out.Untestable, out.Warnings, out.Influence = first.Untestable, first.Warnings, influence
	return out, nil
}

// combine is the error of a function of statistics over the same blocks: deletion by deletion, or half by half. The
// influence m says which memory outlasts the blocks; a function of one statistic remembers what the statistic does.
func combine(
	f func(values []float64) float64, level float64, m *fading, parts ...*Jackknifed,
) (*Jackknifed, error) {
	first, inputs := parts[0], make([]float64, len(parts))
	for p, v := range parts {
		inputs[p] = v.Estimate
	}
	estimate := f(inputs)
	if first.Halves != nil {
		halves := make([]*HalfEstimates, len(parts))
		for p, v := range parts {
			halves[p] = v.Halves
		}
		return halved(estimate, first.Halves.apply(f, halves), first.BlockSizes, level)
	}
	replicates := make([]float64, len(first.Replicates))
	for j := range replicates {
		for p, v := range parts {
			inputs[p] = v.Replicates[j]
		}
		replicates[j] = f(inputs)
	}
	out := &Jackknifed{
		Estimate: estimate, Replicates: replicates, BlockSizes: first.BlockSizes, Tails: first.Tails, Pieces: first.Pieces,
		Widening: first.Widening,
	}
	if len(parts) > 1 {
		out.Widening = first.Pieces.widening(m, first.BlockSizes)
	}
	if m == nil {
		for _, v := range parts {
			out.Widening = max(out.Widening, v.Widening)
		}
	}
	if err := out.delete(level); err != nil {
		return nil, err
	}
	return out, nil
}

// Per divides the statistic by another statistic jackknifed over the same blocks, deletion by
// deletion: distances by the RMS distance, for example. An interval that is asymmetric about the
// estimate, as for a quantile, keeps its shape. Errors: different blocks.
func (v *Jackknifed) Per(unit *Jackknifed) (*Jackknifed, error) {
	out, err := Combine(func(values []float64) float64 { return values[0] / values[1] }, v, unit)
	if err != nil || !out.Interval.Defined() {
		return out, err
	}
	if !v.Interval.Defined() {
		out.Interval = v.Interval
		return out, nil
	}
	if v.StdError > 0 {
		stretch := out.StdError / v.StdError
		if out.DF != v.DF {
			stretch *= halfWidth(1, out.DF, out.Interval.Level) / halfWidth(1, v.DF, out.Interval.Level)
		}
		out.Interval.Low = out.Estimate - float64((v.Estimate-v.Interval.Low)*stretch)
		out.Interval.High = out.Estimate + float64((v.Interval.High-v.Estimate)*stretch)
	}
	return out, nil
}

func sameBlocks(a, b *Jackknifed) bool {
	if a == nil || b == nil || !slices.Equal(a.BlockSizes, b.BlockSizes) ||
		len(a.Replicates) != len(b.Replicates) || (a.Halves == nil) != (b.Halves == nil) {
		return false
	}
	return a.Halves == nil || slices.Equal(a.Halves.Weight, b.Halves.Weight)
}

// combinedInfluence is Σ ∂f/∂θ_p · influence on θ_p, by central differences.
func combinedInfluence(f func([]float64) float64, values []float64, parts []*Jackknifed) []float64 {
	out := make([]float64, len(parts[0].Influence))
	for p, v := range parts {
		step := 1e-4 * StandardDeviation(v.Influence)
		if !(step > 0) || len(v.Influence) != len(out) {
			continue
		}
		moved := append([]float64(nil), values...)
		moved[p] = values[p] + step
		up := f(moved)
		moved[p] = values[p] - step
		slope := (up - f(moved)) / (2 * step)
		if !isFinite(slope) {
			continue
		}
		for i, x := range v.Influence {
			out[i] += float64(slope * x)
		}
	}
	return out
}
