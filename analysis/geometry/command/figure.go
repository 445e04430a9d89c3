// The figure: six panels on the sphere, groups, similarity and time.

package command

import (
	"fmt"
	"math"
	"slices"

	"repscope/analysis/geometry"
	"repscope/analysis/internal/output"
	"repscope/internal/text"
	"repscope/plots"
	"repscope/report"
)

// Figure composes geometry.
func Figure(r *geometry.Result) *plots.Figure {
	sphere := &plots.Scatter{
		X: plots.Axis{Label: "Alignment E‖u(t) − u(t+1)‖²"},
		Y: plots.Axis{Label: "Uniformity log E exp(−2‖u − v‖²)"},
	}
	memory := &plots.Curves{X: plots.Axis{Label: "Lag (states)", Integer: true}, Y: plots.Axis{Label: "Autocorrelation ρ"},
		NoMarkers: true, References: []plots.Reference{{Value: 0}}}
	steps := &plots.BoxPlot{Y: plots.Axis{Label: "Step / RMS distance", Log: true}, MaxOutliers: 60}
	straight := &plots.Bars{Y: plots.Axis{Label: "Cosine of successive steps"}}
	var names []string
	still := 0
	for i := range r.Models {
		m := &r.Models[i]
		names = append(names, m.Name)
		collapsed := output.Why(m.EffectiveRank)
		sphere.Series = append(sphere.Series, onSphere(m))
		curve := plots.CurveSeries{Name: m.Name, Reason: collapsed}
		for _, lag := range m.Temporal.Autocorrelation {
			output.AppendPoint(&curve, float64(lag.Lag), lag.Rho)
		}
		memory.Series = append(memory.Series, curve)
		moved := slices.DeleteFunc(slices.Clone(m.StepLengths), func(v float64) bool { return !(v > 0) })
		still += len(m.StepLengths) - len(moved)
		steps.Boxes = append(steps.Boxes, plots.Box{Name: m.Name, Values: moved, Reason: collapsed})
		cosine := m.Temporal.Straightness.Cosine
		if collapsed != "" {
			cosine.Value = m.EffectiveRank // undefined, with the reason that all panels give
		}
		bar := output.Bar(m.Name, report.WithInterval(cosine.Value, m.Temporal.Straightness.Cosine.CI), 1)
		bar.Baseline = new(m.Temporal.Straightness.Independent.Float())
		straight.Bars = append(straight.Bars, bar)
	}
	return &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 130 + 5*max(0, float64(len(r.Models)-8)),
		ColumnWidths: []float64{1, 1.1, 1.1},
		Tiles: []plots.Tile{
			{Panel: sphere, Title: "Unit sphere", Row: 0, Column: 0},
			{Panel: groups(r), Title: "Groups", Row: 0, Column: 1},
			{Panel: similar(r), Title: similarityTitle(r), Row: 0, Column: 2},
			{Panel: memory, Title: "Autocorrelation", Row: 1, Column: 0},
			{Panel: steps, Title: "Step size", Row: 1, Column: 1},
			{Panel: straight, Title: "Straightness", Row: 1, Column: 2},
		},
		Series:   names,
		Footnote: caption(r, still),
		Notes:    output.IntervalNotes(r.Warnings),
		Title:    "Geometry of latent spaces",
	}
}

// onSphere is the place of a model; none for a collapsed one, whose latents are one
// point.
func onSphere(m *geometry.Model) plots.ScatterSeries {
	series := plots.ScatterSeries{Name: m.Name}
	for _, v := range []report.Value{m.EffectiveRank, m.Uniformity.Value, m.Alignment.Value} {
		if why := output.Why(v); why != "" {
			series.Reason = why
			return series
		}
	}
	series.X, series.Y = []float64{m.Alignment.V}, []float64{m.Uniformity.V}
	return series
}

