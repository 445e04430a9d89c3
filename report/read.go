// This file is for reading result files, all that [Result.Write] writes.

package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/format"
)

// ErrTruncated says that a result file ends too early.
var ErrTruncated = format.ErrTruncated

// ErrNotResult says that a file is JSON, but no result file.
var ErrNotResult = errors.New("not a result file")

// Read reads the result file at path, or if there is none a compressed one: see [Open] and [ReadFrom].
func Read(path string) (*Result, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadFrom(f.Name(), f)
}

// ReadFrom reads a result file, which may be compressed by gzip; name is its name in errors. Writing the result again
// gives the same bytes, expanded. Models and
// other parts without a fixed form become an [Object] in the order of the file, with values of the types nil, bool,
// string, json.Number (at full precision), []any and Object. [Result.Model] and the methods of Object return numbers
// with their reasons. Unknown keys are kept under Extra.
//
// Errors name the file and, if known, line and column: text that is not JSON, [ErrTruncated], [ErrNotResult] (no
// schema, or only a schema), a schema other than [Schema], a name used twice in one object, and a value of the wrong
// type.
func ReadFrom(name string, r io.Reader) (*Result, error) {
	data, err := all(name, r)
	if err != nil {
		return nil, err
	}
	p, e, err := parse(name, 0, data)
	if err != nil {
		return nil, err
	}
	m, err := p.head(e)
	if err != nil {
		return nil, err
	}
	result := &Result{Inputs: []Input{}, Comparisons: []Comparison{}, Warnings: []string{}, read: true}
	if err := p.decodeStruct(m, reflect.ValueOf(result).Elem(), ""); err != nil {
		return nil, err
	}
	models := m.items[slices.Index(m.keys, "models")].value.(members)
	for i, key := range models.keys {
		if _, ok := models.items[i].value.(members); !ok {
			return nil, p.wrong(models.items[i], ".models."+key, "an object")
		}
	}
	if i := slices.Index(m.keys, "metrics"); i >= 0 {
		if err := p.checkMetrics(m.items[i].value.(members)); err != nil {
			return nil, err
		}
	}
	for _, key := range result.Models.keys {
		part := result.Models.values[key].(Object)
		if result.Layout != nil {
			result.Layout.apply(&part, "")
		} else {
			infer(&part, false)
		}
		result.Models.values[key] = part
	}
	return result, nil
}

// head checks that a value is a result of the known schema.
func (p *parser) head(e element) (members, error) {
	m, ok := e.value.(members)
	if !ok {
		return m, fmt.Errorf("%s: %w: want an object with \"schema\": %q, got %s", p.name, ErrNotResult, Schema, e.kindOf())
	}
	i := slices.Index(m.keys, "schema")
	if i < 0 {
		return m, fmt.Errorf("%s: %w: it has no \"schema\" (want %q)", p.name, ErrNotResult, Schema)
	}
	if m.items[i].value != Schema {
		return m, p.errorf(m.items[i].offset, ".schema", "%w: its schema is %s, want %q", ErrNotResult, m.items[i].kindOf(), Schema)
	}
	for _, key := range []string{"analysis", "models"} {
		if !slices.Contains(m.keys, key) {
			return m, fmt.Errorf("%s: %w: it has no %q", p.name, ErrNotResult, key)
		}
	}
	return m, nil
}

func (p *parser) wrong(e element, place, want string) error {
	return p.errorf(e.offset, place, "want %s, got %s", want, e.kindOf())
}

// decodeStruct fills the fields that json tags name; keys without a field go to
// the field that is inlined.
func (p *parser) decodeStruct(m members, v reflect.Value, place string) error {
	reasons := reasonsOf(m.keys, func(i int) any { return m.items[i].plain() })
	for i, key := range m.keys {
		field, rest := fieldOf(v, key)
		switch {
		case field.IsValid():
			if err := p.decode(m.items[i], reasons[key], field, place+"."+key); err != nil {
				return err
			}
		case key == reasonKey && saysWhy(v, m.items[i].value): // the values have it
		case rest.IsValid():
			rest.Addr().Interface().(*Object).Set(key, m.items[i].plain())
		default:
			return p.errorf(m.items[i].offset, place+"."+key, "%s has no such part", placeName(place))
		}
	}
	return nil
}

// saysWhy reports whether a struct, as it is, is written with this reason: then
// the reason need not be kept on its own.
func saysWhy(v reflect.Value, reason any) bool {
	text, ok := reason.(string)
	n := node{kind: objectNode}
	if !ok || n.addFields(v, "") != nil {
		return false
	}
	n.close()
	last := len(n.keys) - 1
	return last >= 0 && n.keys[last] == reasonKey && n.items[last].scalar == stringNode(text).scalar
}

