// The first table of a dataset: one row per model across all analyses, with a few numbers of each.

package page

import (
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/report"
)

// grid is a table of models and numbers as the template has it.
type grid struct {
	Id, Caption string
	Groups      []group
	Columns     []heading
	Rows        []row
	Notes       []string
}

// group is the analysis of some columns next to each other.
type group struct {
	Name, Anchor string
	Span         int
	Places       string // of its columns: "5–8"
}

type heading struct {
	Name, Path, Unit, Arrow, Direction string
}

type row struct {
	Name  string
	Entry int
	Own   bool // the entry is the model's own, and no run's
	Group string
	Cells template.HTML
}

type overview struct {
	Dataset string
	Decided string // how much the comparisons of all results decide
	grid
}

// overview chooses columns: of each analysis the metrics that stand for it ([report.Headlines]).
func (b *builder) overview(t *Table) overview {
	o := overview{Dataset: t.Dataset, grid: grid{Id: "overview-" + anchor(t.Dataset)}}
	columns := overviewColumns(t, b.limits.overview)
	for _, c := range columns {
		analysis := t.Columns[c].Analysis
		if n := len(o.Groups); n > 0 && o.Groups[n-1].Name == analysis {
			o.Groups[n-1].Span++
			continue
		}
		o.Groups = append(o.Groups, group{Name: analysis, Anchor: b.anchorOf(t.Dataset, analysis), Span: 1})
	}
	first := 1
	for i := range o.Groups {
		g := &o.Groups[i]
		if g.Places = itoa(first); g.Span > 1 {
			g.Places += "–" + itoa(first+g.Span-1)
		}
		first += g.Span
	}
	o.fill(b, t, columns)
	if len(o.Rows) < len(t.Models) {
		b.notice("Of %d models of %s the first %d are in the tables; all are in %s.",
			len(t.Models), called(t.Dataset), len(o.Rows), b.besideNames())
	}
	o.Caption = "One row per model"
	if t.Dataset != "" {
		o.Caption = t.Dataset + ": one row per model"
	}
	o.Decided = t.decisions.Words()
	return o
}

// overviewColumns are the columns of the first table.
func overviewColumns(t *Table, limit int) []int {
	var columns []int
	for i := 0; i < len(t.Columns); {
		k := i
		for k < len(t.Columns) && t.Columns[k].Analysis == t.Columns[i].Analysis {
			k++
		}
		for _, c := range headline(t.Columns[i:k], limit) {
			columns = append(columns, i+c)
		}
		i = k
	}
	return columns
}

// headline are the columns of one analysis that stand for it.
func headline(columns []Column, limit int) []int {
	paths, named := make([]string, len(columns)), map[string]bool{}
	for i, c := range columns {
		paths[i], named[c.Path] = c.Path, c.Headline
	}
	return report.Headlines(paths, func(path string) bool { return named[path] }, limit)
}

// fill makes the headings and rows of some columns of a table.
func (g *grid) fill(b *builder, t *Table, columns []int) {
	for _, c := range columns {
		g.Columns = append(g.Columns, headingOf(t.Columns[c]))
	}
	rows := min(len(t.Models), b.limits.models)
	ranges := make([][2]float64, len(columns))
	for k, c := range columns {
		ranges[k] = [2]float64{math.Inf(1), math.Inf(-1)}
		for r := range rows {
			if v := t.Rows[r][c].Value; v.Defined() {
				ranges[k] = [2]float64{min(ranges[k][0], v.V), max(ranges[k][1], v.V)}
			}
		}
	}
	for r := range rows {
		name := t.Models[r]
		var cells strings.Builder
		for k, c := range columns {
			g.cell(&cells, &t.Rows[r][c], ranges[k])
		}
		e := b.model[name]
		g.Rows = append(g.Rows, row{name, e, b.view.Entries[e].Steps == 0, b.Groups[name],
			template.HTML(cells.String())})
	}
}

func headingOf(c Column) heading {
	return heading{report.Label(c.Path), c.Path, c.Unit, arrow(c.Direction), direction(c.Direction)}
}

// cell writes a number, its interval and its mark, with a bar of its place between the least and the largest.
func (g *grid) cell(out *strings.Builder, c *Cell, ends [2]float64) {
	if !c.Value.Defined() {
		if c.Value.Reason == notMeasured {
			out.WriteString(`<td class="n">–<span class="sr"> not measured</span></td>`)
			return
		}
		reason := c.Value.Reason
		if reason == "" {
			reason = "not defined"
		}
		out.WriteString(`<td class="n">n/a <a href="#` + g.Id + `-n` + itoa(g.note(reason)) + `" title="` + template.HTMLEscapeString(shorten(reason, 120)) +
			`">` + itoa(g.note(reason)) + `</a></td>`)
		return
	}
	out.WriteString(`<td data-v="` + strconv.FormatFloat(c.Value.V, 'g', 9, 64) + `"`)
	if ends[1] > ends[0] {
		out.WriteString(` style="--w:` + itoa(int(math.Round(100*(c.Value.V-ends[0])/(ends[1]-ends[0])))) + `%"`)
	}
	if c.Best {
		out.WriteString(` class="b"`)
	}
	out.WriteString(`>` + number(c.Value.V))
	if c.Best {
		out.WriteString(`<span class="sr"> may be the best</span>`)
	}
	if i := interval(c.Interval); i != "" {
		out.WriteString(`<i>` + i + `</i>`)
	}
	out.WriteString(`</td>`)
}

// note is the number of a reason among those under the table.
func (g *grid) note(reason string) int {
	i := slices.Index(g.Notes, reason)
	if i < 0 {
		i = len(g.Notes)
		g.Notes = append(g.Notes, reason)
	}
	return i + 1
}

// called names a dataset in a sentence.
func called(dataset string) string {
	if dataset == "" {
		return "the results"
	}
	return dataset
}

// anchor is a text as an id may have it; other ids of the page have a prefix, so that none is used twice.
func anchor(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			b.WriteRune(r)
		default:
			b.WriteString("_" + strconv.FormatInt(int64(r), 16))
		}
	}
	return b.String()
}

func (b *builder) anchorOf(dataset, analysis string) string {
	i := slices.IndexFunc(b.Sections, func(s Section) bool { return s.Dataset == dataset && s.Analysis == analysis })
	return "s" + itoa(i)
}
