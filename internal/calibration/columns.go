// Columns: some designs of the tables of an analysis computed again, next to those that stay.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/calibration/celltable"
	"repscope/internal/calibration/summary"
)

// tablesOf returns the tables of an analysis in the folder of the pages, nil where there are none.
func tablesOf(folder, name string) (*celltable.File, error) {
	files, err := celltable.Read(filepath.Join(folder, summary.Folder))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	if i := slices.IndexFunc(files, func(f *celltable.File) bool { return f.Name == name }); i >= 0 {
		return files[i], nil
	}
	return nil, nil
}

// designNames are the columns of the tables of analyses.
func designNames() []string {
	var out []string
	for _, d := range slices.Concat(allDesigns(), worse()) {
		out = append(out, d.Name)
	}
	return out
}

// storeColumns saves tables of some designs, with the other columns of the tables before, or prints them.
func storeColumns(out, name, text string, before *celltable.File, draws int, seed uint64) error {
	tables, err := celltable.Parse(text)
	if err != nil {
		return err
	}
	order := designNames()
	if out != "-" && before != nil {
		for i := range tables {
			if old := before.Table(tables[i].Name); old != nil {
				tables[i] = celltable.Joined(old, &tables[i], order)
			}
		}
		var b strings.Builder
		for i := range tables {
			tables[i].WriteText(&b)
		}
		text = b.String()
	}
	command := "go run ./internal/calibration -analyses " + name
	var has []string
	for _, name := range order {
		if slices.ContainsFunc(tables, func(g celltable.Table) bool { return slices.Contains(g.Columns, name) }) {
			has = append(has, name)
		}
	}
	if len(has) < len(order) {
		command += " -designs " + strings.Join(has, ",")
	}
	return store(out, name, fmt.Sprintf("%s -draws %d -seed %d", command, draws, seed), text)
}
