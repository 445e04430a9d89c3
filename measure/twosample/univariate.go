// Distances of two samples of numbers: Wasserstein, energy, and their values without
// blocks.

package twosample

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repscope/points"
	"repscope/stat"
)

// names are what messages call the samples.
var names = [2]string{"first", "second"}

// finite is an error that names the first coordinate which is no finite number.
func finite(quantity, which string, p points.Points) error {
	row := make([]float64, p.Dim)
	for i := range p.N {
		for k, v := range p.Row(i, row) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return stat.Undefined(quantity, "point %d of the %s sample, coordinate %d is %v, want finite numbers",
					i, which, k, v)
			}
		}
	}
	return nil
}

// check says which of two samples is empty or not finite.
func check(quantity string, x, y []float64) error {
	for k, sample := range [][]float64{x, y} {
		if len(sample) == 0 {
			return stat.Undefined(quantity, "the %s sample is empty", names[k])
		}
		for i, v := range sample {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return stat.Undefined(quantity, "value %d of the %s sample is %v, want finite numbers", i, names[k], v)
			}
		}
	}
	return nil
}

// sorted copies values in ascending order.
func sorted(values []float64) []float64 {
	out := slices.Clone(values)
	slices.Sort(out)
	return out
}

// between calls visit with every interval between neighboring values of two sorted
// samples, and the shares of both that are not above it.
func between(x, y []float64, visit func(length, f, g float64)) {
	n, m := float64(len(x)), float64(len(y))
	i, j := 0, 0
	value := min(x[0], y[0])
	for i < len(x) || j < len(y) {
		next := math.Inf(1)
		if i < len(x) {
			next = x[i]
		}
		if j < len(y) {
			next = min(next, y[j])
		}
		if next > value {
			visit(next-value, float64(i)/n, float64(j)/m)
			value = next
		}
		for i < len(x) && x[i] == value {
			i++
		}
		for j < len(y) && y[j] == value {
			j++
		}
	}
}

// Wasserstein1 returns the Wasserstein distance of order 1 of two empirical
// distributions, ∫ |F − G|, exactly, in the units of the values; the samples may be of
// different sizes, and ties count as they are (scipy.stats.wasserstein_distance). 0 for
// equal distributions. O(n log n). An empty sample, NaN or Inf is a
// [stat.UndefinedError].
func Wasserstein1(x, y []float64) (float64, error) {
	if err := check("Wasserstein distance", x, y); err != nil {
		return 0, err
	}
	return wasserstein(sorted(x), sorted(y), 1), nil
}

// wasserstein is ∫ |F⁻¹ − G⁻¹|^order over shares of two sorted samples.
func wasserstein(x, y []float64, order int) float64 {
	if order == 1 {
		sum := 0.0
		between(x, y, func(length, f, g float64) { sum += float64(length * math.Abs(f-g)) })
		return sum
	}
	// Quantile functions are constant between the multiples of 1/n and 1/m.
	sum, mass := 0.0, 0 // in units of 1/(n·m)
	n, m := len(x), len(y)
	for i, j := 0, 0; i < n && j < m; {
		end := min((i+1)*m, (j+1)*n)
		sum += float64(end-mass) * math.Pow(math.Abs(x[i]-y[j]), float64(order))
		mass = end
		if end == (i+1)*m {
			i++
		}
		if end == (j+1)*n {
			j++
		}
	}
	return sum / float64(n) / float64(m)
}

// WithoutEach returns a function of two samples without each block of the pooled
// observations, x followed by y (see [Pool]): what a delete-block
// jackknife of a two-sample statistic needs. labels number the blocks, from 0 to count − 1,
// per pooled observation. f gets the samples in ascending order. A block without
// observations leaves all of them; NaN where a block holds a whole sample.
func WithoutEach(labels []int, count int, x, y []float64, f func(x, y []float64) float64) []float64 {
	orders := [2][]int{order(x, 0), order(y, len(x))}
	pooled := append(slices.Clone(x), y...)
	out := make([]float64, count)
	var rest [2][]float64
	for b := range out {
		for k := range rest {
			rest[k] = rest[k][:0]
			for _, i := range orders[k] {
				if labels[i] != b {
					rest[k] = append(rest[k], pooled[i])
				}
			}
		}
		out[b] = math.NaN()
		if len(rest[0]) > 0 && len(rest[1]) > 0 {
			out[b] = f(rest[0], rest[1])
		}
	}
	return out
}

// order lists the places of values, from first on, by ascending value.
func order(values []float64, first int) []int {
	out := make([]int, len(values))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	for i := range out {
		out[i] += first
	}
	return out
}

