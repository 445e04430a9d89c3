// Tables: console, CSV, Markdown and LaTeX.

package compare

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/escape"
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
		return r.writeMarked(w, orient, markdown)
	case format == "tex":
		return r.writeMarked(w, orient, latex)
	}
	return fmt.Errorf("%s: want a name that ends in .%s", path, strings.Join(TableFormats(), ", ."))
}

// tidyColumns are those of the CSV file with a row for each metric and model.
var tidyColumns = []string{"Task", "Analysis", "Metric", "Direction", "Unit", "Model", "Value", "Low", "High", "SD", "Runs", "Baseline", "Difference",
	"Difference_Low", "Difference_High", "Improvement_Percent", "P", "P_Holm", "From", "Decision", "Minimum_Detectable_Effect", "Blocks", "Blocks_Needed",
	"Rank", "Best_Place", "Worst_Place", "Best", "Not_Different_From_Best", "Reason", "Notes"}

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
			var differenceLow, differenceHigh, baseline any
			if cell.Difference != nil {
				differenceLow, differenceHigh, baseline = low(*cell.DifferenceCI), high(*cell.DifferenceCI), r.Baseline
			}
			cells = append(cells, baseline, optional(cell.Difference), differenceLow, differenceHigh, optional(cell.Improvement), optional(cell.P), optional(cell.PHolm),
				string(cell.From), cell.Decision, optional(cell.Detectable), positiveInt(cell.Blocks), optional(cell.Needed), positiveInt(cell.Rank))
			var best, worst any
			if cell.Places != nil {
				best, worst = cell.Places[0], cell.Places[1]
			}
			cells = append(cells, best, worst, cell.Best, cell.LikeBest, cell.reason(), strings.Join(cell.Notes, "; "))
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

// markup writes one kind of table.
type markup struct {
	escape             func(string) string
	number             func(string) string
	strong             func(string) string
	up, down           string
	like               string                                                        // behind what does not differ from the best
	begin, row, finish func(w *bytes.Buffer, cells []string, names int, note string) // names: cells that name a row
}

// Arrows of directions.
const (
	arrowUp   = "↑"
	arrowDown = "↓"
)

// arrow is that of the direction in which a metric is better.
func (row *Row) arrow(up, down string) string {
	switch row.Direction {
	case report.Higher:
		return " " + up
	case report.Lower:
		return " " + down
	}
	return ""
}

// note says what the marks of a table mean.
func (r *Result) note(m markup) string {
	s := "Best in bold"
	for _, row := range r.Table {
		if slices.ContainsFunc(row.Cells, func(c *Cell) bool { return c != nil && c.LikeBest }) {
			return s + "; " + m.like + " does not differ from the best (p ≥ 0.05, Holm)"
		}
	}
	return s
}

// writeMarked writes Markdown or LaTeX.
func (r *Result) writeMarked(w io.Writer, orient string, m markup) error {
	var b bytes.Buffer
	if orient == OrientModels {
		r.markedModels(&b, m)
	} else {
		r.markedMetrics(&b, m)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// leading are the columns that name a row beside its metric.
func (r *Result) leading() (tasks, analyses bool) {
	for _, row := range r.Table {
		tasks = tasks || row.Task != r.Table[0].Task
		analyses = analyses || row.Analysis != r.Table[0].Analysis
	}
	return tasks, analyses
}

func (r *Result) markedMetrics(b *bytes.Buffer, m markup) {
	tasks, analyses := r.leading()
	head := []string{}
	if tasks {
		head = append(head, "Task")
	}
	if analyses {
		head = append(head, "Analysis")
	}
	head = append(head, "Metric")
	for _, name := range r.Models {
		head = append(head, m.escape(name))
	}
	names := len(head) - len(r.Models)
	m.begin(b, head, names, r.note(m))
	for _, row := range r.Table {
		var cells []string
		if tasks {
			cells = append(cells, m.escape(row.Task))
		}
		if analyses {
			cells = append(cells, m.escape(row.Analysis))
		}
		cells = append(cells, m.title(row))
		for _, cell := range row.Cells {
			cells = append(cells, m.cell(cell))
		}
		m.row(b, cells, names, "")
	}
	m.finish(b, head, names, r.note(m))
}

// title is a metric with its direction and unit.
func (m markup) title(row *Row) string {
	title := row.Metric
	if row.Unit != "" {
		title += " (" + row.Unit + ")"
	}
	return m.escape(title) + row.arrow(m.up, m.down)
}

func (r *Result) markedModels(b *bytes.Buffer, m markup) {
	tasks := len(r.Tasks) > 1
	head := []string{"Model"}
	if tasks {
		head = append(head, "Task")
	}
	names := r.columnNames()
	var keys [][2]string
	for _, row := range r.Table {
		if key := [2]string{row.Analysis, row.Metric}; !slices.Contains(keys, key) {
			keys = append(keys, key)
			head = append(head, m.escape(names[key])+row.arrow(m.up, m.down))
		}
	}
	leading := len(head) - len(keys)
	m.begin(b, head, leading, r.note(m))
	for _, task := range r.Tasks {
		for x, name := range r.Models {
			cells := []string{m.escape(name)}
			if tasks {
				cells = append(cells, m.escape(task))
			}
			present := false
			for _, key := range keys {
				cell := r.cell(task, key, x)
				present = present || cell != nil
				cells = append(cells, m.cell(cell))
			}
			if present {
				m.row(b, cells, leading, "")
			}
		}
	}
	m.finish(b, head, leading, r.note(m))
}

// cell is a number with its interval and marks.
func (m markup) cell(c *Cell) string {
	if c == nil {
		return ""
	}
	if !c.Value.Defined() {
		return "–"
	}
	text := report.FormatEstimate(c.Value.V, c.CI)
	value, interval, _ := strings.Cut(text, " ")
	value = m.number(value)
	if c.Best {
		value = m.strong(value)
	}
	if c.LikeBest {
		value += m.like
	}
	if interval != "" {
		low, high, _ := strings.Cut(strings.Trim(interval, "[]"), ", ")
		value += " [" + m.number(low) + ", " + m.number(high) + "]"
	}
	return value
}

var markdown = markup{
	escape: escape.Markdown,
	number: func(s string) string { return strings.Replace(s, "-", "−", 1) },
	strong: func(s string) string { return "**" + s + "**" },
	up:     arrowUp, down: arrowDown, like: "†",
	begin: func(w *bytes.Buffer, cells []string, _ int, _ string) {
		fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(cells, " | "), strings.Repeat(" --- |", len(cells)))
	},
	row: func(w *bytes.Buffer, cells []string, _ int, _ string) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	},
	finish: func(w *bytes.Buffer, _ []string, _ int, note string) { fmt.Fprintf(w, "\n%s.\n", note) },
}

