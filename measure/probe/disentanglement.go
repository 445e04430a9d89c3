// How coordinates share factors: DCI and the mutual information gap.

package probe

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/measure/internal/matrix"
	"repscope/measure/score"
	"repscope/points"
	"repscope/stat"
)

// DCI are the scores of Eastwood and Williams (2018, "A framework for the quantitative evaluation of
// disentangled representations"), with ridge regression in place of their lasso: the importance
// of coordinate d for factor t is R_dt = |w_dt| of the head for the standardized factor from
// standardized coordinates.
type DCI struct {
	// Disentanglement is Σ_d ρ_d·(1 − H(R_d·)/ln T), with the entropy H of the shares of factors in the
	// importance of a coordinate and its share ρ_d in all importance: 1 where every coordinate
	// serves one factor, 0 where each serves all alike.
	Disentanglement float64
	// Completeness is the mean over factors of 1 − H(R_·t)/ln D: 1 where a single coordinate serves each
	// factor. A factor without importance is left out.
	Completeness float64
	// Informativeness is the mean over factors of the cross-fitted R² (theirs is an error), and
	// ByFactor the R² of each. A factor that is constant has NaN and is left out everywhere.
	Informativeness float64
	ByFactor        []float64
	// Importance [D, T], row-major, is the importance of one head for all rows.
	Importance []float64
	Alpha      []float64 // of each factor
	// Reason is why the scores are NaN, empty if they are not.
	Reason string
}

// DCIOf computes DCI for real or binary factors [n, T] of rows of features, with penalties chosen by
// grouped folds for each factor. Disentanglement needs two factors that vary and completeness two
// coordinates; these are NaN otherwise. Coordinates are not to be rotated: the scores are about
// axes. Errors as for [CrossFitRidge].
func DCIOf(ctx context.Context, d Data, factors points.Points, o RidgeOptions) (*DCI, error) {
	if err := d.checkTargets("DCI", factors); err != nil {
		return nil, err
	}
	scaled, varies := standardized(factors)
	if len(varies) == 0 {
		nan := math.NaN()
		return &DCI{Disentanglement: nan, Completeness: nan, Informativeness: nan, Reason: "every factor is constant"}, nil
	}
	o.Standardize, o.PerTarget = true, true
	fit, err := CrossFitRidge(ctx, d, scaled, o)
	if err != nil {
		return nil, err
	}
	whole, err := fitRidge(ctx, d.X, scaled, d.Groups, o)
	if err != nil {
		return nil, err
	}
	out := &DCI{Importance: make([]float64, d.X.Dim*factors.Dim), Alpha: make([]float64, factors.Dim), ByFactor: make([]float64, factors.Dim)}
	_, deviation := columnScale(d.X, allRows(d.X.N))
	for t := range out.ByFactor {
		out.ByFactor[t], out.Alpha[t] = math.NaN(), math.NaN()
	}
	for column, t := range varies {
		truth, predicted := make([]float64, d.X.N), make([]float64, d.X.N)
		for i := range truth {
			truth[i], predicted[i] = scaled.F64[i*len(varies)+column], fit.Predicted[0][i*len(varies)+column]
		}
		if out.ByFactor[t], err = score.R2(truth, predicted); err != nil {
			return nil, err
		}
		out.Informativeness += out.ByFactor[t] / float64(len(varies))
		out.Alpha[t] = whole.Alpha[column]
		for k := range d.X.Dim {
			out.Importance[k*factors.Dim+t] = math.Abs(whole.Coefficients[column*d.X.Dim+k]) * deviation[k]
		}
	}
	out.Disentanglement, out.Completeness = sharing(matrix.Matrix{N: d.X.Dim, Dim: factors.Dim, Data: out.Importance},
		varies)
	return out, nil
}

// sharing is disentanglement and completeness of an importance [D, T] of the factors that vary.
func sharing(importance matrix.Matrix, varies []int) (disentanglement, completeness float64) {
	total := stat.Sum(importance.Data)
	for k := range importance.N {
		row := points.Pick(importance.Row(k), varies)
		if own := stat.Sum(row); own > 0 {
			disentanglement += own / total * (1 - EntropyOfCounts(row)/math.Log(float64(len(varies))))
		}
	}
	served := 0
	for _, t := range varies {
		column := make([]float64, importance.N)
		for k := range column {
			column[k] = importance.Row(k)[t]
		}
		if stat.Sum(column) > 0 {
			completeness += 1 - EntropyOfCounts(column)/math.Log(float64(importance.N))
			served++
		}
	}
	if len(varies) < 2 || total == 0 {
		disentanglement = math.NaN()
	}
	if importance.N < 2 || served == 0 {
		return disentanglement, math.NaN()
	}
	return disentanglement, completeness / float64(served)
}

