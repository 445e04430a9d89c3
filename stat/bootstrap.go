// The block bootstrap: percentile and BCa intervals, in parallel over resamples.

package stat

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
)

// IntervalMethod is a way of reading an interval off bootstrap replicates.
type IntervalMethod int

const (
	// BCa is the bias-corrected and accelerated interval (Efron 1987), with the
	// acceleration from the delete-block jackknife.
	BCa IntervalMethod = iota
	// Percentile takes the quantiles of the replicates.
	Percentile
)

// String returns "bca" or "percentile".
func (m IntervalMethod) String() string {
	if m == Percentile {
		return "percentile"
	}
	return "bca"
}

// maxJackknifeBlocks bounds the number of deletions behind an acceleration.
// Joining blocks leaves the acceleration of independent blocks unchanged.
const maxJackknifeBlocks = 1000

// BootstrapOptions are the choices of a bootstrap; the zero value is the default.
type BootstrapOptions struct {
	Level   float64        // of the interval; 0 means 0.95
	Method  IntervalMethod // default BCa
	Threads int            // ≤ 0: all processors; results do not depend on it
}

// Bootstrapped is a statistic with its bootstrap replicates and interval.
type Bootstrapped struct {
	Estimate float64 // on all data; may be NaN
	Interval Interval
	// StdError is the standard deviation of the replicates, Bias their mean minus
	// Estimate. NaN without replicates.
	StdError, Bias float64
	// BiasCorrection (z0) and Acceleration (a) of a BCa interval.
	BiasCorrection, Acceleration float64
	// Method is how Interval was made: BCa falls back to Percentile where it is
	// undefined, with a warning.
	Method     IntervalMethod
	Replicates []float64 // in resample order; NaN or ±Inf where undefined
	Undefined  int       // number of those
	Jackknife  []float64 // estimate without block j; nil without bootstrap
	BlockSizes []int     // observations in block j
	Warnings   []string
}

// bootstrapSums is the fast path for statistics that are functions of sums over
// observations, such as means, ratios and regressions. terms holds some sequences
// of n values; statistic receives the number of observations in the resample and
// the sum of every sequence over them, and fills dst[:size]. Sums of whole blocks
// are computed once, so a resample costs as many additions as it has blocks.
// Subtract a constant near the mean from each sequence where cancellation
// matters.
func bootstrapSums(ctx context.Context, resamples *Resamples, terms [][]float64, size int, statistic func(count float64, sums, dst []float64), o BootstrapOptions) ([]*Bootstrapped, error) {
	const quantity = "bootstrap"
	b := resamples.blocks.Coarsen(maxJackknifeBlocks)
	for t, values := range terms {
		if len(values) != b.n {
			return nil, Undefined(quantity, "sequence %d has %d values for %d observations", t, len(values), b.n)
		}
		if err := checkFinite(quantity, fmt.Sprintf("sequence %d", t), values); err != nil {
			return nil, err
		}
	}
	x := newBlockSums(resamples, b, terms)
	k := x.k
	return bootstrap(ctx, resamples, b, size, o, func() evaluator {
		sums := make([]float64, k)
		var spans []span
		return evaluator{
			all: func(dst []float64) {
				copy(sums, x.total)
				statistic(float64(b.n), sums, dst)
			},
			without: func(j int, dst []float64) {
				clear(sums)
				x.addRange(sums, b.cut[j], b.cut[j+1])
				for t := range sums {
					sums[t] = x.total[t] - sums[t]
				}
				statistic(float64(b.n-(b.cut[j+1]-b.cut[j])), sums, dst)
			},
			resample: func(i int, dst []float64) {
				spans = resamples.spans(spans, i)
				clear(sums)
				count := 0
				for _, s := range spans {
					count += s.length
					if s.length != x.fullLength[s.episode] {
						x.addSpan(sums, s)
						continue
					}
					for t, v := range x.uncut[s.start*k : (s.start+1)*k] {
						sums[t] += v
					}
				}
				statistic(float64(count), sums, dst)
			},
		}
	})
}

// blockSums are the sums of k terms over spans of observations.
type blockSums struct {
	b *Blocks
	k int
	// ordered[p·k + t] is term t of the observation at position p.
	ordered []float64
	// fullLength[e] is the length of an uncut block in episode e, and uncut the sums of
	// the uncut blocks by their first position; only where there are resamples.
	fullLength []int
	uncut      []float64
	total      []float64 // over all observations
}