var latex = markup{
	escape: escape.LaTeX,
	number: latexNumber,
	strong: func(s string) string { return `\textbf{` + s + `}` },
	up:     `$\uparrow$`, down: `$\downarrow$`, like: `$^\dagger$`,
	begin: func(w *bytes.Buffer, cells []string, names int, note string) {
		fmt.Fprintf(w, "%% needs \\usepackage{booktabs}\n%% %s\n\\begin{tabular}{%s}\n\\toprule\n%s \\\\\n\\midrule\n",
			strings.NewReplacer("≥", ">=", `$^\dagger$`, `$^\dagger$`).Replace(note), strings.Repeat("l", names)+strings.Repeat("r", len(cells)-names), strings.Join(cells, " & "))
	},
	row: func(w *bytes.Buffer, cells []string, _ int, _ string) {
		fmt.Fprintf(w, "%s \\\\\n", strings.Join(cells, " & "))
	},
	finish: func(w *bytes.Buffer, _ []string, _ int, _ string) { fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n") },
}

// latexNumber writes a number with a true minus and powers of ten.
func latexNumber(s string) string {
	mantissa, exponent, ok := strings.Cut(s, "e")
	switch {
	case ok:
		sign := strings.TrimLeft(strings.TrimPrefix(exponent, "+"), "")
		negative := strings.HasPrefix(sign, "-")
		sign = strings.TrimLeft(strings.TrimPrefix(sign, "-"), "0")
		if negative {
			sign = "-" + sign
		}
		return "$" + mantissa + `\times 10^{` + sign + "}$"
	case strings.HasPrefix(s, "-"):
		return "$" + s + "$"
	}
	return s
}

// mostRows is the most metrics that the console shows.
const mostRows = 60

// Console are the tables for the console: values of all models, differences from the
// baseline, and what follows in words.
func (r *Result) Console() []*report.Table {
	tasks, analyses := r.leading()
	values := report.NewTable("", slices.Concat(r.leadColumns(tasks, analyses), r.Models)...)
	best, like := false, false
	table := r.Table[:min(len(r.Table), mostRows)]
	for _, row := range table {
		cells := row.leadCells(tasks, analyses)
		for _, cell := range row.Cells {
			cells = append(cells, cell.console())
			best, like = best || cell != nil && cell.Best, like || cell != nil && cell.LikeBest
		}
		values.Row(cells...)
	}
	note := "* best"
	if like {
		note += "; = does not differ from the best (p ≥ 0.05 after Holm's correction over all pairs of models and all rows of a metric)"
	}
	if best {
		values.Note("%s", note)
	}
	if len(table) < len(r.Table) {
		values.Note("%d more rows are in compare_table.csv; --metrics chooses", len(r.Table)-len(table))
	}
	tables := []*report.Table{values}
	if r.Baseline != "" {
		tables = append(tables, r.differenceTable(tasks, analyses))
	}
	words := report.NewTable("", append(r.leadColumns(tasks, analyses), "In words")...)
	for _, row := range table {
		words.Row(append(row.leadCells(tasks, analyses), row.Sentence)...)
	}
	return append(tables, words)
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
	case c.LikeBest:
		return report.FormatEstimate(c.Value.V, c.CI) + " ="
	}
	return report.WithInterval(c.Value, c.CI)
}

func (r *Result) differenceTable(tasks, analyses bool) *report.Table {
	t := report.NewTable("Differences from "+r.Baseline, append(r.leadColumns(tasks, analyses), "Model", "Difference", "Better by", "p (Holm)", "", "From")...)
	undecided := false
	for _, row := range r.Table[:min(len(r.Table), mostRows)] {
		for x, cell := range row.Cells {
			if cell == nil || cell.Difference == nil {
				continue
			}
			better := any(*cell.Improvement)
			if cell.Improvement.Defined() {
				better = report.FormatEstimate(cell.Improvement.V, report.Interval{}) + " %"
			}
			undecided = undecided || cell.Decision == "~"
			t.Row(append(row.leadCells(tasks, analyses), r.Models[x], report.WithInterval(*cell.Difference, *cell.DifferenceCI), better,
				report.Probability(*cell.PHolm), cell.Decision, string(cell.From))...)
		}
	}
	if undecided {
		t.Note("~ undecided; p (Holm): corrected over the differences from %s in all rows of a metric", r.Baseline)
	}
	return t
}
