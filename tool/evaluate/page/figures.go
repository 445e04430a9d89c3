// The figures of a section, drawn from its numbers: a dot and an interval for each model, curves over a
// parameter of the analysis, curves over the checkpoints of training runs.

package page

import (
	"bytes"
	"cmp"
	"html/template"
	"math"
	"slices"
	"strings"

	"repscope/plots"
	"repscope/report"
)

// subject is what one figure shows: a column, or several that differ in a parameter.
type subject struct {
	columns []int
	family  string
	key     string // of the parameter
	values  []float64
}

// leastCurve is the fewest values of a parameter that make a curve, mostCurves the most lines that anybody tells apart.
const (
	leastCurve = 3
	mostCurves = 24
	manyCurves = 5 // whose bands are pale
)

// subjects are the subjects of a table: one of each family before a second of any.
func subjects(columns []Column) []subject {
	var list []subject
	groups := map[string]int{}
	for i, c := range columns {
		p := report.SplitPath(c.Path)
		k, ok := groups[p.Group]
		if !ok || !p.Parametric {
			k = len(list)
			groups[p.Group] = k
			list = append(list, subject{family: report.Family(c.Path), key: p.Key})
		}
		list[k].columns = append(list[k].columns, i)
		list[k].values = append(list[k].values, p.Value)
	}
	var all []subject
	for _, s := range list {
		if len(s.columns) >= leastCurve {
			all = append(all, s)
			continue
		}
		for i := range s.columns {
			all = append(all, subject{columns: s.columns[i : i+1], family: s.family})
		}
	}
	seen, rank := map[string]int{}, make(map[int]int, len(all))
	for i, s := range all {
		rank[s.columns[0]] = seen[s.family]
		seen[all[i].family]++
	}
	slices.SortStableFunc(all, func(a, b subject) int { return rank[a.columns[0]] - rank[b.columns[0]] })
	return all
}

// figures draws the subjects of a section, as many as the page has room for.
func (b *builder) figures(v *section, t *Table) ([]figure, error) {
	var list []figure
	all := subjects(t.Columns)
	panels, marks := b.limits.panels, b.limits.marks
	for _, s := range all {
		if len(t.Checkpoints) == 0 || len(list) > 0 && (len(list) == max(panels, 2) || marks < len(t.Checkpoints)) {
			break
		}
		f, err := b.training(t, s.columns[len(s.columns)/2])
		if err != nil {
			return nil, err
		}
		if f != nil {
			list = append(list, *f)
			marks -= len(t.Checkpoints)
		}
	}
	rows := b.figured(t)
	if len(rows) > figuredModels {
		return list, nil
	}
	for i, s := range all {
		if i == panels || len(rows) == 0 || i > 0 && marks < len(rows) {
			break
		}
		if points := len(rows) * len(s.columns); len(s.columns) > 1 && len(rows) <= mostCurves && points <= marks {
			f, err := b.curves(t, s, rows)
			if err != nil {
				return nil, err
			}
			list = append(list, f)
			marks -= points
			continue
		}
		list = append(list, b.dots(t, s.columns[len(s.columns)/2], rows))
		marks -= len(rows)
	}
	return list, nil
}

// figured are the models of a table that figures show: of a training run the last checkpoint.
func (b *builder) figured(t *Table) []int {
	last, run := map[string]string{}, map[string]string{}
	for _, c := range t.Checkpoints { // in the order of steps
		if slices.Contains(t.Models, c.Model) {
			last[c.Series], run[c.Model] = c.Model, c.Series
		}
	}
	var rows []int
	for i, name := range t.Models {
		if series, ok := run[name]; !ok || last[series] == name {
			rows = append(rows, i)
		}
	}
	return rows
}

// titled is a figure with a title and a note of its column.
func titled(name string, c Column, notes ...string) figure {
	f := figure{Title: name}
	if a := arrow(c.Direction); a != "" {
		f.Title += " " + a
	}
	if d := direction(c.Direction); d != "" {
		notes = append([]string{d}, notes...)
	}
	if c.Unit != "" {
		notes = append([]string{c.Unit}, notes...)
	}
	f.Note = strings.Join(notes, "; ")
	return f
}

