// Numbers with intervals, and the comparisons of generators.

package generation

import (
	"math"
	"regexp"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// Estimate is a number with what its interval and its comparisons need.
type Estimate struct {
	// Path is the path of the number in the part of a model: "diversity.overall_mean_diversity".
	Path string
	report.Estimate
	// Jackknife is nil in a run without intervals, and where the number has none.
	Jackknife *stat.Jackknifed
	// Shared is how many of the last blocks of the jackknife are of items that other generators
	// are measured on too: all where these are reconstructed, the real samples where
	// distances to them are measured, 0 where samples are drawn independently. Items names
	// them, such as their digest: generators share blocks where both are equal.
	Shared int
	Items  string
}

// estimate is a jackknifed number, whose interval ends where its range does; j may be nil, where the value stands
// without interval.
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

// numberRanges are the ends of numbers by the last part of their paths; the first that fits counts.
var numberRanges = []struct {
	name      *regexp.Regexp
	low, high float64
}{
	{regexp.MustCompile(`^diversity\..*novelty$`), 0, 1},
	{regexp.MustCompile(`(^|[._])(accuracy|iou|mean_iou|median_iou|exact_share|uniqueness_ratio|validity_rate|valid_unique_novel)$`), 0, 1},
	{regexp.MustCompile(`\.(mean_jaccard_distance|mean_nearest_jaccard|\w*mean_diversity|authentic|copies|auc)$|\.per_channel_iou\.`), 0, 1},
	{regexp.MustCompile(`\.quadratic_weighted_kappa$`), -1, 1},
	{regexp.MustCompile(`\.(vendi_score|vendi_two)$`), 1, math.Inf(1)},
	{regexp.MustCompile(`(_error|_of_ceiling|\.novelty|\.latent_std)$`), 0, math.Inf(1)},
}

// rangeOf is what the number at a path can be.
func rangeOf(path string) (low, high float64) {
	for _, r := range numberRanges {
		if r.name.MatchString(path) {
			return r.low, r.high
		}
	}
	return math.Inf(-1), math.Inf(1)
}

// within ends the interval of a number without a path where the number does.
func (e Estimate) within(low, high float64) Estimate {
	if e.Jackknife != nil && e.CI.Defined() {
		e.CI = results.IntervalOf(e.Jackknife.Within(low, high))
	}
	return e
}

// asShare gives the number the interval of a share of n samples.
func (e Estimate) asShare(n int) Estimate {
	if e.Jackknife != nil {
		e.CI = results.Interval(e.Jackknife.AsShare(n).Interval)
	}
	return e
}

// shared is the Shared of a number whose items all generators are measured on.
func shared(e Estimate) int {
	if e.Jackknife == nil {
		return 0
	}
	return len(e.Jackknife.BlockSizes)
}
