// Which residue is taken for which.

package metrics

import (
	"context"

	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
)

// mostConfused bounds the tokens whose pairs are counted.
const mostConfused = 256

// confusionFile has a row for every pair of residues that occurs.
const confusionFile = "sequence_confusion.csv"

// confusion counts the most probable residue for every true one.
var confusion = sequence.Kind{
	Name: "confusion", About: "confusion matrix of predicted and true residues (table and CSV file), and their " +
		"Matthews correlation",
	Needs: sequence.NeedMasked,
	Keys: []sequence.Key{{Name: "residue_mcc", About: "multiclass correlation (MCC) of predicted and true residues",
		Direction: report.Higher, Low: -1, High: 1, Compared: true}},
	Files: []sequence.CSVFile{{Name: confusionFile, Columns: []string{"true", "predicted", "count", "share"}}},
	New: func(s *sequence.Setting) sequence.Metric {
		n := s.Alphabet.Size()
		if n > mostConfused {
			n = 0
		}
		return &confusionMetric{sumsAndCounts{sequence.NewSums(2 + 2*n), sequence.NewCounts(n * n)}, n}
	},
}

// confusionMetric counts pairs [true, predicted], and sums up what their correlation is made of: predictions,
// correct ones, and how often each token is true and is predicted.
type confusionMetric struct {
	sumsAndCounts
	tokens int
}

// Update adds the sequences of a batch.
func (m *confusionMetric) Update(_ context.Context, b *sequence.Batch) error {
	if m.tokens == 0 {
		return nil
	}
	for _, it := range b.Items {
		row := make([]float64, m.Width)
		for i := range it.Predictions {
			p := &it.Predictions[i]
			m.cells.Values[p.Target*m.tokens+p.Predicted]++
			row[0]++
			if p.Correct() {
				row[1]++
			}
			row[2+p.Target]++
			row[2+m.tokens+p.Predicted]++
		}
		m.Add(row...)
	}
	return nil
}

// confusionTable is the table of the tokens that were true or predicted.
type confusionTable struct {
	Tokens []string  `json:"tokens"`
	Counts [][]int64 `json:"counts"` // [true][predicted]
}

// Result enters the correlation and the counts.
func (m *confusionMetric) Result(_ context.Context, s *sequence.Summary) error {
	if m.tokens == 0 {
		return sequence.Skip(
			"the vocabulary has %d tokens; the confusion matrix is limited to %d", s.Alphabet.Size(), mostConfused)
	}
	var used []int
	for k := range m.tokens {
		for j := range m.tokens {
			if m.cells.Values[k*m.tokens+j]+m.cells.Values[j*m.tokens+k] > 0 {
				used = append(used, k)
				break
			}
		}
	}
	if len(used) == 0 {
		return sequence.Skip(NothingMasked)
	}
	table := s.Table(confusionFile)
	var out confusionTable
	for _, k := range used {
		out.Tokens = append(out.Tokens, s.Alphabet.Names[k])
		row, total := make([]int64, len(used)), int64(0)
		for i, j := range used {
			row[i] = m.cells.Values[k*m.tokens+j]
			total += row[i]
		}
		out.Counts = append(out.Counts, row)
		for i, j := range used {
			if row[i] > 0 {
				table.Row(s.Alphabet.Names[k], s.Alphabet.Names[j], row[i], report.Number(float64(row[i])/float64(total)))
			}
		}
	}
	s.Object.Set("confusion", out)
	columns := make([][]float64, m.Width)
	for k := range columns {
		columns[k] = m.Column(k)
	}
	matthews := func(sums []float64) float64 {
		return token.Matthews(sums[0], sums[1], sums[2:2+m.tokens], sums[2+m.tokens:])
	}
	return s.Score("residue_mcc", matthews, "the true or the predicted residue is constant", columns...)
}
