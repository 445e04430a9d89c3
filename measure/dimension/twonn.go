// Two-NN: the dimension from the ratios of the second to the first neighbor distance.

package dimension

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"repscope/stat"
)

// fitShare is the share of the ratios, from the smallest, that the Two-NN fit
// uses; the largest tenth is dropped as in Facco et al. 2017.
const fitShare = 0.9

// TwoNN holds the estimates of Facco, d'Errico, Rodriguez & Laio 2017 ("Estimating
// the intrinsic dimension of datasets by a minimal neighborhood information")
// from the ratios μ = r2/r1 of the second to the first neighbor distance.
type TwoNN struct {
	MLE         float64    // N/Σ ln μ, the maximum likelihood estimate
	MLEUnbiased float64    // (N−1)/Σ ln μ
	MLECI       [2]float64 // 95 %: [χ²_{0.025,2N}, χ²_{0.975,2N}]/(2·Σ ln μ); exact for independent ratios
	Fit         float64    // least squares of −ln(1 − i/N) on ln μ through the origin, smallest 90 % of μ
	N           int        // ratios used
}

// NewTwoNN estimates the dimension, in (0, ∞), from ratios μ ≥ 1. Fewer than three ratios,
// a ratio below 1 or not finite, and ratios that are all 1 (points on a
// regular lattice) are errors.
func NewTwoNN(ratio []float64) (TwoNN, error) {
	logs, total, err := logarithms(ratio)
	if err != nil {
		return TwoNN{}, err
	}
	return twoNN(logs, total, &fits{}), nil
}

// twoNN are the estimates from the logarithms ln μ ≥ 0 of the ratios, at least three, and their sum, which is not 0.
func twoNN(logs []float64, total float64, f *fits) TwoNN {
	n := float64(len(logs))
	memory := sortings.Get().(*sorting)
	defer sortings.Put(memory)
	chi := distuv.ChiSquared{K: 2 * n}
	return TwoNN{
		MLE:         n / total,
		MLEUnbiased: (n - 1) / total,
		MLECI:       [2]float64{chi.Quantile(0.025) / (2 * total), chi.Quantile(0.975) / (2 * total)},
		Fit:         memory.fit(logs, total/n, f.weights(len(logs))),
		N:           len(logs),
	}
}

// fits keeps the weights of fits for some numbers of ratios: halves have few different sizes.
type fits struct {
	lock sync.Mutex
	of   map[int]func() []float64
}

// keptFits is of how many sizes weights are kept.
const keptFits = 16

// weights are −ln(1 − i/n) for the smallest ratios i = 1, 2, … of n, those that a fit uses.
func (f *fits) weights(n int) []float64 {
	compute := func() []float64 {
		// i ≤ ⌊0.9·n⌋, decided without the rounding of i/n; i = n has no logarithm.
		weights := make([]float64, min(int(math.Floor(fitShare*float64(n)+1e-9)), n-1))
		for i := range weights {
			weights[i] = -math.Log1p(-float64(i+1) / float64(n))
		}
		return weights
	}
	f.lock.Lock()
	kept := f.of[n]
	if kept == nil && len(f.of) < keptFits {
		if f.of == nil {
			f.of = map[int]func() []float64{}
		}
		kept = sync.OnceValue(compute)
		f.of[n] = kept
	}
	f.lock.Unlock()
	if kept == nil {
		return compute()
	}
	return kept()
}

// sorting is memory for the fit.
type sorting struct {
	place, parts, bucket []int32
	parted, out          []float64
	within               []uint16 // the buckets of parted in their part
}

// sortings are those that nobody uses.
var sortings = sync.Pool{New: func() any { return new(sorting) }}

// A part is of about as many values as it has buckets, a power of two, which stay in the cache.
const bucketsOfPart = 1 << 10