// caption says what the panels leave out; still is the number of steps of length 0.
func caption(r *geometry.Result, still int) string {
	note := ""
	if r.TimeBlocks != "" {
		note = fmt.Sprintf("Error bars and bands: 95 %% intervals, block jackknife (%s). ", r.TimeBlocks)
	}
	if still > 0 {
		note += text.Count(still, "step") + " of length 0 are not in the box plot. "
	}
	if shown := shownConsistency(r, &r.Models[0]); shown != nil {
		note += fmt.Sprintf("Label accuracy by chance: %.3f. ", shown.AccuracyChance.Float())
	}
	if len(r.Models) > 1 {
		note += "CKA is linear and debiased. Dashed in the last panel: random states of the same latents."
	}
	return note
}

// groups shows the silhouettes, and with labels how neighbors and clusters agree
// with them.
func groups(r *geometry.Result) plots.Panel {
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
			if v.Defined() && !m.EffectiveRank.Defined() {
				v, ci = m.EffectiveRank, report.NoInterval("%s", m.EffectiveRank.Reason)
			}
			output.AppendBar(&series, report.WithInterval(v, ci))
		}
		for _, g := range m.Groupings {
			name := "Silhouette, labels"
			if g.Source == geometry.SourceKMeans {
				name = fmt.Sprintf("%d clusters", g.Groups)
				if r.Labelled {
					name = "Silhouette, " + name
				}
			}
			add(name, g.Silhouette.Value, g.Silhouette.CI)
		}
		if r.Labelled {
			for _, g := range m.Groupings {
				if g.Source == geometry.SourceKMeans {
					if g.Agreement == nil {
						add("ARI", report.Undefined("no clusters"), report.NoInterval("no clusters"))
					} else {
						add("ARI", g.Agreement.ARI.Value, g.Agreement.ARI.CI)
					}
					break
				}
			}
			if shown := shownConsistency(r, &m); shown != nil {
				add(fmt.Sprintf("Label accuracy, k = %d", shown.K), shown.Accuracy.Value, shown.Accuracy.CI)
			} else {
				add("Label accuracy", report.Undefined("no neighbors"), report.NoInterval("no neighbors"))
			}
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// shownConsistency is a model's for the middle of the neighborhood sizes that some model has numbers
// for, nil without any: all models show the same.
func shownConsistency(r *geometry.Result, m *geometry.Model) *geometry.LabelConsistency {
	var defined []int
	for q := range m.LabelConsistency {
		if slices.ContainsFunc(r.Models, func(other geometry.Model) bool { return other.LabelConsistency[q].Accuracy.Defined() }) {
			defined = append(defined, q)
		}
	}
	if len(defined) == 0 {
		return nil
	}
	return &m.LabelConsistency[defined[len(defined)/2]]
}

// summaryTable lists what the other panels do not show of a single model.
func summaryTable(m *geometry.Model) *plots.Table {
	table := &plots.Table{Header: []string{"Measure", m.Name}}
	for _, row := range []struct {
		name string
		v    report.Value
	}{{"Uniformity", m.Uniformity.Value}, {"Alignment", m.Alignment.Value}, {"τ (states)", m.Temporal.Tau.Value},
		{"Curvature (°)", m.Temporal.Straightness.Curvature.Value}, {"Effective rank", m.EffectiveRank}} {
		if !m.EffectiveRank.Defined() {
			row.v = m.EffectiveRank
		}
		table.Rows = append(table.Rows, []string{row.name, plots.Number(row.v.Float(), 3)})
	}
	return table
}

// similar shows debiased CKA above and RSA below the diagonal; for a single model a
// summary.
func similar(r *geometry.Result) plots.Panel {
	if len(r.Models) == 1 {
		return summaryTable(&r.Models[0])
	}
	matrix := &plots.Matrix{}
	for i, a := range r.Models {
		matrix.Names = append(matrix.Names, a.Name)
		row := make([]float64, len(r.Models))
		for j, b := range r.Models {
			s := r.SimilarityOf(i, b.Name)
			switch {
			case i < j:
				row[j] = s.CKADebiased.Float()
			case i > j:
				row[j] = s.RSA.Float()
			default:
				row[j] = s.CKA.Float() // 1
			}
			if !a.EffectiveRank.Defined() {
				row[j] = math.NaN()
			}
		}
		matrix.Values = append(matrix.Values, row)
	}
	return matrix
}

func similarityTitle(r *geometry.Result) string {
	if len(r.Models) == 1 {
		return "Summary"
	}
	return "CKA (above), RSA (below)"
}
