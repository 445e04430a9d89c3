// Tables that are written as JSON: an object of single values for each row, as pandas writes them.

package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"repscope/internal/bound"
	"repscope/internal/gunzip"
)

// EachLine calls do with the value of every line of JSON Lines that is not empty, and with FILE:line. Errors name the
// line and column, as those of [Parse].
func EachLine(name string, data []byte, do func(where string, v any) error) error {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		v, err := ParseLine(name, line, text)
		if err != nil {
			return err
		}
		if err := do(fmt.Sprintf("%s:%d", name, line), v); err != nil {
			return err
		}
	}
	return nil
}

// IsRecords reports whether a text is JSON Lines: its first line is an object, and others follow or the name of the
// file says so.
func IsRecords(name string, data []byte) bool {
	line, rest, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	ending := strings.ToLower(filepath.Ext(gunzip.Name(name)))
	if len(bytes.TrimSpace(rest)) == 0 && ending != ".jsonl" && ending != ".ndjson" {
		return false
	}
	return bytes.HasPrefix(line, []byte("{")) && json.Valid(line)
}

// Records returns JSON Lines as the text of a table: a column for each name in the order of their occurrence, and empty
// cells for null and for names that a row lacks. Errors, with the line: no object, and a list or object in it.
func Records(name string, data []byte) ([]byte, error) {
	r := &records{name: name, size: int64(len(data)), place: map[string]int{}}
	if err := EachLine(name, data, r.row); err != nil {
		return nil, err
	}
	return r.text()
}

// RecordsOf is [Records] of a list of size bytes.
func RecordsOf(name string, list []any, size int64) ([]byte, error) {
	r := &records{name: name, size: size, place: map[string]int{}}
	for i, v := range list {
		if err := r.row(fmt.Sprintf("%s: row %d", name, i), v); err != nil {
			return nil, err
		}
	}
	return r.text()
}

// records are rows of the cells that they have.
type records struct {
	name    string
	size    int64 // of the file
	columns []string
	place   map[string]int
	rows    [][]place
}

// place is a cell and its column.
type place struct {
	column int
	cell   string
}

func (r *records) row(where string, v any) error {
	o, ok := v.(Object)
	if !ok {
		return fmt.Errorf("%s: want an object of single values, a row of a table", where)
	}
	var cells []place
	for _, key := range o.Keys() {
		value, _ := o.Get(key)
		k, ok := r.place[key]
		if !ok {
			k = len(r.columns)
			r.columns, r.place[key] = append(r.columns, key), k
		}
		switch value := value.(type) {
		case nil:
		case []any, Object:
			return fmt.Errorf("%s: %q is a list or an object, want one value in each column", where, key)
		default:
			cells = append(cells, place{k, fmt.Sprint(value)})
		}
	}
	r.rows = append(r.rows, cells)
	return bound.Check(r.name, int64(len(r.rows))*int64(len(r.columns)), r.size)
}

func (r *records) text() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	record := make([]string, len(r.columns))
	err := w.Write(r.columns)
	for _, cells := range r.rows {
		clear(record)
		for _, c := range cells {
			record[c.column] = c.cell
		}
		if err == nil {
			err = w.Write(record)
		}
	}
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return b.Bytes(), err
}
