// Which residue is taken for which.

package sequence

import (
	"context"

	"repscope/report"
)

// mostConfused bounds the tokens of which pairs are counted.
const mostConfused = 256

// confusionFile has a row for every pair of residues that occurs.
const confusionFile = "sequence_confusion.csv"

// confusion counts the most probable residue for every true one.
var confusion = Kind{
	Name: "confusion", About: "how often which residue is predicted for which (table and CSV file)",
	Needs: NeedMasked,
	Files: []CSVFile{{confusionFile, []string{"true", "predicted", "count", "share"}}},
	New: func(s *Setting) Metric {
		n := s.Alphabet.Size()
		if n > mostConfused {
			n = 0
		}
		return &confusionMetric{NewCounts(n * n), n}
	},
}

// confusionMetric counts pairs [true, predicted].
type confusionMetric struct {
	Counts
	tokens int
}

// Update adds the sequences of a batch.
func (m *confusionMetric) Update(_ context.Context, b *Batch) error {
	if m.tokens == 0 {
		return nil
	}
	for _, it := range b.Items {
		for i := range it.Predictions {
			p := &it.Predictions[i]
			m.Values[p.Target*m.tokens+p.Predicted]++
		}
	}
	return nil
}

// confusionTable is that of the tokens that were true or predicted.
type confusionTable struct {
	Tokens []string  `json:"tokens"`
	Counts [][]int64 `json:"counts"` // [true][predicted]
}

// Result enters the counts.
func (m *confusionMetric) Result(_ context.Context, s *Summary) error {
	if m.tokens == 0 {
		return Skip("the vocabulary has %d tokens; pairs are counted of at most %d", s.Alphabet.Size(), mostConfused)
	}
	var used []int
	for k := range m.tokens {
		for j := range m.tokens {
			if m.Values[k*m.tokens+j]+m.Values[j*m.tokens+k] > 0 {
				used = append(used, k)
				break
			}
		}
	}
	if len(used) == 0 {
		return Skip(nothingMasked)
	}
	table := s.Table(confusionFile)
	var out confusionTable
	for _, k := range used {
		out.Tokens = append(out.Tokens, s.Alphabet.Names[k])
		row, total := make([]int64, len(used)), int64(0)
		for i, j := range used {
			row[i] = m.Values[k*m.tokens+j]
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
	return nil
}