func newBlockSums(resamples *Resamples, b *Blocks, terms [][]float64) *blockSums {
	k := len(terms)
	x := &blockSums{b: b, k: k, ordered: make([]float64, b.n*k), fullLength: make([]int, b.index.count()), total: make([]float64, k)}
	for p, i := range b.index.order {
		for t := range terms {
			x.ordered[p*k+t] = terms[t][i]
		}
	}
	if resamples.count > 0 {
		x.uncut = make([]float64, b.n*k)
		for e := range x.fullLength {
			lo, hi := b.index.start[e], b.index.start[e+1]
			starts := 1
			x.fullLength[e] = hi - lo
			if b.kind == MovingBlocks && hi-lo > b.length {
				x.fullLength[e], starts = b.length, hi-lo
			}
			for p := lo; p < lo+starts; p++ {
				x.addSpan(x.uncut[p*k:(p+1)*k], span{e, p, x.fullLength[e]})
			}
		}
	}
	for t := range terms {
		x.total[t] = sumOf(0, b.n, func(p int) float64 { return x.ordered[p*k+t] })
	}
	return x
}

// addRange adds the terms of the observations at positions lo … hi−1.
func (x *blockSums) addRange(sums []float64, lo, hi int) {
	ordered, k := x.ordered, x.k
	for p := lo; p < hi; p++ {
		for t := range sums {
			sums[t] += ordered[p*k+t]
		}
	}
}

// addSpan adds the terms of a span, which wraps around at the end of its episode.
func (x *blockSums) addSpan(sums []float64, s span) {
	end := x.b.index.start[s.episode+1]
	first := min(s.length, end-s.start)
	x.addRange(sums, s.start, s.start+first)
	lo := x.b.index.start[s.episode]
	x.addRange(sums, lo, lo+s.length-first)
}

