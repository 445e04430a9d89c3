// Tables with some columns computed again, next to those that stay.

package celltable

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

var drawnBy = regexp.MustCompile(`-draws (\d+) -seed (\d+)`)

// Drawn are the draws and the seed of tables, which columns that join them must have, too; 0 is any.
func (f *File) Drawn(draws int, seed uint64) (int, uint64, error) {
	if f == nil {
		if draws == 0 {
			return 0, 0, fmt.Errorf("there are no tables to join: give -draws and -seed")
		}
		return draws, seed, nil
	}
	match := drawnBy.FindStringSubmatch(f.Command)
	if match == nil {
		return 0, 0, fmt.Errorf("%s: command %q has no draws and seed", f.Name, f.Command)
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		return 0, 0, err
	}
	s, err := strconv.ParseUint(match[2], 10, 64)
	if err != nil {
		return 0, 0, err
	}
	if draws != 0 && draws != n || seed != 0 && seed != s {
		return 0, 0, fmt.Errorf("the tables of %s have %d draws and seed %d: leave -draws and -seed out, "+
			"or compute all designs", f.Name, n, s)
	}
	return n, s, nil
}

// Joined has the columns of a table that again does not have, and all columns of again, in an order of columns. A
// number that again does not print has no cell in its columns; rows without a cell are left out.
func Joined(old, again *Table, order []string) Table {
	out := Table{Name: old.Name, Title: again.Title, Rows: old.Rows}
	for _, column := range order {
		if slices.Contains(old.Columns, column) || slices.Contains(again.Columns, column) {
			out.Columns = append(out.Columns, column)
		}
	}
	rows := make([]string, 0, len(old.Lines))
	for _, l := range old.Lines {
		rows = append(rows, l.Name)
	}
	for i, l := range again.Lines {
		if slices.Contains(rows, l.Name) {
			continue
		}
		next := len(rows) // after the row that it follows
		if i > 0 {
			next = slices.Index(rows, again.Lines[i-1].Name) + 1
		}
		rows = slices.Insert(rows, next, l.Name)
	}
	for _, name := range rows {
		line := Line{Name: name}
		for _, column := range out.Columns {
			from := old
			if slices.Contains(again.Columns, column) {
				from = again
			}
			line.Cells = append(line.Cells, from.Cell(name, column))
		}
		if slices.ContainsFunc(line.Cells, func(e Printed) bool { return e[FieldValue] != "" }) {
			out.Lines = append(out.Lines, line)
		}
	}
	return out
}

// Cell returns the cell of a row and a column, empty where there is none.
func (g *Table) Cell(row, column string) Printed {
	i := slices.IndexFunc(g.Lines, func(l Line) bool { return l.Name == row })
	k := slices.Index(g.Columns, column)
	if i < 0 || k < 0 {
		return Printed{}
	}
	return g.Lines[i].Cells[k]
}
