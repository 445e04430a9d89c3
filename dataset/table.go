// Tables: CSV files whose columns are arrays.

package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/format"
	"repscope/internal/gunzip"
	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/internal/tabular"
)

// IsTable reports whether a file is a table by its name: .csv or .tsv, also with .gz behind it, or .parquet.
func IsTable(path string) bool {
	switch strings.ToLower(filepath.Ext(gunzip.Name(path))) {
	case ".csv", ".tsv":
		return true
	}
	return isParquet(path)
}

// Column is one column of a table: whole numbers, numbers, or texts, which are classes. If no row is empty, Ints are
// the whole numbers, or the indices of texts among the distinct ones in ascending order; else Floats are, with NaN in
// empty rows.
type Column struct {
	Name   string
	Ints   []int64
	Floats []float64
	Texts  []string // nil for numbers
	// Whole says that the values are whole numbers or texts, Bool that they are True and False.
	Whole, Bool bool
}

// Len is the number of rows.
func (c *Column) Len() int { return max(len(c.Ints), len(c.Floats)) }

// Empty is the first row that has nothing, −1 where all have something.
func (c *Column) Empty() int { return slices.IndexFunc(c.Floats, math.IsNaN) }

// ReadTable reads a table, possibly compressed by gzip, whose first line names the columns ([tabular.Separator]
// determines how cells are separated). A column has whole numbers if all its cells are whole numbers, or True and
// False (1 and 0); floating-point numbers if all are numbers, with a decimal point, or a decimal comma if commas do
// not separate cells; else texts. An empty cell is missing; in columns of numbers also NA, N/A, <NA>, NaT, None and
// null, and nan among floating-point numbers. A first column without a name and with distinct whole numbers is an
// index, as pandas writes it, and is ignored.
//
// Of a Parquet file, the columns with one value per row are read, in their types.
//
// Errors name the file, line and column: no rows, a column without a name, equal names, and lines of unequal length.
func ReadTable(path string) ([]Column, error) {
	if isParquet(path) {
		return readParquetTable(path)
	}
	f, err := OpenText(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	defer f.Close()
	columns, err := readTable(io.NewSectionReader(f, 0, f.Size()), path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return columns, nil
}

// openTableColumn opens one column of a table, or the only one.
func openTableColumn(path, key string) (*Array, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	columns, err := ReadTable(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	name, err := chooseName(path, "column", key, names)
	if err != nil {
		return nil, err
	}
	a, err := columns[slices.Index(names, name)].Array(path)
	if err == nil {
		a.path, a.key = path, name
		fromPath(a, path, before)
	}
	return a, err
}

// tableFormat names tables of text in lists of formats.
const tableFormat = ".csv, .tsv"

// isTextTable reports whether a file is a table of text: its name says so, and its content is nothing else.
func isTextTable(path string) bool {
	if !IsTable(path) || isParquet(path) {
		return false
	}
	file, err := mmap.Open(path)
	if err != nil {
		return false // another reader reports it
	}
	defer file.Close()
	head := make([]byte, min(format.HeadSize, file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return format.Of(head) == format.Unknown || gunzip.Is(head)
}

// openTable opens columns of numbers of a table of text: one as an array of a value per row, several as a matrix.
func openTable(path, key string) (*Array, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	columns, err := ReadTable(path)
	if err != nil {
		return nil, err
	}
	a, err := arrayOf(path, key, columns)
	if err == nil {
		a.path, a.key = path, key
		fromPath(a, path, before)
	}
	return a, err
}

// arrayOf is the column that the key names or, for names and patterns separated by commas, a matrix of these columns, in
// the order of the key and then of the table. Whole numbers stay whole where all columns have them.
func arrayOf(path, key string, columns []Column) (*Array, error) {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	chosen, err := chooseColumns(path, key, names)
	if err != nil {
		return nil, err
	}
	whole := true
	for _, k := range chosen {
		c := &columns[k]
		if c.Texts != nil {
			return nil, fmt.Errorf("%s: column %q has texts, want numbers; name the columns of the array: %s:A,B or %s:z*",
				path, c.Name, path, path)
		}
		whole = whole && c.Ints != nil
	}
	if len(chosen) == 1 && (key == "" || key == names[chosen[0]]) {
		return columns[chosen[0]].Array(path)
	}
	a, err := matrixOf(path+":"+key, columns, chosen, whole)
	if err == nil {
		for _, k := range chosen {
			a.columns = append(a.columns, names[k])
		}
	}
	return a, err
}

// Columns are the names of the columns of an array, in their order; none unless they are columns of a table.
type Columns struct {
	array string
	names []string
}

// Columns are the columns of a matrix.
func (a *Array) Columns() Columns { return Columns{a.name, a.columns} }

// Pair is the error of columns that are compared by position with others, although columns of the same name have other
// positions. Without names, and without a common name, they are compared as they are.
func (c Columns) Pair(with Columns) error {
	common := slices.ContainsFunc(c.names, func(name string) bool { return slices.Contains(with.names, name) })
	if !common || slices.Equal(c.names, with.names) {
		return nil
	}
	return fmt.Errorf("%s has the columns %s, but %s has %s: "+
		"name the same columns of both, in the same order, as in FILE:A,B", c.array, list(c.names), with.array, list(with.names))
}

// matrixOf is a matrix of some columns.
func matrixOf(name string, columns []Column, chosen []int, whole bool) (*Array, error) {
	rows, width := columns[chosen[0]].Len(), len(chosen)
	shape := []int{rows, width}
	if whole {
		values := make([]int64, rows*width)
		for j, k := range chosen {
			for i, v := range columns[k].Ints {
				values[i*width+j] = v
			}
		}
		return NewArray(name, shape, values)
	}
	values := make([]float64, rows*width)
	for j, k := range chosen {
		c := &columns[k]
		for i := range rows {
			if c.Ints != nil {
				values[i*width+j] = float64(c.Ints[i])
			} else {
				values[i*width+j] = c.Floats[i]
			}
		}
	}
	return NewArray(name, shape, values)
}

// chooseColumns are the indices of the columns that a key chooses: a name, or names and patterns with * and ?, separated
// by commas; the only column for an empty key.
func chooseColumns(path, key string, names []string) (chosen []int, err error) {
	if k := slices.Index(names, key); k >= 0 {
		return []int{k}, nil
	}
	if key == "" && len(names) > 1 {
		return nil, fmt.Errorf("%s: contains %d columns; name columns: %s:%s for one, %s:A,B or %s:z* for a matrix, "+
			"%s:* for all (there are %s)", path, len(names), path, names[0], path, path, path, list(names))
	}
	for part := range strings.SplitSeq(key, ",") {
		matched := false
		for k, name := range names {
			if match, err := pathpkg.Match(part, name); name == part || err == nil && match {
				matched = true
				if !slices.Contains(chosen, k) {
					chosen = append(chosen, k)
				}
			}
		}
		if matched {
			continue
		}
		name, err := chooseName(path, "column", part, names)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, slices.Index(names, name)) // the only one
	}
	return chosen, nil
}

// isSelection reports whether a key names several columns.
func isSelection(key string) bool { return strings.ContainsAny(key, ",*?") }

// listTable lists the columns of a table of text.
func listTable(path string, l *Listing) error {
	columns, err := ReadTable(path)
	if err != nil {
		return err
	}
	for i := range columns {
		c := &columns[i]
		a, err := c.Array(path)
		if err != nil {
			return err
		}
		item := Item{Name: c.Name, Type: a.dtype.String(), Shape: a.shape}
		if c.Texts != nil {
			item.Type = "text"
		}
		l.Items = append(l.Items, item)
	}
	return nil
}

// Array is a column as an array of one value per row, whose name has the path of the table.
func (c *Column) Array(path string) (*Array, error) {
	var a *Array
	var err error
	name, shape := path+":"+c.Name, []int{c.Len()}
	switch {
	case c.Bool && c.Ints != nil:
		flags := make([]bool, len(c.Ints))
		for i, v := range c.Ints {
			flags[i] = v == 1
		}
		a, err = NewArray(name, shape, flags)
	case c.Ints != nil:
		a, err = NewArray(name, shape, c.Ints)
	default:
		a, err = NewArray(name, shape, c.Floats)
	}
	if err == nil {
		a.whole, a.classes = c.Whole, distinctTexts(c.Texts)
	}
	return a, err
}

// readTable is [ReadTable] of text; name is the name of its file.
func readTable(r io.Reader, name string) ([]Column, error) {
	reader := tabular.Rows(name, r, tabular.Options{})
	record, err := tabular.First(reader)
	if err != nil {
		return nil, err
	}
	names, row, err := tabular.NamesOrPlaces(record)
	if err != nil {
		return nil, err
	}
	cells := make([][]string, len(names))
	for ; ; row = true {
		if row {
			for i, cell := range record {
				cells[i] = append(cells[i], strings.TrimSpace(cell))
			}
		}
		if record, err = reader.Read(); errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
	}
	if len(cells[0]) == 0 {
		return nil, errors.New("the table has column names but no rows")
	}
	var columns []Column
	decimals := tabular.Decimals{Comma: reader.Comma != ','}
	for i, name := range names {
		c := newColumn(name, cells[i], decimals.Comma)
		if !c.Whole {
			for _, cell := range cells[i] {
				if _, err := decimals.Float(cell); errors.Is(err, tabular.ErrDecimals) {
					return nil, fmt.Errorf("column %s: %w", name, err)
				}
			}
		}
		if name == "" {
			if !rowNumbers(&c) {
				return nil, errors.New("column 1 has no name in the first line")
			}
			continue
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// rowNumbers reports whether a column without a name holds row numbers.
func rowNumbers(c *Column) bool {
	if c.Ints == nil || c.Texts != nil {
		return false
	}
	sorted := slices.Sorted(slices.Values(c.Ints))
	return len(slices.Compact(sorted)) == len(c.Ints)
}

// nothing are the cells of number columns that mean a missing value, besides the empty one and nan.
var nothing = []string{"NA", "N/A", "<NA>", "NaT", "None", "null", "NULL"}

// newColumn determines the type of a column; comma says that numbers may have a decimal comma.
func newColumn(name string, cells []string, comma bool) Column {
	c := Column{Name: name}
	whole := func(s string) (float64, error) {
		k, err := strconv.ParseInt(s, 10, 64)
		return float64(k), err
	}
	number := func(s string) (float64, error) { return tabular.ParseFloat(s, comma) }
	c.Floats = parseAll(cells, tabular.ParseTruth, isNothing)
	if c.Bool = c.Floats != nil; !c.Bool {
		c.Floats = parseAll(cells, whole, func(s string) bool { return isNothing(s) && !strings.EqualFold(s, "nan") })
	}
	if c.Whole = c.Floats != nil; !c.Whole {
		if c.Floats = parseAll(cells, number, isNothing); c.Floats != nil {
			return c
		}
		c = newTexts(cells)
		c.Name = name
	}
	if c.Empty() >= 0 || c.Ints != nil {
		return c
	}
	c.Ints = make([]int64, len(cells))
	for i, v := range c.Floats {
		if c.Ints[i] = int64(v); v != 0 && v != 1 {
			c.Ints[i], _ = strconv.ParseInt(cells[i], 10, 64) // all of its digits
		}
	}
	c.Floats = nil
	return c
}

// newTexts is a column of texts.
func newTexts(cells []string) Column {
	c := Column{Texts: cells, Whole: true}
	classes := distinctTexts(cells)
	for i, cell := range cells {
		k, ok := slices.BinarySearch(classes, cell)
		if !ok && c.Floats == nil { // the first that is empty
			c.Floats = make([]float64, i, len(cells))
			for j, before := range c.Ints {
				c.Floats[j] = float64(before)
			}
			c.Ints = nil
		}
		switch {
		case c.Floats == nil:
			c.Ints = append(c.Ints, int64(k))
		case ok:
			c.Floats = append(c.Floats, float64(k))
		default:
			c.Floats = append(c.Floats, math.NaN())
		}
	}
	return c
}

func isNothing(cell string) bool {
	return cell == "" || strings.EqualFold(cell, "nan") || slices.Contains(nothing, cell)
}

// distinctTexts are the texts that are not empty, each once, in ascending order; nil for nil.
func distinctTexts(texts []string) []string {
	if texts == nil {
		return nil
	}
	classes := slices.Compact(slices.Sorted(slices.Values(texts)))
	if len(classes) > 0 && classes[0] == "" {
		classes = classes[1:]
	}
	return classes
}

// parseAll reads all cells, NaN for missing values; nil if one cannot be read, or all are missing.
func parseAll(cells []string, parse func(string) (float64, error), nothing func(string) bool) []float64 {
	out, any := make([]float64, len(cells)), false
	for i, cell := range cells {
		if nothing(cell) {
			out[i] = math.NaN()
			continue
		}
		v, err := parse(cell)
		if err != nil {
			return nil
		}
		out[i], any = v, true
	}
	if !any {
		return nil
	}
	return out
}
