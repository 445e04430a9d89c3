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
	// unit and better direction: higher, lower or none.
	unit      string
	direction report.Direction
	low, high float64 // what its values can be
	headline  bool    // stands for the analysis
	about     string  // what it measures
	cite      string  // where it is from
	// terms are numerator and denominator of a sample; a denominator of 0 leaves it out.
	terms func(r row) (numerator, denominator float64)
	// of makes the number of the ratio; nil for the ratio itself. Such numbers have no
	// value by sample.
	of func(ratio float64) float64
	// none is why the number is undefined where all denominators are 0.
	none string
	// compared between models; ahead: also of more steps than one. first metrics are of one
	// step ahead alone.
	compared, ahead, first bool
	// change says that it needs the frame before.
	change bool
	// share says that it is a share of counted things, with the interval of a share; skill says 1 − a
	// ratio of errors, whose interval is computed for the logarithm of the ratio.
	share, skill bool
}

// row is one sample of one model.
type row struct {
	step  *PartOfStep
	model *Scores
	copy  *Scores // of copying the current frame
	size  float64 // values of a frame
	i     int
	// low and high are the areas up to which objects are small, and of middle size.
	low, high int
}

// matched is the number of true objects that are matched, of areas above low and up to
// high, and how many there are.
func (r row) matched(low, high int) (matched, all float64) {
	for k, area := range r.step.Areas[r.i] {
		if area > low && area <= high {
			all++
			if r.model.Hits[r.i][k] {
				matched++
			}
		}
	}
	return matched, all
}

// mean is the metric of a mean over samples.
func mean(of func(r row) float64) func(row) (float64, float64) {
	return func(r row) (float64, float64) { return of(r), 1 }
}

var inf = math.Inf(1)

// metrics are all of them, in the order of the result.
func metrics() []metric { return append(frameMetrics(), sceneMetrics()...) }

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	var out []report.Described
	for _, m := range metrics() {
		out = append(out, report.Described{Name: m.name, Better: m.direction, Unit: m.unit, Low: m.low, High: m.high,
			Headline: m.headline, About: m.about, Cite: m.cite})
	}
	return out
}

// frameMetrics are the metrics of frames.
func frameMetrics() []metric {
	return []metric{
		{name: "mse", about: "mean squared error over pixels", headline: true,
			unit: "range²", direction: report.Lower, high: inf, compared: true, ahead: true,
			terms: mean(func(r row) float64 { return r.model.MSE[r.i] })},
		{name: "mae", about: "mean absolute error over pixels",
			unit: "range", direction: report.Lower, high: inf, compared: true,
			terms: mean(func(r row) float64 { return r.model.MAE[r.i] })},
		{name: "psnr", about: "mean over frames of 10 log10(1/mse), with the mse of each frame",
			unit: "dB", direction: report.Higher, low: -inf, high: inf, compared: true,
			terms: func(r row) (float64, float64) {
				if r.model.MSE[r.i] == 0 {
					return 0, 0
				}
				return image.PSNR(r.model.MSE[r.i], 1), 1
			}, none: "every prediction equals its frame, so the PSNR is infinite"},
		{name: "psnr_of_mean_mse", about: "10 log10(1/mse), with the mean mse over all frames",
			unit: "dB", direction: report.Higher, low: -inf, high: inf,
			terms: mean(func(r row) float64 { return r.model.MSE[r.i] }),
			of:    func(mse float64) float64 { return image.PSNR(mse, 1) }, none: "every prediction equals its " +
				"frame, so the PSNR is infinite"},
		{name: "ssim", about: "mean structural similarity over frames", headline: true, cite: "wang2004",
			unit: "", direction: report.Higher, low: -1, high: 1, compared: true, ahead: true,
			terms: func(r row) (float64, float64) {
				if v := r.model.SSIM[r.i]; !math.IsNaN(v) {
					return v, 1
				}
				return 0, 0
			}},
		{name: "sharpness_ratio", about: "gradient energy of predictions divided by gradient energy of true frames",
			unit: "", direction: report.Neither, high: inf, compared: true,
			terms: func(r row) (float64, float64) { return r.model.Energy[r.i], r.step.Energy[r.i] }, none: "every true frame is constant"},
		{name: "moving_mse", about: "mean squared error over pixels that change from the current to the next frame",
			change: true, unit: "range²", direction: report.Lower, high: inf, compared: true,
			terms: func(r row) (float64, float64) { return r.model.Moving[r.i], r.step.Moved[r.i] }, none: "no " +
				"pixel changes by more than --moving-threshold"},
		{name: "static_mse", about: "mean squared error over pixels that do not change",
			change: true, unit: "range²", direction: report.Lower, high: inf, compared: true,
			terms: func(r row) (float64, float64) { return r.model.Static[r.i], r.size - r.step.Moved[r.i] }, none: "every " +
				"pixel changes by more than --moving-threshold"},
		{name: "moving_share", about: "share of pixels that change",
			change: true, unit: "", direction: report.Neither, high: 1,
			terms: func(r row) (float64, float64) { return r.step.Moved[r.i], r.size }},
		{name: "skill", about: "1 − mse / mse of copy_last, which repeats the current frame", headline: true,
			change: true, unit: "", direction: report.Higher, low: -inf, high: 1, compared: true, skill: true,
			terms: func(r row) (float64, float64) { return r.copy.MSE[r.i] - r.model.MSE[r.i], r.copy.MSE[r.i] }, none: "every " +
				"frame equals the previous frame"},
	}
}

