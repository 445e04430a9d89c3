// Numbers with intervals, and the comparisons of generators.

package generation

import (
	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// Estimate is a number with what its interval and its comparisons need.
type Estimate struct {
	// Path is that of the number in the part of a model: "diversity.overall_mean_diversity".
	Path string
	report.Estimate
	// Jackknife is nil in a run without intervals, and where the number has none.
	Jackknife *stat.Jackknifed
	// Shared is how many of the last blocks of the jackknife are of items that other generators
	// are measured on too: all where these are reconstructed, those of the real samples where
	// distances to them are measured, 0 where samples are drawn independently. Items names
	// them, such as their digest: generators share blocks where both are equal.
	Shared int
	Items  string
}

// Scores are scores of samples whose mean is the number at Path.
type Scores struct {
	Path   string
	Kind   string // of samples: "item", "sample"
	Group  []int  // of each; nil: every sample is one
	Values []float64
}

// set enters a number and its interval under a key.
func (e *Estimate) set(o *report.Object, key string) {
	o.Set(key, e.Estimate)
}

// estimate is a jackknifed number, whose interval ends where its range does; j may be nil, where the value stands without
// interval.
func estimate(path string, value float64, j *stat.Jackknifed, err error) Estimate {
	if j != nil {
		j.Within(rangeOf(path))
	}
	e := Estimate{Path: path, Estimate: report.WithInterval(report.NumberOr(value, "not defined"), results.IntervalOf(j)), Jackknife: j}
	if err != nil {
		e.CI = report.NoInterval("%s", stat.Reason(err))
	}
	return e
}

// withoutError is a number whose interval would not hold as often as it says, and why.
func withoutError(path string, value float64, reason string) Estimate {
	return Estimate{Path: path, Estimate: report.WithInterval(report.NumberOr(value, "not defined"), report.NoInterval("%s", reason))}
}

// undefined is a number that cannot be computed, and why.
func undefined(path, reason string) Estimate {
	return Estimate{Path: path, Estimate: report.NoEstimate("%s", reason)}
}

// ends are the ends of an interval for CSV files; NaN, an empty cell, where there is none.
func ends(ci report.Interval) [2]float64 {
	low, high := output.Ends(ci)
	return [2]float64{low, high}
}
