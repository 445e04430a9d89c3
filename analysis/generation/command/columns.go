// Columns of tables: labels as numbers or names, groups, counts.

package command

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"repscope/analysis/generation/climbing"
	"repscope/dataset"
	"repscope/internal/run"
)

// columns reads a table, once.
func (l *loader) columns(path string) ([]dataset.Column, error) {
	if read, ok := l.tables[path]; ok {
		return read, nil
	}
	read, err := dataset.ReadTable(path)
	if err == nil && l.tables != nil {
		l.tables[path] = read
	}
	return read, err
}

// namesOf are the names of columns.
func namesOf(columns []dataset.Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// labelsOf are the labels in a column: numbers, or names.
func (l *loader) labelsOf(c *dataset.Column, path string) ([]int, error) {
	if err := filled(c, path); err != nil {
		return nil, err
	}
	if c.Texts == nil {
		out, err := wholes(c, path)
		if err != nil {
			return nil, err
		}
		if l.unnamed == nil || l.unnamed[len(l.unnamed)-1] != path {
			l.unnamed = append(l.unnamed, path)
		}
		return out, l.number(path + ": column " + c.Name)
	}
	if l.names == nil {
		if err := l.invent(c, path); err != nil {
			return nil, err
		}
	}
	byName := map[string]int{}
	for label, name := range l.names {
		byName[name] = label
	}
	out := make([]int, len(c.Texts))
	for i, name := range c.Texts {
		label, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf(
				"%s: column %s: row %d is %q, which is not a label name of the other inputs", path, c.Name, i, name)
		}
		out[i] = label
	}
	return out, nil
}

// number notes that labels of a place are numbers, which cannot be joined with names that
// were numbered here.
func (l *loader) number(place string) error {
	if l.invented != "" {
		return run.Hint(fmt.Errorf("%s has numbers as labels, but %s has names", place, l.invented),
			"map names to numbers with --label-names FILE.json")
	}
	if l.names == nil && l.numbered == "" {
		l.numbered = place
	}
	return nil
}

// invent names labels by the texts of a column: the grades of a board if they are such, else
// the texts of all tables, in their order.
func (l *loader) invent(c *dataset.Column, path string) error {
	board := climbing.Grades()
	if !slices.ContainsFunc(c.Texts, func(t string) bool { return !slices.Contains(board, t) }) {
		l.names = grades()
		return nil
	}
	place := path + ": column " + c.Name
	if l.numbered != "" {
		i := max(0, slices.IndexFunc(c.Texts, func(t string) bool { _, err := strconv.Atoi(t); return err != nil }))
		return run.Hint(fmt.Errorf("%s: row %d is %q, but %s has numbers as labels", place, i, c.Texts[i], l.numbered),
			"map names to numbers with --label-names FILE.json")
	}
	texts := slices.Clone(c.Texts)
	for _, table := range l.tablePaths() {
		columns, err := l.columns(table)
		if err != nil {
			continue // whoever reads it says so
		}
		for _, c := range columns {
			if isLabel(c.Name) || isPrediction(c.Name) {
				texts = append(texts, c.Texts...)
			}
		}
	}
	l.names, l.invented = labels{}, place
	for i, t := range slices.Compact(slices.Sorted(slices.Values(texts))) {
		l.names[i] = t
	}
	if len(l.f.predictions.All()) > 0 && len(l.names) > 2 {
		l.env.Warn("%s has label names in alphabetical order (%s, %s, %s …): errors, kappa and accuracy within one "+
			"or two labels depend on the order; set it with --label-names",
			place, l.names[0], l.names[1], l.names[2])
	}
	return nil
}

// tablePaths are the tables among the inputs that have labels.
func (l *loader) tablePaths() []string {
	var paths []string
	for _, file := range slices.Concat(l.f.generated.All(), l.f.predictions.All()) {
		paths = append(paths, file.Path)
	}
	paths = append(paths, l.f.real, l.f.holdOut, l.f.realPredictions)
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" || !dataset.IsTable(path) })
}

// groupsOf are the groups in a column: whole numbers, or texts, where equal ones are one
// group.
func groupsOf(c *dataset.Column, path string) ([]int, error) {
	if err := filled(c, path); err != nil {
		return nil, err
	}
	if c.Texts != nil {
		return ints(c.Ints), nil // the number of each text
	}
	return wholes(c, path)
}

// filled finds a row that is empty.
func filled(c *dataset.Column, path string) error {
	if row := c.Empty(); row >= 0 {
		return run.Hint(fmt.Errorf("%s: column %s: row %d is empty or NaN, want a value in every row", path, c.Name, row),
			"remove such rows from the table")
	}
	return nil
}

// wholes are the numbers of a column of whole numbers, also where they are written with a
// decimal point.
func wholes(c *dataset.Column, path string) ([]int, error) {
	switch {
	case c.Texts != nil:
		return nil, fmt.Errorf("%s: column %s contains text (%q), want whole numbers", path, c.Name, c.Texts[0])
	case c.Ints != nil:
		return ints(c.Ints), nil
	}
	out := make([]int, len(c.Floats))
	for i, v := range c.Floats {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return nil, fmt.Errorf("%s: column %s: row %d is %v, want a whole number", path, c.Name, i, v)
		}
		out[i] = int(v)
	}
	return out, nil
}

func ints(values []int64) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}
