// How near the true residue is to the top of the prediction.

package metrics

import (
	"context"
	"fmt"

	"repscope/analysis/sequence"
	"repscope/report"
)

// topNumbers are the k of top-k accuracies; k = 1 is mask_acc.
var topNumbers = []int{3, 5, 10}

// topK are the shares of masked residues whose true token is among the k most probable.
var topK = sequence.Kind{
	Name: "top_k", About: "share of masked residues with the true residue among the 3, 5 and 10 most probable " +
		"tokens, and mean reciprocal rank",
	Needs: sequence.NeedMasked | sequence.NeedConfidence,
	Keys: []sequence.Key{{Name: "top3_acc",
		About:     "share of masked residues whose true residue is among the 3 most probable tokens",
		Direction: report.Higher, High: 1, Compared: true},
		{Name: "top5_acc", About: "share of masked residues whose true residue is among the 5 most probable tokens",
			Direction: report.Higher, High: 1},
		{Name: "top10_acc", About: "share of masked residues whose true residue is among the 10 most probable tokens",
			Direction: report.Higher, High: 1},
		{Name: "mean_reciprocal_rank", About: "mean of 1/rank of the true residue among the tokens by probability",
			Direction: report.Higher, High: 1}},
	New: func(*sequence.Setting) sequence.Metric { return &topKMetric{sequence.NewSums(2 + len(topNumbers))} },
}

// topKMetric counts predictions, adds up reciprocal ranks, and counts ranks below each k.
type topKMetric struct{ sequence.Sums }

// Update adds the sequences of a batch.
func (m *topKMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		row := make([]float64, m.Width)
		for i := range it.Predictions {
			rank := it.Predictions[i].Rank
			row[0]++
			row[1] += 1 / float64(rank+1)
			for j, k := range topNumbers {
				if rank < k {
					row[2+j]++
				}
			}
		}
		m.Add(row...)
	}
	return nil
}

// Result enters the shares.
func (m *topKMetric) Result(_ context.Context, s *sequence.Summary) error {
	n := m.Column(0)
	for j, k := range topNumbers {
		if err := s.Score(fmt.Sprintf("top%d_acc", k), perPrediction, NothingMasked, n, m.Column(2+j)); err != nil {
			return err
		}
	}
	return s.Score("mean_reciprocal_rank", perPrediction, NothingMasked, n, m.Column(1))
}