// fieldOf finds the field that is written under a key, and the inlined one.
func fieldOf(v reflect.Value, key string) (field, rest reflect.Value) {
	for i := range v.NumField() {
		tag, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case options == "inline":
			rest = v.Field(i)
		case tag == key:
			field = v.Field(i)
		}
	}
	return field, rest
}

// decode stores an element in a field of a result. Reasons are the reasons of its nulls.
func (p *parser) decode(e element, reasons []string, v reflect.Value, place string) error {
	switch v.Type() {
	case valueType:
		return p.decodeValue(e, reasons, v.Addr().Interface().(*Value), place)
	case intervalType:
		return p.decodeInterval(e, reasons, v.Addr().Interface().(*Interval), place)
	case objectType:
		m, ok := e.value.(members)
		if !ok {
			return p.wrong(e, place, "an object")
		}
		v.Set(reflect.ValueOf(m.object()))
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return p.decode(e, reasons, v.Elem(), place)
	case reflect.Struct:
		m, ok := e.value.(members)
		if !ok {
			return p.wrong(e, place, "an object")
		}
		return p.decodeStruct(m, v, place)
	case reflect.Slice:
		return p.decodeList(e, v, place)
	}
	return p.decodeScalar(e, reasons, v, place)
}

func (p *parser) decodeList(e element, v reflect.Value, place string) error {
	list, ok := e.value.(elements)
	if !ok {
		return p.wrong(e, place, "a list")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, item := range list {
		if err := p.decode(item, nil, v.Index(i), fmt.Sprintf("%s[%d]", place, i)); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) decodeScalar(e element, reasons []string, v reflect.Value, place string) error {
	number, _ := e.value.(json.Number)
	switch v.Kind() {
	case reflect.String:
		s, ok := e.value.(string)
		if !ok {
			return p.wrong(e, place, "a text")
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := e.value.(bool)
		if !ok {
			return p.wrong(e, place, "true or false")
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.ParseInt(string(number), 10, 0)
		if err != nil {
			return p.wrong(e, place, "a whole number")
		}
		v.SetInt(i)
	case reflect.Uint64:
		i, err := strconv.ParseUint(string(number), 10, 64)
		if err != nil {
			return p.wrong(e, place, "a whole number from 0")
		}
		v.SetUint(i)
	case reflect.Float64:
		var x Value
		if err := p.decodeValue(e, reasons, &x, place); err != nil {
			return err
		}
		v.SetFloat(x.V)
	default:
		return fmt.Errorf("%s: %s: a field of type %v cannot be read", p.name, placeName(place), v.Type())
	}
	return nil
}

// decodeValue reads a number or null.
func (p *parser) decodeValue(e element, reasons []string, v *Value, place string) error {
	x, ok := valueOf(e.value, reasons)
	if !ok {
		return p.wrong(e, place, "a number or null")
	}
	*v = x
	return nil
}

// valueOf returns a number or null as a Value. Numbers beyond the range of float64
// are none.
func valueOf(v any, reasons []string) (Value, bool) {
	switch v := v.(type) {
	case nil:
		return undefined(strings.Join(reasons, "; ")), true
	case json.Number:
		f, err := v.Float64()
		return Number(f), err == nil
	}
	return Value{}, false
}

// undefined is the value that is written as null with a reason.
func undefined(reason string) Value {
	if reason == "" {
		return Number(math.NaN())
	}
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if reason == nonFiniteReason(v) {
			return Number(v)
		}
	}
	return Value{V: math.NaN(), Reason: reason}
}

// decodeInterval reads [low, high] or null.
func (p *parser) decodeInterval(e element, reasons []string, v *Interval, place string) error {
	x, ok := intervalOf(e.plain(), reasons)
	if !ok {
		return p.wrong(e, place, "[low, high] or null")
	}
	*v = x
	return nil
}

// intervalOf returns [low, high] or null as an Interval.
func intervalOf(v any, reasons []string) (Interval, bool) {
	list, ok := v.([]any)
	switch {
	case v == nil && len(reasons) == 0:
		return NoInterval("no interval was computed"), true
	case v == nil:
		return Interval{Low: math.NaN(), High: math.NaN(), Reason: strings.Join(reasons, "; ")}, true
	case !ok || len(list) != 2:
		return Interval{}, false
	}
	var ends [2]float64
	for i, end := range list {
		x, ok := valueOf(end, reasons[:min(1, len(reasons))])
		if !ok {
			return Interval{}, false
		}
		if ends[i] = x.V; end == nil {
			if !math.IsInf(x.V, 0) {
				ends[i] = math.Inf(2*i - 1) // an end is null where it is infinite
			}
			if len(reasons) > 1 {
				reasons = reasons[1:]
			}
		}
	}
	return Between(ends[0], ends[1]), true
}
