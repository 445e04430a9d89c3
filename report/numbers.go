// The numbers of a model with all that belongs to each: place, parameters, interval, error and spread.

package report

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Named is a number of a model with what belongs to it.
type Named struct {
	Path     string // of [Object.Number]
	Value    Value
	Interval Interval
	SD       Value // "x_sd", or "x_std" of other programs; undefined where there is none
	StdError Value // "x_se"; undefined where there is none
	// NotCompared says why models must not be compared by this number; empty if they may.
	NotCompared string
}

// Numbers walks over all numbers of an object that was read, nulls with their
// reasons among them, in its order, with the paths by which Number finds them.
// Rows of a list stand in a path by their parameters (see [Layout]), and by index where these do not tell them apart.
// Numbers in lists of numbers (intervals, spectra) are left out.
func (o Object) Numbers() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		o.visit(spotOf{}, func(at spotOf, key string, in Object, reasons map[string][]string) bool {
			x, ok := valueOf(in.values[key], reasons[key])
			return !ok || yield(at.path+key, x)
		})
	}
}

// Estimates walks over all numbers of an object as [Object.Numbers] does, each with its interval and spread, which
// have no place of their own, and without the parameters of rows. Of several intervals of one number it is that which
// assumes least.
func (o Object) Estimates() iter.Seq[Named] {
	return func(yield func(Named) bool) {
		o.visit(spotOf{}, func(spot spotOf, key string, in Object, reasons map[string][]string) bool {
			if spot.known(key) || spot.belongs(key) || in.isSpread(key) || in.isBareInterval(key) {
				return true
			}
			x, ok := valueOf(in.values[key], reasons[key])
			return !ok || yield(Named{Path: spot.path + key, Value: x,
				Interval: in.intervalFor(spot.intervals(in, key),
					reasons), SD: in.spread(key), StdError: spot.stdError(in, key),
				NotCompared: spot.notCompared})
		})
	}
}

// spotOf is where an object stands.
type spotOf struct {
	path        string // with rows, and a dot at its end
	metric      string // without rows, and a dot at its end
	parameter   string // of the rows: "k=10;lag=1"
	notCompared string
	parameters  []string // members that are parameters of the row
	companions  map[string]companion
	ofNumber    map[string][]string // companions of each number, in the order of the object
}

// enter takes the parameters and companions of an object.
func (s *spotOf) enter(o Object) {
	s.parameters, s.companions = o.roles.parameters, companionsOf(o)
	s.ofNumber = nil
	for _, key := range o.keys {
		if c, ok := s.companions[key]; ok {
			if s.ofNumber == nil {
				s.ofNumber = map[string][]string{}
			}
			s.ofNumber[c.number] = append(s.ofNumber[c.number], key)
		}
	}
}

// known reports whether a member is a parameter of the row.
func (s spotOf) known(key string) bool { return slices.Contains(s.parameters, key) }

// belongs reports whether a member belongs to another.
func (s spotOf) belongs(key string) bool {
	_, ok := s.companions[key]
	return ok
}

// intervals returns the intervals of a number, in the order of their names: the plain one first.
func (s spotOf) intervals(in Object, number string) []namedInterval {
	var list []namedInterval
	for _, key := range s.ofNumber[number] {
		if c := s.companions[key]; c.kind == isInterval {
			name := c.name
			if _, assumes := in.values[key+"_assumes"]; assumes && name == "" {
				name = assumed
			}
			list = append(list, namedInterval{key, name})
		}
	}
	slices.SortStableFunc(list, func(a, b namedInterval) int { return strings.Compare(a.name, b.name) })
	return list
}

// assumed is the name of an interval with a text of its assumptions: it must not be taken for the main interval.
const assumed = "assumed"

// errorOf is the key of the standard error of a number; empty without one.
func (s spotOf) errorOf(number string) string {
	for _, key := range s.ofNumber[number] {
		if s.companions[key].kind == isError {
			return key
		}
	}
	return ""
}

// stdError is the standard error of a number.
func (s spotOf) stdError(in Object, number string) Value {
	if x, ok := valueOf(in.values[s.errorOf(number)], nil); ok {
		return x
	}
	return Undefined("no standard error was computed")
}

// visit calls yield for every scalar member of an object and those in it, in order, until it returns false.
func (o Object) visit(spot spotOf, yield func(spot spotOf, key string, in Object, reasons map[string][]string) bool) bool {
	reasons := o.reasons()
	spot.enter(o)
	if why, ok := o.values["not_compared"].(string); ok {
		spot.notCompared = why
	}
	for _, key := range o.keys {
		below := spot
		below.path, below.metric = spot.path+key+".", spot.metric+key+"."
		switch v := o.values[key].(type) {
		case Object:
			if key != "skipped" && !v.visit(below, yield) {
				return false
			}
		case []any:
			names := rowNames(v)
			for i, item := range v {
				if row, ok := item.(Object); ok {
					child := below
					child.path = spot.path + key + names[i] + "."
					if !row.visit(child, yield) {
						return false
					}
				}
			}
		default:
			if !yield(spot, key, o, reasons) {
				return false
			}
		}
	}
	return true
}

// namedInterval is the key of an interval and its name, empty for the only one.
type namedInterval struct{ key, name string }

// isBareInterval reports whether a member is called as an interval, of a number that may be missing.
func (o Object) isBareInterval(key string) bool {
	if !strings.HasSuffix(key, intervalSuffix) {
		return false
	}
	_, ok := intervalOf(o.values[key], nil)
	return ok
}

// spreads are the endings of the names of spreads; the second is of other programs.
var spreads = []string{spreadSuffix, "_std"}

