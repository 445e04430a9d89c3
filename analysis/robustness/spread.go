// The unit of levels for vectors, which have no pixel range.

package robustness

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/internal/quantile"
	"repscope/latent"
	"repscope/points"
	"repscope/shard"
	"repscope/stat"
)

// SpreadKind names how the spread of vectors is measured.
type SpreadKind string

const (
	// SpreadSD is the standard deviation of the values of a column, pooled over the columns: the
	// root of the mean of their variances.
	SpreadSD SpreadKind = "sd"
	// SpreadMAD is 1.4826 times the median over states of the median, over the columns, of the
	// absolute deviation from the median of the column: about the standard deviation of normal
	// values, and unmoved by some that lie far off.
	SpreadMAD SpreadKind = "mad"
)

// Spread is what a level of noise is a share of where states are vectors: how far they spread.
// The extremes of a sample are no such unit, because they grow with it.
type Spread struct {
	Kind  SpreadKind `json:"kind"`
	Value float64    `json:"value"`
	// Mean is the mean of all values.
	Mean float64 `json:"mean"`

	// spread of every state: the mean over columns of the squared deviations from their means,
	// or the median of the absolute deviations from their medians.
	spread []float64
}

// mad makes a median absolute deviation of normal values their standard deviation.
const mad = 1.482602218505602

// NewSpread measures the spread of states. It is an error if they do not spread.
func NewSpread(ctx context.Context, states latent.Source, kind SpreadKind, threads int) (*Spread, error) {
	n, dim := states.Len(), 1
	for _, d := range states.Shape() {
		dim *= d
	}
	rows := make([]float32, n*dim)
	if err := states.Float32(rows, 0, n); err != nil {
		return nil, err
	}
	centers := make([]float64, dim)
	err := parallel.With(ctx, threads, dim, func() func(k int) error {
		column := make([]float64, n)
		return func(k int) error {
			for i := range n {
				column[i] = float64(rows[i*dim+k])
			}
			if kind == SpreadMAD {
				slices.Sort(column)
				centers[k] = quantile.Sorted(column, 0.5)
			} else {
				centers[k] = stat.Mean(column)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	u := &Spread{Kind: cmp.Or(kind, SpreadSD), spread: make([]float64, n)}
	means := make([]float64, n)
	err = parallel.With(ctx, threads, n, func() func(i int) error {
		off := make([]float64, dim)
		return func(i int) error {
			for k, v := range rows[i*dim : (i+1)*dim] {
				means[i] += float64(v) / float64(dim)
				if off[k] = math.Abs(float64(v) - centers[k]); kind != SpreadMAD {
					off[k] *= off[k]
				}
			}
			if u.spread[i] = stat.Mean(off); kind == SpreadMAD {
				slices.Sort(off)
				u.spread[i] = quantile.Sorted(off, 0.5)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	u.Mean = stat.Mean(means)
	if kind == SpreadMAD {
		sorted := slices.Clone(u.spread)
		slices.Sort(sorted)
		u.Value = mad * quantile.Sorted(sorted, 0.5)
	} else {
		u.Value = math.Sqrt(stat.Mean(u.spread) * float64(n) / float64(max(n-1, 1)))
	}
	if !(u.Value > 0) {
		return nil, fmt.Errorf("the states do not vary (%s of 0), so noise levels have no unit", u.Kind)
	}
	return u, nil
}

// String says what the unit is, for messages.
func (u *Spread) String() string {
	name := "pooled standard deviation"
	if u.Kind == SpreadMAD {
		name = "1.4826 × median absolute deviation"
	}
	return fmt.Sprintf("%.6g (%s of the states)", u.Value, name)
}

// Label names the axis of levels.
func (u *Spread) label() string { return "Noise level σ (standard deviations of the states)" }

// jackknife is the jackknife of the unit over blocks of states.
func (u *Spread) jackknife(blocks *stat.Blocks) (*stat.Jackknifed, error) {
	if u.Kind == SpreadMAD {
		median, err := stat.JackknifeQuantiles(blocks, u.spread, 0.5)
		if err != nil {
			return nil, err
		}
		return median[0], nil
	}
	mean, err := stat.JackknifeMean(blocks, u.spread)
	if err != nil {
		return nil, err
	}
	return stat.Combine(func(v []float64) float64 { return math.Sqrt(max(v[0], 0)) }, mean)
}

// influence is the influence of every state on the logarithm of the unit, for the length of blocks.
func (u *Spread) influence() []float64 {
	out := make([]float64, len(u.spread))
	if u.Kind == SpreadMAD {
		middle := u.Value / mad
		for i, v := range u.spread {
			out[i] = float64(cmp.Compare(v, middle))
		}
		return out
	}
	mean := stat.Mean(u.spread)
	for i, v := range u.spread {
		out[i] = (v - mean) / (2 * mean)
	}
	return out
}

// field is the unit as a part of the identity of the work; nil for a pixel range.
func (u *Spread) field() shard.Field {
	if u == nil {
		return shard.Option("unit of levels", "pixel range")
	}
	return shard.Field{Name: "unit of levels", Value: string(u.Kind) + " " + shard.Digest(points.Float64(u.spread, 1))}
}

// logDerivative is about the derivative of a number by the logarithm of the level, at place l
// of levels: of the power of the level that the number follows to the next levels on both
// sides, the mean of two; of the straight line where a number is not above 0. alone is taken
// where there is no other level, and 0 at level 0.
func logDerivative(levels, values []float64, l int, alone float64) float64 {
	if levels[l] == 0 {
		return 0
	}
	below, above := -1, -1
	for k, level := range levels {
		switch {
		case level <= 0:
		case level < levels[l] && (below < 0 || level > levels[below]):
			below = k
		case level > levels[l] && (above < 0 || level < levels[above]):
			above = k
		}
	}
	sum, count := 0.0, 0.0
	for _, k := range []int{below, above} {
		if k < 0 {
			continue
		}
		rise := values[l] - values[k]
		if values[l] > 0 && values[k] > 0 {
			rise = values[l] * math.Log(values[l]/values[k])
		}
		sum += rise / math.Log(levels[l]/levels[k])
		count++
	}
	if count == 0 || math.IsNaN(sum) {
		return alone
	}
	return sum / count
}

// withUnit is a jackknife with the error of the unit in it: of another sample of the states a
// level is other noise, and the number is another by its derivative by the logarithm of the
// unit. nil stays nil, and without a unit of the states everything stays as it is.
func (d *describer) withUnit(j *stat.Jackknifed, derivative float64) (*stat.Jackknifed, error) {
	if j == nil || d.unit == nil || derivative == 0 || math.IsNaN(derivative) {
		return j, nil
	}
	unit := d.unit.Estimate
	out, err := stat.Combine(func(v []float64) float64 { return v[0] + float64(derivative*math.Log(v[1]/unit)) }, j,
		d.unit)
	if err != nil || !out.Interval.Defined() || !j.Interval.Defined() || !(j.StdError > 0) {
		return out, err
	}
	// An interval that lies unevenly about the estimate keeps its shape.
	stretch := out.StdError / j.StdError
	out.Interval.Low = j.Estimate - float64((j.Estimate-j.Interval.Low)*stretch)
	out.Interval.High = j.Estimate + float64((j.Interval.High-j.Estimate)*stretch)
	return out, nil
}
