// Accuracy by region.

package sequence

import (
	"context"

	"repscope/measure/token"
	"repscope/report"
)

// regionAccuracy is the share of scored residues of a region that are predicted.
var regionAccuracy = Kind{
	Name: "region_accuracy", About: "accuracy by region, of aggregates and of residues of the germline and not",
	Needs: NeedRegional, Either: NeedRegions | NeedGermline,
	Keys: regionKeys(Key{Name: "accuracy", Direction: report.Higher, High: 1}),
	New: func(*Setting) Metric {
		return &regionAccuracyMetric{newRegionSums(2, func(p *token.Prediction, row []float64) {
			row[0]++
			if p.Correct() {
				row[1]++
			}
		})}
	},
}

// regionAccuracyMetric counts predictions and correct ones by cell.
type regionAccuracyMetric struct{ regionSums }

// Result enters the shares.
func (m *regionAccuracyMetric) Result(_ context.Context, s *Summary) error {
	return m.each(s, []string{"accuracy"}, func(prefix string, columns [][]float64) error {
		return s.Score(prefix+"accuracy", perPrediction, nothingMasked, columns...)
	})
}
