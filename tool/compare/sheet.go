// Tables for papers: Markdown and LaTeX.

package compare

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"repscope/internal/escape"
	"repscope/report"
)

// sheet is a table of numbers whose columns are models, or metrics.
type sheet struct {
	head    []heading
	leading int // columns that name a row
	label   int // the one of them that tells rows of a group apart
	rows    []sheetRow
	note    string
}

// heading is the name of a column or a row, with the direction of a metric.
type heading struct {
	text      string
	direction report.Direction
}

type sheetRow struct {
	lead  []heading
	cells []*Cell // nil: none
}

// writeSheets writes the tables of the rows that are shown, by a format of one.
func (r *Result) writeSheets(w io.Writer, orient string, write func(b *bytes.Buffer, sheets []*sheet)) error {
	rows := r.shown()
	note := "Nothing is marked: no difference is decided"
	if marked(rows) {
		note = "Bold: may be the best (95 % confidence set); " + restOfMark
	}
	if words := r.decided(); words != "" {
		note += ". " + words + " (p < 0.05, Holm over " + r.familyWords() + ")"
	}
	if left := len(r.Table) - len(rows); left > 0 {
		note += fmt.Sprintf(". %d of %d numbers; all are in compare_table.csv", len(rows), len(r.Table))
	}
	for _, words := range r.ungraded(rows) {
		note += ". " + escape.Markdown(words)
	}
	var sheets []*sheet
	for _, v := range views(rows, false) {
		s := &sheet{note: note}
		if orient == OrientModels {
			r.byModel(s, v)
		} else {
			r.byMetric(s, v)
		}
		s.leading = len(s.head) - len(s.rows[0].cells)
		if orient != OrientModels {
			s.label = s.leading - 1
		}
		sheets = append(sheets, s)
	}
	var b bytes.Buffer
	write(&b, sheets)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Result) byMetric(s *sheet, v view) {
	tasks, analyses := r.leading()
	for _, column := range r.leadColumns(tasks, analyses) {
		s.head = append(s.head, heading{text: column})
	}
	for _, name := range v.names(r) {
		s.head = append(s.head, heading{text: name})
	}
	for _, row := range v.rows {
		var lead []heading
		if tasks {
			lead = append(lead, heading{text: row.Task})
		}
		if analyses {
			lead = append(lead, heading{text: row.Analysis})
		}
		s.rows = append(s.rows, sheetRow{append(lead, heading{row.label(), row.Direction}), v.cells(row)})
	}
}

func (r *Result) byModel(s *sheet, v view) {
	s.head = append(s.head, heading{text: "Model"})
	if len(r.Tasks) > 1 {
		s.head = append(s.head, heading{text: "Task"})
	}
	names := r.columnNames()
	var keys [][2]string
	for _, row := range v.rows {
		if key := [2]string{row.Analysis, row.Metric}; !slices.Contains(keys, key) {
			keys = append(keys, key)
			title := row.label()
			if names[key] != row.Metric {
				title = row.Analysis + ": " + title
			}
			s.head = append(s.head, heading{title, row.Direction})
		}
	}
	for _, task := range r.Tasks {
		for _, x := range v.models {
			row := sheetRow{lead: []heading{{text: r.Models[x]}}}
			if len(r.Tasks) > 1 {
				row.lead = append(row.lead, heading{text: task})
			}
			present := false
			for _, key := range keys {
				cell := r.cell(task, key, x)
				present = present || cell != nil
				row.cells = append(row.cells, cell)
			}
			if present {
				s.rows = append(s.rows, row)
			}
		}
	}
}

// label is the metric for readers, with its unit.
func (row *Row) label() string {
	label := report.Title(row.Metric)
	if row.Unit != "" {
		label += " (" + row.Unit + ")"
	}
	return label
}

// parts are a number and its interval, empty where there is none.
func (c *Cell) parts() (value, low, high string) {
	switch {
	case c == nil:
		return "", "", ""
	case !c.Value.Defined():
		return "–", "", ""
	}
	value, interval, _ := strings.Cut(report.FormatEstimate(c.Value.V, c.CI), " ")
	low, high, _ = strings.Cut(strings.Trim(interval, "[]"), ", ")
	return value, low, high
}

// arrowOf is the mark of the direction in which a metric is better.
func (h heading) arrowOf(up, down string) string {
	switch h.direction {
	case report.Higher:
		return " " + up
	case report.Lower:
		return " " + down
	}
	return ""
}

