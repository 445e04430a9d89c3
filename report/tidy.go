// This file is for the tidy CSV files of a run: every number of the result in one
// table, a row each, and every comparison in another.

package report

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
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
// field of [Comparison].
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
	return t.CSV(r.Analysis+"_comparisons.csv", comparisonColumns(), func(csv *CSV) error {
		for _, c := range r.Comparisons {
			if err := csv.Row(comparisonCells(c)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// MetricRow is a row of the table of metrics that [Result.Tidy] describes. Numbers
// are text, with the digits of the result file, and empty where there is none.
type MetricRow struct {
	Model, Metric, Parameter string
	Estimate, Low, High      string
	StdError, Reason         string
}

// MetricRows returns a row for each model, metric and parameter of the result.
func (r *Result) MetricRows() ([]MetricRow, error) {
	var rows []MetricRow
	for _, name := range r.Models.keys {
		model, err := r.Model(name)
		if err != nil {
			return nil, err
		}
		walk := tidyWalk{models: r.Models.keys, model: name}
		walk.object("", "", model)
		rows = append(rows, walk.rows...)
	}
	return rows, nil
}

// tidyWalk collects the rows of one model.
type tidyWalk struct {
	models []string // of the result: an object with these keys is about other models
	model  string
	rows   []MetricRow
}

// companions are members of a row that are parameters together with the one before.
var companions = map[string]string{"source": "groups", "n1": "n2"}

// shortNames are the numbers whose intervals and errors have a shorter name.
var shortNames = map[string]string{"trust": "trustworthiness", "cont": "continuity"}

// object adds the numbers of an object, of which the keys skip are known already.
func (w *tidyWalk) object(prefix, parameter string, o Object, skip ...string) {
	if skipped, _ := o.Get("skipped"); skipped == true {
		reason, _ := o.Get(reasonKey)
		w.rows = append(w.rows, MetricRow{Model: w.model, Metric: strings.TrimSuffix(prefix, "."), Parameter: parameter, Reason: fmt.Sprint(reason)})
		return
	}
	reasons := o.reasons()
	extras := extrasOf(o)
	for _, key := range o.keys {
		if slices.Contains(skip, key) || key == reasonKey || extras.taken[key] {
			continue
		}
		switch v := o.values[key].(type) {
		case Object:
			if key == "skipped" {
				w.skipped(prefix, parameter, v, o)
				continue
			}
			w.part(prefix, parameter, key, v)
		case []any:
			w.list(prefix+key+".", parameter, v)
		default:
			x, ok := valueOf(v, reasons[key])
			if !ok {
				continue
			}
			row := MetricRow{Model: w.model, Metric: prefix + key, Parameter: parameter, Estimate: numberText(v), Reason: reasonOf(x)}
			row.StdError = numberText(o.values[extras.errors[key]])
			w.withIntervals(row, o, reasons, extras.intervals[key])
		}
	}
	for _, key := range extras.orphans {
		row := MetricRow{Model: w.model, Metric: prefix + strings.TrimSuffix(key, "_ci"), Parameter: parameter}
		w.withIntervals(row, o, reasons, []namedInterval{{key: key}})
	}
}

// skipped adds a list of skipped metrics, but for those that the object around it has as
// null.
func (w *tidyWalk) skipped(prefix, parameter string, list, around Object) {
	for _, path := range list.keys {
		if !slices.Contains(around.keys, path) {
			w.rows = append(w.rows, MetricRow{Model: w.model, Metric: prefix + path, Parameter: parameter, Reason: fmt.Sprint(list.values[path])})
		}
	}
}

// part adds an object inside another: a row for every other model, or numbers under a
// longer path.
func (w *tidyWalk) part(prefix, parameter, key string, o Object) {
	switch {
	case len(o.keys) > 0 && !slices.ContainsFunc(o.keys, func(k string) bool { return !slices.Contains(w.models, k) }):
		for _, other := range o.keys {
			if row, ok := o.values[other].(Object); ok {
				w.object(prefix+key+".", joined(parameter, "other="+other), row)
			}
		}
	default:
		w.object(prefix+key+".", parameter, o)
	}
}

// list adds the rows of a list of objects; lists of numbers are left out.
func (w *tidyWalk) list(prefix, parameter string, list []any) {
	var rows []Object
	for _, item := range list {
		row, ok := item.(Object)
		if !ok {
			return
		}
		rows = append(rows, row)
	}
	keys := parameterKeys(rows)
	for i, row := range rows {
		name := fmt.Sprintf("row=%d", i)
		if len(keys) > 0 {
			name = rowParameter(row, keys)
		}
		w.object(prefix, joined(parameter, name), row, keys...)
	}
}

// parameterKeys are the first members of rows that tell them apart, with the
// companions of these; none where nothing does.
func parameterKeys(rows []Object) []string {
	if len(rows) == 0 {
		return nil
	}
	first := rows[0].keys
	for n := 1; n <= len(first); n++ {
		seen := map[string]bool{}
		for _, row := range rows {
			if len(row.keys) < n || !slices.Equal(row.keys[:n], first[:n]) || !isScalar(row.values[first[n-1]]) {
				return nil
			}
			seen[rowParameter(row, first[:n])] = true
		}
		if len(seen) == len(rows) {
			for n < len(first) && companions[first[n-1]] == first[n] {
				n++
			}
			return first[:n]
		}
	}
	return nil
}

// isScalar reports whether a value can name a row.
func isScalar(v any) bool {
	switch v.(type) {
	case json.Number, string:
		return true
	}
	return false
}

// rowParameter names a row by its parameters.
func rowParameter(row Object, keys []string) string {
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = fmt.Sprintf("%s=%v", key, row.values[key])
	}
	return strings.Join(parts, ";")
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ";" + b
}

// extras are the members of an object that belong to other members.
type extras struct {
	taken     map[string]bool // by another member, or without one
	intervals map[string][]namedInterval
	errors    map[string]string
	orphans   []string // intervals without a number
}

// namedInterval is the key of an interval and its name, empty for the only one.
type namedInterval struct{ key, name string }

// extrasOf finds the intervals ("x_ci" of "x", "x_halves_ci" a second one) and
// standard errors ("x_se", "x_error") in an object. An interval with a text
// "x_ci_assumes" beside it is named, so that nobody takes it for the one that holds.
func extrasOf(o Object) extras {
	e := extras{taken: map[string]bool{}, intervals: map[string][]namedInterval{}, errors: map[string]string{}}
	for _, key := range o.keys {
		base, isInterval := strings.CutSuffix(key, "_ci")
		if isInterval {
			e.taken[key] = true
			owner, name := ownerOf(o, base)
			if owner == "" {
				e.orphans = append(e.orphans, key)
				continue
			}
			if _, assumes := o.values[key+"_assumes"]; assumes && name == "" {
				name = "assumed" // by an interval that holds less
			}
			e.intervals[owner] = append(e.intervals[owner], namedInterval{key, name})
			continue
		}
		for _, suffix := range []string{"_se", "_error"} {
			if base, ok := strings.CutSuffix(key, suffix); ok {
				if owner, name := ownerOf(o, base); owner != "" && name == "" {
					e.taken[key] = true
					e.errors[owner] = key
				}
			}
		}
	}
	for _, list := range e.intervals { // the plain one first
		slices.SortStableFunc(list, func(a, b namedInterval) int { return strings.Compare(a.name, b.name) })
	}
	return e
}

// ownerOf is the number to which an interval or error of this name belongs, and
// what the name says beyond it.
func ownerOf(o Object, base string) (owner, rest string) {
	if full, ok := shortNames[base]; ok && hasNumber(o, full) {
		return full, ""
	}
	for _, key := range o.keys {
		if !hasNumber(o, key) {
			continue
		}
		if key == base {
			return key, ""
		}
		if tail, ok := strings.CutPrefix(base, key+"_"); ok && len(key) > len(owner) {
			owner, rest = key, tail
		}
	}
	return owner, rest
}

// hasNumber reports whether an object has a number, or null, under a key.
func hasNumber(o Object, key string) bool {
	v, ok := o.values[key]
	_, number := v.(json.Number)
	return ok && (number || v == nil)
}

// withIntervals adds a row with its interval, and one more for each further interval.
func (w *tidyWalk) withIntervals(row MetricRow, o Object, reasons map[string][]string, intervals []namedInterval) {
	if len(intervals) == 0 {
		w.rows = append(w.rows, row)
		return
	}
	for _, of := range intervals {
		each := row
		if of.name != "" && len(intervals) > 1 {
			each.Parameter = joined(row.Parameter, "interval="+of.name)
			each.StdError = ""
		}
		ci, ok := intervalOf(o.values[of.key], reasons[of.key])
		if ok && ci.Defined() {
			each.Low, each.High = csvFloat(ci.Low, 64), csvFloat(ci.High, 64)
		} else if each.Reason == "" {
			each.Reason = ci.why()
		}
		w.rows = append(w.rows, each)
	}
}

// numberText is a number as the result file has it, empty for null.
func numberText(v any) string {
	if n, ok := v.(json.Number); ok {
		return string(n)
	}
	return ""
}

func reasonOf(v Value) string {
	if v.Defined() {
		return ""
	}
	return v.why()
}

// comparisonFields visits the fields of a comparison that have a column.
func comparisonFields(visit func(field reflect.StructField, name string)) {
	for field := range reflect.TypeFor[Comparison]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			visit(field, name)
		}
	}
}

// comparisonColumns are the names of the fields with capitals; an interval has two
// columns.
func comparisonColumns() []string {
	var columns []string
	comparisonFields(func(field reflect.StructField, name string) {
		if field.Type == intervalType {
			prefix := strings.TrimSuffix(strings.TrimSuffix(name, "ci"), "_")
			columns = append(columns, columnName(joinedName(prefix, "low")), columnName(joinedName(prefix, "high")))
			return
		}
		columns = append(columns, columnName(name))
	})
	return append(columns, "Reason")
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
		case w == "sd" || w == "se" || w == "df":
			words[i] = strings.ToUpper(w)
		case w != "":
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "_")
}

// comparisonCells are the cells of one comparison. A reason that several fields share
// is given once.
func comparisonCells(c Comparison) []any {
	var cells []any
	var missing []because
	of := reflect.ValueOf(c)
	comparisonFields(func(field reflect.StructField, name string) {
		v := of.FieldByIndex(field.Index)
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