// WassersteinSorted is [Wasserstein1] of samples in ascending order, finite and not empty:
// for functions of [WithoutEach].
func WassersteinSorted(x, y []float64) float64 { return wasserstein(x, y, 1) }

// ScaledSorted is [Scaled1] of such samples.
func ScaledSorted(x, y []float64) float64 { return scaled(x, y) }

// Scaled1 returns [Wasserstein1] divided by the standard deviation of y (with n in the
// denominator): in units of the spread of the real values. NaN where y does not
// vary. Errors as for Wasserstein1.
func Scaled1(x, y []float64) (float64, error) {
	if err := check("scaled Wasserstein distance", x, y); err != nil {
		return 0, err
	}
	return scaled(sorted(x), sorted(y)), nil
}

func scaled(x, y []float64) float64 {
	if y[0] == y[len(y)-1] {
		return math.NaN()
	}
	return wasserstein(x, y, 1) / deviation(y)
}

// deviation is the standard deviation with n in the denominator.
func deviation(values []float64) float64 {
	mean, sum := stat.Mean(values), 0.0
	for _, v := range values {
		sum += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(sum / float64(len(values)))
}

// Pool joins blocks of several samples to blocks of the samples one after the other: block
// j of the second sample follows the last one of the first. A statistic of two samples
// varies with both; deleting the blocks of each in turn, with the blocks of other
// samples that it does not depend on left as they are, gives its error and the errors of
// differences that share a sample. Errors: fewer than two blocks in all.
func Pool(blocks ...*stat.Blocks) (*stat.Blocks, error) {
	var labels []int
	first := 0
	for _, b := range blocks {
		for _, label := range b.Labels() {
			labels = append(labels, first+label)
		}
		first += b.Count()
	}
	return stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
}

// Jackknife is the delete-block jackknife of a statistic of two independent samples, from its
// values without each block of the first and then of the second, which hold sizes
// observations: the variance is the sum of the variances of both samples, with Satterthwaite's
// degrees of freedom. level 0 means 0.95. Errors: errors of [stat.DeleteBlockJackknife], for
// each sample.
func Jackknife(estimate float64, without []float64, first, second []int, level float64) (*stat.Jackknifed, error) {
	if len(without) != len(first)+len(second) {
		return nil, fmt.Errorf("jackknife: %d values for blocks of samples of %d and %d",
			len(without), len(first), len(second))
	}
	j := &stat.Jackknifed{Estimate: estimate, Replicates: without, BlockSizes: slices.Concat(first, second)}
	variance, below := 0.0, 0.0
	for k, sizes := range [][]int{first, second} {
		part, err := stat.DeleteBlockJackknife(estimate, without[k*len(first):][:len(sizes)], sizes, level)
		if err != nil {
			return nil, fmt.Errorf("the %s sample: %w", names[k], err)
		}
		if part.Reason != "" {
			j.Reason = part.Reason
		}
		v := float64(part.StdError * part.StdError)
		variance += v
		if v > 0 {
			below += float64(v*v) / part.DF
		}
		j.Bias += part.Bias
		j.PseudoValues = append(j.PseudoValues, part.PseudoValues...)
		j.Interval = part.Interval
	}
	j.StdError, j.Corrected = math.Sqrt(variance), estimate-j.Bias
	if math.IsNaN(j.StdError) || j.Reason != "" {
		j.Interval.Low, j.Interval.High = math.NaN(), math.NaN()
		return j, nil
	}
	if j.DF = float64(variance*variance) / below; variance == 0 {
		j.DF = float64(len(without) - 2)
	}
	t, err := stat.StudentTQuantile((1+j.Interval.Level)/2, j.DF)
	if err != nil {
		return nil, err
	}
	j.Interval.Low, j.Interval.High = estimate-t*j.StdError, estimate+t*j.StdError
	return j, nil
}

// Boundaries are how the values of a sample lie to the range of another.
type Boundaries struct {
	Inside, Below, Above float64 // shares of x within [min y, max y], below and above
}

// BoundaryAdherence returns the shares of x inside and outside the range of y; the
// share inside is 1 for two equal samples. Errors as for [Wasserstein1].
func BoundaryAdherence(x, y []float64) (Boundaries, error) {
	if err := check("boundary adherence", x, y); err != nil {
		return Boundaries{}, err
	}
	low, high := slices.Min(y), slices.Max(y)
	var below, above int
	for _, v := range x {
		if v < low {
			below++
		} else if v > high {
			above++
		}
	}
	n := float64(len(x))
	return Boundaries{Inside: float64(len(x)-below-above) / n, Below: float64(below) / n, Above: float64(above) / n}, nil
}
