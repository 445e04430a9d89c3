// Calibration against plain loops over predictions.

package metrics

import (
	"math"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/measure/measuretest"
	"repscope/measure/token"
)

func TestCalibration(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionStandard]
	for key, value := range map[string]func(p scoredResidue) float64{
		"brier":             func(p scoredResidue) float64 { return p.Brier },
		"confidence":        func(p scoredResidue) float64 { return p.Confidence },
		"predicted_entropy": func(p scoredResidue) float64 { return p.Entropy },
		"overconfidence":    func(p scoredResidue) float64 { return p.Confidence - correctOf(p) },
	} {
		want, _ := c.mean(nil, value)
		c.check(t, key, want)
	}
	var total, ece, most float64
	for _, row := range rowsOf(t, c.ModelResult, "reliability") {
		in := func(p scoredResidue) bool {
			return p.Confidence > row["low"].(float64) && p.Confidence <= row["high"].(float64)
		}
		accuracy, n := c.mean(in, correctOf)
		confidence, _ := c.mean(in, func(p scoredResidue) float64 { return p.Confidence })
		if row["count"] != float64(n) {
			t.Errorf("bin to %v has %v predictions, want %d", row["high"], row["count"], n)
		}
		measuretest.Near(t, "accuracy", row["accuracy"].(float64), accuracy, 1e-12)
		measuretest.Near(t, "confidence", row["confidence"].(float64), confidence, 1e-12)
		d := math.Abs(accuracy - confidence)
		total, ece, most = total+float64(n), ece+d*float64(n), max(most, d)
	}
	c.check(t, "ece", ece/total)
	c.check(t, "max_calibration_error", most)
	if int(total) != len(c.scored) {
		t.Errorf("%v predictions in bins, want %d", total, len(c.scored))
	}
	cells := token.ConfidenceSums{}
	for _, list := range []*[]float64{&cells.Count, &cells.Correct, &cells.Confidence} {
		*list = make([]float64, token.ConfidenceCells)
	}
	for _, p := range c.scored {
		b := token.ConfidenceBin(p.Confidence, token.ConfidenceCells)
		cells.Count[b]++
		cells.Correct[b] += correctOf(p)
		cells.Confidence[b] += p.Confidence
	}
	v, ci, _ := c.Number("adaptive_ece")
	measuretest.Near(t, "adaptive_ece", v.Float(), cells.AdaptiveBins(token.CalibrationBins).ECE(), 1e-9)
	if ci.Defined() || ci.Reason == "" {
		t.Errorf("the interval of an error that chance enlarges is %v for the reason %q", ci, ci.Reason)
	}
}

// The number of bins is an option, whose values are checked.
func TestCalibrationBins(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(All(), 8, 1, "calibration")
	in.Datasets[0].Choice.Set = map[string]map[string]any{"calibration": {"bins": 2}}
	if rows := rowsOf(t, &sequencetest.Analyze(t, in).Datasets[0].Models[0], "reliability"); len(rows) != 2 || rows[0]["high"] != 0.5 {
		t.Errorf("bins are %v, want two", rows)
	}
	for _, bad := range []any{0, 101, "ten"} {
		in.Datasets[0].Choice.Set["calibration"]["bins"] = bad
		if _, err := sequence.Analyze(t.Context(), in, sequence.Options{}); err == nil {
			t.Errorf("%v bins are taken", bad)
		}
	}
}