// writeMarkdown writes the tables of a README.
func writeMarkdown(b *bytes.Buffer, sheets []*sheet) {
	for _, s := range sheets {
		s.markdown(b)
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%s.\n", sheets[0].note)
}

func (s *sheet) markdown(b *bytes.Buffer) {
	write := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	name := func(h heading) string { return escape.Markdown(h.text) + h.arrowOf(arrowUp, arrowDown) }
	var head []string
	for _, h := range s.head {
		head = append(head, name(h))
	}
	write(head)
	fmt.Fprintf(b, "|%s\n", strings.Repeat(" --- |", len(head)))
	minus := func(number string) string { return strings.Replace(number, "-", "−", 1) }
	for _, row := range s.rows {
		var cells []string
		for _, h := range row.lead {
			cells = append(cells, name(h))
		}
		for _, c := range row.cells {
			value, low, high := c.parts()
			if value = minus(value); c != nil && c.Best {
				value = "**" + value + "**"
			}
			if low != "" {
				value += " [" + minus(low) + ", " + minus(high) + "]"
			}
			cells = append(cells, value)
		}
		write(cells)
	}
}

// The widths of a LaTeX table in points at 10 pt: what the standard classes leave for text,
// the space between two columns of ours, and the most that a name takes before it is broken.
const (
	textWidth  = 345
	columnGap  = 8
	labelWidth = 120
	headWidth  = 60
	scriptSize = 0.7 // of the letters of intervals
)

// writeLaTeX writes the tables of a paper.
func writeLaTeX(b *bytes.Buffer, sheets []*sheet) {
	fmt.Fprintf(b, "%% needs \\usepackage{booktabs}\n%% %s\n{\\setlength{\\tabcolsep}{4pt}%%\n", strings.NewReplacer("≥", ">=", "\n", " ").Replace(sheets[0].note))
	for i, s := range sheets {
		if i > 0 {
			b.WriteString("\\par\\medskip\n")
		}
		s.latex(b)
	}
	b.WriteString("}\n")
}

// latex writes a table. Where it would be wider than the text, intervals stand below their
// numbers, in smaller letters, and models that still have no room follow in further tables.
func (s *sheet) latex(b *bytes.Buffer) {
	lead := s.labelWidth() + columnGap
	columns := make([]int, len(s.head)-s.leading)
	total, stacked := lead, false
	for k := range columns {
		columns[k] = k
		total += s.width(k, false) + columnGap
	}
	panels := [][]int{columns}
	if total > textWidth {
		stacked = true
		panels = s.divided(textWidth - lead)
	}
	for i, columns := range panels {
		if i > 0 {
			b.WriteString("\\par\\medskip\n")
		}
		s.tabular(b, columns, stacked)
	}
}

// divided are the columns of each table of several, as even as they come.
func (s *sheet) divided(room float64) [][]int {
	n, count := len(s.head)-s.leading, 1
	widths := make([]float64, n)
	for k := range widths {
		widths[k] = s.width(k, true)
	}
	for {
		var panels [][]int
		fits := true
		for i := range count {
			var columns []int
			used := 0.0
			for k := i * n / count; k < (i+1)*n/count; k++ {
				columns = append(columns, k)
				used += widths[k] + columnGap
			}
			fits = fits && used <= room
			panels = append(panels, columns)
		}
		if fits || count >= n {
			return panels
		}
		count++
	}
}

// width is the width of a column of numbers.
func (s *sheet) width(k int, stacked bool) float64 {
	var widest float64
	for _, line := range s.head[s.leading+k].lines("xx") {
		widest = max(widest, textLength(line))
	}
	for _, row := range s.rows {
		value, low, high := row.cells[k].parts()
		number := textLength(value) * 1.15 // bold
		interval := 0.0
		if low != "" {
			interval = textLength("[" + low + ", " + high + "]")
		}
		if stacked {
			widest = max(widest, number, scriptSize*interval*1.1)
		} else {
			widest = max(widest, number+interval+3)
		}
	}
	return widest
}

// labelWidth is the width of the column of names.
func (s *sheet) labelWidth() float64 {
	widest := textLength(s.head[s.label].text)
	for _, row := range s.rows {
		h := row.lead[s.label]
		widest = max(widest, textLength(h.text+h.arrowOf("xx", "xx"))) // an arrow is as wide
	}
	return min(widest, labelWidth)
}

// group names what a row has in common with its neighbors: its task, its analysis.
func (s *sheet) group(row sheetRow) string {
	var parts []string
	for k, h := range row.lead {
		if k != s.label && h.text != "" {
			parts = append(parts, h.text)
		}
	}
	return strings.Join(parts, ", ")
}

// tabular writes one table of some columns.
func (s *sheet) tabular(b *bytes.Buffer, columns []int, stacked bool) {
	b.WriteString("\\begin{tabular}{@{}")
	wraps := s.labelWidth() >= labelWidth
	if wraps {
		fmt.Fprintf(b, "p{%dpt}", labelWidth)
	} else {
		b.WriteByte('l')
	}
	b.WriteString(strings.Repeat("r", len(columns)) + "@{}}\n\\toprule\n")
	label := func(h heading) string {
		arrow := h.arrowOf(`$\uparrow$`, `$\downarrow$`)
		if !wraps {
			return escape.LaTeX(h.text) + arrow
		}
		name := `\raggedright `
		for part := range splitAfter(h.text) {
			if name += escape.LaTeX(part); !strings.HasSuffix(part, " ") {
				name += `\allowbreak{}`
			}
		}
		return strings.TrimSuffix(name, `\allowbreak{}`) + arrow
	}
	cells := []string{label(s.head[s.label])}
	for _, k := range columns {
		lines := s.head[s.leading+k].lines("\x00")
		for i := range lines {
			if before, after, marked := strings.Cut(lines[i], "\x00"); marked {
				lines[i] = escape.LaTeX(before) + s.head[s.leading+k].arrowOf(`$\uparrow$`, `$\downarrow$`) + escape.LaTeX(after)
			} else {
				lines[i] = escape.LaTeX(lines[i])
			}
		}
		name := lines[0]
		if len(lines) > 1 {
			name = `\shortstack[r]{` + strings.Join(lines, `\\`) + "}"
		}
		cells = append(cells, name)
	}
	fmt.Fprintf(b, "%s \\\\\n\\midrule\n", strings.Join(cells, " & "))
	group := ""
	for _, row := range s.rows {
		if name := s.group(row); name != group {
			if group = name; name != "" {
				fmt.Fprintf(b, "\\multicolumn{%d}{@{}l}{\\textit{%s}} \\\\\n", 1+len(columns), escape.LaTeX(name))
			}
		}
		cells, below := []string{label(row.lead[s.label])}, []string{}
		for _, k := range columns {
			value, interval := row.cells[k].latex()
			if !stacked && interval != "" {
				value += " " + interval
			} else if interval != "" {
				interval = `{\scriptsize ` + interval + "}"
			}
			cells, below = append(cells, value), append(below, interval)
		}
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
		if stacked && strings.Join(below, "") != "" {
			fmt.Fprintf(b, "& %s \\\\\n", strings.Join(below, " & "))
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// latex is a number and its interval.
func (c *Cell) latex() (value, interval string) {
	value, low, high := c.parts()
	if value = escape.LaTeXNumber(value); c != nil && c.Best {
		value = `\textbf{` + value + `}`
		if strings.Contains(value, "$") {
			value = `\boldmath` + value
			value = "{" + value + "}"
		}
	}
	if low != "" {
		interval = "[" + escape.LaTeXNumber(low) + ", " + escape.LaTeXNumber(high) + "]"
	}
	return value, interval
}

// lines are the name in lines of at most headWidth where it has places to break, with a mark
// for the arrow at the end where the metric has a direction.
func (h heading) lines(arrow string) []string {
	var lines []string
	line := ""
	for part := range splitAfter(h.text) {
		if line != "" && textLength(line+part) > headWidth {
			lines = append(lines, strings.TrimSpace(line))
			line = ""
		}
		line += part
	}
	if h.arrowOf("up", "down") == "" {
		arrow = ""
	}
	return append(lines, strings.TrimSpace(line)+arrow)
}

// splitAfter are the parts of a name that end at a space or a sign between words.
func splitAfter(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name != "" {
			end := strings.IndexAny(name, " _-/:@=.") + 1
			if end == 0 {
				end = len(name)
			}
			if !yield(name[:end]) {
				return
			}
			name = name[end:]
		}
	}
}

// widths of the letters of Computer Modern Roman at 10 pt, in hundredths of a point, from a to z
// and from A to Z (of its metrics, cmr10.tfm).
var (
	lowerWidths = [26]int{500, 556, 444, 556, 444, 306, 500, 556, 278, 306, 528, 278, 833, 556, 500, 556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444}
	upperWidths = [26]int{750, 708, 722, 764, 681, 653, 785, 750, 361, 514, 778, 625, 917, 750, 778, 681, 778, 736, 556, 722, 750, 750, 1028, 750, 750, 611}
)

// textLength is the width of a text in points at 10 pt.
func textLength(text string) float64 {
	total := 0
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			total += lowerWidths[r-'a']
		case r >= 'A' && r <= 'Z':
			total += upperWidths[r-'A']
		case r >= '0' && r <= '9':
			total += 500
		case strings.ContainsRune(".,:;[]!'|", r):
			total += 278
		case strings.ContainsRune(" ()-", r):
			total += 389
		case r < utf8.RuneSelf:
			total += 600
		default:
			total += 800
		}
	}
	if strings.HasPrefix(text, "-") {
		total += 389 // a minus
	}
	return math.Ceil(float64(total) / 100)
}
