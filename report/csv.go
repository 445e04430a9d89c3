// This file is for CSV files with exact column names and exact numbers.

package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"repscope/internal/escape"
)

// CSV writes comma-separated rows under given column names. Numbers are written
// in the shortest form that reads back to the same bits, so that no digit of a
// slope of 1e-4 is lost. Texts that a spreadsheet would compute are marked as texts: see [escape.Cell].
type CSV struct {
	w       *csv.Writer
	columns []string
	record  []string
	rows    int
}

// NewCSV returns a writer and writes the header line.
func NewCSV(w io.Writer, columns ...string) (*CSV, error) {
	c := &CSV{w: csv.NewWriter(w), columns: columns, record: make([]string, len(columns))}
	for i, column := range columns {
		c.record[i] = escape.Cell(column)
	}
	if err := c.w.Write(c.record); err != nil {
		return nil, err
	}
	return c, nil
}

// Row writes one row. Cells are strings, integers, booleans, floats, [Value] or fmt.Stringer. NaN and an undefined
// Value become an empty cell, infinities become inf or -inf (as pandas and NumPy read them). Errors: a number of
// cells that differs from the number of columns, a cell of another type, and a failed write.
func (c *CSV) Row(cells ...any) error {
	if len(cells) != len(c.columns) {
		return fmt.Errorf("csv row %d: %d cells for %d columns %v", c.rows+1, len(cells), len(c.columns), c.columns)
	}
	for i, cell := range cells {
		text, err := csvCell(cell)
		if err != nil {
			return fmt.Errorf("csv row %d, column %s: %w", c.rows+1, c.columns[i], err)
		}
		c.record[i] = text
	}
	c.rows++
	return c.w.Write(c.record)
}

// Flush writes buffered rows and returns the first error of any write.
func (c *CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

func csvCell(cell any) (string, error) {
	switch v := cell.(type) {
	case nil:
		return "", nil
	case string:
		return escape.Cell(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int32:
		return strconv.FormatInt(int64(v), 10), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint8:
		return strconv.FormatUint(uint64(v), 10), nil
	case uint32:
		return strconv.FormatUint(uint64(v), 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float32:
		return csvFloat(float64(v), 32), nil
	case float64:
		return csvFloat(v, 64), nil
	case Value:
		if v.Reason != "" {
			return "", nil
		}
		return csvFloat(v.V, 64), nil
	case Estimate:
		return csvCell(v.Value)
	case fmt.Stringer:
		return escape.Cell(v.String()), nil
	}
	return "", fmt.Errorf("a cell cannot be of type %T", cell)
}

func csvFloat(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, jsonFormat(v), -1, bits)
}
