// Calibration of the masked predictions: whether confident ones are as often right as they say.

package metrics

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
)

// calibrationFile has a row for every bin of confidence.
const calibrationFile = "sequence_calibration.csv"

// calibration compares confidence with accuracy.
var calibration = sequence.Kind{
	Name: "calibration", About: "confidence and accuracy of masked predictions: Brier score, overconfidence, " +
		"calibration errors, reliability (table and CSV file)",
	Needs: sequence.NeedMasked | sequence.NeedConfidence,
	Keys: []sequence.Key{{Name: "brier",
		About:     "Brier score of masked predictions: Σ (p − [true])² over all residues, 0 to 2",
		Direction: report.Lower, High: 2, Compared: true},
		{Name: "confidence", About: "mean probability of the most probable token",
			Direction: report.Neither, High: 1},
		{Name: "overconfidence", About: "confidence minus accuracy",
			Direction: report.Neither, Low: -1, High: 1},
		{Name: "predicted_entropy", About: "mean entropy of the predicted distribution",
			Unit: "nats", Direction: report.Neither, High: math.Inf(1)},
		{Name: "ece",
			About:     "expected calibration error: mean distance of confidence from accuracy over 15 bins of equal width",
			Direction: report.Lower, High: 1},
		{Name: "adaptive_ece", About: "expected calibration error over bins of equal numbers of predictions",
			Direction: report.Lower, High: 1},
		{Name: "max_calibration_error", About: "largest distance of confidence from accuracy in a bin",
			Direction: report.Lower, High: 1}},
	Options: []sequence.Option{{Name: "bins", Default: token.CalibrationBins, About: "number of confidence bins", Check: func(value any) error {
		if n := value.(int); n < 1 || n > mostBins {
			return fmt.Errorf("want 1 to %d", mostBins)
		}
		return nil
	}}},
	Files: []sequence.CSVFile{{Name: calibrationFile, Columns: []string{"low", "high", "count", "confidence", "accuracy", "accuracy_low", "accuracy_high"}}},
	New: func(s *sequence.Setting) sequence.Metric {
		bins := s.Options["calibration"]["bins"].(int)
		return &calibrationMetric{sumsAndCounts{sequence.NewSums(calibrationSums + 3*bins), sequence.NewCounts(3 * token.ConfidenceCells)}, bins}
	},
}

const mostBins = 100

// The sums over all predictions, followed by the sums over bins: how many they are, how many are
// right, and the sum of their confidences.
const (
	calibrationCount = iota
	calibrationCorrect
	calibrationConfidence
	calibrationBrier
	calibrationEntropy
	calibrationSums
)

// calibrationMetric has sums by bin of equal width, and counts by fine cell for bins of equal numbers.
type calibrationMetric struct {
	sumsAndCounts
	bins int
}

// Update adds the sequences of a batch.
func (m *calibrationMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		row := make([]float64, m.Width)
		for i := range it.Predictions {
			p := &it.Predictions[i]
			right := 0
			if p.Correct() {
				right = 1
			}
			for k, v := range [calibrationSums]float64{1, float64(right), p.Confidence, p.Brier, p.Entropy} {
				row[k] += v
			}
			bin := row[calibrationSums+3*token.ConfidenceBin(p.Confidence, m.bins):]
			bin[0]++
			bin[1] += float64(right)
			bin[2] += p.Confidence
			cell := m.cells.Values[3*token.ConfidenceBin(p.Confidence, token.ConfidenceCells):]
			cell[0]++
			cell[1] += int64(right)
			cell[2] += steps(p.Confidence)
		}
		m.Add(row...)
	}
	return nil
}

// CalibrationRow is a bin of a reliability diagram.
type CalibrationRow struct {
	Low        float64         `json:"low" report:"parameter"`
	High       float64         `json:"high"`
	Count      int             `json:"count"`
	Confidence report.Value    `json:"confidence"`
	Accuracy   report.Estimate `json:"accuracy"`
}

// Result enters means, calibration errors and bins.
func (m *calibrationMetric) Result(_ context.Context, s *sequence.Summary) error {
	n, right, confidence := m.Column(calibrationCount), m.Column(calibrationCorrect), m.Column(calibrationConfidence)
	for _, score := range []struct {
		key string
		sum int
	}{{"brier", calibrationBrier}, {"confidence", calibrationConfidence}, {"predicted_entropy", calibrationEntropy}} {
		if err := s.Score(score.key, perPrediction, NothingMasked, n, m.Column(score.sum)); err != nil {
			return err
		}
	}
	over := func(sums []float64) float64 { return (sums[2] - sums[1]) / sums[0] }
	if err := s.Score("overconfidence", over, NothingMasked, n, right, confidence); err != nil {
		return err
	}
	cells := token.ConfidenceSums{}
	for first := 0; first < len(m.cells.Values); first += 3 {
		v := m.cells.Values[first:]
		cells.Count, cells.Correct = append(cells.Count, float64(v[0])), append(cells.Correct, float64(v[1]))
		cells.Confidence = append(cells.Confidence, float64(v[2])/fraction)
	}
	bins, rows, err := m.reliability(s)
	if err != nil {
		return err
	}
	// Chance makes these errors larger, and largest where there is none: no interval is honest.
	none := report.NoInterval(
		"biased upward by chance, so an interval would miss the value of a calibrated model: see overconfidence")
	for _, e := range []struct {
		key   string
		value float64
	}{{"ece", bins.ECE()}, {"adaptive_ece", cells.AdaptiveBins(m.bins).ECE()}, {"max_calibration_error", bins.MaximumError()}} {
		if math.IsNaN(e.value) {
			s.Undefined(e.key, NothingMasked)
		} else {
			s.Value(e.key, report.Number(e.value), none, nil)
		}
	}
	s.Object.Set("reliability", rows)
	s.Keep("reliability", rows)
	return nil
}

// reliability are the bins, and the rows of those that have predictions.
func (m *calibrationMetric) reliability(s *sequence.Summary) (token.ConfidenceSums, []CalibrationRow, error) {
	var sums token.ConfidenceSums
	rows, table := []CalibrationRow{}, s.Table(calibrationFile)
	for b := range m.bins {
		var total [3]float64
		var columns [3][]float64
		for k := range total {
			columns[k] = m.Column(calibrationSums + 3*b + k)
			for _, v := range columns[k] {
				total[k] += v
			}
		}
		sums.Count, sums.Correct, sums.Confidence = append(sums.Count, total[0]), append(sums.Correct, total[1]), append(sums.Confidence, total[2])
		if total[0] == 0 {
			continue
		}
		row := CalibrationRow{Low: float64(b) / float64(m.bins), High: float64(b+1) / float64(m.bins), Count: int(total[0]), Confidence: report.Number(total[2] / total[0])}
		var err error
		if row.Accuracy, err = share(s, columns[0], columns[1], 1, NothingMasked); err != nil {
			return sums, nil, err
		}
		rows = append(rows, row)
		low, high := results.Ends(row.Accuracy.CI)
		table.Row(row.Low, row.High, row.Count, row.Confidence, row.Accuracy, low, high)
	}
	return sums, rows, nil
}
