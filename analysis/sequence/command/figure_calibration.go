// The figure of calibration: accuracy against confidence, and how confident predictions are.

package command

import (
	"fmt"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/plots"
)

const (
	// figureCalibration is the name of the file.
	figureCalibration = "sequence_calibration"
	// fewest is the number of predictions from which a bin is drawn.
	fewest = 20
)

// calibrationFigure draws the reliability of all models of a dataset; nil where it was computed of none.
func calibrationFigure(d *sequence.DatasetResult) *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, HeightMM: 76, Title: "Calibration of masked predictions"}
	reliability := &plots.Curves{X: plots.Axis{Label: "Confidence", Max: 1}, Y: plots.Axis{Label: "Accuracy", Max: 1}, Series: []plots.CurveSeries{diagonal()}}
	shares := &plots.Curves{X: plots.Axis{Label: "Confidence", Max: 1}, Y: plots.Axis{Label: "Share of predictions", Zero: true}}
	drawn := false
	for i := range d.Models {
		m := &d.Models[i]
		f.Series = append(f.Series, m.Name)
		rows, ok := m.Kept["reliability"].([]metrics.CalibrationRow)
		curve, share := plots.CurveSeries{Name: m.Name}, plots.CurveSeries{Name: m.Name}
		total := 0
		for _, row := range rows {
			total += row.Count
		}
		for _, row := range rows {
			share.X, share.Y = append(share.X, (row.Low+row.High)/2), append(share.Y, float64(row.Count)/float64(total))
			if row.Count >= fewest {
				output.AppendPoint(&curve, row.Confidence.Float(), row.Accuracy)
			}
		}
		if len(d.Models) > mostBars { // more bands hide each other
			curve.Low, curve.High = nil, nil
		}
		if len(curve.X) == 0 {
			curve.Reason = fmt.Sprintf("fewer than %d predictions in every bin", fewest)
		}
		if total == 0 {
			share.Reason = metrics.NothingMasked
		}
		drawn = drawn || ok
		if !ok {
			curve.Reason, share.Reason = "calibration not computed", "calibration not computed"
		}
		reliability.Series, shares.Series = append(reliability.Series, curve), append(shares.Series, share)
	}
	if !drawn {
		return nil
	}
	f.Tiles = []plots.Tile{{Panel: reliability, Title: "Reliability"}, {Panel: shares, Title: "Confidence", Column: 1}}
	f.Footnote = fmt.Sprintf(
		"Gray: accuracy equal to confidence. Accuracy is not shown for bins with fewer than %d predictions.", fewest)
	if d.Blocks != "" && len(d.Models) <= mostBars {
		f.Footnote += fmt.Sprintf(" Bands: 95 %% intervals, jackknife over %s.", d.Blocks)
	}
	return f
}

// diagonal is where accuracy is confidence.
func diagonal() plots.CurveSeries {
	const steps = 64 // more points than curves have markers
	var c plots.CurveSeries
	for i := range steps + 1 {
		c.X = append(c.X, float64(i)/steps)
	}
	c.Y = c.X
	return c
}
