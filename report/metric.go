// This file is for finding the numbers of a result by their path, such as
// "ratio.mean" or "by_k[k=10].trustworthiness".

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"repscope/internal/text"
)

// Model returns the part of a model, as the result file holds it: also of a
// result that was not read but made. Errors: no model of this name; a part that
// cannot be written.
func (r *Result) Model(name string) (Object, error) {
	part, ok := r.Models.Get(name)
	if !ok {
		hint := ""
		if near := text.Nearest(name, r.Models.keys); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return Object{}, fmt.Errorf("the result of %s has no model %q (there are %s)%s",
			r.Analysis, name, strings.Join(r.Models.keys, ", "), hint)
	}
	if o, ok := part.(Object); ok && r.read {
		return o, nil
	}
	return plainObject("models."+name, part)
}

// plainObject is a value in the form in which files are read, with its layout. Errors name it: a value
// that cannot be written, and one that is no object.
func plainObject(name string, value any) (Object, error) {
	n, err := build(reflect.ValueOf(value), "")
	if err != nil {
		return Object{}, err
	}
	var b bytes.Buffer
	n.write(&b, 0)
	p, e, err := parse(name, 0, b.Bytes())
	if err != nil {
		return Object{}, err
	}
	m, ok := e.value.(members)
	if !ok {
		return Object{}, p.wrong(e, "", "an object")
	}
	o := m.object()
	var all layout
	all.collect(&n, "")
	f := all.inFile()
	f.apply(&o, "")
	return o, nil
}

// Number returns the number at a path of an object that was read. The steps of a path are keys separated by dots.
// Rows of a list are selected by index, [0], by a member, [k=10], or by several members, [probe=ridge;on=true]. A
// null or skipped number ({"skipped": true} instead of the number, or its path among the keys of "skipped") is
// undefined, with its reason. Errors: a path that does not exist, and a value that is not a number.
func (o Object) Number(path string) (Value, error) {
	v, reasons, err := o.find(path)
	if err != nil {
		if reason, ok := o.skipped(path); ok {
			return Undefined("%s", reason), nil
		}
		return Value{}, err
	}
	if part, ok := v.(Object); ok {
		if skipped, _ := part.Get("skipped"); skipped == true {
			reason, _ := part.Get(reasonKey)
			return Undefined("%v", reason), nil
		}
	}
	x, ok := valueOf(v, reasons)
	if !ok {
		return Value{}, fmt.Errorf("%s is %s, want a number", path, describe(v))
	}
	return x, nil
}

// Interval returns the interval at a path, in the same way as Number. By convention the interval of "x" is at "x_ci".
func (o Object) Interval(path string) (Interval, error) {
	v, reasons, err := o.find(path)
	if err != nil {
		return Interval{}, err
	}
	x, ok := intervalOf(v, reasons)
	if !ok {
		return Interval{}, fmt.Errorf("%s is %s, want [low, high]", path, describe(v))
	}
	return x, nil
}

// rowNames are the steps to the rows of a list: by their parameters, or else by index.
func rowNames(rows []any) []string {
	names := make([]string, len(rows))
	seen := map[string]bool{}
	for i, row := range rows {
		o, _ := row.(Object)
		name, ok := rowName(o)
		if !ok || seen[name] {
			return indices(names)
		}
		names[i], seen[name] = name, true
	}
	return names
}

// rowName is the step to a row; ok is false where its parameters do not name it.
func rowName(o Object) (string, bool) {
	parts := make([]string, len(o.roles.parameters))
	for i, key := range o.roles.parameters {
		text, ok := rowText(o.values[key])
		if !ok || strings.ContainsAny(key, "[]=;") || len(parts) > 1 && strings.ContainsAny(text, ";=") {
			return "", false
		}
		parts[i] = key + "=" + text
	}
	return "[" + strings.Join(parts, ";") + "]", len(parts) > 0
}

func indices(names []string) []string {
	for i := range names {
		names[i] = fmt.Sprintf("[%d]", i)
	}
	return names
}

// rowText is a scalar as it stands in a path.
func rowText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return string(v), true
	case string:
		return v, !strings.ContainsAny(v, "[]")
	}
	return "", false
}

