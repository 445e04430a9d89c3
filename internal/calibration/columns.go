// Columns: some designs of the tables of an analysis computed again, next to those that stay.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"repscope/internal/calibration/celltable"
	"slices"
	"strconv"
	"strings"
)

// tablesOf returns the tables of an analysis in the folder of the pages, nil where there are none.
func tablesOf(folder, name string) (*celltable.File, error) {
	files, err := celltable.Read(filepath.Join(folder, tablesFolder))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	if i := slices.IndexFunc(files, func(f *celltable.File) bool { return f.Name == name }); i >= 0 {
		return files[i], nil
	}
	return nil, nil
}

var drawnBy = regexp.MustCompile(`-draws (\d+) -seed (\d+)`)

// drawn are the draws and the seed of tables, which columns that join them must have, too; 0 is any.
func drawn(f *celltable.File, draws int, seed uint64) (int, uint64, error) {
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

// storeColumns saves tables of some designs, with the other columns of the tables before, or prints them.
func storeColumns(out, name, text string, before *celltable.File, draws int, seed uint64) error {
	tables, err := celltable.Parse(text)
	if err != nil {
		return err
	}
	if out != "-" && before != nil {
		for i := range tables {
			if old := before.Table(tables[i].Name); old != nil {
				tables[i] = joined(old, &tables[i])
			}
		}
		var b strings.Builder
		for i := range tables {
			tables[i].WriteText(&b)
		}
		text = b.String()
	}
	command := "go run ./internal/calibration -analyses " + name
	var all, has []string
	for _, d := range slices.Concat(allDesigns(), worse()) {
		all = append(all, d.Name)
		if slices.ContainsFunc(tables, func(g celltable.Table) bool { return slices.Contains(g.Columns, d.Name) }) {
			has = append(has, d.Name)
		}
	}
	if len(has) < len(all) {
		command += " -designs " + strings.Join(has, ",")
	}
	return store(out, name, fmt.Sprintf("%s -draws %d -seed %d", command, draws, seed), text)
}

// joined has the columns of a table that again does not have, and all columns of again, in the order of the designs. A number
// that again does not print has no cell in its columns; rows without a cell are left out.
func joined(old, again *celltable.Table) celltable.Table {
	out := celltable.Table{Name: old.Name, Title: again.Title, Rows: old.Rows}
	for _, d := range slices.Concat(allDesigns(), worse()) {
		if slices.Contains(old.Columns, d.Name) || slices.Contains(again.Columns, d.Name) {
			out.Columns = append(out.Columns, d.Name)
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
		line := celltable.Line{Name: name}
		for _, column := range out.Columns {
			from := old
			if slices.Contains(again.Columns, column) {
				from = again
			}
			line.Cells = append(line.Cells, cellOf(from, name, column))
		}
		if slices.ContainsFunc(line.Cells, func(e celltable.Printed) bool { return e[celltable.FieldValue] != "" }) {
			out.Lines = append(out.Lines, line)
		}
	}
	return out
}

// cellOf returns the cell of a row and a column, empty where there is none.
func cellOf(g *celltable.Table, row, column string) celltable.Printed {
	i := slices.IndexFunc(g.Lines, func(l celltable.Line) bool { return l.Name == row })
	k := slices.Index(g.Columns, column)
	if i < 0 || k < 0 {
		return celltable.Printed{}
	}
	return g.Lines[i].Cells[k]
}
