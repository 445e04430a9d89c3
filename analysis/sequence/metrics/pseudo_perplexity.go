// Pseudo-log-likelihood and pseudo-perplexity: every residue hidden alone; and the estimate
// of one pass in which nothing is hidden.

package metrics

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
)

// pseudoPerplexity is the mean over sequences of Σ ln p(residue | all others), and
// exp(−Σ ln p / residues) of all of them (Salazar et al. 2020, Masked language model scoring).
var pseudoPerplexity = sequence.Kind{
	Name: "pseudo_perplexity", Aliases: []string{"pppl", "pll"}, About: "pseudo-log-likelihood and its perplexity, " +
		"with every residue masked alone",
	Needs: sequence.NeedSingle,
	Keys:  pseudoKeys("pll", "pppl", "with every residue masked alone"),
	New: func(*sequence.Setting) sequence.Metric {
		return &pseudoMetric{Sums: sequence.NewSequenceSums(2), pll: "pll", pppl: "pppl"}
	},
}

// onePassPerplexity is the same of probabilities that the model gives while it sees the
// residue: fast, and another number, since a residue that is seen is easier to name.
var onePassPerplexity = sequence.Kind{
	Name: "one_pass_perplexity", Aliases: []string{"one_pass_pppl", "one_pass_pll"},
	About: "the same from one pass over unmasked sequences, where the scored residue is visible",
	Needs: sequence.NeedCleanLogits,
	Keys:  pseudoKeys("one_pass_pll", "one_pass_pppl", "from one pass over unmasked sequences"),
	New: func(*sequence.Setting) sequence.Metric {
		return &pseudoMetric{Sums: sequence.NewSequenceSums(2), clean: true, pll: "one_pass_pll", pppl: "one_pass_pppl"}
	},
}

func pseudoKeys(pll, pppl, pass string) []sequence.Key {
	return []sequence.Key{
		{Name: pll, About: "pseudo-log-likelihood, mean over sequences, " + pass,
			Unit: "nats", Direction: report.Higher, Low: math.Inf(-1), Compared: true, Paired: true},
		{Name: pppl, About: "pseudo-perplexity: exp of the mean of −ln p(true residue), " + pass,
			Direction: report.Lower, Low: 1, High: math.Inf(1), Log: true, Compared: true, Paired: true},
	}
}

// pseudoMetric keeps Σ −ln p and the residues of every sequence.
type pseudoMetric struct {
	sequence.Sums
	clean     bool // of the pass without masks
	pll, pppl string
}

// Update adds the sequences of a batch.
func (m *pseudoMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		nll, n := 0.0, 0
		for i := range it.Single {
			if m.clean {
				break
			}
			nll += it.Single[i].NLL
			n++
		}
		for position, special := range it.Special {
			if !m.clean || special {
				continue
			}
			v := len(it.Clean.Logits) / len(it.Tokens)
			p, err := token.Predict(it.Clean.Logits[position*v:(position+1)*v], int(it.Tokens[position]))
			if err != nil {
				return fmt.Errorf("sequence %s: position %d: %w", it.ID, position, err)
			}
			nll += p.NLL
			n++
		}
		m.Add(nll, float64(n))
	}
	return nil
}

// Result enters the numbers of all sequences and of each.
func (m *pseudoMetric) Result(_ context.Context, s *sequence.Summary) error {
	nll, n := m.Column(0), m.Column(1)
	one := make([]float64, len(n)) // sequences that have residues
	plls, perplexities := make([]float64, len(n)), make([]float64, len(n))
	for i := range n {
		plls[i], perplexities[i] = math.NaN(), math.NaN()
		if n[i] > 0 {
			one[i], plls[i], perplexities[i] = 1, -nll[i], math.Exp(nll[i]/n[i])
		}
	}
	reason := "no residues"
	for _, v := range nll {
		if math.IsInf(v, 1) {
			reason = "a residue has the probability 0"
		}
	}
	if err := s.Score(m.pll, func(sums []float64) float64 { return -sums[0] / sums[1] }, reason, nll, one); err != nil {
		return err
	}
	if err := s.Score(m.pppl, func(sums []float64) float64 { return math.Exp(sums[0] / sums[1]) }, reason, nll, n); err != nil {
		return err
	}
	s.Sequences(m.pll, plls)
	s.Sequences(m.pppl, perplexities)
	return nil
}
