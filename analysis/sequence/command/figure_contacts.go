// The figures of contacts: the precision of the pairs that are ranked first, and the map of one sequence.

package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/measure/contact"
	"repscope/plots"
	"repscope/report"
)

// contactRanges are the ranges of the figure, with their names there.
var contactRanges = []struct{ name, label string }{
	{"all", "All pairs"}, {"local", "Local"}, {"short", "Short"}, {"medium", "Medium"}, {"long", "Long"},
	{"within", "Same chain"}, {"between", "Two chains"},
}

// contactFigure shows the precision by depth of all pairs and by range; nil where no model has any.
func contactFigure(all *sequence.DatasetResult) *plots.Figure {
	d, without := withMetric(all, "p_at_l")
	if len(d.Models) == 0 {
		return nil
	}
	logistic := false
	for i := range d.Models {
		_, fitted := d.Models[i].Kept[metrics.ContactKey(true, "all", "p_at_l")]
		logistic = logistic || fitted
	}
	f := newFigure(all, "Contact precision")
	right := plots.Tile{Title: "Precision over all pairs", Column: 1, Panel: contactDepths(d)}
	if logistic {
		right.Title, right.Panel = "Regressions on all heads", contactCurves(d, true)
	}
	f.Tiles = []plots.Tile{
		{Title: "Pairs ranked by " + contactSource(d), Panel: contactCurves(d, false)}, right,
		{Title: "Precision of the first L pairs by range", Row: 1, ColumnSpan: 2, Panel: contactBars(d)},
	}
	f.HeightMM, f.RowHeights = 116, []float64{1, 1}
	if len(d.Models) > mostBars {
		second := 24 + 6*float64(len(d.Models))
		f.HeightMM, f.RowHeights = 62+second, []float64{62, second}
	}
	f.HeightMM += 5 * math.Ceil(float64(len(d.Models))/5)
	chance := "dashed lines in bars"
	if len(d.Models) > mostBars {
		chance = "last row"
	}
	f.Footnote = fmt.Sprintf("L: number of residues with coordinates. Chance (%s): share of contacts among all "+
		"pairs of a range. %s%s", chance, f.Footnote, without)
	return f
}

// newFigure is a figure of all models, whose footnote says what intervals are.
func newFigure(d *sequence.DatasetResult, title string) *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: title}
	for i := range d.Models {
		f.Series = append(f.Series, d.Models[i].Name)
	}
	if d.Blocks != "" {
		f.Footnote = fmt.Sprintf("Error bars and bands: 95 %% intervals, jackknife over %s.", d.Blocks)
	}
	return f
}

// withMetric are the models that have a metric, as a dataset, and a sentence on why others are not shown.
func withMetric(d *sequence.DatasetResult, metric string) (part *sequence.DatasetResult, without string) {
	part = &sequence.DatasetResult{}
	*part = *d
	part.Models = nil
	var names []string
	for i := range d.Models {
		m := &d.Models[i]
		if slices.Contains(m.Metrics, metric) {
			part.Models = append(part.Models, *m)
			continue
		}
		why, _ := m.Skipped.Get(metric)
		names = append(names, fmt.Sprintf("%s (%v)", plots.Escape(m.Name), why))
	}
	if names != nil {
		without = " Not shown: " + strings.Join(names, ", ") + "."
	}
	return part, without
}

// contactSource names what ranks the pairs of all models.
func contactSource(d *sequence.DatasetResult) string {
	for i := range d.Models {
		if source, _ := d.Models[i].Object.Get("contacts_scores"); source == metrics.ScoresGiven {
			return "scores of the models"
		}
	}
	return "attention"
}

// contactCurves are the precisions by depth, of all pairs.
func contactCurves(d *sequence.DatasetResult, logistic bool) plots.Panel {
	p := &plots.Curves{X: plots.Axis{Label: "Depth (pairs/L)", Min: 0, Max: 1}, Y: plots.Axis{Label: "Precision", Max: 1.02}}
	chance := 0.0
	for i := range d.Models {
		m := &d.Models[i]
		kept, _ := m.Kept[metrics.ContactKey(logistic, "all", "p_at_l")].(map[string]*metrics.ContactCurve)
		series := plots.CurveSeries{Name: m.Name}
		if curve := kept["all"]; curve != nil {
			chance = curve.Chance
			for k, v := range curve.Precision {
				output.AppendPoint(&series, float64(k+1)/contact.Steps, report.WithInterval(v, curve.Interval[k]))
			}
		} else {
			series.Reason = output.Why(scoreOf(m, metrics.ContactKey(logistic, "all", "p_at_l")).Value)
		}
		p.Series = append(p.Series, series)
	}
	p.References = []plots.Reference{{Value: chance, Label: "chance"}}
	return p
}

// contactDepths are bars of P@L, P@L/2 and P@L/5 of all pairs, or a map of many models.
func contactDepths(d *sequence.DatasetResult) plots.Panel {
	var columns []chanceColumn
	for _, c := range []struct{ score, label string }{{"p_at_l5", "P@L/5"}, {"p_at_l2", "P@L/2"}, {"p_at_l", "P@L"}} {
		columns = append(columns, chanceColumn{c.label, metrics.ContactKey(false, "all", c.score), metrics.ContactKey(false, "all", "chance")})
	}
	return overChance(d, "Precision", columns)
}

// contactBars are the precisions of the first L pairs by range.
func contactBars(d *sequence.DatasetResult) plots.Panel {
	var columns []chanceColumn
	for _, r := range contactRanges {
		columns = append(columns, chanceColumn{r.label, metrics.ContactKey(false, r.name, "p_at_l"), metrics.ContactKey(false, r.name, "chance")})
	}
	return overChance(d, "Precision", columns)
}

