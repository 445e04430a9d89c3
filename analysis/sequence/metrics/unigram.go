// How much better than frequencies of residues a model predicts, in bits.

package metrics

import (
	"context"
	"math"

	"repscope/analysis/sequence"
	"repscope/measure/probe"
	"repscope/report"
)

// unigram compares the loss with the entropy of the masked residues.
var unigram = sequence.Kind{
	Name: "bits_below_unigram", About: "information gain over residue frequencies in bits per masked residue: " +
		"entropy of the frequencies minus loss",
	Needs: sequence.NeedMasked,
	Keys: []sequence.Key{{Name: "bits_below_unigram",
		About: "entropy of the residue frequencies minus loss, per masked residue",
		Unit:  "bits", Direction: report.Higher, Low: math.Inf(-1), High: math.Inf(1), Compared: true},
		{Name: "unigram_bits", About: "entropy of the residue frequencies",
			Unit: "bits", Direction: report.Neither, High: math.Inf(1)},
		{Name: "loss_bits", About: "loss in bits",
			Unit: "bits", Direction: report.Lower, High: math.Inf(1)}},
	New: func(s *sequence.Setting) sequence.Metric {
		return &unigramMetric{sequence.NewSums(2 + s.Alphabet.Size())}
	},
}

// unigramMetric counts predictions, adds up NLL, and counts true tokens.
type unigramMetric struct{ sequence.Sums }

// Update adds the sequences of a batch.
func (m *unigramMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		row := make([]float64, m.Width)
		row[0], row[1] = float64(len(it.Predictions)), sumNLL(it.Predictions)
		for i := range it.Predictions {
			row[2+it.Predictions[i].Target]++
		}
		m.Add(row...)
	}
	return nil
}

// Result enters the entropy of the frequencies of the masked residues themselves, which no guess that
// looks at nothing beats, the loss in bits, and the difference.
func (m *unigramMetric) Result(_ context.Context, s *sequence.Summary) error {
	columns := make([][]float64, m.Width)
	for k := range columns {
		columns[k] = m.Column(k)
	}
	reason := lossReason(columns[1], columns[0])
	entropy := func(sums []float64) float64 { return probe.EntropyOfCounts(sums[2:]) / math.Ln2 }
	bits := func(sums []float64) float64 { return sums[1] / sums[0] / math.Ln2 }
	if err := s.Score("bits_below_unigram", func(sums []float64) float64 { return entropy(sums) - bits(sums) }, reason, columns...); err != nil {
		return err
	}
	if err := s.Score("unigram_bits", entropy, NothingMasked, columns...); err != nil {
		return err
	}
	return s.Score("loss_bits", bits, reason, columns...)
}
