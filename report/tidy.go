// This file is for the tidy CSV files of a run: every number of the result in one
// table, a row each, and every comparison in another.

package report

import (
	"math"
	"reflect"
	"strings"
)

// Tidy writes two CSV files that hold all numbers of the result, in the order of the
// result file.
//
// <analysis>_metrics.csv has a row for each model, metric and parameter. Metric is the
// path of [Object.Number] without its rows, such as by_k.trustworthiness; Parameter
// is what tells rows of one metric apart, such as k=10, horizon=7 or
// source=kmeans;groups=10, empty where there is one. Low and High are the ends of the
// 95 % interval (infinite ones are inf), Std_Error the standard error that belongs to
// it, Reason why Estimate or the interval is missing. A second interval of one
// number has a row of its own, with interval=… in Parameter. Spectra, curves and
// values of single states are in files of their own.
//
// <analysis>_comparisons.csv has a row for each comparison and a column for each
// field of [Comparison]. A transaction that compresses large tables leaves it out where it is one: the result file has
// the same rows.
func (r *Result) Tidy(t *Transaction) error {
	rows, err := r.MetricRows()
	if err != nil {
		return err
	}
	columns := []string{"Model", "Metric", "Parameter", "Estimate", "Low", "High", "Std_Error", "Reason"}
	err = t.CSV(r.Analysis+"_metrics.csv", columns, func(csv *CSV) error {
		for _, row := range rows {
			if err := csv.Row(row.Model, row.Metric, row.Parameter, row.Estimate, row.Low, row.High, row.StdError, row.Reason); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	columns = nil
	for _, c := range ComparisonColumns() {
		columns = append(columns, c.Name)
	}
	return t.repeatedCSV(r.Analysis+"_comparisons.csv", columns, func(csv *CSV) error {
		for _, c := range r.Comparisons {
			if err := csv.Row(c.Cells()...); err != nil {
				return err
			}
		}
		return nil
	})
}

// comparisonFields visits the fields of a comparison that have a column.
func comparisonFields(visit func(field reflect.StructField, name string)) {
	for field := range reflect.TypeFor[Comparison]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			visit(field, name)
		}
	}
}

// ComparisonColumn is a column of the table of comparisons: its name, and the type of the field of [Comparison]. The ends
// of an interval are of type [Value], and several texts are one.
type ComparisonColumn struct {
	Name string
	Type reflect.Type
}

// ComparisonColumns are the fields of a comparison, with capitals; an interval has two columns. The last one has the
// reasons for missing scores.
func ComparisonColumns() []ComparisonColumn {
	var columns []ComparisonColumn
	comparisonFields(func(field reflect.StructField, name string) {
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case kind == intervalType:
			prefix := strings.TrimSuffix(strings.TrimSuffix(name, "ci"), "_")
			for _, end := range []string{"low", "high"} {
				columns = append(columns, ComparisonColumn{columnName(joinedName(prefix, end)), reflect.TypeFor[Value]()})
			}
		case kind.Kind() == reflect.Slice:
			columns = append(columns, ComparisonColumn{columnName(name), reflect.TypeFor[string]()})
		default:
			columns = append(columns, ComparisonColumn{columnName(name), kind})
		}
	})
	return append(columns, ComparisonColumn{"Reason", reflect.TypeFor[string]()})
}

func joinedName(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "_" + name
}

// columnName is a key in the spelling of CSV columns: p_holm is P_Holm.
func columnName(key string) string {
	words := strings.Split(key, "_")
	for i, w := range words {
		switch {
		case w == "sd" || w == "se" || w == "df" || w == "by":
			words[i] = strings.ToUpper(w)
		case w != "":
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "_")
}

// Cells are the cells of the comparison in [ComparisonColumns], nil or NaN where there is none. A reason that several
// fields share is given once.
func (c Comparison) Cells() []any {
	var cells []any
	var missing []because
	value := reflect.ValueOf(c)
	comparisonFields(func(field reflect.StructField, name string) {
		v := value.FieldByIndex(field.Index)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				cells = append(cells, nil)
				return
			}
			v = v.Elem()
		}
		switch x := v.Interface().(type) {
		case Value:
			if !x.Defined() {
				missing = append(missing, because{name, x.why()})
			}
			cells = append(cells, Number(x.Float()))
		case Interval:
			low, high := math.NaN(), math.NaN()
			if x.Defined() {
				low, high = x.Low, x.High
			} else {
				missing = append(missing, because{name, x.why()})
			}
			cells = append(cells, low, high)
		case []string:
			cells = append(cells, strings.Join(x, "; "))
		default:
			cells = append(cells, x)
		}
	})
	reason := ""
	if len(missing) > 0 {
		reason = joinReasons(missing)
	}
	return append(cells, reason)
}
