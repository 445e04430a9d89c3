// Rows of a table of scores as JSON: an object in each line, or a list of objects, as data frames are written.

package compare

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	expansion "repscope/internal/bound"
	"repscope/report"
)

// isRecords reports whether text has an object in each of several lines.
func isRecords(data []byte) bool {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")) {
		return false
	}
	v, err := report.Parse("", line)
	return err == nil && isRecord(v)
}

// isRecord reports whether a value is an object that is no row of scores per sample.
func isRecord(v any) bool {
	o, ok := v.(report.Object)
	return ok && o.Len() > 0 && textOf(o, "id") == ""
}

// lineRecords walks over the objects of lines.
func lineRecords(path string, data []byte) func(yield func(where string, v any) error) error {
	return func(yield func(where string, v any) error) error {
		number := 0
		for line := range bytes.Lines(data) {
			number++
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			where := fmt.Sprintf("%s:%d", path, number)
			v, err := report.Parse(where, line)
			if err != nil {
				return err
			}
			if err := yield(where, v); err != nil {
				return err
			}
		}
		return nil
	}
}

// listRecords walks over the objects of a list.
func listRecords(path string, list []any) func(yield func(where string, v any) error) error {
	return func(yield func(where string, v any) error) error {
		for i, v := range list {
			if err := yield(fmt.Sprintf("%s: row %d of the list", path, i), v); err != nil {
				return err
			}
		}
		return nil
	}
}

// records become a table of text whose columns are the members of all objects, in the order in which they appear.
type records struct {
	path    string
	size    int64
	columns []string
	places  map[string]int
	cells   []string // of a row
	filled  []int    // places of its cells
}

// recordTable writes objects as a table; size is the length of the file that they are from. Members of an object inside
// are named by the path to them: config.lr. A null, or a member that an object lacks, is an empty cell. Errors name the
// line: no object, a list in a cell, a table that is too large for its file.
func recordTable(path string, size int64, walk func(func(string, any) error) error) ([]byte, error) {
	r := &records{path: path, size: size, places: map[string]int{}}
	first := errors.New("the columns of the first row are known")
	err := walk(func(where string, v any) error {
		o, _ := v.(report.Object)
		return cmp.Or(r.enter(where, "", o), first)
	})
	if !errors.Is(err, first) {
		return nil, err
	}
	for { // once where all rows have the same members
		before := len(r.columns)
		text, err := r.write(walk)
		if err != nil || len(r.columns) == before {
			return text, err
		}
	}
}

// write writes the columns known so far, and enters others.
func (r *records) write(walk func(func(string, any) error) error) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	before := len(r.columns)
	if err := w.Write(r.columns); err != nil {
		return nil, err
	}
	err := walk(func(where string, v any) error {
		o, ok := v.(report.Object)
		if !ok {
			return fmt.Errorf("%s: want an object with the members model, task, run, metric, score, or a member "+
				"for each metric", where)
		}
		for _, k := range r.filled {
			r.cells[k] = ""
		}
		r.filled = r.filled[:0]
		if err := r.enter(where, "", o); err != nil {
			return err
		}
		if err := w.Write(r.cells[:before]); err != nil {
			return err
		}
		return expansion.Check(r.path+": as a table it", int64(b.Len())+int64(len(r.columns)), r.size)
	})
	w.Flush()
	return b.Bytes(), err
}

// enter enters the members of an object; inside is the path to it, with a point at its end.
func (r *records) enter(where, inside string, o report.Object) error {
	for _, key := range o.Keys() {
		v, _ := o.Get(key)
		name, cell := inside+key, ""
		switch v := v.(type) {
		case report.Object:
			if err := r.enter(where, name+".", v); err != nil {
				return err
			}
			continue
		case string:
			cell = v
		case json.Number:
			cell = v.String()
		case bool:
			cell = strconv.FormatBool(v)
		case []any:
			cell = fmt.Sprintf("(list of %d)", len(v))
		}
		k, ok := r.places[name]
		if !ok {
			if k = len(r.columns); k == most {
				return fmt.Errorf("%s: the objects have more than %d different members", where, most)
			}
			r.places[name], r.columns, r.cells = k, append(r.columns, name), append(r.cells, "")
		}
		r.cells[k], r.filled = cell, append(r.filled, k)
	}
	return nil
}
