// Scores by true residue.

package metrics

import (
	"context"
	"math"

	"repscope/analysis/internal/results"
	"repscope/analysis/sequence"
	"repscope/report"
)

// residueFile has a row for every true residue.
const residueFile = "sequence_residues.csv"

// neverTrue is why a residue that is predicted has no scores.
const neverTrue = "it never occurs as the true residue"

// perResidue scores predictions by their true residue.
var perResidue = sequence.Kind{
	Name: "per_residue", About: "accuracy, loss and probability by true residue (table and CSV file), and the mean " +
		"accuracy over residue types",
	Needs: sequence.NeedMasked,
	Keys: []sequence.Key{{Name: "residue_balanced_acc", About: "mean over residue types of their accuracy",
		Direction: report.Higher, High: 1, Compared: true},
		{Name: "per_residue.accuracy", About: "accuracy by true residue",
			Direction: report.Higher, High: 1},
		{Name: "per_residue.loss", About: "mean of −ln p(true residue) by true residue",
			Unit: "nats", Direction: report.Lower, High: math.Inf(1)},
		{Name: "per_residue.prob", About: "mean probability of the true residue by true residue",
			Direction: report.Higher, High: 1}},
	Files: []sequence.CSVFile{{Name: residueFile, Columns: []string{"residue", "count", "predicted", "accuracy", "accuracy_low", "accuracy_high", "loss", "loss_low", "loss_high", "prob"}}},
	New: func(s *sequence.Setting) sequence.Metric {
		return &perResidueMetric{sequence.NewSums(residueSums * s.Alphabet.Size())}
	},
}

// The sums of a token.
const (
	residueCount     = iota // how often it is true
	residueCorrect          // and predicted
	residueNLL              // Σ NLL where it is true
	residueProb             // Σ of its probability there
	residuePredicted        // how often it is predicted
	residueSums
)

// perResidueMetric has sums by token.
type perResidueMetric struct{ sequence.Sums }

// Update adds the sequences of a batch.
func (m *perResidueMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		row := make([]float64, m.Width)
		for i := range it.Predictions {
			p := &it.Predictions[i]
			sums := row[p.Target*residueSums:][:residueSums]
			sums[residueCount]++
			if p.Correct() {
				sums[residueCorrect]++
			}
			sums[residueNLL] += p.NLL
			sums[residueProb] += p.Prob
			row[p.Predicted*residueSums+residuePredicted]++
		}
		m.Add(row...)
	}
	return nil
}

// residueRow is the part of a residue.
type residueRow struct {
	Residue   string          `json:"residue" report:"parameter"`
	Count     int             `json:"count"`
	Predicted int             `json:"predicted"` // how often it is predicted
	Accuracy  report.Estimate `json:"accuracy"`
	Loss      report.Estimate `json:"loss"`
	Prob      report.Value    `json:"prob"`
}

// Result enters the mean of the residues' accuracies, and the row of every residue that occurs.
func (m *perResidueMetric) Result(_ context.Context, s *sequence.Summary) error {
	var counts [][]float64
	for k := range s.Alphabet.Size() {
		counts = append(counts, m.Column(k*residueSums+residueCount), m.Column(k*residueSums+residueCorrect))
	}
	balanced := func(sums []float64) float64 {
		n, total := 0.0, 0.0
		for k := 0; k < len(sums); k += 2 {
			if sums[k] > 0 {
				n, total = n+1, total+sums[k+1]/sums[k]
			}
		}
		return total / n
	}
	if err := s.Score("residue_balanced_acc", balanced, NothingMasked, counts...); err != nil {
		return err
	}
	rows, table := []residueRow{}, s.Table(residueFile)
	for k, name := range s.Alphabet.Names {
		var sums [residueSums]float64
		var columns [residueSums][]float64
		for i := range sums {
			columns[i] = m.Column(k*residueSums + i)
			for _, v := range columns[i] {
				sums[i] += v
			}
		}
		n := sums[residueCount]
		if n+sums[residuePredicted] == 0 {
			continue
		}
		row := residueRow{Residue: name, Count: int(n), Predicted: int(sums[residuePredicted])}
		var err error
		if row.Accuracy, err = share(s, columns[residueCount], columns[residueCorrect], 1, neverTrue); err != nil {
			return err
		}
		if row.Loss, err = share(s, columns[residueCount], columns[residueNLL], math.Inf(1), neverTrue); err != nil {
			return err
		}
		row.Prob = report.NumberOr(sums[residueProb]/n, neverTrue)
		rows = append(rows, row)
		low, high := results.Ends(row.Accuracy.CI)
		least, most := results.Ends(row.Loss.CI)
		table.Row(name, row.Count, row.Predicted, row.Accuracy, low, high, row.Loss, least, most, row.Prob)
	}
	s.Object.Set("per_residue", rows)
	return nil
}
