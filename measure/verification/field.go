// Errors of fields that are not means over cells.

package verification

import (
	"math"

	"repscope/stat"
)

// FieldErrors are sums over the cells of one field, of a forecast and the truth.
type FieldErrors struct {
	Weight           float64 // sum of weights
	SquaredError     float64 // Σ w(f − o)²
	SquaredTruth     float64 // Σ w·o²
	SquaredDeviation float64 // Σ w(o − ō)², ō the weighted mean
	Error            float64 // Σ w(f − o)
	Maximum          float64 // max |f − o| over the cells that have a weight
	// Boundary is Σ(f − o)² over the cells of the four sides that have a weight, however
	// large: corners are on two sides. BoundaryCells is their number, 2(H + W) of all. A grid
	// that goes round has the first and the last row alone.
	Boundary, BoundaryCells float64
}

// NewFieldErrors compares a forecast with the truth on a grid.
func NewFieldErrors(forecast []float64, truth []float64, grid Grid, weights []float64) FieldErrors {
	var e FieldErrors
	height, width := grid.Height, grid.Width
	first := firstCell(weights)
	if first >= len(truth) {
		return e
	}
	sum := 0.0 // of o − the first, so that constant fields have no deviation at all
	for c, o := range truth {
		w := 1.0
		if weights != nil {
			w = weights[c]
		}
		if w == 0 {
			continue
		}
		d := forecast[c] - o
		e.Weight += w
		e.SquaredError += w * d * d
		e.SquaredTruth += w * o * o
		e.Error += w * d
		e.Maximum = max(e.Maximum, math.Abs(d))
		sum += w * (o - truth[first])
		sides := 0.0
		ends := !grid.Wrap
		for _, on := range [4]bool{c < width, c >= (height-1)*width, c%width == 0 && ends, c%width == width-1 && ends} {
			if on {
				sides++
			}
		}
		e.Boundary += sides * d * d
		e.BoundaryCells += sides
	}
	mean := truth[first] + sum/e.Weight
	for c, o := range truth {
		w := 1.0
		if weights != nil {
			w = weights[c]
		}
		if w != 0 {
			e.SquaredDeviation += w * square(o-mean)
		}
	}
	return e
}

// firstCell is the first cell that has a weight, 0 where weights are nil; their number if none has one.
func firstCell(weights []float64) int {
	for c, w := range weights {
		if w != 0 {
			return c
		}
	}
	return len(weights)
}

// NRMSE is the root of Σ w(f − o)²/Σ w·o², PDEBench's normalized RMSE. Undefined where truth
// is 0 everywhere.
func (e FieldErrors) NRMSE() (float64, error) {
	ratio, err := share("nRMSE", e.SquaredError, e.SquaredTruth, "the truth is 0 in every cell")
	return math.Sqrt(ratio), err
}

// VRMSE is the root of Σ w(f − o)²/Σ w(o − ō)², the variance-scaled RMSE of The Well (Ohana
// et al. 2024) without its small constant: 1 for a forecast of the field's mean. Undefined
// where truth is constant.
func (e FieldErrors) VRMSE() (float64, error) {
	ratio, err := share("VRMSE", e.SquaredError, e.SquaredDeviation, "the truth is constant")
	return math.Sqrt(ratio), err
}

// BoundaryRMSE is the RMSE over the cells of the four sides, as in PDEBench; NaN where none
// of them has a weight.
func (e FieldErrors) BoundaryRMSE() float64 { return math.Sqrt(e.Boundary / e.BoundaryCells) }

// MeanError is the error of the weighted mean of the field, a quantity that physics may
// conserve: its square, averaged over samples, is PDEBench's.
func (e FieldErrors) MeanError() float64 { return e.Error / e.Weight }

// Anomalies are sums of the products of a forecast's and the truth's anomalies from a
// climatology, over cells.
type Anomalies struct{ Weight, Forecast, Truth, Product, SquaredForecast, SquaredTruth float64 }

// NewAnomalies sums over the cells of a field.
func NewAnomalies(forecast []float64, truth []float64, climatology, weights []float64) Anomalies {
	var a Anomalies
	for c, m := range climatology {
		w := 1.0
		if weights != nil {
			w = weights[c]
		}
		if w == 0 {
			continue
		}
		f, o := forecast[c]-m, truth[c]-m
		a.Weight += w
		a.Forecast += w * f
		a.Truth += w * o
		a.Product += w * f * o
		a.SquaredForecast += w * f * f
		a.SquaredTruth += w * o * o
	}
	return a
}

// ACC is the anomaly correlation coefficient of one field, −1 to 1: Σ w·f'o'/√(Σ w·f'²·Σ w·o'²)
// of the anomalies f' and o', or, centered, their correlation after the weighted mean of
// each is taken away. Undefined where the anomalies of one do not vary.
func (a Anomalies) ACC(centered bool) (float64, error) {
	product, forecast, truth := a.Product, a.SquaredForecast, a.SquaredTruth
	if centered {
		product -= a.Forecast * a.Truth / a.Weight
		forecast -= a.Forecast * a.Forecast / a.Weight
		truth -= a.Truth * a.Truth / a.Weight
	}
	const tiny = 1e-14 // of the sum: rounding, where there is no variance
	if !(forecast > tiny*a.SquaredForecast && truth > tiny*a.SquaredTruth) {
		return math.NaN(), stat.Undefined("ACC", "the anomalies of the forecast or of the truth do not vary")
	}
	return min(1, max(-1, product/math.Sqrt(forecast*truth))), nil
}
