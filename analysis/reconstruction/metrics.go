// The numbers about a model: ratios of sums over samples.

package reconstruction

import (
	"math"

	"repscope/measure/image"
	"repscope/report"
)

// metric is a number that is a ratio of sums over samples, or a function of one.
type metric struct {
	name string
	// unit and direction of what is better: higher, lower or none.
	unit      string
	direction report.Direction
	low, high float64 // what its values can be
	// terms are numerator and denominator of a sample; a denominator of 0 leaves it out.
	terms func(r row) (numerator, denominator float64)
	// of makes the number of the ratio; nil for the ratio itself. Such numbers have no
	// value by sample.
	of func(ratio float64) float64
	// none is why the number is undefined where all denominators are 0.
	none string
	// compared between models; ahead: also of more steps than one.
	compared, ahead bool
}

// row is one sample of one model.
type row struct {
	step  *PartOfStep
	model *Scores
	copy  *Scores // of copying the current frame
	size  float64 // values of a frame
	i     int
}

// mean is the metric of a mean over samples.
func mean(of func(r row) float64) func(row) (float64, float64) {
	return func(r row) (float64, float64) { return of(r), 1 }
}

var inf = math.Inf(1)

// metrics are all of them, in the order of the result.
func metrics() []metric {
	return []metric{
		{name: "mse", unit: "range²", direction: report.Lower, high: inf, compared: true, ahead: true,
			terms: mean(func(r row) float64 { return r.model.MSE[r.i] })},
		{name: "mae", unit: "range", direction: report.Lower, high: inf, compared: true,
			terms: mean(func(r row) float64 { return r.model.MAE[r.i] })},
		{name: "psnr", unit: "dB", direction: report.Higher, low: -inf, high: inf, compared: true,
			terms: func(r row) (float64, float64) {
				if r.model.MSE[r.i] == 0 {
					return 0, 0
				}
				return image.PSNR(r.model.MSE[r.i], 1), 1
			}, none: "every prediction equals its frame: the PSNR is infinite"},
		{name: "psnr_of_mean_mse", unit: "dB", direction: report.Higher, low: -inf, high: inf,
			terms: mean(func(r row) float64 { return r.model.MSE[r.i] }),
			of:    func(mse float64) float64 { return image.PSNR(mse, 1) }, none: "every prediction equals its frame: the PSNR is infinite"},
		{name: "ssim", unit: "", direction: report.Higher, low: -1, high: 1, compared: true, ahead: true,
			terms: func(r row) (float64, float64) {
				if v := r.model.SSIM[r.i]; !math.IsNaN(v) {
					return v, 1
				}
				return 0, 0
			}},
		{name: "sharpness_ratio", unit: "", direction: report.Neither, high: inf, compared: true,
			terms: func(r row) (float64, float64) { return r.model.Energy[r.i], r.step.Energy[r.i] }, none: "every true frame is constant"},
		{name: "moving_mse", unit: "range²", direction: report.Lower, high: inf, compared: true,
			terms: func(r row) (float64, float64) { return r.model.Moving[r.i], r.step.Moved[r.i] }, none: "no pixel moves by more than the threshold"},
		{name: "static_mse", unit: "range²", direction: report.Lower, high: inf, compared: true,
			terms: func(r row) (float64, float64) { return r.model.Static[r.i], r.size - r.step.Moved[r.i] }, none: "every pixel moves by more than the threshold"},
		{name: "moving_share", unit: "", direction: report.Neither, high: 1,
			terms: func(r row) (float64, float64) { return r.step.Moved[r.i], r.size }},
		{name: "skill", unit: "", direction: report.Higher, low: -inf, high: 1, compared: true,
			terms: func(r row) (float64, float64) { return r.copy.MSE[r.i] - r.model.MSE[r.i], r.copy.MSE[r.i] }, none: "no frame differs from the one before"},
	}
}
