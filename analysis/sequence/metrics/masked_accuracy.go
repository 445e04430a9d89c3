// Masked accuracy: how often the most probable token is the hidden one.

package metrics

import (
	"context"

	"repscope/analysis/sequence"
	"repscope/report"
)

// maskedAccuracy is Σ correct / Σ masked over all sequences.
var maskedAccuracy = sequence.Kind{
	Name: "masked_accuracy", Aliases: []string{"mask_acc"}, About: "share of masked residues predicted correctly " +
		"by the most probable token",
	Needs: sequence.NeedMasked,
	Keys:  []sequence.Key{{Name: "mask_acc", Direction: report.Higher, High: 1, Compared: true, Paired: true}},
	New:   func(*sequence.Setting) sequence.Metric { return &accuracyMetric{sequence.NewSequenceSums(2)} },
}

// accuracyMetric counts correct predictions and all.
type accuracyMetric struct{ sequence.Sums }

// Update adds the sequences of a batch.
func (m *accuracyMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		correct := 0.0
		for i := range it.Predictions {
			if it.Predictions[i].Correct() {
				correct++
			}
		}
		m.Add(correct, float64(len(it.Predictions)))
	}
	return nil
}

// Result enters the share.
func (m *accuracyMetric) Result(_ context.Context, s *sequence.Summary) error {
	if err := s.RatioOr("mask_acc", NothingMasked, m.Column(0), m.Column(1)); err != nil {
		return err
	}
	s.SequenceRatio("mask_acc", m.Column(0), m.Column(1))
	return nil
}
