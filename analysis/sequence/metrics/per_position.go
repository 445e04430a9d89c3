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
	Keys: []sequence.Key{{Name: "per_position.accuracy", Direction: report.Higher, High: 1}, {Name: "per_position.loss", Unit: "nats", Direction: report.Lower, High: math.Inf(1)},
		{Name: "per_position.prob", Direction: report.Higher, High: 1}},
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
			at := (2*residues[chain] + chain) * positionCounts
			m.Grow(at + positionCounts)
			of := m.Values[at:][:positionCounts]
			of[positionCount]++
			if p.Correct() {
				of[positionCorrect]++
			}
			of[positionProb] += steps(p.Prob)
			if p.NLL > mostNLL {
				of[positionNever]++
			} else {
				of[positionNLL] += steps(p.NLL)
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
		for at := chain; (at+1)*positionCounts <= len(m.Values); at += 2 {
			of := m.Values[at*positionCounts:][:positionCounts]
			n := float64(of[positionCount])
			if n == 0 {
				continue
			}
			nll := float64(of[positionNLL]) / fraction / n
			if of[positionNever] > 0 {
				nll = math.Inf(1)
			}
			row := positionRow{Position: fmt.Sprintf("%c%d", "HL"[chain], at/2+1), Count: of[positionCount], Accuracy: report.Number(float64(of[positionCorrect]) / n),
				Loss: report.NumberOr(nll, infiniteLoss), Prob: report.Number(float64(of[positionProb]) / fraction / n)}
			rows = append(rows, row)
			table.Row(name, at/2+1, row.Count, row.Accuracy, row.Loss, row.Prob)
		}
	}
	if len(rows) == 0 {
		return sequence.Skip(NothingMasked)
	}
	s.Object.Set("per_position", rows)
	return nil
}