// BootstrapMean returns the block bootstrap of the mean of values [n] over the given resamples. Errors: another number
// of values, NaN or Inf, the error of ctx.
func BootstrapMean(
	ctx context.Context, resamples *Resamples, values []float64, o BootstrapOptions,
) (*Bootstrapped, error) {
	mean := Mean(values)
	centered := make([]float64, len(values))
	for i, v := range values {
		centered[i] = v - mean
	}
	out, err := bootstrapSums(ctx, resamples, [][]float64{centered}, 1, func(count float64, sums, dst []float64) {
		dst[0] = mean + sums[0]/count
	}, o)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// regressionSums are the sums behind the least-squares line of y on x, and slope,
// intercept, r and r² of them: NaN for constant x.
func regressionSums(x, y []float64) (terms [][]float64, statistic func(n float64, s, dst []float64)) {
	m := centeredMoments(x, y)
	// Scaled to unit variance, the tests for a constant variable below are free of
	// units.
	sx := math.Sqrt(m.xx / float64(len(x)))
	sy := math.Sqrt(m.yy / float64(len(y)))
	if m.constantY {
		sy = 1
	}
	terms = make([][]float64, 5)
	for t := range terms {
		terms[t] = make([]float64, len(x))
	}
	for i := range x {
		u, v := (x[i]-m.meanX)/sx, (y[i]-m.meanY)/sy
		terms[0][i], terms[1][i] = u, v
		terms[2][i], terms[3][i], terms[4][i] = u*u, v*v, u*v
	}
	const flat = 1e-14
	return terms, func(n float64, s, dst []float64) {
		xx := s[2] - float64(s[0]*s[0])/n
		yy := s[3] - float64(s[1]*s[1])/n
		xy := s[4] - float64(s[0]*s[1])/n
		if xx <= flat*s[2] {
			for k := range dst {
				dst[k] = math.NaN()
			}
			return
		}
		slope := xy / xx * (sy / sx)
		dst[0] = slope
		dst[1] = m.meanY + float64(sy*s[1])/n - float64(slope*(m.meanX+float64(sx*s[0])/n))
		r := math.NaN()
		if yy > flat*s[3] {
			r = min(max(xy/math.Sqrt(xx)/math.Sqrt(yy), -1), 1)
		}
		dst[2], dst[3] = r, r*r
	}
}

// evaluator computes the statistics of one goroutine, with its own scratch.
type evaluator struct {
	all      func(dst []float64)
	without  func(j int, dst []float64)
	resample func(i int, dst []float64)
}

func bootstrap(
	ctx context.Context, resamples *Resamples, blocks *Blocks, size int, o BootstrapOptions, newEvaluator func() evaluator,
) ([]*Bootstrapped, error) {
	level, err := checkLevel("bootstrap", o.Level)
	if err != nil {
		return nil, err
	}
	o.Level = level
	if size < 1 {
		return nil, Undefined("bootstrap", "%d statistics, want at least 1", size)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	estimates := make([]float64, size)
	newEvaluator().all(estimates)
	out := make([]*Bootstrapped, size)
	for s := range out {
		out[s] = &Bootstrapped{Estimate: estimates[s], Warnings: blocks.Warnings()}
	}
	if resamples.count > 0 {
		b, g := resamples.count, blocks.Count()
		values := make([]float64, (b+g)*size)
		// Deletions and resamples are one list of tasks, each with its own place.
		err := parallel.With(ctx, o.Threads, b+g, func() func(task int) error {
			e := newEvaluator()
			return func(task int) error {
				dst := values[task*size : (task+1)*size : (task+1)*size]
				if task < b {
					e.resample(task, dst)
				} else {
					e.without(task-b, dst)
				}
				return nil
			}
		})
		if err != nil {
			return nil, err
		}
		sizes := blocks.Sizes()
		for s, v := range out {
			v.Replicates = make([]float64, b)
			v.Jackknife = make([]float64, g)
			for i := range v.Replicates {
				v.Replicates[i] = values[i*size+s]
			}
			for j := range v.Jackknife {
				v.Jackknife[j] = values[(b+j)*size+s]
			}
			v.BlockSizes = sizes
		}
	}
	for _, v := range out {
		v.finish(o)
	}
	return out, nil
}

func (v *Bootstrapped) warn(format string, arguments ...any) {
	v.Warnings = append(v.Warnings, fmt.Sprintf(format, arguments...))
}

// finish computes the summaries of the replicates and the interval.
func (v *Bootstrapped) finish(o BootstrapOptions) {
	v.StdError, v.Bias = math.NaN(), math.NaN()
	v.BiasCorrection, v.Acceleration = math.NaN(), math.NaN()
	v.Method = o.Method
	valid := make([]float64, 0, len(v.Replicates))
	for _, r := range v.Replicates {
		if isFinite(r) {
			valid = append(valid, r)
		}
	}
	v.Undefined = len(v.Replicates) - len(valid)
	switch {
	case !isFinite(v.Estimate):
		v.Interval = noInterval(o.Level, "the estimate is undefined")
		return
	case len(v.Replicates) == 0:
		v.Interval = noInterval(o.Level, "the bootstrap is off")
		return
	case len(valid) < 2 || 2*len(valid) < len(v.Replicates):
		v.Interval = noInterval(o.Level, "undefined in %d of %d resamples", v.Undefined, len(v.Replicates))
		return
	}
	if v.Undefined > 0 {
		v.warn("undefined in %d of %d resamples, which are left out", v.Undefined, len(v.Replicates))
	}
	mean, variance := MeanVariance(valid)
	v.StdError, v.Bias = math.Sqrt(max(variance, 0)), mean-v.Estimate
	slices.Sort(valid)
	low, high := (1-o.Level)/2, (1+o.Level)/2
	if v.Method == BCa {
		a, b, problem := v.accelerated(valid, low, high)
		if problem == "" {
			low, high = a, b
		} else {
			v.Method = Percentile
			v.warn("percentile interval instead of BCa interval: %s", problem)
		}
	}
	v.Interval = Interval{Low: QuantileSorted(valid, low), High: QuantileSorted(valid, high), Level: o.Level}
}

// accelerated returns the probabilities of the BCa interval's ends, or what keeps
// it from existing.
func (v *Bootstrapped) accelerated(sorted []float64, low, high float64) (a, b float64, problem string) {
	if len(v.Jackknife) < 2 {
		return 0, 0, "only one block"
	}
	if i := slices.IndexFunc(v.Jackknife, func(x float64) bool { return !isFinite(x) }); i >= 0 {
		return 0, 0, fmt.Sprintf("undefined without block %d", i)
	}
	// The share of replicates below the estimate; equal ones count half. Few blocks
	// give many replicates that equal the estimate but for rounding.
	tie := 1e-10 * v.StdError
	below, _ := slices.BinarySearch(sorted, v.Estimate-tie)
	upTo := len(sorted)
	for i := below; i < len(sorted); i++ {
		if sorted[i] > v.Estimate+tie {
			upTo = i
			break
		}
	}
	share := float64(below+upTo) / float64(2*len(sorted))
	z0 := NormalQuantile(share)
	if !isFinite(z0) {
		return 0, 0, "all replicates lie on one side of the estimate"
	}
	mean := Mean(v.Jackknife)
	var squares, cubes float64
	for _, x := range v.Jackknife {
		d := mean - x
		squares += float64(d * d)
		cubes += float64(float64(d*d) * d)
	}
	acceleration := 0.0
	if squares > 0 {
		acceleration = cubes / (6 * math.Pow(squares, 1.5))
	}
	if !isFinite(acceleration) {
		acceleration = 0
	}
	shift := func(p float64) (float64, bool) {
		z := z0 + NormalQuantile(p)
		d := 1 - acceleration*z
		return normalCDF(z0 + z/d), d > 0
	}
	a, okLow := shift(low)
	b, okHigh := shift(high)
	if !okLow || !okHigh {
		return 0, 0, fmt.Sprintf("acceleration %.3g is too large", acceleration)
	}
	v.BiasCorrection, v.Acceleration = z0, acceleration
	return a, b, ""
}