// ascending visits finite values of at least 0 and of the given mean in ascending order, a part after the other,
// until visit wants no more; each part is in sorted buckets. The bucket is the part 1 − 1/(1 +
// v/mean) of their number, which fills them about evenly if values are distributed exponentially, and never descends
// with the value, however it is rounded. The visited values last until visit returns.
func (r *sorting) ascending(values []float64, mean float64, visit func(sorted []float64) bool) {
	n, rate := len(values), 1/mean
	parts := n/bucketsOfPart + 1
	if !(rate > 0) || math.IsInf(rate, 1) || parts > math.MaxInt32/bucketsOfPart-1 {
		r.out = append(r.out[:0], values...)
		slices.Sort(r.out)
		visit(r.out)
		return
	}
	r.place, r.parted, r.within = slices.Grow(r.place[:0], n)[:n], slices.Grow(r.parted[:0], n)[:n], slices.Grow(r.within[:0], n)[:n]
	r.parts = slices.Grow(r.parts[:0], parts+1)[:parts+1] // one more for a share of 1
	clear(r.parts)
	scale := float64(parts * bucketsOfPart)
	for i, v := range values {
		at := int32((1 - 1/(1+float64(v*rate))) * scale)
		r.place[i] = at
		r.parts[at/bucketsOfPart]++
	}
	toPlaces(r.parts)
	for i, v := range values {
		position := r.place[i]
		to := r.parts[position/bucketsOfPart]
		r.parts[position/bucketsOfPart]++
		r.parted[to], r.within[to] = v, uint16(position%bucketsOfPart)
	}
	begin := int32(0)
	for _, end := range r.parts {
		r.out = slices.Grow(r.out[:0], int(end-begin))[:end-begin]
		r.sortPart(r.parted[begin:end], r.within[begin:end], r.out)
		if begin = end; !visit(r.out) {
			return
		}
	}
}

// sortPart writes the values of a part in ascending order, by their buckets.
func (r *sorting) sortPart(values []float64, within []uint16, out []float64) {
	const few = 32
	r.bucket = slices.Grow(r.bucket[:0], bucketsOfPart)[:bucketsOfPart]
	clear(r.bucket)
	for _, b := range within {
		r.bucket[b]++
	}
	toPlaces(r.bucket)
	for i, v := range values {
		b := within[i]
		out[r.bucket[b]] = v
		r.bucket[b]++
	}
	begin := int32(0)
	for _, end := range r.bucket {
		bucket := out[begin:end]
		begin = end
		if len(bucket) > few {
			slices.Sort(bucket)
			continue
		}
		for i := 1; i < len(bucket); i++ {
			v, j := bucket[i], i
			for ; j > 0 && v < bucket[j-1]; j-- {
				bucket[j] = bucket[j-1]
			}
			bucket[j] = v
		}
	}
}

// toPlaces turns counts into the places where they begin.
func toPlaces(count []int32) {
	start := int32(0)
	for b, c := range count {
		count[b], start = start, start+c
	}
}

// logarithms returns the logarithms of ratios and their sum, with the errors of sumLog.
func logarithms(ratio []float64) (logs []float64, total float64, err error) {
	logs = make([]float64, len(ratio))
	total, err = eachLog(ratio, func(i int, l float64) { logs[i] = l })
	return logs, total, err
}

func sumLog(ratio []float64) (float64, error) {
	return eachLog(ratio, func(int, float64) {})
}

// eachLog tells the logarithm of each ratio and returns their sum.
func eachLog(ratio []float64, tell func(i int, l float64)) (float64, error) {
	total := 0.0
	for i, mu := range ratio {
		if !(mu >= 1) || math.IsInf(mu, 0) {
			return 0, fmt.Errorf("neighbor ratio r2/r1 of point %d is %v, want a finite number of at least 1", i, mu)
		}
		l := math.Log(mu)
		total += l
		tell(i, l)
	}
	return total, checkTotal(len(ratio), total)
}

// checkTotal says whether that many ratios, whose logarithms have this sum, have a dimension.
func checkTotal(count int, total float64) error {
	switch {
	case count < 3:
		return fmt.Errorf("%d neighbor ratios, want at least 3 distinct points", count)
	case total == 0:
		return errLattice
	}
	return nil
}

var errLattice = errors.New(
	"all neighbor ratios r2/r1 are 1 (points on a regular lattice), so no dimension is defined")

// fit is the fit of Two-NN on logarithms of ratios of the given mean, with weights for the smallest of them. It
// is NaN if those it uses are all 1.
func (r *sorting) fit(logs []float64, mean float64, weights []float64) float64 {
	xy, xx := 0.0, 0.0
	r.ascending(logs, mean, func(sorted []float64) bool {
		used := min(len(sorted), len(weights))
		for i, x := range sorted[:used] {
			xy += float64(x * weights[i])
			xx += float64(x * x)
		}
		weights = weights[used:]
		return len(weights) > 0
	})
	return xy / xx
}

// DocumentedTwoNN returns 1/(ln(mean μ) − ψ(1)), the formula that the published
// document gives for Two-NN. It is not an estimator of the dimension: since
// μ ≥ 1, its value cannot exceed 1/γ ≈ 1.7325 whatever the data. It exists so
// that old numbers can be reproduced.
func DocumentedTwoNN(ratio []float64) (float64, error) {
	if _, err := sumLog(ratio); err != nil {
		return 0, err
	}
	const eulerGamma = 0.57721566490153286060651209008240243 // −ψ(1)
	return 1 / (math.Log(stat.Sum(ratio)/float64(len(ratio))) + eulerGamma), nil
}
