// Package celltable keeps the tables of the calibration as data: what the writers print, as CSV files, and again as text.
// A cell has a number, its Monte-Carlo error, and what belongs to it; a file has the tables of one analysis or section.
package celltable

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
)

// fields are the columns of a CSV file after table, row and column.
var fields = []string{"value", "error", "width", "tested", "of_all", "set_size", "decided", "outside"}

// Indices of fields. Tested is the percentage of comparisons with a p value; ofAll the rejections in percent of
// all comparisons; decided the percentage of draws in which a model is outside the set.
const (
	FieldValue = iota
	FieldError
	FieldWidth
	FieldTested
	FieldOfAll
	FieldSize
	FieldDecided
	FieldOutside
)

// A Printed is one cell: its numbers as they are printed, by fields. A cell without a value was not measured.
type Printed [FieldOutside + 1]string

// A Table has a title and a line of cells for each number.
type Table struct {
	Name    string // in its file
	Title   string
	Rows    string // heading of the first column
	Columns []string
	Lines   []Line
}

// A Line has one cell for each column.
type Line struct {
	Name  string
	Cells []Printed
}

var cellText = regexp.MustCompile(`^(–|-?[\d.]+)(?: ±([\d.]+))?(?: \(([\d.]+|–)\))?(?: of ([\d.]+) %)?` +
	`(?:; ([\d.]+) of all)?(?:; ([\d.]+); (\d+))?$`)

// ParseCell reads a cell of a table as text: a number, its error and what belongs to it.
func ParseCell(text string) (e Printed, err error) {
	plain := strings.ReplaceAll(text, "**", "")
	groups := cellText.FindStringSubmatch(plain)
	if groups == nil {
		return e, fmt.Errorf("cell %q: want a number, its error and what belongs to it", text)
	}
	copy(e[:], groups[1:])
	if e[FieldValue] == "–" {
		e[FieldValue] = ""
	}
	if plain != text {
		e[FieldOutside] = "1"
	}
	return e, nil
}

// Text is the cell as text; – where nothing was measured.
func (e Printed) Text() string {
	if e[FieldValue] == "" {
		return "–"
	}
	text := e[FieldValue]
	add := func(format string, field int) {
		if e[field] != "" {
			text += fmt.Sprintf(format, e[field])
		}
	}
	add(" ±%s", FieldError)
	add(" (%s)", FieldWidth)
	if e[FieldOutside] != "" {
		text = "**" + text + "**"
	}
	add(" of %s %%", FieldTested)
	add("; %s of all", FieldOfAll)
	add("; %s", FieldSize)
	add("; %s", FieldDecided)
	return text
}

// number returns a field, and whether the Printed has it.
// Number is a field of the cell, and whether it has one.
func (e Printed) Number(field int) (float64, bool) {
	v, err := strconv.ParseFloat(e[field], 64)
	return v, err == nil
}

// Parse reads the tables that a writer printed. The paragraph before a table is its title.
func Parse(text string) ([]Table, error) {
	var out []Table
	heading, title := "", ""
	var open *Table
	for text := range strings.SplitSeq(text, "\n") {
		cells, isRow := splitRow(text)
		switch {
		case strings.HasPrefix(text, "### "):
			heading = strings.TrimPrefix(text, "### ") + ": "
		case !isRow:
			open = nil
			if text != "" {
				title = heading + strings.TrimRight(text, ":.")
			}
		case open == nil:
			out = append(out, Table{Name: nameOf(title, out), Title: title, Rows: cells[0], Columns: cells[1:]})
			open = &out[len(out)-1]
		case cells[0] != "---":
			line := Line{Name: cells[0]}
			for _, cell := range cells[1:] {
				e, err := ParseCell(cell)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", title, line.Name, err)
				}
				line.Cells = append(line.Cells, e)
			}
			open.Lines = append(open.Lines, line)
		}
	}
	return out, nil
}

// splitRow returns the cells of a row of a table.
func splitRow(text string) (cells []string, isRow bool) {
	if !strings.HasPrefix(text, "| ") {
		return nil, false
	}
	const escaped = "\x00"
	text = strings.ReplaceAll(text, `\|`, escaped)
	for cell := range strings.SplitSeq(strings.Trim(text, "|"), "|") {
		cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), escaped, "|"))
	}
	return cells, true
}

// nameOf returns a name by the title that no earlier table has.
func nameOf(title string, before []Table) string {
	name := "table"
	for _, kind := range [][2]string{
		{"ithout an interval", "missing"}, {"Any p (Holm)", "families"}, {"any two models differ", "families"},
		{"Tables of equal models", "families"}, {"onfidence set", "best"}, {"p < 0.05 for equal", "level"},
		{"overage", "coverage"}, {"Difference of", "coverage"}, {"Mean score", "means"},
		{"Effective sample size", "sizes"}, {"Conformal p", "ranks"}, {"Alarms of 1 %", "alarms"},
	} {
		if strings.Contains(title, kind[0]) {
			name = kind[1]
			break
		}
	}
	free := name
	for i := 2; slices.ContainsFunc(before, func(g Table) bool { return g.Name == free }); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}