// isSpread reports whether a member is the spread of another.
func (o Object) isSpread(key string) bool {
	return slices.ContainsFunc(spreads, func(ending string) bool {
		base, ok := strings.CutSuffix(key, ending)
		return ok && hasNumber(o, base)
	})
}

// spread returns the spread of a number over samples.
func (o Object) spread(key string) Value {
	for _, ending := range spreads {
		if v, ok := o.values[key+ending]; ok {
			if x, ok := valueOf(v, nil); ok {
				return x
			}
		}
	}
	return Undefined("no spread was computed")
}

// intervalFor is the interval that assumes least. An interval with an assumption that does not hold is none: its level
// is not 95 %.
func (o Object) intervalFor(intervals []namedInterval, reasons map[string][]string) Interval {
	best := -1
	rank := func(name string) int {
		switch name {
		case "":
			return 0
		case assumed:
			return 2
		}
		return 1
	}
	for i, named := range intervals {
		if best < 0 || rank(named.name) < rank(intervals[best].name) {
			best = i
		}
	}
	if best < 0 {
		return NoInterval("the result has no interval of it")
	}
	key := intervals[best].key
	if intervals[best].name == assumed {
		return NoInterval("%s rests on an assumption that does not hold (%s_assumes)", key, key)
	}
	ci, ok := intervalOf(o.values[key], reasons[key])
	if !ok {
		return NoInterval("the result has no interval of it")
	}
	return ci
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
		table := metricTable{models: r.Models.keys, model: name}
		table.object(spotOf{}, model)
		rows = append(rows, table.rows...)
	}
	return rows, nil
}

// metricTable collects the rows of one model.
type metricTable struct {
	models []string // of the result: an object with these keys is about other models
	model  string
	rows   []MetricRow
}

// row adds a row for a number, or for the lack of one.
func (t *metricTable) row(at spotOf, name string) MetricRow {
	return MetricRow{Model: t.model, Metric: at.metric + name, Parameter: at.parameter}
}

// object adds the numbers of an object.
func (t *metricTable) object(spot spotOf, o Object) {
	if skipped, _ := o.Get("skipped"); skipped == true {
		reason, _ := o.Get(reasonKey)
		spot.metric = strings.TrimSuffix(spot.metric, ".")
		row := t.row(spot, "")
		row.Reason = fmt.Sprint(reason)
		t.rows = append(t.rows, row)
		return
	}
	reasons := o.reasons()
	spot.enter(o)
	for _, key := range o.keys {
		if slices.Contains(o.roles.parameters, key) || key == reasonKey || spot.belongs(key) || o.isBareInterval(key) {
			continue
		}
		below := spot
		below.metric = spot.metric + key + "."
		switch v := o.values[key].(type) {
		case Object:
			if key == "skipped" {
				t.skipped(spot, v, o)
				continue
			}
			t.part(below, v)
		case []any:
			t.list(below, v)
		default:
			x, ok := valueOf(v, reasons[key])
			if !ok {
				continue
			}
			row := t.row(spot, key)
			row.Estimate, row.Reason = numberText(v), reasonOf(x)
			row.StdError = numberText(o.values[spot.errorOf(key)])
			t.withIntervals(row, o, reasons, spot.intervals(o, key))
		}
	}
	for _, key := range o.keys {
		if o.isBareInterval(key) && !spot.belongs(key) {
			t.withIntervals(t.row(spot, strings.TrimSuffix(key, intervalSuffix)), o, reasons, []namedInterval{{key: key}})
		}
	}
}

// skipped adds a list of skipped metrics, but for those that the object around it has as
// null.
func (t *metricTable) skipped(spot spotOf, list, around Object) {
	for _, path := range list.keys {
		if !slices.Contains(around.keys, path) {
			row := t.row(spot, path)
			row.Reason = fmt.Sprint(list.values[path])
			t.rows = append(t.rows, row)
		}
	}
}

// part adds an object inside another: a row for every other model, or numbers under a
// longer path.
func (t *metricTable) part(spot spotOf, o Object) {
	if len(o.keys) == 0 || slices.ContainsFunc(o.keys, func(k string) bool { return !slices.Contains(t.models, k) }) {
		t.object(spot, o)
		return
	}
	for _, other := range o.keys {
		if row, ok := o.values[other].(Object); ok {
			of := spot
			of.parameter = joined(spot.parameter, "other="+other)
			t.object(of, row)
		}
	}
}

// list adds the rows of a list of objects; lists of numbers are left out.
func (t *metricTable) list(spot spotOf, list []any) {
	for i, item := range list {
		row, ok := item.(Object)
		if !ok {
			return
		}
		name := fmt.Sprintf("row=%d", i)
		if len(row.roles.parameters) > 0 {
			name = rowParameter(row)
		}
		of := spot
		of.parameter = joined(spot.parameter, name)
		t.object(of, row)
	}
}

// rowParameter names a row by its parameters.
func rowParameter(row Object) string {
	parts := make([]string, len(row.roles.parameters))
	for i, key := range row.roles.parameters {
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

// withIntervals adds a row with its interval, and one more for each further interval.
func (t *metricTable) withIntervals(row MetricRow, o Object, reasons map[string][]string, intervals []namedInterval) {
	if len(intervals) == 0 {
		t.rows = append(t.rows, row)
		return
	}
	for _, named := range intervals {
		each := row
		if named.name != "" && len(intervals) > 1 {
			each.Parameter = joined(row.Parameter, "interval="+named.name)
			each.StdError = ""
		}
		ci, ok := intervalOf(o.values[named.key], reasons[named.key])
		if ok && ci.Defined() {
			each.Low, each.High = csvFloat(ci.Low, 64), csvFloat(ci.High, 64)
		} else if each.Reason == "" {
			each.Reason = ci.why()
		}
		t.rows = append(t.rows, each)
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