const noObject = "no true frame has an object"

// sceneMetrics are the metrics of objects and of motion.
func sceneMetrics() []metric {
	recall := func(low, high func(r row) int) func(r row) (float64, float64) {
		return func(r row) (float64, float64) { return r.matched(low(r), high(r)) }
	}
	first := func(row) int { return 0 }
	low, high := func(r row) int { return r.low }, func(r row) int { return r.high }
	last := func(row) int { return math.MaxInt }
	objectMetric := func(name, about string, terms func(r row) (float64, float64), none string, compared bool) metric {
		return metric{name: name, about: about, headline: name == "object_f1", direction: report.Higher, high: 1, terms: terms, none: none, compared: compared, first: true, share: true}
	}
	all := func(r row) (matched, objects float64) { return r.matched(0, math.MaxInt) }
	return []metric{
		objectMetric("object_recall", "share of true objects that are matched", recall(first, last), noObject, true),
		objectMetric("object_precision", "share of predicted objects that are matched", func(r row) (float64, float64) {
			matched, _ := all(r)
			return matched, r.model.Objects[r.i]
		}, "no prediction has an object", true),
		objectMetric("object_f1", "harmonic mean of object recall and precision", func(r row) (float64, float64) {
			matched, objects := all(r)
			return 2 * matched, objects + r.model.Objects[r.i]
		}, "neither true nor predicted frames have an object", true),
		{name: "object_position_error", about: "mean distance between the centers of matched objects",
			unit: "pixels", direction: report.Lower, high: inf, first: true, compared: true, none: "no object matches",
			terms: func(r row) (float64, float64) {
				matched, _ := all(r)
				return r.model.Distance[r.i], matched
			}},
		objectMetric("object_recall_small", "object recall for the smallest third of areas", recall(first, low), noObject,
			false),
		objectMetric("object_recall_medium", "object recall for the middle third of areas", recall(low, high),
			"no true object has a middle size, because a third or more have equal area", false),
		objectMetric("object_recall_large", "object recall for the largest third of areas", recall(high, last),
			"no true object is larger than two thirds of all objects", false),
		{name: "motion_cosine", about: "cosine between the predicted and the true change of pixels",
			change: true, direction: report.Higher, low: -1, high: 1, first: true, compared: true, none: "the true " +
				"or the predicted change is 0",
			terms: func(r row) (float64, float64) {
				if v := r.model.Cosine[r.i]; !math.IsNaN(v) {
					return v, 1
				}
				return 0, 0
			}},
		{name: "motion_energy_ratio", about: "squared length of the predicted change divided by squared length of " +
			"the true change",
			change: true, direction: report.Neither, high: inf, first: true, none: "every frame equals the previous frame",
			terms: func(r row) (float64, float64) { return r.model.Motion[r.i], r.step.Motion[r.i] }},
	}
}
