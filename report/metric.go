// This file is for finding the numbers of a result by their path, such as
// "ratio.mean" or "by_k[k=10].trustworthiness".

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
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
	if o, ok := part.(Object); ok && isPlain(o) {
		return o, nil
	}
	var b bytes.Buffer
	if err := Encode(&b, part); err != nil {
		return Object{}, err
	}
	p, e, err := parse("models."+name, b.Bytes())
	if err != nil {
		return Object{}, err
	}
	m, ok := e.value.(members)
	if !ok {
		return Object{}, p.wrong(e, "", "an object")
	}
	return m.object(), nil
}

// isPlain reports whether a value holds nothing but what reading makes.
func isPlain(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, json.Number:
		return true
	case []any:
		for _, item := range v {
			if !isPlain(item) {
				return false
			}
		}
		return true
	case Object:
		for _, key := range v.keys {
			if !isPlain(v.values[key]) {
				return false
			}
		}
		return true
	}
	return false
}

// Number returns the number at a path of an object that was read. Steps of a path
// are keys, separated by dots, and rows of a list: [0] by index, [k=10] by a
// member of the row, [probe=ridge;on=true] by several. What is null, skipped ({"skipped": true} in its place, or
// its path among the keys of "skipped") is undefined, with its reason. Errors: no
// such path; something other than a number there.
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

// Interval returns the interval at a path, as Number does a number. By
// convention that of "x" is at "x_ci".
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

// Numbers walks over all numbers of an object that was read, nulls with their
// reasons among them, in its order, with the paths by which Number finds them.
// Rows of a list are named by their first member where it differs from row to
// row, or by so many of the first that are texts as tell them apart. Numbers in lists of numbers (intervals, spectra) are left out.
func (o Object) Numbers() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) { o.walk("", yield) }
}

func (o Object) walk(prefix string, yield func(string, Value) bool) bool {
	reasons := o.reasons()
	for _, key := range o.keys {
		path := prefix + key
		switch v := o.values[key].(type) {
		case Object:
			if key != "skipped" && !v.walk(path+".", yield) {
				return false
			}
		case []any:
			if !walkRows(path, v, yield) {
				return false
			}
		default:
			if x, ok := valueOf(v, reasons[key]); ok && !yield(path, x) {
				return false
			}
		}
	}
	return true
}

func walkRows(path string, rows []any, yield func(string, Value) bool) bool {
	names := rowNames(rows)
	for i, row := range rows {
		if o, ok := row.(Object); ok && !o.walk(path+names[i]+".", yield) {
			return false
		}
	}
	return true
}

// rowNames are the steps to the rows of a list: by the first member, or by as many of
// the first members that are texts as tell the rows apart, else by index.
func rowNames(rows []any) []string {
	names := make([]string, len(rows))
	if len(rows) == 0 {
		return names
	}
	first, _ := rows[0].(Object)
	for n := 1; n <= len(first.keys); n++ {
		seen := map[string]bool{}
		for i, row := range rows {
			o, _ := row.(Object)
			name, ok := rowName(o, n)
			if !ok {
				return indices(names)
			}
			names[i] = name
			seen[name] = true
		}
		if len(seen) == len(rows) {
			return names
		}
	}
	return indices(names)
}

// rowName is the step to a row by its first n members, which must be texts if they are
// several.
func rowName(o Object, n int) (string, bool) {
	if len(o.keys) < n {
		return "", false
	}
	parts := make([]string, n)
	for i, key := range o.keys[:n] {
		text, ok := rowText(o.values[key])
		if _, number := o.values[key].(json.Number); !ok || strings.ContainsAny(key, "[]=;") || n > 1 && (number || strings.ContainsAny(text, ";=")) {
			return "", false
		}
		parts[i] = key + "=" + text
	}
	return "[" + strings.Join(parts, ";") + "]", true
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
		return v, v != "" && !strings.ContainsAny(v, "[]")
	}
	return "", false
}

// reasons are those of the object's nulls.
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
		at := strings.TrimSuffix(path[:len(path)-len(rest)], ".")
		switch v := value.(type) {
		case Object:
			key, ok := v.longestKey(rest)
			if !ok {
				return nil, nil, v.missing(at, rest)
			}
			value, reasons, rest = v.values[key], v.reasons()[key], rest[len(key):]
		case []any:
			i, end, ok := findRow(v, rest)
			if !ok {
				return nil, nil, fmt.Errorf("%s: a list of %d has no row %q", at, len(v), rest)
			}
			value, rest = v[i], rest[end:]
		default:
			return nil, nil, fmt.Errorf("%s is %s and has no %q", at, describe(v), rest)
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

func (o Object) missing(at, rest string) error {
	key, _, _ := strings.Cut(rest, ".")
	if at != "" {
		at += ": "
	}
	hint := ""
	if near := text.Nearest(key, o.keys); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("%sno %q (there are %s)%s", at, key, strings.Join(o.keys, ", "), hint)
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
