// Accuracy by region.

package metrics

import (
	"context"

	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
)

// regionAccuracy is the share of scored residues of a region that are predicted.
var regionAccuracy = sequence.Kind{
	Name: "region_accuracy", About: "accuracy by region, for aggregates of regions, and for germline and other " +
		"residues",
	Needs: sequence.NeedRegional, Either: sequence.NeedRegions | sequence.NeedGermline,
	Keys: regionKeys(sequence.Key{Name: "accuracy", About: "share of masked residues of the region predicted correctly",
		Direction: report.Higher, High: 1}),
	New: func(*sequence.Setting) sequence.Metric {
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
func (m *regionAccuracyMetric) Result(_ context.Context, s *sequence.Summary) error {
	return m.each(s, []string{"accuracy"}, func(prefix string, columns [][]float64) error {
		return s.Score(prefix+"accuracy", perPrediction, NothingMasked, columns...)
	})
}
