// Cross-entropy, mean probability of the true residue, and perplexity by region.

package metrics

import (
	"context"
	"math"

	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
)

// regionLoss is the mean NLL of a region, and the mean probability of its true residues.
var regionLoss = sequence.Kind{
	Name: "region_loss", About: "cross-entropy and mean probability of the true residue by region",
	Needs: sequence.NeedRegional, Either: sequence.NeedRegions | sequence.NeedGermline,
	Keys: append(regionKeys(sequence.Key{Name: "loss", About: "mean of −ln p(true residue) in the region",
		Unit: "nats", Direction: report.Lower, High: math.Inf(1)}),
		uncompared(regionKeys(sequence.Key{Name: "prob", About: "mean probability of the true residue in the region",
			Direction: report.Higher, High: 1}))...),
	New: func(*sequence.Setting) sequence.Metric {
		return &regionLossMetric{newRegionSums(3, func(p *token.Prediction, row []float64) {
			row[0]++
			row[1] += p.NLL
			row[2] += p.Prob
		})}
	},
}

// regionPerplexity is e to the loss of a region.
var regionPerplexity = sequence.Kind{
	Name: "region_perplexity", Aliases: []string{"region_ppl"}, About: "perplexity by region",
	Needs: sequence.NeedRegional, Either: sequence.NeedRegions | sequence.NeedGermline,
	Keys: regionKeys(sequence.Key{Name: "ppl", About: "exponential of the cross-entropy in the region",
		Direction: report.Lower, Low: 1, High: math.Inf(1), Log: true}),
	New: func(*sequence.Setting) sequence.Metric {
		return &regionPerplexityMetric{newRegionSums(2, func(p *token.Prediction, row []float64) {
			row[0]++
			row[1] += p.NLL
		})}
	},
}

// uncompared are keys by which models are not compared.
func uncompared(keys []sequence.Key) []sequence.Key {
	for i := range keys {
		keys[i].Compared = false
	}
	return keys
}

// regionLossMetric counts predictions and adds up NLL and probabilities by cell.
type regionLossMetric struct{ regionSums }

// Result enters the means.
func (m *regionLossMetric) Result(_ context.Context, s *sequence.Summary) error {
	return m.each(s, []string{"loss", "prob"}, func(prefix string, columns [][]float64) error {
		if err := s.Score(prefix+"loss", perPrediction, lossReason(columns[1], columns[0]), columns[0], columns[1]); err != nil {
			return err
		}
		return s.Score(prefix+"prob", perPrediction, NothingMasked, columns[0], columns[2])
	})
}

// regionPerplexityMetric counts predictions and adds up NLL by cell.
type regionPerplexityMetric struct{ regionSums }

// Result enters the exponentials of the means.
func (m *regionPerplexityMetric) Result(_ context.Context, s *sequence.Summary) error {
	return m.each(s, []string{"ppl"}, func(prefix string, columns [][]float64) error {
		return s.Score(prefix+"ppl", expPerPrediction, lossReason(columns[1], columns[0]), columns...)
	})
}
