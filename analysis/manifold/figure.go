// The figure: six panels on linear and intrinsic dimension.

package manifold

import (
	"fmt"
	"math"

	"repscope/plots"
	"repscope/report"
	"repscope/stat"
)

// Figure composes manifold_dimension_analysis.
func (r *Result) Figure() *plots.Figure {
	ratio := &plots.Bars{Y: plots.Axis{Label: "Participation ratio (dimensions)"}}
	intrinsic := &plots.Bars{Y: plots.Axis{Label: "Two-NN dimension"}}
	usage := &plots.Bars{Y: plots.Axis{Label: "Participation ratio / D (%)"}}
	spectrum := &plots.Spectrum{X: plots.Axis{Label: "Eigenvalue index"}, Y: plots.Axis{Label: "Share of the variance"}}
	scale := &plots.Curves{
		X: plots.Axis{Label: "Latents in the subset", Log: true},
		Y: plots.Axis{Label: "Two-NN dimension", Zero: true},
	}
	table := &plots.Table{
		Header: []string{"Model", "D", "PR", "Two-NN", "Eff. rank", "RankMe", "90 %", "99 %"},
		Keys:   true,
	}
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
		ratio.Bars = append(ratio.Bars, bar(m.Name, m.ParticipationRatio, m.ParticipationRatioCI, 1))
		intrinsic.Bars = append(intrinsic.Bars, bar(m.Name, m.IntrinsicDimension, m.IntrinsicDimensionCI, 1))
		usage.Bars = append(usage.Bars, bar(m.Name, m.ParticipationRatio, m.ParticipationRatioCI, 100/float64(m.NominalDimension)))

		share := make([]float64, len(m.Eigenvalues))
		total := stat.Sum(m.Eigenvalues)
		for i, v := range m.Eigenvalues {
			share[i] = v / total
		}
		spectrum.Series = append(spectrum.Series, plots.SpectrumSeries{Name: m.Name, Values: share})

		curve := plots.CurveSeries{Name: m.Name}
		for _, d := range m.Decimation {
			half := d.SD.Float()
			curve.X = append(curve.X, float64(d.Size))
			curve.Y = append(curve.Y, d.ID.Float())
			curve.Low = append(curve.Low, d.ID.Float()-half)
			curve.High = append(curve.High, d.ID.Float()+half)
		}
		scale.Series = append(scale.Series, curve)
		table.Rows = append(table.Rows, []string{m.Name, fmt.Sprint(m.NominalDimension), short(m.ParticipationRatio),
			short(m.IntrinsicDimension), short(m.EffectiveRank), short(m.RankMe), fmt.Sprint(m.Dims90), fmt.Sprint(m.Dims99)})
	}
	note := "Decimation: bands are ±1 SD over disjoint subsets."
	if r.Blocks != "" {
		note = "Error bars: 95 % by deleting blocks in turn, " + r.Blocks + ". " + note
	}
	if len(r.Models) > 0 && r.Models[0].Estimator == EstimatorDocumented {
		note += " The dimension shown is the documented formula, which cannot exceed 1.7325."
	}
	return &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 130,
		ColumnWidths: []float64{1, 1, 1.15},
		Tiles: []plots.Tile{
			{Panel: ratio, Title: "Linear dimension", Row: 0, Column: 0},
			{Panel: intrinsic, Title: "Intrinsic dimension", Row: 0, Column: 1},
			{Panel: usage, Title: "Usage", Row: 0, Column: 2},
			{Panel: spectrum, Title: "Eigenvalues", Row: 1, Column: 0},
			{Panel: scale, Title: "Decimation", Row: 1, Column: 1},
			{Panel: table, Title: "Summary", Row: 1, Column: 2},
		},
		Series:   names,
		Footnote: note,
		Title:    "Manifold dimension",
	}
}

// bar scales a value and its interval; an undefined interval draws no error bar.
func bar(name string, v report.Value, ci report.Interval, factor float64) plots.Bar {
	b := plots.Bar{Name: name, Value: factor * v.Float(), Low: math.NaN(), High: math.NaN()}
	if ci.Defined() {
		b.Low, b.High = factor*ci.Low, factor*ci.High
	}
	return b
}

func short(v report.Value) string {
	if !v.Defined() {
		return "n/a"
	}
	return fmt.Sprintf("%.1f", v.V)
}
