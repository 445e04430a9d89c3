// The figure: six panels on linear and intrinsic dimension.

package command

import (
	"fmt"

	"repscope/analysis/internal/output"
	"repscope/analysis/manifold"
	"repscope/plots"
	"repscope/report"
	"repscope/stat"
)

// Figure composes manifold_dimension_analysis.
func Figure(r *manifold.Result) *plots.Figure {
	ratio := &plots.Bars{Y: plots.Axis{Label: "Participation ratio, corrected"}}
	intrinsic := &plots.Bars{Y: plots.Axis{Label: "Two-NN dimension"}}
	usage := &plots.Bars{Y: plots.Axis{Label: "Corrected ratio / D (%)"}}
	spectrum := &plots.Spectrum{X: plots.Axis{Label: "Eigenvalue index"}, Y: plots.Axis{Label: "Share of the variance"}}
	scale := &plots.Curves{
		X: plots.Axis{Label: "Latents in the subset", Log: true},
		Y: plots.Axis{Label: "Two-NN dimension", Zero: true},
	}
	var names []string
	for i := range r.Models {
		m := &r.Models[i]
		names = append(names, m.Name)
		ratio.Bars = append(ratio.Bars, output.Bar(m.Name, m.ParticipationRatioCorrected, 1))
		intrinsic.Bars = append(intrinsic.Bars, output.Bar(m.Name, m.IntrinsicDimension, 1))
		usage.Bars = append(usage.Bars, output.Bar(m.Name, m.ParticipationRatioCorrected, 100/float64(m.NominalDimension)))
		spectrum.Series = append(spectrum.Series,
			plots.SpectrumSeries{Name: m.Name, Values: varianceShares(m), Reason: output.Why(m.EffectiveRank.Value)})
		scale.Series = append(scale.Series, decimationCurve(m))
	}
	return &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 130 + 5*max(0, float64(len(r.Models)-8)),
		ColumnWidths: []float64{1, 1, 1.15 + 0.08*max(0, float64(len(r.Models)-8))},
		Tiles: []plots.Tile{
			{Panel: ratio, Title: "Linear dimension", Row: 0, Column: 0},
			{Panel: intrinsic, Title: "Intrinsic dimension", Row: 0, Column: 1},
			{Panel: usage, Title: "Usage", Row: 0, Column: 2},
			{Panel: spectrum, Title: "Eigenvalues", Row: 1, Column: 0},
			{Panel: scale, Title: "Decimation", Row: 1, Column: 1},
			{Panel: summary(r), Title: "Summary", Row: 1, Column: 2},
		},
		Series:   names,
		Footnote: caption(r),
		Notes:    output.IntervalNotes(r.Warnings),
		Title:    "Manifold dimension",
	}
}

// correctedUsage is the corrected participation ratio in percent of the nominal dimension, as
// console and figure show it.
func correctedUsage(m *manifold.Model) report.Value {
	v := m.ParticipationRatioCorrected
	if !v.Defined() {
		return v.Value
	}
	return report.Number(100 / float64(m.NominalDimension) * v.V)
}

// varianceShares are the eigenvalues divided by their sum.
func varianceShares(m *manifold.Model) []float64 {
	shares := make([]float64, len(m.Eigenvalues))
	total := stat.Sum(m.Eigenvalues)
	for i, v := range m.Eigenvalues {
		shares[i] = v / total
	}
	return shares
}

// decimationCurve is the dimension over the size of the subset, ±1 SD.
func decimationCurve(m *manifold.Model) plots.CurveSeries {
	curve := plots.CurveSeries{Name: m.Name, Reason: output.Why(m.IntrinsicDimension.Value)}
	for _, d := range m.Decimation {
		half := d.SD.Float()
		curve.X, curve.Y = append(curve.X, float64(d.Size)), append(curve.Y, d.ID.Float())
		curve.Low, curve.High = append(curve.Low, d.ID.Float()-half), append(curve.High, d.ID.Float()+half)
	}
	return curve
}

// summary is a row per model.
func summary(r *manifold.Result) *plots.Table {
	table := &plots.Table{
		Header: []string{"Model", "D", "PR", "Two-NN", "Eff. rank", "RankMe", "90 %", "99 %"},
		Keys:   true,
	}
	for _, m := range r.Models {
		row := []string{m.Name, fmt.Sprint(m.NominalDimension)}
		for _, v := range []report.Value{m.ParticipationRatioCorrected.Value, m.IntrinsicDimension.Value, m.EffectiveRank.Value, m.RankMe.Value} {
			row = append(row, output.Decimals(v, 1))
		}
		table.Rows = append(table.Rows, append(row, output.Decimals(m.Dims90.Value, 0), output.Decimals(m.Dims99.Value, 0)))
	}
	return table
}

func caption(r *manifold.Result) string {
	note := "Decimation: bands are ±1 SD over disjoint subsets."
	if r.Blocks != "" {
		note = "Error bars: 95 % intervals, block jackknife (Two-NN: halves of blocks), " +
			"" + r.Blocks + window(r) + ". " + note
	}
	if len(r.Models) > 0 && r.Models[0].Estimator == manifold.EstimatorDocumented {
		note += " The dimension is the documented formula, which cannot exceed 1.7325."
	}
	return note
}
