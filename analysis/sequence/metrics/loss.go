// Cross-entropy of masked residues, and perplexity.

package metrics

import (
	"context"
	"math"

	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
)

// crossEntropy is Σ NLL / Σ masked over all sequences, in nats.
var crossEntropy = sequence.Kind{
	Name: "loss", About: "cross-entropy of masked residues: mean of −ln p(true residue)",
	Needs: sequence.NeedMasked,
	Keys: []sequence.Key{{Name: "loss", Unit: "nats", Direction: report.Lower, High: math.Inf(1), Compared: true,
		Paired: true}},
	New: func(*sequence.Setting) sequence.Metric { return &lossMetric{sequence.NewSequenceSums(2)} },
}

// perplexity is e to the loss.
var perplexity = sequence.Kind{
	Name: "perplexity", Aliases: []string{"ppl"}, About: "exponential of the cross-entropy of masked residues",
	Needs: sequence.NeedMasked,
	Keys: []sequence.Key{{Name: "ppl", Direction: report.Lower, Low: 1, High: math.Inf(1), Log: true,
		Compared: true}},
	New: func(*sequence.Setting) sequence.Metric { return &perplexityMetric{lossMetric{sequence.NewSums(2)}} },
}

// Why scores are undefined.
const (
	NothingMasked = "no residue is masked"
	infiniteLoss  = "the loss is infinite, because a true token has probability 0"
)

// lossMetric adds up NLL, and counts.
type lossMetric struct{ sequence.Sums }

// Update adds the sequences of a batch.
func (m *lossMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		m.Add(sumNLL(it.Predictions), float64(len(it.Predictions)))
	}
	return nil
}

// sumNLL is Σ NLL.
func sumNLL(predictions []token.Prediction) float64 {
	sum := 0.0
	for i := range predictions {
		sum += predictions[i].NLL
	}
	return sum
}

// Result enters the mean.
func (m *lossMetric) Result(_ context.Context, s *sequence.Summary) error {
	nll, n := m.Column(0), m.Column(1)
	s.SequenceRatio("loss", nll, n)
	return s.Score("loss", func(sums []float64) float64 { return sums[0] / sums[1] }, lossReason(nll, n), nll, n)
}

// lossReason says why a mean NLL is no number.
func lossReason(nll, n []float64) string {
	for k, v := range nll {
		if math.IsInf(v, 1) && n[k] > 0 {
			return infiniteLoss
		}
	}
	return NothingMasked
}

// perplexityMetric has the sums of the loss.
type perplexityMetric struct{ lossMetric }

// Result enters the exponential of the mean.
func (m *perplexityMetric) Result(_ context.Context, s *sequence.Summary) error {
	nll, n := m.Column(0), m.Column(1)
	return s.Score("ppl", func(sums []float64) float64 { return math.Exp(sums[0] / sums[1]) }, lossReason(nll, n), nll, n)
}