// chanceColumn is a group of bars: a share, and the share by chance.
type chanceColumn struct{ label, key, chance string }

// overChance shows shares next to the shares by chance, as bars with intervals or, of many models, as a map.
func overChance(d *sequence.DatasetResult, label string, columns []chanceColumn) plots.Panel {
	value := func(m *sequence.ModelResult, key string) float64 { return scoreOf(m, key).Float() }
	if len(d.Models) > mostBars {
		p := &plots.HeatMap{Scale: plots.ColorScale{Ramp: plots.RampMagnitude, High: 1}}
		last := make([]float64, len(columns))
		for k, c := range columns {
			p.Columns = append(p.Columns, c.label)
			last[k] = math.NaN()
			for i := range d.Models {
				if v := value(&d.Models[i], c.chance); !math.IsNaN(v) {
					last[k] = v
				}
			}
		}
		for i := range d.Models {
			row := make([]float64, len(columns))
			for k, c := range columns {
				row[k] = value(&d.Models[i], c.key)
			}
			p.Rows, p.Values = append(p.Rows, d.Models[i].Name), append(p.Values, row)
		}
		p.Rows, p.Values = append(p.Rows, "chance"), append(p.Values, last)
		return p
	}
	p := &plots.GroupedBars{Y: plots.Axis{Label: label}}
	for _, c := range columns {
		p.Groups = append(p.Groups, c.label)
	}
	for i := range d.Models {
		m := &d.Models[i]
		series := plots.BarSeries{Name: m.Name}
		for _, c := range columns {
			output.AppendBar(&series, scoreOf(m, c.key))
			series.Baselines = append(series.Baselines, value(m, c.chance))
		}
		p.Series = append(p.Series, series)
	}
	return p
}

// The series of a map.
const (
	mapContact = "Contact"
	mapHit     = "Among the first, contact"
	mapMiss    = "Among the first, no contact"
)

// contactMapFigure shows the contacts of one sequence, and the pairs that each model ranks
// first; nil where no model has any.
func contactMapFigure(d *sequence.DatasetResult) *plots.Figure {
	var shown []*metrics.ContactMap
	var names []string
	d, without := withMetric(d, "p_at_l")
	for i := range d.Models {
		if s, ok := d.Models[i].Kept["contacts"].(*metrics.ContactMap); ok {
			shown, names = append(shown, s), append(names, d.Models[i].Name)
		}
	}
	if shown == nil {
		return nil
	}
	columns := min(len(shown), 4)
	rows := (len(shown) + columns - 1) / columns
	f := &plots.Figure{Series: []string{mapContact, mapHit, mapMiss}, Title: "Contact map"}
	f.WidthMM = plots.DoubleColumnMM
	if len(shown) == 1 {
		f.WidthMM = plots.SingleColumnMM
	}
	f.HeightMM = float64(rows)*(f.WidthMM/float64(columns)+3) + 14
	for k, s := range shown {
		f.Tiles = append(f.Tiles, plots.Tile{Row: k / columns, Column: k % columns, Panel: contactMap(s, k%columns == 0, k+columns >= len(shown)),
			Title: plots.Escape(names[k]) + ": " + output.Decimals(report.Number(topPrecision(s)), 2)})
	}
	s := shown[0]
	f.Footnote = fmt.Sprintf("Sequence %s. Above the diagonal: contacts of residues at least %d apart. Below: the "+
		"L pairs ranked first by a model; their precision is in the title.", plots.Escape(s.ID), s.Least)
	if s.First < s.N {
		f.Footnote += fmt.Sprintf(" The second chain starts at residue %d.", s.First+1)
	}
	f.Footnote += without
	return f
}

// topPairs are the pairs that are ranked first, as many as residues with coordinates.
func topPairs(s *metrics.ContactMap) [][2]int {
	var pairs [][2]int
	resolved := 0
	for i := range s.N {
		if s.Pairs[i*s.N+i] != contact.Unknown {
			resolved++
		}
		for j := i + s.Least; j < s.N; j++ {
			if s.Pairs[i*s.N+j] != contact.Unknown {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int) int {
		x, y := s.Scores[a[0]*s.N+a[1]], s.Scores[b[0]*s.N+b[1]]
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return pairs[:min(resolved, len(pairs))]
}

// topPrecision is the share of the pairs ranked first that touch.
func topPrecision(s *metrics.ContactMap) float64 {
	top, hits := topPairs(s), 0
	for _, p := range top {
		if s.Pairs[p[0]*s.N+p[1]] == contact.Touching {
			hits++
		}
	}
	return float64(hits) / float64(len(top))
}

// contactMap is the map of one model.
func contactMap(s *metrics.ContactMap, left, bottom bool) plots.Panel {
	p := &plots.Scatter{Diagonal: true, Series: []plots.ScatterSeries{{Name: mapContact}, {Name: mapHit}, {Name: mapMiss}}}
	for _, axis := range []*plots.Axis{&p.X, &p.Y} {
		axis.Min, axis.Max, axis.Integer = 0.5, float64(s.N)+0.5, true
	}
	if bottom {
		p.X.Label = "Residue"
	}
	if left {
		p.Y.Label = "Residue"
	}
	add := func(series, i, j int) {
		p.Series[series].X = append(p.Series[series].X, float64(i+1))
		p.Series[series].Y = append(p.Series[series].Y, float64(j+1))
	}
	for i := range s.N {
		for j := i + s.Least; j < s.N; j++ {
			if s.Pairs[i*s.N+j] == contact.Touching {
				add(0, i, j)
			}
		}
	}
	for _, pair := range topPairs(s) {
		if s.Pairs[pair[0]*s.N+pair[1]] == contact.Touching {
			add(1, pair[1], pair[0])
		} else {
			add(2, pair[1], pair[0])
		}
	}
	return p
}
