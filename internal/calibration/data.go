// Tables as data: what the writers print, as CSV files, and again as text.

package main

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
	fieldValue = iota
	fieldError
	fieldWidth
	fieldTested
	fieldOfAll
	fieldSize
	fieldDecided
	fieldOutside
)

// An entry is one cell: its numbers as they are printed, by fields. An entry without a value was not measured.
type entry [fieldOutside + 1]string

// A table has a title and a line of cells for each number.
type table struct {
	Name    string // in its file
	Title   string
	Rows    string // heading of the first column
	Columns []string
	Lines   []tableLine
}

// A tableLine has one cell for each column.
type tableLine struct {
	Name  string
	Cells []entry
}

var cellText = regexp.MustCompile(`^(–|-?[\d.]+)(?: ±([\d.]+))?(?: \(([\d.]+|–)\))?(?: of ([\d.]+) %)?` +
	`(?:; ([\d.]+) of all)?(?:; ([\d.]+); (\d+))?$`)

func parseEntry(text string) (e entry, err error) {
	plain := strings.ReplaceAll(text, "**", "")
	groups := cellText.FindStringSubmatch(plain)
	if groups == nil {
		return e, fmt.Errorf("cell %q: want a number, its error and what belongs to it", text)
	}
	copy(e[:], groups[1:])
	if e[fieldValue] == "–" {
		e[fieldValue] = ""
	}
	if plain != text {
		e[fieldOutside] = "1"
	}
	return e, nil
}

func (e entry) text() string {
	if e[fieldValue] == "" {
		return "–"
	}
	text := e[fieldValue]
	add := func(format string, field int) {
		if e[field] != "" {
			text += fmt.Sprintf(format, e[field])
		}
	}
	add(" ±%s", fieldError)
	add(" (%s)", fieldWidth)
	if e[fieldOutside] != "" {
		text = "**" + text + "**"
	}
	add(" of %s %%", fieldTested)
	add("; %s of all", fieldOfAll)
	add("; %s", fieldSize)
	add("; %s", fieldDecided)
	return text
}

// number returns a field, and whether the entry has it.
func (e entry) number(field int) (float64, bool) {
	v, err := strconv.ParseFloat(e[field], 64)
	return v, err == nil
}

// parseTables reads the tables that a writer printed. The paragraph before a table is its title.
func parseTables(text string) ([]table, error) {
	var out []table
	heading, title := "", ""
	var open *table
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
			out = append(out, table{Name: tableName(title, out), Title: title, Rows: cells[0], Columns: cells[1:]})
			open = &out[len(out)-1]
		case cells[0] != "---":
			line := tableLine{Name: cells[0]}
			for _, cell := range cells[1:] {
				e, err := parseEntry(cell)
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

// tableName returns a name by the title that no earlier table has.
func tableName(title string, before []table) string {
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
	for i := 2; slices.ContainsFunc(before, func(g table) bool { return g.Name == free }); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}

// writeText writes a table as text.
func (g *table) writeText(w io.Writer) {
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
			cells = append(cells, e.text())
		}
		line(cells)
	}
	fmt.Fprintln(w)
}

// A tableFile has the tables of one analysis or section, and the command that wrote them.
type tableFile struct {
	Name    string
	Command string
	Tables  []table
}

// indexFile lists the tables of all files, with their titles.
const indexFile = "index.csv"

var indexHeader = []string{"file", "table", "title", "rows", "command"}

// readTables reads the tables of a folder, in the order of its index.
func readTables(folder string) ([]*tableFile, error) {
	index, err := readCSV(filepath.Join(folder, indexFile))
	if err != nil {
		return nil, err
	}
	var out []*tableFile
	for _, row := range index[1:] {
		if len(out) == 0 || out[len(out)-1].Name != row[0] {
			out = append(out, &tableFile{Name: row[0], Command: row[4]})
		}
		f := out[len(out)-1]
		f.Tables = append(f.Tables, table{Name: row[1], Title: row[2], Rows: row[3]})
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
func (f *tableFile) enter(rows [][]string) error {
	for _, row := range rows[1:] {
		g := f.table(row[0])
		if g == nil {
			return fmt.Errorf("table %q is not in %s", row[0], indexFile)
		}
		if len(g.Lines) == 0 || g.Lines[len(g.Lines)-1].Name != row[1] {
			g.Lines = append(g.Lines, tableLine{Name: row[1]})
		}
		if len(g.Lines) == 1 {
			g.Columns = append(g.Columns, row[2])
		}
		var e entry
		for i, name := range rows[0][3:] {
			e[slices.Index(fields, name)] = row[3+i]
		}
		l := &g.Lines[len(g.Lines)-1]
		l.Cells = append(l.Cells, e)
	}
	return nil
}

func (f *tableFile) table(name string) *table {
	for i := range f.Tables {
		if f.Tables[i].Name == name {
			return &f.Tables[i]
		}
	}
	return nil
}

// rows are the CSV file's: the fields that some cell has.
func (f *tableFile) rows() [][]string {
	var used []int
	for i := range fields {
		if slices.ContainsFunc(f.Tables, func(g table) bool {
			return slices.ContainsFunc(g.Lines, func(l tableLine) bool {
				return slices.ContainsFunc(l.Cells, func(e entry) bool { return e[i] != "" })
			})
		}) {
			used = append(used, i)
		}
	}
	row := func(first []string, e entry) []string {
		for _, i := range used {
			first = append(first, e[i])
		}
		return first
	}
	out := [][]string{row([]string{"table", "row", "column"}, entry(fields))}
	for _, g := range f.Tables {
		for _, l := range g.Lines {
			for i, e := range l.Cells {
				out = append(out, row([]string{g.Name, l.Name, g.Columns[i]}, e))
			}
		}
	}
	return out
}

// save replaces the tables of one analysis or section in a folder.
func (f *tableFile) save(folder string) error {
	files, err := readTables(folder)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if i := slices.IndexFunc(files, func(o *tableFile) bool { return o.Name == f.Name }); i >= 0 {
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
