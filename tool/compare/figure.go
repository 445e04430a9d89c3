// Figures: metrics with intervals, studies over tasks, and losses.

package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"repscope/plots"
	"repscope/report"
)

// Figure shows the value of every model in each metric, with its interval.
func (r *Result) Figure() *plots.Figure {
	f := &plots.Figure{Series: r.Models, Title: "Comparison", NoLetters: true}
	rows := r.drawn()
	columns := 4
	if len(r.Models) > 8 {
		columns = 3
	}
	lines := max((len(rows)+columns-1)/columns, 1)
	columns = max((len(rows)+lines-1)/lines, 1) // as even as they come
	for i, row := range rows {
		f.Tiles = append(f.Tiles, plots.Tile{Panel: row.panel(r), Title: row.short(r), Row: i / columns, Column: i % columns})
	}
	f.WidthMM = max(90, min(180, 60*float64(columns)))
	f.HeightMM = 20 + max(30, min(45, 260/float64(lines)))*float64(lines) // a page, if it can be
	f.Footnote = r.caption(rows)
	return f
}

// caption explains the intervals, arrows and baseline of the figure, if it has them.
func (r *Result) caption(rows []*Row) string {
	any := func(has func(row *Row, x int, c *Cell) bool) bool {
		return slices.ContainsFunc(rows, func(row *Row) bool {
			for x, c := range row.Cells {
				if c != nil && c.Value.Defined() && has(row, x, c) {
					return true
				}
			}
			return false
		})
	}
	var parts []string
	if len(r.Table) > len(rows) {
		parts = append(parts, fmt.Sprintf("%d of %d metrics (--metrics chooses others).", len(rows), len(r.Table)))
	}
	var marks []string
	if any(func(_ *Row, _ int, c *Cell) bool { return c.CI.Defined() }) {
		marks = append(marks, "lines: 95 % intervals")
	}
	for _, way := range []struct {
		direction report.Direction
		words     string
	}{{report.Higher, arrowUp + " higher is better"}, {report.Lower, arrowDown + " lower is better"}} {
		if any(func(row *Row, _ int, _ *Cell) bool { return row.Direction == way.direction }) {
			marks = append(marks, way.words)
		}
	}
	if any(func(_ *Row, x int, _ *Cell) bool { return r.Models[x] == r.Baseline }) {
		marks = append(marks, "dashed: "+r.Baseline)
	}
	if len(marks) > 0 {
		parts = append(parts, capitalized(strings.Join(marks, "; "))+".")
	}
	return strings.Join(parts, " ")
}

// short is the title of a panel.
func (row *Row) short(r *Result) string {
	title := report.Title(row.Metric) + row.arrow(arrowUp, arrowDown)
	tasks, analyses := r.leading()
	if analyses {
		title = row.Analysis + ": " + title
	}
	if tasks {
		title = taskName(row.Task) + ": " + title
	}
	return title
}

// panel shows one metric.
func (row *Row) panel(r *Result) plots.Panel {
	p := &plots.Bars{Y: plots.Axis{Label: row.Unit}, NamesInLegend: true, NoValues: true, Dots: true}
	for x, cell := range row.Cells {
		if cell == nil {
			continue
		}
		low, high := ends(cell.CI)
		p.Bars = append(p.Bars, plots.Bar{Name: r.Models[x], Value: cell.Value.Float(), Low: low, High: high, Reason: cell.Value.Reason})
		if r.Models[x] == r.Baseline && cell.Value.Defined() {
			p.References = []plots.Reference{{Value: cell.Value.V}}
		}
	}
	return p
}

func ends(i report.Interval) (low, high float64) {
	if !i.Defined() {
		return math.NaN(), math.NaN()
	}
	return i.Low, i.High
}

