// Tables: CSV files whose columns are arrays.

package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/regular"
)

// IsTable reports whether a file is a table by its name: .csv or .tsv.
func IsTable(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv":
		return true
	}
	return false
}

// Column is one column of a table: whole numbers, numbers, or texts, of which Ints are the
// places among the distinct ones in ascending order.
type Column struct {
	Name   string
	Ints   []int64
	Floats []float64
	Texts  []string // nil for numbers
}

// Len is the number of rows.
func (c *Column) Len() int { return max(len(c.Ints), len(c.Floats)) }

// ReadTable reads a table whose first line names the columns; a .tsv file has tabs between
// cells, any other commas. A column whose cells are all whole numbers is one of integers,
// one of numbers (an empty cell or nan is NaN) is one of floating-point numbers, any other
// one of texts. Errors name the file, line and column: no rows, a column without a name,
// equal names, lines of unequal length, an empty cell in a column of integers or texts.
func ReadTable(path string) ([]Column, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, fileError(err)
	}
	defer f.Close()
	columns, err := readTable(f, separatorOf(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return columns, nil
}

// separatorOf is what stands between the cells of a table.
func separatorOf(path string) rune {
	if strings.EqualFold(filepath.Ext(path), ".tsv") {
		return '\t'
	}
	return ','
}

// Array is a column as an array of one value per row, whose name has the path of the table.
func (c *Column) Array(path string) (*Array, error) {
	if c.Ints != nil {
		return NewArray(path+":"+c.Name, []int{len(c.Ints)}, c.Ints)
	}
	return NewArray(path+":"+c.Name, []int{len(c.Floats)}, c.Floats)
}

// readTable is [ReadTable] of text with the given separator.
func readTable(r io.Reader, separator rune) ([]Column, error) {
	reader := csv.NewReader(withoutMark(r))
	reader.Comma, reader.ReuseRecord = separator, true
	names, err := readHeader(reader)
	if err != nil {
		return nil, err
	}
	cells := make([][]string, len(names))
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tableError(err)
		}
		for i, cell := range record {
			cells[i] = append(cells[i], strings.TrimSpace(cell))
		}
	}
	if len(cells[0]) == 0 {
		return nil, errors.New("the table has names but no rows")
	}
	columns := make([]Column, len(names))
	for i, name := range names {
		if columns[i], err = newColumn(name, cells[i]); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// readHeader reads the names of columns.
func readHeader(reader *csv.Reader) ([]string, error) {
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the table is empty; want a line of names and rows")
	}
	if err != nil {
		return nil, tableError(err)
	}
	names := slices.Clone(header)
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		switch {
		case names[i] == "":
			return nil, hinted{fmt.Errorf("column %d has no name in the first line", i+1), "pandas writes none with index=False"}
		case slices.Contains(names[:i], names[i]):
			return nil, fmt.Errorf("two columns are named %q", names[i])
		}
	}
	return names, nil
}

// mark is the byte order mark that some programs write before text in UTF-8.
const mark = "\ufeff"

// withoutMark is text without a mark, which would hide the quotes of the first name.
func withoutMark(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if first, _ := b.Peek(len(mark)); string(first) == mark {
		_, _ = b.Discard(len(mark))
	}
	return b
}

// markSize is the number of bytes of a mark at the beginning of a file.
func markSize(file io.ReaderAt) int64 {
	var first [len(mark)]byte
	if n, _ := file.ReadAt(first[:], 0); string(first[:n]) == mark {
		return int64(n)
	}
	return 0
}

// tableError says what is wrong with a line.
func tableError(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return fmt.Errorf("line %d has another number of cells than the first", parse.Line)
	}
	return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
}

// newColumn decides what a column holds.
func newColumn(name string, cells []string) (Column, error) {
	c := Column{Name: name}
	empty := slices.Index(cells, "")
	if whole := parseAll(cells, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }); whole != nil {
		if empty >= 0 {
			return c, fmt.Errorf("column %s: row %d is empty in a column of whole numbers; leave such rows out, or write numbers with a decimal point", name, empty)
		}
		c.Ints = whole
		return c, nil
	}
	if c.Floats = parseAll(cells, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); c.Floats != nil {
		for i, cell := range cells {
			if cell == "" {
				c.Floats[i] = math.NaN()
			}
		}
		return c, nil
	}
	if empty >= 0 {
		return c, fmt.Errorf("column %s: row %d is empty in a column of classes", name, empty)
	}
	c.Texts = cells
	classes := slices.Compact(slices.Sorted(slices.Values(cells)))
	for _, cell := range cells {
		k, _ := slices.BinarySearch(classes, cell)
		c.Ints = append(c.Ints, int64(k))
	}
	return c, nil
}

// parseAll reads all cells that are not empty; nil if one cannot be read, or all are empty.
func parseAll[T any](cells []string, parse func(string) (T, error)) []T {
	out, any := make([]T, len(cells)), false
	for i, cell := range cells {
		if cell == "" {
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

// hinted is an error with a hint.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error   { return h.error }
func (h hinted) Hints() []string { return []string{h.hint} }
