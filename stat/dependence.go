// Dependence along episodes: autocorrelation, integrated autocorrelation time,
// effective sample size, and the automatic block length of the bootstrap.

package stat

import (
	"context"
	"math"

	"repscope/internal/parallel"
	"repscope/internal/text"
)

// maxLag bounds the lags that the integrated autocorrelation time looks at.
const maxLag = 5000

// episodes groups n observations: order lists the observations episode by
// episode, and episode e is order[start[e]:start[e+1]].
type episodeIndex struct {
	order []int
	start []int
}

// newEpisodeIndex groups observations by label, episodes in order of first
// appearance. Nil labels are one episode.
func newEpisodeIndex(quantity string, n int, labels []int) (episodeIndex, error) {
	if labels != nil && len(labels) != n {
		return episodeIndex{}, Undefined(quantity, "%d episode labels for %d observations", len(labels), n)
	}
	x := episodeIndex{order: make([]int, n)}
	if labels == nil {
		for i := range x.order {
			x.order[i] = i
		}
		x.start = []int{0, n}
		return x, nil
	}
	number := make(map[int]int)
	var sizes []int
	for _, label := range labels {
		e, seen := number[label]
		if !seen {
			e = len(sizes)
			number[label] = e
			sizes = append(sizes, 0)
		}
		sizes[e]++
	}
	x.start = make([]int, len(sizes)+1)
	for e, size := range sizes {
		x.start[e+1] = x.start[e] + size
	}
	next := append([]int(nil), x.start...)
	for i, label := range labels {
		e := number[label]
		x.order[next[e]] = i
		next[e]++
	}
	return x, nil
}

func (x episodeIndex) count() int { return len(x.start) - 1 }

// longest returns the length of the longest episode.
func (x episodeIndex) longest() int {
	longest := 0
	for e := range x.count() {
		longest = max(longest, x.start[e+1]-x.start[e])
	}
	return longest
}

// autocovariances returns a function of the lag. The covariance at lag k is
// (1 − k/n)·Σ/n_k over the n_k pairs at distance k inside one episode, around the
// mean of all: for one episode this is the usual Σ/n, and many short episodes do
// not shrink it.
func (x episodeIndex) autocovariances(values []float64) func(lag int) float64 {
	raw, n := x.rawCovariances(values), float64(len(values))
	return func(lag int) float64 { return raw(lag) * (1 - float64(lag)/n) }
}

// pairs is the number of pairs at distance lag inside one episode.
func (x episodeIndex) pairs(lag int) float64 {
	count := 0
	for e := range x.count() {
		count += max(0, x.start[e+1]-x.start[e]-lag)
	}
	return float64(count)
}

// rawCovariances returns the mean of the products at a lag, 0 where there is no pair. The
// function may be called from several goroutines.
func (x episodeIndex) rawCovariances(values []float64) func(lag int) float64 {
	n := len(values)
	centered := make([]float64, n)
	mean := Mean(values)
	for k, i := range x.order {
		centered[k] = values[i] - mean
	}
	return func(lag int) float64 {
		if count := int(x.pairs(lag)); count > 0 {
			p := lagged{episodeIndex: x, values: centered, lag: lag}
			return p.sum(count) / float64(count)
		}
		return 0
	}
}

// lagged runs through the products of values at a lag inside one episode.
type lagged struct {
	episodeIndex
	values   []float64 // episode by episode
	lag      int
	episode  int
	position int // in values; one before its episode is at its start
	products [64]float64
}

// sum is the [Sum] of the next n products, with the same bits.
func (p *lagged) sum(n int) float64 {
	if n > len(p.products) {
		half := max(64, n/2-n/2%64)
		first := p.sum(half)
		return first + p.sum(n-half)
	}
	for done := 0; done < n; {
		p.position = max(p.position, p.start[p.episode])
		from := p.values[p.position:p.start[p.episode+1]]
		count := min(n-done, len(from)-p.lag)
		if count <= 0 {
			p.episode++
			continue
		}
		later := from[p.lag : p.lag+count]
		p.position += count
		if count == n {
			return sumOfProducts(from[:n], later)
		}
		to := p.products[done : done+count]
		for i := range to {
			to[i] = from[i] * later[i]
		}
		done += count
	}
	return Sum(p.products[:n])
}

