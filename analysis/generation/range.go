// What numbers can be, beyond which no interval reaches.

package generation

import (
	"math"
	"regexp"

	"repscope/analysis/internal/results"
)

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
