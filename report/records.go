// Tables that are written as JSON: an object for each row, as data frames are written.

package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/bound"
	"repscope/internal/gunzip"
	"repscope/internal/tabular"
	"repscope/internal/text"
)

// EachLine calls do with the value of every line of JSON Lines that is not empty, and with FILE:line. Errors name the
// line and column, like the errors of [Parse].
func EachLine(name string, data []byte, do func(where string, v any) error) error {
	line := 0
	for text := range bytes.Lines(bytes.TrimPrefix(data, []byte(tabular.Mark))) {
		line++
		text = bytes.TrimRight(text, "\r\n")
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
	line, rest, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(data, []byte(tabular.Mark))), []byte("\n"))
	ending := strings.ToLower(filepath.Ext(gunzip.Name(name)))
	if len(bytes.TrimSpace(rest)) == 0 && ending != ".jsonl" && ending != ".ndjson" {
		return false
	}
	return bytes.HasPrefix(line, []byte("{")) && json.Valid(line)
}

// mostColumns is the most columns of a table of records.
const mostColumns = 1 << 14

// Records returns JSON Lines as the text of a table, with a column for each member in the order of their occurrence.
// Members of an object inside another are named by the path to them: config.lr. A null, and a member that an object
// lacks, is an empty cell; a list is a cell "(list of 2)", which is no number. Errors, with the line: no object, more
// than 16,384 different members, a table that is too large for its file.
func Records(name string, data []byte) ([]byte, error) {
	return recordTable(name, int64(len(data)), func(do func(where string, v any) error) error {
		return EachLine(name, data, do)
	})
}

// RecordsOf is [Records] of a list in a file of size bytes.
func RecordsOf(name string, list []any, size int64) ([]byte, error) {
	return recordTable(name, size, func(do func(where string, v any) error) error {
		for i, v := range list {
			if err := do(fmt.Sprintf("%s: row %d of the list", name, i), v); err != nil {
				return err
			}
		}
		return nil
	})
}

// Frame is the orientation in which pandas wrote a JSON value that is a table, if it is not the one of rows: columns,
// index, split, table or values. It is empty for other values. An index is recognized by names of rows that are whole
// numbers, as a filtered or sorted table has them, next to texts or names of columns of scores; columns also by names
// of several levels.
func Frame(v any) string {
	o, ok := v.(Object)
	if list, isList := v.([]any); isList && len(list) > 0 {
		if _, isRow := list[0].([]any); isRow {
			return "values"
		}
	}
	if !ok || o.Len() == 0 {
		return ""
	}
	data, _ := o.Get("data")
	if _, rows := data.([]any); rows {
		columns, _ := o.Get("columns")
		schema, _ := o.Get("schema")
		if _, ok := columns.([]any); ok {
			return "split"
		}
		if fields, ok := schema.(Object); ok && slices.Contains(fields.Keys(), "fields") {
			return "table"
		}
	}
	first, _ := o.Get(o.Keys()[0])
	row, _ := first.(Object)
	switch {
	case numbersRows(o) && (namesScores(row) || hasText(row)):
		return "index"
	case numbersRows(row) && (namesScores(o) || hasText(row) || namesLevels(o)):
		return "columns"
	}
	return ""
}

// numbersRows reports whether the names of members are whole numbers, in any order.
func numbersRows(o Object) bool {
	return o.Len() > 0 && !slices.ContainsFunc(o.Keys(), func(key string) bool {
		n, err := strconv.Atoi(key)
		return err != nil || strconv.Itoa(n) != key
	})
}

// namesLevels reports whether members have names of several levels, as pandas writes them: ('A', 'pong').
func namesLevels(o Object) bool {
	return o.Len() > 0 && !slices.ContainsFunc(o.Keys(), func(key string) bool {
		return !strings.HasPrefix(key, "(") || !strings.HasSuffix(key, ")") || !strings.Contains(key, ", ")
	})
}

// hasText reports whether a member is a text.
func hasText(o Object) bool {
	return slices.ContainsFunc(o.Keys(), func(key string) bool {
		value, _ := o.Get(key)
		_, ok := value.(string)
		return ok
	})
}

// namesScores reports whether a member has the name of a column that tables of scores have.
func namesScores(o Object) bool {
	return slices.ContainsFunc([]string{"model", "task", "run", "metric", "score", "sample"}, func(name string) bool {
		return slices.Contains(o.Keys(), name)
	})
}

// FrameError is the error of a table in such an orientation.
func FrameError(name, orientation string) error {
	return text.WithHint(fmt.Errorf("%s: is a table that pandas wrote by %s; want rows", name, orientation),
		fmt.Sprintf(`write it with pandas as rows: df.to_json(%q, orient="records")`, name))
}

// records are the columns of a table, and one row.
type records struct {
	name    string
	size    int64 // of the file
	columns []string
	index   map[string]int
	cells   []string
	filled  []int // the columns of the cells that the row has
}

// recordTable writes the objects of a walk as a table.
func recordTable(name string, size int64, walk func(do func(where string, v any) error) error) ([]byte, error) {
	r := &records{name: name, size: size, index: map[string]int{}}
	first := errors.New("the columns of the first row are known")
	err := walk(func(where string, v any) error {
		o, _ := v.(Object)
		return cmp.Or(r.enter(where, "", o), first)
	})
	if !errors.Is(err, first) {
		return nil, err
	}
	for { // once where all rows have the same members
		count := len(r.columns)
		text, err := r.write(walk)
		if err != nil || len(r.columns) == count {
			return text, err
		}
	}
}

// write writes the columns known so far, and enters others.
func (r *records) write(walk func(do func(where string, v any) error) error) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	count := len(r.columns)
	if err := w.Write(r.columns); err != nil {
		return nil, err
	}
	err := walk(func(where string, v any) error {
		o, ok := v.(Object)
		if !ok {
			return fmt.Errorf("%s: want an object, which is a row of a table", where)
		}
		for _, k := range r.filled {
			r.cells[k] = ""
		}
		r.filled = r.filled[:0]
		if err := r.enter(where, "", o); err != nil {
			return err
		}
		if err := w.Write(r.cells[:count]); err != nil {
			return err
		}
		return bound.Check(r.name+": as a table it", int64(b.Len())+int64(len(r.columns)), r.size)
	})
	w.Flush()
	return b.Bytes(), err
}

// enter enters the members of an object; inside is the path to it, with a point at its end.
func (r *records) enter(where, inside string, o Object) error {
	for _, key := range o.Keys() {
		v, _ := o.Get(key)
		name, cell := inside+key, ""
		switch v := v.(type) {
		case Object:
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
		k, ok := r.index[name]
		if !ok {
			if k = len(r.columns); k == mostColumns {
				return fmt.Errorf("%s: the objects have more than %d different members", where, mostColumns)
			}
			r.index[name], r.columns, r.cells = k, append(r.columns, name), append(r.cells, "")
		}
		r.cells[k], r.filled = cell, append(r.filled, k)
	}
	return nil
}
