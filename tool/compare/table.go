// Tables: console, CSV, Markdown and LaTeX.

package compare

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/report"
)

// Orientations of tables: what the rows are.
const (
	OrientMetrics = "metrics"
	OrientModels  = "models"
)

// TableFormats are the endings of files of tables.
func TableFormats() []string { return []string{"csv", "md", "tex"} }

// WriteTable writes the table in the format that a file's ending names.
func (r *Result) WriteTable(w io.Writer, path, orient string) error {
	switch format := strings.TrimPrefix(filepath.Ext(path), "."); {
	case format == "csv" && orient == OrientModels:
		return r.writeWide(w)
	case format == "csv":
		return r.writeTidy(w)
	case format == "md":
		return r.writeSheets(w, orient, writeMarkdown)
	case format == "tex":
		return r.writeSheets(w, orient, writeLaTeX)
	}
	return fmt.Errorf("%s: want a name that ends in .%s", path, strings.Join(TableFormats(), ", ."))
}

// tidyColumns are the columns of the CSV file with a row for each metric and model.
var tidyColumns = []string{"Task", "Analysis", "Metric", "Direction", "Unit", "Model", "Value", "Low", "High", "SD", "Runs", "Baseline", "Difference",
	"Difference_Low", "Difference_High", "Improvement_Percent", "P", "P_Holm", "Q_BY",
	"Family_Tests", "From", "Decision", "Minimum_Detectable_Effect", "Blocks",
	"Blocks_Needed", "Rank", "Best_Place", "Worst_Place", "Best", "Best_P", "Reason", "Notes",
	"Samples", "Ungraded", "Bounds_Low", "Bounds_High", "Bounds_CI_Low", "Bounds_CI_High"}

