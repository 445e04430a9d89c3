// Package tracker reads exports and stores of experiment trackers, as tables of text with a row for each run:
//
//   - a chart of Weights & Biases, exported as CSV: a column of steps, and for each run the columns RUN - METRIC,
//     RUN - METRIC__MIN and RUN - METRIC__MAX;
//   - rows of its history, JSON lines with _step;
//   - the file store of MLflow, a folder of experiments with a folder for each run.
//
// The score of a metric is its value at the last step. A table of [Store] has the columns of MLflow's search_runs, so
// both are read alike.
package tracker

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
	"repscope/report"
)

// mostCells bounds the cells of a table.
const mostCells = 1 << 22

// last is a value and the place where it was logged; an equal place later in a file counts more.
type last struct {
	step, time, value float64
	known             bool
}

// see enters a value.
func (l *last) see(step, time, value float64) {
	if !l.known || step > l.step || step == l.step && time >= l.time {
		*l = last{step, time, value, true}
	}
}

// table has a row for each run.
type table struct {
	columns []string // of metrics and what else is known of runs
	place   map[string]int
	rows    []map[int]string
}

// set sets a cell of the last row.
func (t *table) set(column, cell string) error {
	k, ok := t.place[column]
	if !ok {
		if t.place == nil {
			t.place = map[string]int{}
		}
		k = len(t.columns)
		t.columns, t.place[column] = append(t.columns, column), k
	}
	if len(t.columns)*len(t.rows) > mostCells {
		return fmt.Errorf("%d runs of %d metrics and parameters are more than the %d cells that are read; give fewer "+
			"runs", len(t.rows),
			len(t.columns), mostCells)
	}
	t.rows[len(t.rows)-1][k] = cell
	return nil
}

// text writes the table as CSV.
func (t *table) text() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.Write(t.columns)
	record := make([]string, len(t.columns))
	for _, row := range t.rows {
		for k := range record {
			record[k] = row[k]
		}
		err = errors.Join(err, w.Write(record))
	}
	w.Flush()
	return b.Bytes(), errors.Join(err, w.Error())
}

// shortest is a number with as many digits as tell it apart.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// The marks in the names of a chart's columns.
const (
	between = " - "
	least   = "__MIN"
	most    = "__MAX"
)

// IsChart reports whether columns come from an exported chart: a number with its least and its largest value.
func IsChart(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(name, between) && slices.Contains(names, name+least) && slices.Contains(names,
			name+most)
	})
}

// Chart returns the last values of the runs of an exported chart, whose first column is the axis; names are its
// columns. Errors, with the line: a step or a value that is no number.
func Chart(rows *csv.Reader, names []string) ([]byte, error) {
	lasts, decimals := make([]last, len(names)), tabular.Decimals{Comma: rows.Comma == ';'}
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		step := math.NaN()
		for i, cell := range record {
			cell = strings.TrimSpace(cell)
			if cell == "" || i > 0 && !isLogged(names, names[i]) {
				continue
			}
			v, err := decimals.Float(cell)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				line, _ := rows.FieldPos(i)
				if errors.Is(err, tabular.ErrDecimals) {
					return nil, fmt.Errorf("line %d: the column %s: %w", line, names[i], err)
				}
				return nil, fmt.Errorf("line %d: the column %s holds %q, want a number", line, names[i], cell)
			}
			if i == 0 {
				step = v
			} else if !math.IsNaN(step) {
				lasts[i].see(step, 0, v)
			}
		}
	}
	t := &table{}
	order := map[string]int{}
	var runs []map[string]string
	var models []string
	for i, name := range names {
		if !lasts[i].known {
			continue
		}
		cut := strings.LastIndex(name, between)
		model, metric := name[:cut], name[cut+len(between):]
		k, ok := order[model]
		if !ok {
			k = len(runs)
			order[model] = k
			models, runs = append(models, model), append(runs, map[string]string{})
		}
		if _, twice := runs[k][metric]; twice {
			return nil, fmt.Errorf("two columns are %s%s%s; rename one of the runs", model, between, metric)
		}
		runs[k][metric] = shortest(lasts[i].value)
	}
	for k, model := range models {
		t.rows = append(t.rows, map[int]string{})
		err := t.set("model", model)
		for _, name := range names {
			if metric, ok := strings.CutPrefix(name, model+between); ok && runs[k][metric] != "" {
				err = cmp.Or(err, t.set(metric, runs[k][metric]))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(t.rows) == 0 {
		return nil, errors.New("no run of the chart has a value at a step")
	}
	return t.text()
}

// isLogged reports whether a column has the values of a metric; those that begin with _ are the tracker's own.
func isLogged(names []string, name string) bool {
	cut := strings.LastIndex(name, between)
	return cut >= 0 && !strings.HasPrefix(name[cut+len(between):], "_") && !isEnd(names, name)
}

// isEnd reports whether a column has the least or largest values of another.
func isEnd(names []string, name string) bool {
	for _, end := range []string{least, most} {
		if whole, ok := strings.CutSuffix(name, end); ok && slices.Contains(names, whole) {
			return true
		}
	}
	return false
}

// logged is a number of a history. NaN is a null, as which it is read, or a text; infinity is a text.
func logged(entry any) (value float64, isNumber bool) {
	switch v := entry.(type) {
	case nil:
		return math.NaN(), true
	case json.Number:
		value, err := v.Float64()
		if err != nil {
			value = math.NaN()
		}
		return value, true
	case string:
		if v == "NaN" || v == "Infinity" || v == "-Infinity" {
			value, _ = strconv.ParseFloat(v, 64)
			return value, true
		}
	}
	return 0, false
}

// stepKey numbers the rows of a history.
const stepKey = "_step"

// IsHistory reports whether the first line of text is a row of a history.
func IsHistory(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	if !bytes.Contains(line, []byte(`"`+stepKey+`"`)) {
		return false
	}
	v, err := report.Parse("", line)
	o, ok := v.(report.Object)
	step, _ := o.Get(stepKey)
	_, isNumber := step.(json.Number)
	return err == nil && ok && isNumber
}

// History returns the last values of a history as the row of one model. Members that begin with _, and those that are
// no numbers, are passed over; NaN and infinity count, also as the texts that Weights & Biases writes for them.
// Errors, with the line: no object, a row without a step, no metric at all.
func History(name, model string, data []byte) ([]byte, error) {
	lasts, order := map[string]*last{}, []string{}
	err := report.EachLine(name, data, func(where string, v any) error {
		row, _ := v.(report.Object)
		entry, _ := row.Get(stepKey)
		place, _ := entry.(json.Number)
		step, err := place.Float64()
		if err != nil {
			return fmt.Errorf(`%s: want an object with the number "%s" and metrics`, where, stepKey)
		}
		for _, key := range row.Keys() {
			entry, _ := row.Get(key)
			value, isNumber := logged(entry)
			if strings.HasPrefix(key, "_") || !isNumber {
				continue
			}
			if lasts[key] == nil {
				lasts[key], order = &last{}, append(order, key)
			}
			lasts[key].see(step, 0, value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := &table{rows: []map[int]string{{}}}
	err = t.set("model", model)
	for _, key := range order {
		err = cmp.Or(err, t.set(key, shortest(lasts[key].value)))
	}
	if err == nil && len(order) == 0 {
		err = fmt.Errorf("%s: no row has a number next to %s", name, stepKey)
	}
	if err != nil {
		return nil, err
	}
	return t.text()
}
