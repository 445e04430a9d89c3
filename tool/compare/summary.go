// The console of several analyses: one screen.

package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"repscope/report"
)

const (
	mostSummary  = 2   // numbers of one analysis
	summaryWidth = 100 // columns of the console
	longestLabel = 28  // characters of the name of a metric
	longestModel = 16  // and of a model
)

// summary are tables of at most two headline numbers of each analysis, without intervals, that are no wider than 100
// columns. Analyses of the same models share a table.
func (r *Result) summary() []*report.Table {
	rows := r.headlines(mostSummary)
	var tables []*report.Table
	var hidden []string
	for _, v := range views(rows, true) {
		table, left := v.summary(r)
		tables = append(tables, table)
		hidden = append(hidden, left...)
	}
	last := tables[len(tables)-1]
	last.Note("* may be the best (95 %% confidence set); Differ: pairs, p < %g (Holm over %s)", alpha, r.familyWords())
	r.noteDecisions(last)
	rest := fmt.Sprintf("%s in compare_table.csv, with intervals; --verbose prints more", moreRows(len(r.Table)-len(rows)))
	if len(hidden) > 0 {
		rest = fmt.Sprintf("%d more models and %s", len(hidden), rest)
	}
	last.Note("%s", rest)
	return tables
}

// summary is a table of a view, with as many models as it has room for, and the names of the others.
func (v view) summary(r *Result) (table *report.Table, hidden []string) {
	cells := make([][]string, len(v.rows))
	room := summaryWidth - len("  Differ")
	leads := [2]int{len("Analysis"), len("Metric")}
	for i, row := range v.rows {
		lead := [2]string{row.Analysis, row.summaryLabel()}
		for k, text := range lead {
			leads[k] = max(leads[k], utf8.RuneCountInString(text))
		}
		cells[i] = lead[:]
	}
	room -= leads[0] + 2 + leads[1]
	header := []string{"Analysis", "Metric"}
	for k, x := range v.models {
		name := cut(r.Models[x], longestModel)
		width := utf8.RuneCountInString(name)
		column := make([]string, len(v.rows))
		for i, row := range v.rows {
			column[i] = row.Cells[x].brief()
			width = max(width, utf8.RuneCountInString(column[i]))
		}
		if room -= width + 2; room < 0 && k > 0 {
			for _, left := range v.models[k:] {
				hidden = append(hidden, r.Models[left])
			}
			break
		}
		header = append(header, name)
		for i := range cells {
			cells[i] = append(cells[i], column[i])
		}
	}
	table = report.NewTable("", append(header, "Differ")...)
	above := ""
	for i, row := range v.rows {
		var list []any
		for _, cell := range append(cells[i], row.differing()) {
			list = append(list, cell)
		}
		if row.Analysis == above {
			list[0] = ""
		}
		above = row.Analysis
		table.Row(list...)
	}
	return table, hidden
}

// summaryLabel is the metric in words, with its task where there are several, and the arrow of its direction.
func (row *Row) summaryLabel() string {
	label := cut(report.Label(row.Metric), longestLabel) + row.arrow(arrowUp, arrowDown)
	if row.Task != "" {
		label = taskName(row.Task) + ": " + label
	}
	return label
}

// brief is a cell without its interval.
func (c *Cell) brief() string {
	switch {
	case c == nil:
		return ""
	case !c.Value.Defined():
		return "–"
	}
	text, _, _ := strings.Cut(report.FormatEstimate(c.Value.V, c.CI), " ")
	if c.Best {
		text += "*"
	}
	return text
}

// differing counts the pairs of models that differ among those that are tested: "5/6"; empty where none is tested.
func (row *Row) differing() string {
	differ, tested := row.decided()
	if tested == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", differ, tested)
}

// decided counts the pairs of models that differ, and those that are tested.
func (row *Row) decided() (differ, tested int) {
	for _, t := range row.pairs.tests {
		if !math.IsNaN(t.p) {
			tested++
			if t.holm < alpha {
				differ++
			}
		}
	}
	return differ, tested
}

// cut shortens a text to at most limit characters.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// summarized reports whether the console is a summary: of several analyses, where no metric was asked for.
func (r *Result) summarized() bool {
	_, analyses := r.leading()
	return analyses && !r.all && !slices.ContainsFunc(r.Table, func(row *Row) bool { return row.asked })
}