// sumOfProducts is the [Sum] of at most 64 products a[i]·b[i], with the same bits.
func sumOfProducts(a, b []float64) float64 {
	var s, t, u, v float64
	for len(a) >= 4 && len(b) >= 4 {
		s += float64(a[0] * b[0])
		t += float64(a[1] * b[1])
		u += float64(a[2] * b[2])
		v += float64(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s += float64(a[i] * b[i])
	}
	return (s + t) + (u + v)
}

// covariancesAhead returns covariance, which is asked for ascending lags from 1 to most and may take
// long: the next lags are computed concurrently, more of them the more are asked for.
func covariancesAhead(covariance func(lag int) float64, n, largest int) func(lag int) float64 {
	var ahead []float64 // from lag first on
	first := 1
	return func(lag int) float64 {
		if lag-first >= len(ahead) {
			first = lag
			ahead = make([]float64, max(1, min(lag/4, largest-lag+1)))
			threads := 0
			if n*len(ahead) < 1<<20 {
				threads = 1
			}
			_ = parallel.For(context.Background(), threads, len(ahead), func(_, i int) { ahead[i] = covariance(first + i) })
		}
		return ahead[lag-first]
	}
}

// Autocorrelation returns the autocorrelation of values at lags 0..lags. Pairs
// never straddle two episodes; episodes holds a label per value, nil for one
// episode. ρ(k) = (1 − k/n)·mean over the pairs at lag k / variance, which for one
// episode is the usual biased estimate. A lag that no episode is long enough for
// has 0. Errors: fewer than 3 values, NaN or Inf, constant values, lags < 0.
func Autocorrelation(values []float64, episodes []int, lags int) ([]float64, error) {
	const quantity = "autocorrelation"
	x, err := checkSeries(quantity, values, episodes)
	if err != nil {
		return nil, err
	}
	if lags < 0 {
		return nil, Undefined(quantity, "%d lags, want 0 or more", lags)
	}
	covariance := x.autocovariances(values)
	rho := make([]float64, lags+1)
	variance := covariance(0)
	for k := range rho {
		if k < len(values) {
			rho[k] = covariance(k) / variance
		}
	}
	return rho, nil
}

func checkSeries(quantity string, values []float64, episodes []int) (episodeIndex, error) {
	if len(values) < 3 {
		return episodeIndex{}, Undefined(quantity, "%s, want at least 3", text.Count(len(values), "value"))
	}
	if err := checkFinite(quantity, "values", values); err != nil {
		return episodeIndex{}, err
	}
	if isConstant(values) {
		return episodeIndex{}, Undefined(quantity, "values are constant (%v)", values[0])
	}
	return newEpisodeIndex(quantity, len(values), episodes)
}

// AutocorrelationTime is the integrated autocorrelation time of a sequence, and how
// many independent values would give its mean the same variance.
type AutocorrelationTime struct {
	Tau       float64 // 1 + 2·Σ ρ(k), in steps; 1 for independent values
	Window    int     // the largest lag in the sum
	Converged bool    // false when no window up to the longest episode (or 5,000 lags) satisfies the rule
	// EffectiveSampleSize is about the mean: variance of a value over the variance of the
	// mean, at most n. Episodes that differ make it smaller.
	EffectiveSampleSize float64
	// Reliable says that it may be used: the window satisfies the rule and the values
	// span 50 autocorrelation times, or at least 10 episodes are summed to their ends.
	Reliable bool
}

const (
	reliableTimes    = 50 // autocorrelation times that a sequence spans
	reliableEpisodes = 10
)

// IntegratedAutocorrelationTime returns τ = 1 + 2·Σ_{k=1..W} ρ(k) with Sokal's
// automatic window, the smallest W ≥ 5·τ(W) (Sokal 1997, "Monte Carlo methods in
// statistical mechanics"), and the effective sample size c(0)/Var, Var the variance of the mean,
//
//	Var = 1/n²·(n·c(0) + 2·Σ_{k=1..W} Σ_e max(0, L_e − k)·c(k))
//
// over episodes e of length L_e. Autocovariances c around the mean of the sample
// are too small by Var, so Var is added back to each. If no window satisfies the rule,
// the sum runs to the ends of the episodes, and Var is the variance of the mean of episodes. Errors as for [Autocorrelation].
func IntegratedAutocorrelationTime(values []float64, episodes []int) (AutocorrelationTime, error) {
	x, err := checkSeries("autocorrelation time", values, episodes)
	if err != nil {
		return AutocorrelationTime{}, err
	}
	covariance := x.rawCovariances(values)
	n := float64(len(values))
	limit := min(x.longest()-1, maxLag)
	ahead := covariancesAhead(covariance, len(values), limit)
	w := window{n: n, variance: covariance(0)}
	w.add(0, n, w.variance)
	var t AutocorrelationTime
	for k := 1; k <= limit; k++ {
		w.add(k, x.pairs(k), ahead(k))
		t.Window = k
		if float64(k) >= 5*w.tau() {
			t.Converged = true
			break
		}
	}
	t.Tau = w.tau()
	t.EffectiveSampleSize = min(max(w.size(), 1), n)
	t.Reliable = t.Converged && n >= reliableTimes*t.Tau || !t.Converged && limit < maxLag && x.count() >= reliableEpisodes
	return t, nil
}

// window sums autocovariances over lags.
type window struct {
	n, variance float64
	lags        float64 // number of lags other than 0
	covariances float64 // sum over those lags
	weighted    float64 // Σ weight(k)·c(k), weight = pairs at lag ±k
	weights     float64
}

// add enters the covariance at a lag with a number of pairs.
func (w *window) add(lag int, pairs, covariance float64) {
	if lag > 0 {
		w.lags++
		w.covariances += covariance
		pairs *= 2
	}
	w.weights += pairs
	w.weighted += float64(pairs * covariance)
}

// ofMean is the variance V of the mean: V = Σ weight·(c + V)/n². A window as long as
// one episode knows nothing of it.
func (w *window) ofMean() float64 {
	known := 1 - w.weights/float64(w.n*w.n)
	return max(w.weighted, 0) / float64(w.n*w.n) / max(known, 0.1)
}

// tau is 1 + 2·Σ ρ(k) with V put back into every covariance.
func (w *window) tau() float64 {
	v := w.ofMean()
	return 1 + 2*(w.covariances+float64(w.lags*v))/(w.variance+v)
}

// size is the effective sample size.
func (w *window) size() float64 {
	v := w.ofMean()
	if v <= 0 {
		return w.n
	}
	return (w.variance + v) / v
}

// optimalBlockLength returns the block length that minimizes the mean squared
// error of the circular block bootstrap's variance of the mean: Politis and White
// (2004) with the correction of Patton, Politis and White (2009). It is a real
// number of at least 1, at most min(3·√n, n/3); round up to use it. Lags are
// taken inside episodes. Errors as for [Autocorrelation], and fewer than 9
// values.
func optimalBlockLength(values []float64, episodes []int) (float64, error) {
	return blockLength(values, episodes, 4.0/3)
}

// StationaryBlockLength returns, likewise, the mean block length of the
// stationary bootstrap ([Resamples.Stationary]).
func StationaryBlockLength(values []float64, episodes []int) (float64, error) {
	return blockLength(values, episodes, 2)
}

// blockLength is the length for a bootstrap whose estimate has a variance of factor times
// the squared spectrum at 0, per n/length.
func blockLength(values []float64, episodes []int, factor float64) (float64, error) {
	const quantity = "block length"
	x, err := checkSeries(quantity, values, episodes)
	if err != nil {
		return math.NaN(), err
	}
	if len(values) < 9 {
		return math.NaN(), Undefined(quantity, "%s, want at least 9", text.Count(len(values), "value"))
	}
	n := float64(len(values))
	covariance := x.autocovariances(values)
	run := max(5, int(math.Ceil(math.Sqrt(math.Log10(n)))))
	limit := min(int(math.Ceil(math.Sqrt(n)))+run, len(values)-1)
	threshold := 2 * math.Sqrt(math.Log10(n)/n)

	r := make([]float64, limit+1)
	for k := range r {
		r[k] = covariance(k)
	}
	// The last lag before a run of insignificant ones; without such a run the last
	// significant lag.
	last, quiet, silent := 0, 0, false
	for k := 1; k <= limit && !silent; k++ {
		if math.Abs(r[k]/r[0]) < threshold {
			quiet++
			silent = quiet == run
		} else {
			quiet, last = 0, k
		}
	}
	window := min(2*max(last, 1), limit)

	g, spectrum := 0.0, r[0]
	for k := 1; k <= window; k++ {
		t := float64(k) / float64(window)
		weight := 1.0
		if t > 0.5 {
			weight = 2 * (1 - t)
		}
		g += 2 * weight * float64(k) * r[k]
		spectrum += 2 * weight * r[k]
	}
	upper := math.Ceil(min(3*math.Sqrt(n), n/3))
	length := math.Cbrt(2*g*g/(factor*spectrum*spectrum)) * math.Cbrt(n)
	if math.IsNaN(length) { // 0/0: no dependence at all
		length = 1
	}
	return min(max(length, 1), upper), nil
}
