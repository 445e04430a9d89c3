// The figure: six panels on the sphere, groups, similarity and time.

package geometry

import (
	"fmt"
	"math"
	"slices"

	"repscope/plots"
	"repscope/report"
)

// Figure composes geometry.
func (r *Result) Figure() *plots.Figure {
	sphere := &plots.Scatter{
		X: plots.Axis{Label: "Alignment E‖u(t) − u(t+1)‖²"},
		Y: plots.Axis{Label: "Uniformity log E exp(−2‖u − v‖²)"},
	}
	memory := &plots.Curves{X: plots.Axis{Label: "Lag (states)"}, Y: plots.Axis{Label: "Autocorrelation ρ"},
		NoMarkers: true, References: []plots.Reference{{Value: 0}}}
	steps := &plots.BoxPlot{Y: plots.Axis{Label: "Step / RMS distance", Log: true}, MaxOutliers: 60}
	straight := &plots.Bars{Y: plots.Axis{Label: "Cosine of successive steps"}}
	var names []string
	still := 0
	for _, m := range r.Models {
		names = append(names, m.Name)
		sphere.Series = append(sphere.Series, plots.ScatterSeries{Name: m.Name, X: []float64{m.Alignment.Float()}, Y: []float64{m.Uniformity.Float()}})

		curve := plots.CurveSeries{Name: m.Name}
		for _, lag := range m.Temporal.Autocorrelation {
			low, high := interval(lag.RhoCI)
			curve.X, curve.Y = append(curve.X, float64(lag.Lag)), append(curve.Y, lag.Rho.Float())
			curve.Low, curve.High = append(curve.Low, low), append(curve.High, high)
		}
		memory.Series = append(memory.Series, curve)
		moved := make([]float64, 0, len(m.StepLengths))
		for _, v := range m.StepLengths {
			if v > 0 {
				moved = append(moved, v)
			} else {
				still++
			}
		}
		steps.Boxes = append(steps.Boxes, plots.Box{Name: m.Name, Values: moved})
		s := m.Temporal.Straightness
		low, high := interval(s.CosineCI)
		straight.Bars = append(straight.Bars, plots.Bar{Name: m.Name, Value: s.Cosine.Float(), Low: low, High: high})
	}

	straight.Y.Min, straight.Y.Max = room(straight.Bars)
	note := ""
	if r.TimeBlocks != "" {
		note = fmt.Sprintf("Error bars and bands: 95 %% from %d resamples of %s; autocorrelation by deleting blocks. ", r.Resamples, r.TimeBlocks)
	}
	if still > 0 {
		note += fmt.Sprintf("%d steps of length 0 left out of the box plot. ", still)
	}
	if shown := r.Models[0].shownConsistency(); shown != nil {
		note += fmt.Sprintf("Label accuracy by chance: %.3f. ", shown.AccuracyChance.Float())
	}
	if len(r.Models) > 1 {
		note += "CKA is linear and debiased."
	}
	return &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 130,
		ColumnWidths: []float64{1, 1.1, 1.1},
		Tiles: []plots.Tile{
			{Panel: sphere, Title: "Unit sphere", Row: 0, Column: 0},
			{Panel: r.groups(), Title: "Groups", Row: 0, Column: 1},
			{Panel: r.similarityTable(), Title: r.similarityTitle(), Row: 0, Column: 2},
			{Panel: memory, Title: "Autocorrelation", Row: 1, Column: 0},
			{Panel: steps, Title: "Step size", Row: 1, Column: 1},
			{Panel: straight, Title: "Straightness", Row: 1, Column: 2},
		},
		Series:   names,
		Footnote: note,
		Title:    "Geometry of latent spaces",
	}
}

