// Rows of tables: shares and means with intervals that have no key of their own.

package metrics

import (
	"math"

	"repscope/analysis/sequence"
	"repscope/report"
)

// share is Σ numerator / Σ n over all sequences with its interval, from 0 to most.
// Without any it is null for the reason none.
func share(s *sequence.Summary, n, numerator []float64, highest float64, none string) (report.Estimate, error) {
	var sums [2]float64
	for i := range n {
		sums[0] += n[i]
		sums[1] += numerator[i]
	}
	value := perPrediction(sums[:])
	if math.IsNaN(value) || math.IsInf(value, 0) {
		reason := infiniteLoss
		if sums[0] == 0 {
			reason = none
		}
		return report.NoEstimate("%s", reason), nil
	}
	j, err := s.JackknifeSums("a table", perPrediction, value, sums[:], [][]float64{n, numerator})
	if err != nil {
		return report.Estimate{}, err
	}
	return report.WithInterval(report.Number(value), (&sequence.Key{High: highest}).Interval(j)), nil
}
