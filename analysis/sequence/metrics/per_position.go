// Scores by position in the chain.

package metrics

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/sequence"
	"repscope/report"
)

// positionFile has a row for every position of a chain.
const positionFile = "sequence_positions.csv"

// perPosition scores predictions by their position in the chain.
var perPosition = sequence.Kind{
	Name: "per_position", About: "accuracy, loss and probability by position in the chain, counted from 1 (table and CSV file)",
	Needs: sequence.NeedRegional,
	Keys: []sequence.Key{{Name: "per_position.accuracy", About: "accuracy by position in the chain, counted from 1",
		Direction: report.Higher, High: 1},
		{Name: "per_position.loss", About: "mean of −ln p(true residue) by position in the chain, counted from 1",
			Unit: "nats", Direction: report.Lower, High: math.Inf(1)},
		{Name: "per_position.prob",
			About:     "mean probability of the true residue by position in the chain, counted from 1",
			Direction: report.Higher, High: 1}},
	Files: []sequence.CSVFile{{Name: positionFile,
		Columns: []string{"chain", "position", "count", "accuracy", "loss", "prob"}}},
	New: func(*sequence.Setting) sequence.Metric { return &perPositionMetric{sequence.Counts{Grows: true}} },
}

// The counts of a position of a chain.
const (
	positionCount = iota
	positionCorrect
	positionNLL // in steps
	positionProb
	positionNever // how often the true token had no probability: its NLL, beyond mostNLL, is not in the sum
	positionCounts
)

// mostNLL bounds the NLL that is added up in steps.
const mostNLL = 1e6

// perPositionMetric has the counts of position 1 of the heavy and of the light chain, of position 2, ….
type perPositionMetric struct{ sequence.Counts }

// Update adds the sequences of a batch.
func (m *perPositionMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		var residues [2]int // before a token, by chain
		next := 0
		for i := range it.Regional {
			p := &it.Regional[i]
			for ; next < p.Position; next++ {
				if !it.Special[next] {
					residues[it.Chains[next]]++
				}
			}
			chain := int(it.Chains[p.Position])
			first := (2*residues[chain] + chain) * positionCounts
			m.Grow(first + positionCounts)
			counts := m.Values[first:][:positionCounts]
			counts[positionCount]++
			if p.Correct() {
				counts[positionCorrect]++
			}
			counts[positionProb] += steps(p.Prob)
			if p.NLL > mostNLL {
				counts[positionNever]++
			} else {
				counts[positionNLL] += steps(p.NLL)
			}
		}
	}
	return nil
}

// positionRow is the part of a position.
type positionRow struct {
	Position string       `json:"position" report:"parameter"` // "H1"
	Count    int64        `json:"count"`
	Accuracy report.Value `json:"accuracy"`
	Loss     report.Value `json:"loss"`
	Prob     report.Value `json:"prob"`
}

// Result enters the row of every position with predictions.
func (m *perPositionMetric) Result(_ context.Context, s *sequence.Summary) error {
	rows, table := []positionRow{}, s.Table(positionFile)
	for chain, name := range []string{"heavy", "light"} {
		for k := chain; (k+1)*positionCounts <= len(m.Values); k += 2 {
			counts := m.Values[k*positionCounts:][:positionCounts]
			n := float64(counts[positionCount])
			if n == 0 {
				continue
			}
			nll := float64(counts[positionNLL]) / fraction / n
			if counts[positionNever] > 0 {
				nll = math.Inf(1)
			}
			row := positionRow{Position: fmt.Sprintf("%c%d", "HL"[chain], k/2+1), Count: counts[positionCount],
				Accuracy: report.Number(float64(counts[positionCorrect]) / n),
				Loss:     report.NumberOr(nll, infiniteLoss), Prob: report.Number(float64(counts[positionProb]) / fraction / n)}
			rows = append(rows, row)
			table.Row(name, k/2+1, row.Count, row.Accuracy, row.Loss, row.Prob)
		}
	}
	if len(rows) == 0 {
		return sequence.Skip(NothingMasked)
	}
	s.Object.Set("per_position", rows)
	return nil
}