// groups shows the silhouettes, and with labels how neighbours and clusters agree
// with them.
func (r *Result) groups() plots.Panel {
	panel := &plots.GroupedBars{Y: plots.Axis{Label: "Silhouette"}}
	if r.Labelled {
		panel.Y.Label = "Score"
	}
	for i, m := range r.Models {
		series := plots.BarSeries{Name: m.Name}
		add := func(name string, v report.Value, ci report.Interval) {
			if i == 0 {
				panel.Groups = append(panel.Groups, name)
			}
			low, high := interval(ci)
			series.Values = append(series.Values, v.Float())
			series.Low, series.High = append(series.Low, low), append(series.High, high)
		}
		for _, g := range m.Groupings {
			name := "Silhouette, labels"
			if g.Source == SourceKMeans {
				name = fmt.Sprintf("%d clusters", g.Groups)
				if r.Labelled {
					name = "Silhouette, " + name
				}
			}
			add(name, g.Silhouette, g.SilhouetteCI)
		}
		if r.Labelled {
			for _, g := range m.Groupings {
				if g.Source == SourceKMeans {
					if g.Agreement == nil {
						add("ARI", report.Undefined("no clusters"), report.NoInterval("no clusters"))
					} else {
						add("ARI", g.Agreement.ARI, g.Agreement.ARICI)
					}
					break
				}
			}
			if shown := m.shownConsistency(); shown != nil {
				add(fmt.Sprintf("Label accuracy, k = %d", shown.K), shown.Accuracy, shown.AccuracyCI)
			}
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// shownConsistency is that of the middle neighbourhood size, nil without any that is
// defined.
func (m *Model) shownConsistency() *LabelConsistency {
	defined := slices.DeleteFunc(slices.Clone(m.LabelConsistency), func(c LabelConsistency) bool { return !c.Accuracy.Defined() })
	if len(defined) == 0 {
		return nil
	}
	return &defined[len(defined)/2]
}

// similarityTable shows debiased CKA above and RSA below the diagonal, and below the
// matrix what no other panel shows; for a single model a summary.
func (r *Result) similarityTable() plots.Panel {
	table := &plots.Table{Header: []string{"Model"}}
	if len(r.Models) == 1 {
		m := r.Models[0]
		table.Header = []string{"Measure", m.Name}
		for _, row := range []struct {
			name string
			v    report.Value
		}{{"Uniformity", m.Uniformity}, {"Alignment", m.Alignment}, {"τ (states)", m.Temporal.Tau},
			{"Curvature (°)", m.Temporal.Straightness.Curvature}, {"Effective rank", m.EffectiveRank}} {
			table.Rows = append(table.Rows, []string{row.name, plots.Number(row.v.Float(), 3)})
		}
		return table
	}
	for i, a := range r.Models {
		table.Header = append(table.Header, a.Name)
		cells := []string{a.Name}
		for j, b := range r.Models {
			s := r.similarity(i, b.Name)
			switch {
			case i == j:
				cells = append(cells, "1.00")
			case i < j:
				cells = append(cells, decimals(s.CKADebiased))
			default:
				cells = append(cells, decimals(s.RSA))
			}
		}
		table.Rows = append(table.Rows, cells)
	}
	for _, row := range []struct {
		name string
		of   func(m *Model) report.Value
	}{
		{"τ (states)", func(m *Model) report.Value { return m.Temporal.Tau }},
		{"Curvature (°)", func(m *Model) report.Value { return m.Temporal.Straightness.Curvature }},
		{"Effective rank", func(m *Model) report.Value { return m.EffectiveRank }},
	} {
		cells := []string{row.name}
		for i := range r.Models {
			cells = append(cells, plots.Number(row.of(&r.Models[i]).Float(), 3))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

func (r *Result) similarityTitle() string {
	if len(r.Models) == 1 {
		return "Summary"
	}
	return "CKA (above), RSA (below)"
}

func decimals(v report.Value) string {
	if !v.Defined() {
		return "n/a"
	}
	if v.V < 0 {
		return fmt.Sprintf("−%.2f", -v.V)
	}
	return fmt.Sprintf("%.2f", v.V)
}

// room is a range with place for the printed values of bars on both sides of zero;
// empty, which leaves the choice to the panel, where no bar is negative.
func room(bars []plots.Bar) (low, high float64) {
	for _, b := range bars {
		for _, v := range []float64{b.Value, b.Low, b.High} {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low == 0 {
		return 0, 0
	}
	margin := 0.12 * (high - low)
	return low - margin, high + margin
}

// interval is low and high; NaN where undefined, which draws no error bar.
func interval(ci report.Interval) (low, high float64) {
	if !ci.Defined() {
		return math.NaN(), math.NaN()
	}
	return ci.Low, ci.High
}