// reasons returns the reasons of the object's nulls.
func (o Object) reasons() map[string][]string {
	return reasonsOf(o.keys, func(i int) any { return o.values[o.keys[i]] })
}

// skipped looks a path up among the metrics that were not computed.
func (o Object) skipped(path string) (string, bool) {
	list, _ := o.values["skipped"].(Object)
	reason, ok := list.values[path].(string)
	return reason, ok
}

// find returns the value at a path and, where it is or holds null, the reasons.
func (o Object) find(path string) (value any, reasons []string, err error) {
	value = o
	rest := path
	for rest != "" {
		parent := strings.TrimSuffix(path[:len(path)-len(rest)], ".")
		switch v := value.(type) {
		case Object:
			key, ok := v.longestKey(rest)
			if !ok {
				return nil, nil, v.missing(parent, rest)
			}
			value, reasons, rest = v.values[key], v.reasons()[key], rest[len(key):]
		case []any:
			i, end, ok := findRow(v, rest)
			if !ok {
				return nil, nil, fmt.Errorf("%s: a list of %d has no row %q", parent, len(v), rest)
			}
			value, rest = v[i], rest[end:]
		default:
			return nil, nil, fmt.Errorf("%s is %s and has no %q", parent, describe(v), rest)
		}
		rest = strings.TrimPrefix(rest, ".")
	}
	return value, reasons, nil
}

// Place is the path by which [Object.Numbers] names the number at a path: rows may be named
// by other members, or by their index. ok is false where there is no such place.
func (o Object) Place(path string) (place string, ok bool) {
	var value any = o
	for rest := path; rest != ""; rest = strings.TrimPrefix(rest, ".") {
		switch v := value.(type) {
		case Object:
			key, ok := v.longestKey(rest)
			if !ok {
				return "", false
			}
			if place != "" {
				place += "."
			}
			value, place, rest = v.values[key], place+key, rest[len(key):]
		case []any:
			i, end, ok := findRow(v, rest)
			if !ok {
				return "", false
			}
			value, place, rest = v[i], place+rowNames(v)[i], rest[end:]
		default:
			return "", false
		}
	}
	return place, true
}

// longestKey returns the longest key with which a path begins: names may hold dots.
func (o Object) longestKey(path string) (string, bool) {
	best, ok := "", false
	for _, key := range o.keys {
		rest, begins := strings.CutPrefix(path, key)
		if begins && (rest == "" || rest[0] == '.' || rest[0] == '[') && (!ok || len(key) > len(best)) {
			best, ok = key, true
		}
	}
	return best, ok
}

func (o Object) missing(parent, rest string) error {
	key, _, _ := strings.Cut(rest, ".")
	if parent != "" {
		parent += ": "
	}
	hint := ""
	if near := text.Nearest(key, o.keys); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("%sno %q (there are %s)%s", parent, key, strings.Join(o.keys, ", "), hint)
}

// findRow finds the row that a path begins with, and where that step ends.
func findRow(rows []any, path string) (index, end int, ok bool) {
	step, _, closed := strings.Cut(path, "]")
	if step, ok = strings.CutPrefix(step, "["); !ok || !closed {
		return 0, 0, false
	}
	end = len(step) + 2
	if !strings.Contains(step, "=") {
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(rows) {
			return 0, 0, false
		}
		return i, end, true
	}
	for i, row := range rows {
		if o, isObject := row.(Object); isObject && (o.has(step) || o.hasAll(step)) {
			return i, end, true
		}
	}
	return 0, 0, false
}

// has reports whether a member of the row is what the step says.
func (o Object) has(step string) bool {
	key, want, _ := strings.Cut(step, "=")
	s, isScalar := rowText(o.values[key])
	return isScalar && s == want
}

// hasAll is has for a step of several members.
func (o Object) hasAll(step string) bool {
	for part := range strings.SplitSeq(step, ";") {
		if !o.has(part) {
			return false
		}
	}
	return true
}

// describe names the kind of a value that was read.
func describe(v any) string {
	switch v := v.(type) {
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case Object:
		return "an object"
	}
	return element{value: v}.kindOf()
}