// StudyFigure shows, for each metric over several tasks, the performance profiles, the
// interquartile means and the average ranks.
func (r *Result) StudyFigure() *plots.Figure {
	f := &plots.Figure{Series: r.Models, Title: "Study", WidthMM: 150, ColumnWidths: []float64{1, 0.8}}
	shown := r.Studies[:min(len(r.Studies), 6)]
	for i, s := range shown {
		f.Tiles = append(f.Tiles,
			plots.Tile{Panel: s.profilePanel(), Title: s.Metric, Row: 2 * i, Column: 0},
			plots.Tile{Panel: s.bars("Interquartile mean of "+s.label(), func(a *Aggregate) (report.Value, report.Interval) { return a.IQM, a.IQMCI }), Row: 2 * i, Column: 1},
			plots.Tile{Panel: s.ranksPanel(), Row: 2*i + 1, Column: 0, ColumnSpan: 2})
		ranks := 14 + 2.5*float64(len(s.names)+len(s.Groups))
		f.RowHeights = append(f.RowHeights, 55, ranks)
		f.HeightMM += 55 + ranks
	}
	f.HeightMM += 25
	if len(shown) < len(r.Studies) {
		f.Footnote = fmt.Sprintf("The first %d of %d metrics. ", len(shown), len(r.Studies))
	}
	f.Footnote += "Intervals at 95 %, about " + shown[0].About + "."
	var untested []string
	for _, s := range shown {
		if s.tooFew != "" && !slices.Contains(untested, s.tooFew) {
			untested = append(untested, s.tooFew)
		}
	}
	for _, why := range untested {
		f.Footnote += " Lines join ranks that no test tells apart: " + why + "."
	}
	return f
}

func (s *Study) profilePanel() plots.Panel {
	label := "Score"
	if !s.Scaled {
		label = s.Metric
		if s.Unit != "" {
			label += " (" + s.Unit + ")"
		}
	}
	p := &plots.Curves{X: plots.Axis{Label: label}, Y: plots.Axis{Label: "Share of runs that do better", Min: 0, Max: 1.02, Ticks: []float64{0, 0.25, 0.5, 0.75, 1}}, NoMarkers: true}
	for _, name := range s.names {
		of := s.Profiles.of[name]
		p.Series = append(p.Series, plots.CurveSeries{Name: name, X: s.Profiles.Thresholds, Y: of.Share, Low: of.Low, High: of.High})
	}
	return p
}

// ranksPanel shows average ranks, and which models do not differ.
func (s *Study) ranksPanel() plots.Panel {
	p := &plots.CriticalDifference{X: plots.Axis{Label: "Average rank"}, Groups: s.Groups}
	for _, name := range s.names {
		p.Models = append(p.Models, plots.RankedModel{Name: name, Rank: s.of[name].AverageRank.Float()})
	}
	return p
}

// label names the scores and which way they are better.
func (s *Study) label() string {
	label := s.Metric
	if s.Scaled {
		label = "scaled " + label
	} else if s.Unit != "" {
		label += " (" + s.Unit + ")"
	}
	switch {
	case s.Scaled || s.Direction == report.Higher:
		return label + " " + arrowUp
	case s.Direction == report.Lower:
		return label + " " + arrowDown
	}
	return label
}

func (s *Study) bars(label string, estimate func(*Aggregate) (report.Value, report.Interval)) plots.Panel {
	p := &plots.Bars{Y: plots.Axis{Label: label}, NamesInLegend: true, Dots: true, NoValues: true}
	for _, name := range s.names {
		v, ci := estimate(s.of[name])
		low, high := ends(ci)
		p.Bars = append(p.Bars, plots.Bar{Name: name, Value: v.Float(), Low: low, High: high, Reason: v.Reason})
	}
	return p
}

// LossFigure shows the curves of each name in a panel of its own, for losses of different
// names have nothing in common but that.
func LossFigure(losses []*Losses) *plots.Figure {
	f := &plots.Figure{Title: "Losses", NoLetters: true}
	columns := min(len(losses), 3)
	for i, l := range losses {
		p := &plots.Curves{X: plots.Axis{Label: capitalized(l.X)}, Y: plots.Axis{Label: "Loss of " + l.Name, Log: l.wide()}}
		for _, c := range l.Curves {
			s := plots.CurveSeries{Name: c.Column}
			for _, xy := range c.XY {
				s.X, s.Y = append(s.X, xy[0]), append(s.Y, xy[1])
			}
			if c.Points == 0 {
				s.Reason = c.Final.Reason
			}
			p.Series = append(p.Series, s)
		}
		f.Tiles = append(f.Tiles, plots.Tile{Panel: p, Title: l.Name, Row: i / columns, Column: i % columns})
	}
	f.WidthMM = max(90, 60*float64(columns))
	f.HeightMM = 20 + 50*float64((len(losses)+columns-1)/columns)
	if len(losses) > 1 {
		f.Footnote = "Each name has an axis of its own: losses of different names are different functions."
	}
	return f
}

// wide reports whether the losses of a run span more than two powers of ten, all above 0.
func (l *Losses) wide() bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range l.Curves {
		for _, xy := range c.XY {
			low, high = min(low, xy[1]), max(high, xy[1])
		}
	}
	return low > 0 && high > 100*low
}

func capitalized(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