// curves draws models over a parameter of the analysis.
func (b *builder) curves(t *Table, s subject, rows []int) (figure, error) {
	c := t.Columns[s.columns[0]]
	p := report.SplitPath(c.Path)
	name := p.Name(false)
	if len(p.Rows) > 1 {
		name += " (" + strings.Join(p.Rows[:len(p.Rows)-1], ", ") + ")"
	}
	f := titled(name, c, "over "+report.Words(s.key))
	order := slices.Clone(s.columns)
	value := map[int]float64{}
	for i, column := range s.columns {
		value[column] = s.values[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value[a], value[b]) })
	var series []plots.CurveSeries
	for _, r := range rows {
		curve := plots.CurveSeries{Name: t.Models[r]}
		for _, column := range order {
			appendCell(&curve, value[column], t.Rows[r][column])
		}
		series = append(series, curve)
		f.Keys = append(f.Keys, b.keyOf(t.Models[r]))
	}
	return f, b.draw(&f, series, report.Words(s.key), c)
}

// training draws one number over the checkpoints of runs; nil if it has no run.
func (b *builder) training(t *Table, column int) (*figure, error) {
	c := t.Columns[column]
	f := titled(report.Label(c.Path), c, "over checkpoints")
	var series []plots.CurveSeries
	for _, check := range t.Checkpoints {
		r := slices.Index(t.Models, check.Model)
		if r < 0 {
			continue
		}
		e := b.view.Entries[b.model[check.Model]]
		if len(series) == 0 || series[len(series)-1].Name != e.Name {
			series = append(series, plots.CurveSeries{Name: e.Name})
			f.Keys = append(f.Keys, e)
		}
		appendCell(&series[len(series)-1], check.Step, t.Rows[r][column])
	}
	if len(series) == 0 {
		return nil, nil
	}
	return &f, b.draw(&f, series, "step", c)
}

// keyOf is the key of a model in a figure: under its own name, in the style of its entry.
func (b *builder) keyOf(model string) entry {
	e := b.view.Entries[b.model[model]]
	e.Name, e.Steps = model, 0
	return e
}

func appendCell(c *plots.CurveSeries, x float64, cell Cell) {
	low, high := math.NaN(), math.NaN()
	if cell.Interval.Defined() && !math.IsInf(cell.Interval.Low, 0) && !math.IsInf(cell.Interval.High, 0) {
		low, high = cell.Interval.Low, cell.Interval.High
	}
	c.X, c.Y = append(c.X, x), append(c.Y, cell.Value.Float())
	c.Low, c.High = append(c.Low, low), append(c.High, high)
	if !cell.Value.Defined() && c.Reason == "" {
		c.Reason = cell.Value.Reason
	}
}

// draw makes the SVG of curves.
func (b *builder) draw(f *figure, series []plots.CurveSeries, x string, c Column) error {
	names := make([]string, len(b.view.Entries)) // the name of a checkpoint is at the index of its run
	for i, e := range b.view.Entries {
		names[i] = e.Name
	}
	for i := range series {
		if f.Keys[i].Name != names[f.Keys[i].Index] {
			names[f.Keys[i].Index] = f.Keys[i].Name
		}
	}
	unit := c.Unit
	if unit == "" {
		unit = shorten(report.Words(last(report.SplitPath(c.Path).Steps)), 30)
	}
	drawn := plots.Figure{
		WidthMM: 86, HeightMM: 56, Legend: plots.LegendNone, Series: distinct(names),
		Tiles: []plots.Tile{{Panel: &plots.Curves{X: plots.Axis{Label: plots.Escape(x)}, Y: plots.Axis{Label: plots.Escape(unit)}, Series: series}}},
	}
	if b.WidthMM > 0 {
		if err := drawn.Fit(b.WidthMM); err != nil {
			return err
		}
	}
	f.Many = len(series) > manyCurves
	var out bytes.Buffer
	if err := drawn.Inline(&out, f.Title); err != nil {
		return err
	}
	f.SVG = template.HTML(out.String())
	return nil
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// distinct makes names differ that are equal: the names of entries that the figure does not show.
func distinct(names []string) []string {
	seen := map[string]bool{}
	for i, name := range names {
		for seen[name] {
			name += " "
		}
		names[i], seen[name] = name, true
	}
	return names
}
