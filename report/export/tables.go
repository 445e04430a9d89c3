// The tidy tables of results as Parquet.

package export

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"

	"repscope/report"
)

// Tables collects the tidy tables of several results.
type Tables struct {
	metrics, comparisons []column
}

// first are the columns that say from which result a row is.
func first() []column {
	return []column{{name: "Result", kind: texts}, {name: "Analysis", kind: texts}}
}

// NewTables returns tables without rows.
func NewTables() *Tables {
	t := &Tables{metrics: first(), comparisons: first()}
	for _, name := range []string{"Model", "Metric", "Parameter"} {
		t.metrics = append(t.metrics, column{name: name, kind: texts})
	}
	for _, name := range []string{"Estimate", "Low", "High", "Std_Error"} {
		t.metrics = append(t.metrics, column{name: name, kind: doubles})
	}
	t.metrics = append(t.metrics, column{name: "Reason", kind: texts})
	for _, c := range report.ComparisonColumns() {
		kind := doubles
		switch c.Type.Kind() {
		case reflect.String:
			kind = texts
		case reflect.Bool:
			kind = booleans
		case reflect.Int:
			kind = integers
		}
		t.comparisons = append(t.comparisons, column{name: c.Name, kind: kind})
	}
	return t
}

// Add adds the rows of a result under its name. Errors: a number that is none.
func (t *Tables) Add(name string, r *report.Result) error {
	rows, err := r.MetricRows()
	if err != nil {
		return err
	}
	for _, row := range rows {
		cells := []any{name, r.Analysis, row.Model, row.Metric, present(row.Parameter)}
		for _, text := range []string{row.Estimate, row.Low, row.High, row.StdError} {
			var cell any
			if text != "" {
				if cell, err = strconv.ParseFloat(text, 64); err != nil {
					return fmt.Errorf("%s: %s of %s is %q, want a number", name, row.Metric, row.Model, text)
				}
			}
			cells = append(cells, cell)
		}
		enter(t.metrics, append(cells, present(row.Reason)))
	}
	for i := range r.Comparisons {
		cells := r.Comparisons[i].Cells()
		for k, cell := range cells {
			if text, ok := cell.(string); ok {
				cells[k] = present(text)
			}
		}
		enter(t.comparisons, append([]any{name, r.Analysis}, cells...))
	}
	return nil
}

// present is a text, or nil for an empty one.
func present(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func enter(columns []column, cells []any) {
	for i, cell := range cells {
		columns[i].cells = append(columns[i].cells, cell)
	}
}

// Files are metrics.parquet and comparisons.parquet, with the columns of the tidy CSV files behind Result and Analysis.
// Missing values are null.
func (t *Tables) Files() ([]Output, error) {
	var files []Output
	for _, table := range []struct {
		name    string
		columns []column
	}{{"metrics.parquet", t.metrics}, {"comparisons.parquet", t.comparisons}} {
		var content bytes.Buffer
		if err := writeParquet(&content, table.columns); err != nil {
			return nil, err
		}
		files = append(files, Output{table.name, content.Bytes()})
	}
	return files, nil
}
