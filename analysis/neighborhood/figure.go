// The figures: trustworthiness and continuity over k, and the R_NX curves.

package neighborhood

import (
	"fmt"
	"math"

	"repscope/plots"
	"repscope/report"
)

// tabledK is the largest number of neighbourhood sizes that the figure's table
// has room for.
const tabledK = 4

// Figure composes neighborhood_preservation: bars of trustworthiness and of
// continuity over k with intervals and the chance level, and their values in a
// table, because bars start at zero and good scores are close to 1.
func (r *Result) Figure() *plots.Figure {
	trust := &plots.GroupedBars{X: plots.Axis{Label: "Neighbourhood size k"}, Y: scoreAxis("Trustworthiness T(k)")}
	cont := &plots.GroupedBars{X: plots.Axis{Label: "Neighbourhood size k"}, Y: scoreAxis("Continuity C(k)")}
	table := &plots.Table{Header: []string{"Model"}, Keys: true}
	for _, k := range r.K {
		trust.Groups = append(trust.Groups, fmt.Sprint(k))
		cont.Groups = append(cont.Groups, fmt.Sprint(k))
		table.Header = append(table.Header, fmt.Sprintf("T(%d)", k))
	}
	for _, k := range r.K {
		table.Header = append(table.Header, fmt.Sprintf("C(%d)", k))
	}
	if r.hasCurves() {
		table.Header = append(table.Header, "AUC")
	}
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
		t, c := plots.BarSeries{Name: m.Name}, plots.BarSeries{Name: m.Name}
		row := []string{m.Name}
		for _, a := range m.ByK {
			add(&t, a.Trustworthiness, a.TrustCI)
			add(&c, a.Continuity, a.ContCI)
			row = append(row, short(a.Trustworthiness))
		}
		for _, a := range m.ByK {
			row = append(row, short(a.Continuity))
		}
		if r.hasCurves() {
			row = append(row, short(m.AUCRNX))
		}
		trust.Series, cont.Series = append(trust.Series, t), append(cont.Series, c)
		table.Rows = append(table.Rows, row)
	}
	figure := &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 78,
		Tiles: []plots.Tile{
			{Panel: trust, Title: "Trustworthiness", Row: 0, Column: 0},
			{Panel: cont, Title: "Continuity", Row: 0, Column: 1},
		},
		Series:   names,
		Footnote: r.caption(),
		Title:    "Neighbourhood preservation",
	}
	if len(r.Models) > 0 {
		chance := plots.Reference{Value: r.Models[0].Chance.Float(), Label: "chance"}
		trust.References, cont.References = []plots.Reference{chance}, []plots.Reference{chance}
	}
	if len(r.K) <= tabledK {
		const bars = 62.0
		rows := 9 + 4.6*float64(len(r.Models)+1)
		figure.HeightMM += rows
		figure.RowHeights = []float64{bars, rows}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: table, Title: "Values", Row: 1, Column: 0, ColumnSpan: 2})
	}
	return figure
}

// scoreAxis shows all of a score's range, so that the length of a bar means
// something.
func scoreAxis(label string) plots.Axis {
	return plots.Axis{Label: label, Min: 0, Max: 1, Ticks: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}}
}

// add appends a bar; an undefined interval draws no error bar.
func add(s *plots.BarSeries, v report.Value, ci report.Interval) {
	low, high := math.NaN(), math.NaN()
	if ci.Defined() {
		low, high = ci.Low, ci.High
	}
	s.Values, s.Low, s.High = append(s.Values, v.Float()), append(s.Low, low), append(s.High, high)
}

func (r *Result) caption() string {
	text := fmt.Sprintf("%d states", r.Samples)
	if r.Blocks != "" {
		text += "; error bars: 95 % by deleting blocks in turn, " + r.Blocks
	}
	if len(r.Models) > 0 && len(r.Models[0].ByK) > 0 && r.Models[0].ByK[0].Null != nil {
		text += "; chance: random ranks"
	}
	return text + "."
}

func short(v report.Value) string {
	if !v.Defined() {
		return "n/a"
	}
	return fmt.Sprintf("%.3f", v.V)
}

// CurvesFigure composes neighborhood_rnx_curves, R_NX over all neighbourhood
// sizes; nil where they were not computed.
func (r *Result) CurvesFigure() *plots.Figure {
	if !r.hasCurves() {
		return nil
	}
	curves := &plots.Curves{
		X:          plots.Axis{Label: "Neighbourhood size K", Log: true},
		Y:          plots.Axis{Label: "R_NX(K)", Zero: true},
		NoMarkers:  true,
		References: []plots.Reference{{Value: 0, Label: "chance"}},
	}
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
		series := plots.CurveSeries{Name: m.Name, Y: m.Curves.RNX}
		for i := range m.Curves.RNX {
			series.X = append(series.X, float64(i+1))
		}
		curves.Series = append(curves.Series, series)
	}
	return &plots.Figure{
		WidthMM: plots.SingleColumnMM, HeightMM: 72,
		Tiles:    []plots.Tile{{Panel: curves}},
		Series:   names,
		Footnote: fmt.Sprintf("%d states; 1: all neighbourhoods kept, 0: chance.", r.Samples),
		Title:    "Neighbourhood preservation over all sizes",
	}
}