// standardized returns the columns that vary with mean 0 and variance 1, and which they are.
func standardized(y points.Points) (scaled points.Points, varies []int) {
	first := y.Row(0, nil)
	row := make([]float64, y.Dim)
	for t := range y.Dim {
		for i := range y.N {
			if y.Row(i, row)[t] != first[t] {
				varies = append(varies, t)
				break
			}
		}
	}
	mean, scale := columnScale(y, allRows(y.N))
	data := make([]float64, 0, y.N*len(varies))
	for i := range y.N {
		y.Row(i, row)
		for _, t := range varies {
			data = append(data, (row[t]-mean[t])/scale[t])
		}
	}
	if len(varies) == 0 {
		return points.Points{}, nil
	}
	return points.Float64(data, len(varies)), varies
}

func allRows(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// MIG is the mutual information gap of Chen, Li, Grosse and Duvenaud (2018, "Isolating sources of
// disentanglement in variational autoencoders").
type MIG struct {
	// Gap is the mean over factors of (I(z_a; v) − I(z_b; v))/H(v) for the two coordinates with the most
	// information about a factor v, from 0 to 1; ByFactor is the gap of each, NaN for a factor that
	// does not vary, which is left out.
	Gap      float64
	ByFactor []float64
	// Information [D, T] is I(z; v) in nats, row-major.
	Information []float64
	Reason      string // why Gap is NaN, empty if it is not
}

// MIGBins is the number of bins of [MIGOf] that is usual (Locatello et al. 2019).
const MIGBins = 20

// MIGOf computes the gap from latents [n, D] that are given without a distribution: every coordinate, and
// every factor [n, T] with more than distinct different values, is cut into bins of equal width
// over its range, the information follows from the counts (Locatello et al. 2019; Chen et al. sample from
// an encoder's distribution). Counts overstate information by about (bins − 1)·(levels − 1)/2n,
// more where there are few independent rows; gaps lose most of that. Errors: shapes that do not match,
// NaN or Inf, fewer than 2 bins.
func MIGOf(x, factors points.Points, bins int) (*MIG, error) {
	const quantity = "mutual information gap"
	if bins < 2 {
		return nil, fmt.Errorf("%s: %d bins, want at least 2", quantity, bins)
	}
	if x.N == 0 || factors.N != x.N || x.Dim == 0 || factors.Dim == 0 {
		return nil, fmt.Errorf("%s: features of shape [%d, %d] and factors of shape [%d, %d]",
			quantity, x.N, x.Dim, factors.N, factors.Dim)
	}
	for _, p := range []points.Points{x, factors} {
		if err := checkFeatures(quantity, p); err != nil {
			return nil, err
		}
	}
	out := &MIG{Gap: math.NaN(), ByFactor: make([]float64, factors.Dim), Information: make([]float64, x.Dim*factors.Dim)}
	coordinates := binned(x, bins, 0)
	levels := binned(factors, bins, bins)
	sum, varies := 0.0, 0
	for t, v := range levels {
		counts := make([]float64, slices.Max(v)+1)
		for _, k := range v {
			counts[k]++
		}
		h := EntropyOfCounts(counts)
		var best, second float64
		for k, z := range coordinates {
			i := information(z, v)
			out.Information[k*factors.Dim+t] = i
			if i > best {
				best, second = i, best
			} else {
				second = max(second, i)
			}
		}
		if out.ByFactor[t] = (best - second) / h; h == 0 {
			out.ByFactor[t] = math.NaN()
			continue
		}
		sum += out.ByFactor[t]
		varies++
	}
	if x.Dim < 2 {
		out.Reason = "the gap needs at least two coordinates"
		return out, nil
	}
	if out.Gap = sum / float64(varies); varies == 0 {
		out.Reason = "every factor is constant"
	}
	return out, nil
}

// binned returns every column as numbers of bins of equal width over its range; a column of at most distinct
// different values by their rank.
func binned(x points.Points, bins, distinct int) [][]int {
	out, row := make([][]int, x.Dim), make([]float64, x.Dim)
	for k := range out {
		column := make([]float64, x.N)
		for i := range column {
			column[i] = x.Row(i, row)[k]
		}
		values := slices.Compact(slices.Sorted(slices.Values(column)))
		low, high := values[0], values[len(values)-1]
		bin := make([]int, x.N)
		for i, v := range column {
			switch {
			case len(values) <= distinct:
				bin[i], _ = slices.BinarySearch(values, v)
			case high > low:
				bin[i] = min(int(float64(bins)*((v-low)/(high-low))), bins-1)
			}
		}
		out[k] = bin
	}
	return out
}

// information is the mutual information of two lists of numbers in nats, by counts.
func information(a, b []int) float64 {
	width, height := slices.Max(b)+1, slices.Max(a)+1
	joint, first, second := make([]float64, height*width), make([]float64, height), make([]float64, width)
	for i := range a {
		joint[a[i]*width+b[i]]++
		first[a[i]]++
		second[b[i]]++
	}
	return max(EntropyOfCounts(first)+EntropyOfCounts(second)-EntropyOfCounts(joint), 0)
}