// WriteText writes a table as text.
func (g *Table) WriteText(w io.Writer) {
	line := func(cells []string) {
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintf(w, "%s:\n\n", g.Title)
	line(append([]string{g.Rows}, g.Columns...))
	fmt.Fprintln(w, "|"+strings.Repeat(" --- |", len(g.Columns)+1))
	for _, l := range g.Lines {
		cells := []string{l.Name}
		for _, e := range l.Cells {
			cells = append(cells, e.Text())
		}
		line(cells)
	}
	fmt.Fprintln(w)
}

// A File has the tables of one analysis or section, and the command that wrote them.
type File struct {
	Name    string
	Command string
	Tables  []Table
}

// indexFile lists the tables of all files, with their titles.
const indexFile = "index.csv"

var indexHeader = []string{"file", "table", "title", "rows", "command"}

// Read reads the tables of a folder, in the order of its index.
func Read(folder string) ([]*File, error) {
	index, err := readCSV(filepath.Join(folder, indexFile))
	if err != nil {
		return nil, err
	}
	var out []*File
	for _, row := range index[1:] {
		if len(out) == 0 || out[len(out)-1].Name != row[0] {
			out = append(out, &File{Name: row[0], Command: row[4]})
		}
		f := out[len(out)-1]
		f.Tables = append(f.Tables, Table{Name: row[1], Title: row[2], Rows: row[3]})
	}
	for _, f := range out {
		rows, err := readCSV(filepath.Join(folder, f.Name+".csv"))
		if err != nil {
			return nil, err
		}
		if err := f.enter(rows); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return out, nil
}

// enter distributes the rows of a file to its tables.
func (f *File) enter(rows [][]string) error {
	for _, row := range rows[1:] {
		g := f.Table(row[0])
		if g == nil {
			return fmt.Errorf("table %q is not in %s", row[0], indexFile)
		}
		if len(g.Lines) == 0 || g.Lines[len(g.Lines)-1].Name != row[1] {
			g.Lines = append(g.Lines, Line{Name: row[1]})
		}
		if len(g.Lines) == 1 {
			g.Columns = append(g.Columns, row[2])
		}
		var e Printed
		for i, name := range rows[0][3:] {
			e[slices.Index(fields, name)] = row[3+i]
		}
		l := &g.Lines[len(g.Lines)-1]
		l.Cells = append(l.Cells, e)
	}
	return nil
}

// Table is the table of a name; nil if there is none.
func (f *File) Table(name string) *Table {
	for i := range f.Tables {
		if f.Tables[i].Name == name {
			return &f.Tables[i]
		}
	}
	return nil
}

// rows are the CSV file's: the fields that some cell has.
func (f *File) rows() [][]string {
	var used []int
	for i := range fields {
		if slices.ContainsFunc(f.Tables, func(g Table) bool {
			return slices.ContainsFunc(g.Lines, func(l Line) bool {
				return slices.ContainsFunc(l.Cells, func(e Printed) bool { return e[i] != "" })
			})
		}) {
			used = append(used, i)
		}
	}
	row := func(first []string, e Printed) []string {
		for _, i := range used {
			first = append(first, e[i])
		}
		return first
	}
	out := [][]string{row([]string{"table", "row", "column"}, Printed(fields))}
	for _, g := range f.Tables {
		for _, l := range g.Lines {
			for i, e := range l.Cells {
				out = append(out, row([]string{g.Name, l.Name, g.Columns[i]}, e))
			}
		}
	}
	return out
}

// Save replaces the tables of one analysis or section in a folder.
func (f *File) Save(folder string) error {
	files, err := Read(folder)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if i := slices.IndexFunc(files, func(o *File) bool { return o.Name == f.Name }); i >= 0 {
		files[i] = f
	} else {
		files = append(files, f)
	}
	index := [][]string{indexHeader}
	for _, f := range files {
		for _, g := range f.Tables {
			index = append(index, []string{f.Name, g.Name, g.Title, g.Rows, f.Command})
		}
	}
	if err := writeCSV(filepath.Join(folder, f.Name+".csv"), f.rows()); err != nil {
		return err
	}
	return writeCSV(filepath.Join(folder, indexFile), index)
}

func readCSV(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := tabular.Rows(path, f, tabular.Options{}).ReadAll()
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s is empty; write it with make calibrate", path)
	}
	return rows, err
}

func writeCSV(path string, rows [][]string) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