func (r *Result) writeTidy(w io.Writer) error {
	out, err := report.NewCSV(w, tidyColumns...)
	if err != nil {
		return err
	}
	for _, row := range r.Table {
		for x, cell := range row.Cells {
			if cell == nil {
				continue
			}
			cells := []any{row.Task, row.Analysis, row.Metric, string(row.Direction), row.Unit, r.Models[x], cell.Value, low(cell.CI), high(cell.CI), optional(cell.SD), cell.Runs}
			var differenceLow, differenceHigh, baseline, tests any
			if cell.Difference != nil {
				differenceLow, differenceHigh, baseline = low(*cell.DifferenceCI), high(*cell.DifferenceCI), r.Baseline
				tests = positiveInt(row.Tests.Baseline)
			}
			cells = append(cells, baseline, optional(cell.Difference), differenceLow, differenceHigh, optional(cell.Improvement),
				optional(cell.P), optional(cell.PHolm), optional(cell.Q),
				tests, string(cell.From), cell.Decision, optional(cell.Detectable), positiveInt(cell.Blocks), optional(cell.Needed), positiveInt(cell.Rank))
			var best, worst any
			if cell.Places != nil {
				best, worst = cell.Places[0], cell.Places[1]
			}
			cells = append(cells, best, worst, cell.Best, optional(cell.BestP), cell.reason(), strings.Join(cell.Notes, "; "))
			if u := cell.Ungraded; u != nil {
				cells = append(cells, u.Samples, u.Count, low(u.Bounds), high(u.Bounds), low(u.BoundsCI),
					high(u.BoundsCI))
			} else {
				cells = append(cells, nil, nil, nil, nil, nil, nil)
			}
			if err := out.Row(cells...); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// reason says why numbers of a cell are missing.
func (c *Cell) reason() string {
	var reasons []string
	for _, v := range []*report.Value{&c.Value, c.Difference, c.Improvement, c.P, c.Detectable, c.Needed} {
		if v != nil && !v.Defined() && !slices.Contains(reasons, why(*v)) {
			reasons = append(reasons, why(*v))
		}
	}
	return strings.Join(reasons, "; ")
}

func optional(v *report.Value) any {
	if v == nil {
		return nil
	}
	return *v
}

func positiveInt(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func low(i report.Interval) any {
	if !i.Defined() {
		return nil
	}
	return i.Low
}

func high(i report.Interval) any {
	if !i.Defined() {
		return nil
	}
	return i.High
}

// writeWide writes a row for each task and model, and columns for each metric: its value,
// _std where some model has a spread, _low and _high.
func (r *Result) writeWide(w io.Writer) error {
	columns := []string{"Model"}
	if len(r.Tasks) > 1 {
		columns = append(columns, "Task")
	}
	names := r.columnNames()
	type metric struct {
		name  string
		key   [2]string
		std   bool
		ended bool
	}
	var metrics []metric
	for _, row := range r.Table {
		key := [2]string{row.Analysis, row.Metric}
		i := slices.IndexFunc(metrics, func(m metric) bool { return m.key == key })
		if i < 0 {
			i = len(metrics)
			metrics = append(metrics, metric{name: names[key], key: key})
		}
		for _, cell := range row.Cells {
			metrics[i].std = metrics[i].std || cell != nil && cell.SD != nil
			metrics[i].ended = metrics[i].ended || cell != nil && cell.CI.Defined()
		}
	}
	for _, m := range metrics {
		columns = append(columns, m.name)
		if m.std {
			columns = append(columns, m.name+"_std")
		}
		if m.ended {
			columns = append(columns, m.name+"_low", m.name+"_high")
		}
	}
	out, err := report.NewCSV(w, columns...)
	if err != nil {
		return err
	}
	for _, task := range r.Tasks {
		for x, name := range r.Models {
			cells := []any{name}
			if len(r.Tasks) > 1 {
				cells = append(cells, task)
			}
			present := false
			for _, m := range metrics {
				cell := r.cell(task, m.key, x)
				present = present || cell != nil
				if cell == nil {
					cell = &Cell{Value: report.Undefined("none"), CI: report.NoInterval("none")}
				}
				cells = append(cells, cell.Value)
				if m.std {
					cells = append(cells, optional(cell.SD))
				}
				if m.ended {
					cells = append(cells, low(cell.CI), high(cell.CI))
				}
			}
			if !present {
				continue
			}
			if err := out.Row(cells...); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// columnNames are the paths of metrics, with the analysis before those that several have.
func (r *Result) columnNames() map[[2]string]string {
	names := map[[2]string]string{}
	for _, row := range r.Table {
		names[[2]string{row.Analysis, row.Metric}] = row.Metric
		for _, other := range r.Table {
			if other.Metric == row.Metric && other.Analysis != row.Analysis {
				names[[2]string{row.Analysis, row.Metric}] = row.Analysis + ":" + row.Metric
			}
		}
	}
	return names
}

// cell finds a number; nil if there is none.
func (r *Result) cell(task string, key [2]string, model int) *Cell {
	for _, row := range r.Table {
		if row.Task == task && row.Analysis == key[0] && row.Metric == key[1] {
			return row.Cells[model]
		}
	}
	return nil
}

// Arrows of directions.
const (
	arrowUp   = "↑"
	arrowDown = "↓"
)

// arrow points in the direction in which a metric is better.
func (row *Row) arrow(up, down string) string {
	switch row.Direction {
	case report.Higher:
		return " " + up
	case report.Lower:
		return " " + down
	}
	return ""
}

// leading are the columns that name a row, besides its metric.
func (r *Result) leading() (tasks, analyses bool) {
	for _, row := range r.Table {
		tasks = tasks || row.Task != r.Table[0].Task
		analyses = analyses || row.Analysis != r.Table[0].Analysis
	}
	return tasks, analyses
}

// mostRows is the most metrics that the console shows.
const mostRows = 60

// Console are the tables for the console: the values of all models and what follows from them in words. Verbose ones
// have the differences from the baseline too; otherwise several analyses are one screen, see [Result.summary].
func (r *Result) Console(verbose bool) []*report.Table {
	if !verbose && r.summarized() {
		return r.summary()
	}
	tasks, analyses := r.leading()
	shown := r.shown()
	table := shown[:min(len(shown), mostRows)]
	var tables []*report.Table
	for _, v := range views(table, false) {
		values := report.NewTable("", slices.Concat(r.leadColumns(tasks, analyses), v.names(r))...)
		for _, row := range v.rows {
			cells := row.leadCells(tasks, analyses)
			for _, cell := range v.cells(row) {
				cells = append(cells, cell.console())
			}
			values.Row(cells...)
		}
		tables = append(tables, values)
	}
	values := tables[len(tables)-1]
	if marked(table) {
		values.Note("* may be the best (95 %% confidence set); %s", restOfMark)
	}
	switch rest := len(r.Table) - len(table); {
	case rest == 0:
	case len(shown) < len(r.Table):
		values.Note("Headline metrics of each analysis; %s in compare_table.csv; --metrics '*' prints all, --metrics LIST some", moreRows(rest))
	default:
		values.Note("%s in compare_table.csv; --metrics chooses", moreRows(rest))
	}
	for _, words := range r.ungraded(table) {
		values.Note("%s", words)
	}
	if r.Baseline != "" && verbose {
		tables = append(tables, r.differenceTable(table, tasks, analyses))
	}
	words := report.NewTable("", append(r.leadColumns(tasks, analyses), "In words")...)
	for _, row := range table {
		words.Row(append(row.leadCells(tasks, analyses), row.Sentence)...)
	}
	r.noteDecisions(words)
	return append(tables, words)
}

// decided says how much the tests of the table decide; empty where nothing is tested.
func (r *Result) decided() string {
	words := r.Decisions.Words()
	switch {
	case words == "":
		return ""
	case r.Baseline != "":
		return "Differences from " + r.Baseline + ": " + words
	}
	return "Pairs of models: " + words
}

// noteDecisions adds to a table how much its tests decide.
func (r *Result) noteDecisions(t *report.Table) {
	if words := r.decided(); words != "" {
		t.Note("%s", words)
	}
}

func moreRows(n int) string {
	if n == 1 {
		return "1 more row is"
	}
	return fmt.Sprintf("%d more rows are", n)
}

// restOfMark is what a mark means, after the name of the set.
const restOfMark = "nothing is marked in a row where no difference is decided"

// marked reports whether some model of the rows is marked as one that may be the best.
func marked(rows []*Row) bool {
	return slices.ContainsFunc(rows, func(row *Row) bool {
		return slices.ContainsFunc(row.Cells, func(c *Cell) bool { return c != nil && c.Best })
	})
}

func (r *Result) leadColumns(tasks, analyses bool) []string {
	var columns []string
	if tasks {
		columns = append(columns, "Task")
	}
	if analyses {
		columns = append(columns, "Analysis")
	}
	return append(columns, "Metric")
}

func (row *Row) leadCells(tasks, analyses bool) []any {
	var cells []any
	if tasks {
		cells = append(cells, taskName(row.Task))
	}
	if analyses {
		cells = append(cells, row.Analysis)
	}
	return append(cells, row.Metric+row.arrow(arrowUp, arrowDown))
}

// console is a cell with its mark.
func (c *Cell) console() any {
	switch {
	case c == nil:
		return nil
	case !c.Value.Defined():
		return c.Value
	case c.Best:
		return report.FormatEstimate(c.Value.V, c.CI) + " *"
	}
	return report.WithInterval(c.Value, c.CI)
}

func (r *Result) differenceTable(rows []*Row, tasks, analyses bool) *report.Table {
	columns := append(r.leadColumns(tasks, analyses), "Model", "Difference", "Better by", "p (Holm)", "q (BY)", "", "From")
	t := report.NewTable("Differences from "+r.Baseline, columns...)
	undecided, least, largest := false, 0, 0
	var notes []string
	for _, row := range rows {
		for x, cell := range row.Cells {
			if cell == nil || cell.Difference == nil {
				continue
			}
			better := any(*cell.Improvement)
			if cell.Improvement.Defined() {
				better = report.FormatEstimate(cell.Improvement.V, report.Interval{}) + " %"
			}
			undecided = undecided || cell.Decision == "~"
			if n := row.Tests.Baseline; n > 0 {
				if largest = max(largest, n); least == 0 || n < least {
					least = n
				}
			}
			for _, note := range cell.Notes {
				if !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
			t.Row(append(row.leadCells(tasks, analyses), r.Models[x], report.WithInterval(*cell.Difference, *cell.DifferenceCI), better,
				report.Probability(*cell.PHolm), report.Probability(*cell.Q), cell.Decision, string(cell.From))...)
		}
	}
	var parts []string
	if undecided {
		parts = append(parts, "~ undecided")
	}
	if largest > 0 {
		parts = append(parts, fmt.Sprintf("p (Holm): corrected over the differences from %s in %s (%s)", r.Baseline,
			r.familyWords(), testsWords(least, largest)))
		parts = append(parts, "q (BY): false discovery rate over the whole table")
	}
	if len(parts) > 0 {
		t.Note("%s", strings.Join(parts, "; "))
	}
	for _, note := range notes[:min(len(notes), mostNotes)] {
		t.Note("%s", note)
	}
	if left := len(notes) - mostNotes; left > 0 {
		t.Note("more notes: %d, in compare_table.csv", left)
	}
	return t
}

// mostNotes is the most notes of differences on the console.
const mostNotes = 5

// familyWords says over which tests p values are corrected.
func (r *Result) familyWords() string {
	switch {
	case r.family == FamilyRun:
		return "the whole table"
	case r.family == FamilyTask && len(r.Tasks) > 1:
		return "all rows of a metric in one task"
	case len(r.Tasks) > 1:
		return "all rows of a metric in all tasks"
	}
	return "all rows of a metric"
}

// testsWords are the numbers of tests of the families of some rows.
func testsWords(least, largest int) string {
	if least == largest {
		return text.Count(largest, "test")
	}
	return fmt.Sprintf("%d to %d tests", least, largest)
}
