// Tests of the figure of calibration.

package command

import (
	"fmt"
	"math"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/internal/runtest"
	"repscope/plots"
	"repscope/report"
)

// madeCalibration is a dataset of so many models that are the more confident the later they come.
func madeCalibration(models, each int) *sequence.DatasetResult {
	d := &sequence.DatasetResult{Name: "made", Blocks: "40 clusters"}
	for m := range models {
		var rows []metrics.CalibrationRow
		for b := 1; b < 15; b++ {
			at := (float64(b) + 0.5) / 15
			accuracy := math.Pow(at, 0.8+0.1*float64(m))
			rows = append(rows, metrics.CalibrationRow{Low: float64(b) / 15, High: float64(b+1) / 15, Count: each * (b + m%4), Confidence: report.Number(at),
				Accuracy: report.WithInterval(report.Number(accuracy), report.Between(accuracy-0.04, min(1, accuracy+0.04)))})
		}
		d.Models = append(d.Models, sequence.ModelResult{Name: fmt.Sprintf("model_%d", m+1), Kept: map[string]any{"reliability": rows}})
	}
	return d
}

// The figure is drawn with one model and with twelve; a model without predictions has a reason, and without any
// there is none. REPSCOPE_FIGURES names a folder where the files stay, to be looked at.
func TestCalibrationFigure(t *testing.T) {
	t.Parallel()
	lacking := madeCalibration(2, 50)
	lacking.Models[1].Kept = nil
	for name, d := range map[string]*sequence.DatasetResult{"one": madeCalibration(1, 50), "twelve": madeCalibration(12, 50), "lacking": lacking, "few": madeCalibration(2, 0)} {
		f := calibrationFigure(d)
		if warnings, err := f.Warnings(); err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %q", name, err, warnings)
		}
		if reason := f.Tiles[0].Panel.(*plots.Curves).Series[len(d.Models)].Reason; (reason != "") != (name == "lacking" || name == "few") {
			t.Errorf("%s: the last model is missing for the reason %q", name, reason)
		}
		runtest.SaveFigure(t, "calibration_"+name, f)
	}
	if calibrationFigure(&sequence.DatasetResult{}) != nil {
		t.Error("nothing is drawn as a figure")
	}
}
