// The JSON encoding: ordered keys, null with a reason,
// arrays of scalars on one line.

package report

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/escape"
)

// Write encodes the result as indented JSON with a final newline. The layout of a result that was not read follows
// from its models.
func (r *Result) Write(w io.Writer) error {
	r.gatherExtremes()
	n, err := build(reflect.ValueOf(r), "")
	if err != nil {
		return err
	}
	if !r.read {
		var all layout
		for _, model := range n.items[slices.Index(n.keys, "models")].items {
			all.collect(&model, "")
		}
		inFile, err := build(reflect.ValueOf(all.inFile()), "")
		if err != nil {
			return err
		}
		i := slices.Index(n.keys, "models")
		n.keys, n.items = slices.Insert(n.keys, i, "layout"), slices.Insert(n.items, i, inFile)
	}
	return n.writeTo(w)
}

// Encode writes any value as indented JSON with a final newline. It differs
// from encoding/json in four ways: a NaN, an infinity, an undefined [Value] and
// an undefined [Interval] are written as null and add a "reason" to the object
// they stand in; map keys are sorted and [Object] keys keep their order; arrays
// of scalars stay on one line; characters such as < are not escaped. Struct
// tags work as in encoding/json (name, omitempty, "-", embedded structs).
//
// Errors: a value that JSON cannot hold (a channel, a function, a map whose
// keys are not strings), named with its place.
func Encode(w io.Writer, value any) error {
	n, err := build(reflect.ValueOf(value), "")
	if err != nil {
		return err
	}
	return n.writeTo(w)
}

// writeTo writes the value with a final newline.
func (n *node) writeTo(w io.Writer) error {
	var b bytes.Buffer
	n.write(&b, 0)
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// node is one JSON value: a scalar, an array or an object.
type node struct {
	scalar string // encoded scalar, when keys and items are nil
	reason string // why scalar is null
	keys   []string
	items  []node // values of keys, or the array's elements
	kind   nodeKind
	roles  roles // of the members of an object
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	arrayNode
	objectNode
)

var null = node{scalar: "null"}

var (
	valueType         = reflect.TypeFor[Value]()
	estimateType      = reflect.TypeFor[Estimate]()
	intervalType      = reflect.TypeFor[Interval]()
	objectType        = reflect.TypeFor[Object]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	numberType        = reflect.TypeFor[json.Number]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

func build(v reflect.Value, place string) (node, error) {
	if !v.IsValid() {
		return null, nil
	}
	if n, ok, err := buildOwn(v, place); ok || err != nil {
		return n, err
	}
	if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface &&
		(v.Type().Implements(marshalerType) || v.Type().Implements(textMarshalerType)) {
		return marshaled(v, place)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return null, nil
		}
		return build(v.Elem(), place)
	case reflect.Bool:
		return node{scalar: strconv.FormatBool(v.Bool())}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return node{scalar: strconv.FormatInt(v.Int(), 10)}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return node{scalar: strconv.FormatUint(v.Uint(), 10)}, nil
	case reflect.Float32:
		f := v.Float()
		if !finite(f) {
			return floatNode(f), nil
		}
		return node{scalar: strconv.FormatFloat(f, jsonFormat(f), -1, 32)}, nil
	case reflect.Float64:
		return floatNode(v.Float()), nil
	case reflect.String:
		return stringNode(v.String()), nil
	case reflect.Slice, reflect.Array:
		return buildList(v, place)
	case reflect.Map:
		return buildMap(v, place)
	case reflect.Struct:
		n := node{kind: objectNode}
		if err := n.addFields(v, place); err != nil {
			return null, err
		}
		n.close()
		return n, nil
	}
	return null, fmt.Errorf("report: %s: a value of type %s cannot be written as JSON", placeName(place), v.Type())
}

// buildOwn builds the types whose form is this package's; ok is false of others.
func buildOwn(v reflect.Value, place string) (n node, ok bool, err error) {
	switch v.Type() {
	case valueType:
		x := v.Interface().(Value)
		if !x.Defined() {
			return node{scalar: "null", reason: x.why()}, true, nil
		}
		return node{scalar: formatFloat(x.V)}, true, nil
	case intervalType:
		x := v.Interface().(Interval)
		if !x.Defined() {
			return node{scalar: "null", reason: x.why()}, true, nil
		}
		return node{kind: arrayNode, items: []node{floatNode(x.Low), floatNode(x.High)}}, true, nil
	case objectType:
		o := v.Interface().(Object)
		n := node{kind: objectNode}
		if err := n.addObject(o, place); err != nil {
			return null, true, err
		}
		n.close()
		return n, true, nil
	case numberType: // as it was read
		text := v.String()
		if !isNumber(text) {
			return null, true, fmt.Errorf("report: %s: %q is not a JSON number", placeName(place), text)
		}
		return node{scalar: text}, true, nil
	}
	return null, false, nil
}

// isNumber reports whether a text is one JSON number and nothing else.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && text[len(text)-1] > ' ' && json.Valid([]byte(text))
}

func buildList(v reflect.Value, place string) (node, error) {
	n := node{kind: arrayNode}
	for i := range v.Len() {
		item, err := build(v.Index(i), fmt.Sprintf("%s[%d]", place, i))
		if err != nil {
			return null, err
		}
		n.items = append(n.items, item)
	}
	return n, nil
}

func buildMap(v reflect.Value, place string) (node, error) {
	if v.Type().Key().Kind() != reflect.String {
		return null, fmt.Errorf("report: %s: map keys of type %s cannot be JSON keys", placeName(place), v.Type().Key())
	}
	n := node{kind: objectNode}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		item, err := build(v.MapIndex(key), place+"."+key.String())
		if err != nil {
			return null, err
		}
		n.add(key.String(), item)
	}
	n.close()
	return n, nil
}

// addObject adds the members of an object.
func (n *node) addObject(o Object, place string) error {
	for _, key := range o.roles.parameters {
		n.roles.parameter(key)
	}
	for key, c := range o.roles.companions {
		n.roles.companion(key, c)
	}
	for _, key := range o.keys {
		if err := n.addMember(key, reflect.ValueOf(o.values[key]), place); err != nil {
			return err
		}
	}
	return nil
}

// addMember adds a member, and those that belong to an estimate.
func (n *node) addMember(key string, v reflect.Value, place string) error {
	if v.IsValid() && v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem() == estimateType {
		v = v.Elem()
	}
	if v.IsValid() && v.Type() == estimateType {
		e := v.Interface().(Estimate)
		if err := n.addMember(key, reflect.ValueOf(e.Value), place); err != nil {
			return err
		}
		if e.SD != nil {
			if err := n.addMember(key+spreadSuffix, reflect.ValueOf(*e.SD), place); err != nil {
				return err
			}
		}
		return n.addMember(key+intervalSuffix, reflect.ValueOf(e.CI), place)
	}
	item, err := build(v, place+"."+key)
	if err != nil {
		return err
	}
	n.add(key, item)
	return nil
}

// addFields adds the exported fields of a struct; fields of embedded structs take their place.
func (n *node) addFields(v reflect.Value, place string) error {
	t := v.Type()
	for i := range t.NumField() {
		field := t.Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == "-" && options == "" {
			continue
		}
		if field.Anonymous && tag == "" && field.Type.Kind() == reflect.Struct &&
			field.Type != valueType && field.Type != intervalType && field.Type != objectType {
			if err := n.addFields(v.Field(i), place); err != nil {
				return err
			}
			continue
		}
		if !field.IsExported() {
			continue
		}
		if options == "inline" {
			if err := n.addObject(v.Field(i).Interface().(Object), place); err != nil {
				return err
			}
			continue
		}
		name := tag
		if name == "" {
			name = field.Name
		}
		if slices.Contains(strings.Split(options, ","), "omitempty") && empty(v.Field(i)) {
			continue
		}
		if err := n.addMember(name, v.Field(i), place); err != nil {
			return err
		}
		n.roles.tag(field, name)
	}
	return nil
}

// empty is encoding/json's rule for omitempty, and true of an Object without keys.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		if o, ok := v.Interface().(Object); ok {
			return o.Len() == 0
		}
		return false
	}
	return v.IsZero()
}

func (n *node) add(key string, item node) {
	n.keys = append(n.keys, key)
	n.items = append(n.items, item)
}

// close gives an object the reasons of the nulls in it, unless it has one of
// its own. Nulls inside arrays count for the array's key.
func (n *node) close() {
	if slices.Contains(n.keys, reasonKey) {
		return
	}
	var all []because
	for i, item := range n.items {
		for _, reason := range item.reasons() {
			all = append(all, because{n.keys[i], reason})
		}
	}
	if len(all) > 0 {
		n.add(reasonKey, stringNode(joinReasons(all)))
	}
}

// reasons returns the distinct reasons of a null or of the nulls in an array
// that is not inside another object.
func (n *node) reasons() []string {
	switch {
	case n.kind == scalarNode && n.reason != "":
		return []string{n.reason}
	case n.kind == arrayNode:
		var all []string
		for _, item := range n.items {
			for _, reason := range item.reasons() {
				if !slices.Contains(all, reason) {
					all = append(all, reason)
				}
			}
		}
		return all
	}
	return nil
}

// marshaled takes the encoding of a type that has its own.
func marshaled(v reflect.Value, place string) (node, error) {
	data, err := json.Marshal(v.Interface())
	if err != nil {
		return null, fmt.Errorf("report: %s: %w", placeName(place), err)
	}
	if string(data) != "null" {
		_, e, err := parse(placeName(place), 0, data)
		if err != nil {
			return null, fmt.Errorf("report: %w", err)
		}
		return build(reflect.ValueOf(e.plain()), place)
	}
	n := node{scalar: "null", reason: "it is not defined"}
	if v.Kind() == reflect.Struct {
		// Types such as stat.Interval say in this field why they are null.
		if reason := v.FieldByName("Reason"); reason.IsValid() && reason.Kind() == reflect.String && reason.Len() > 0 {
			n.reason = reason.String()
		}
	}
	return n, nil
}

func floatNode(v float64) node {
	if !finite(v) {
		return node{scalar: "null", reason: nonFiniteReason(v)}
	}
	return node{scalar: formatFloat(v)}
}

// formatFloat returns the shortest decimal that reads back to the same bits.
func formatFloat(v float64) string {
	return strconv.FormatFloat(v, jsonFormat(v), -1, 64)
}

// jsonFormat chooses exponents where JavaScript and encoding/json do.
func jsonFormat(v float64) byte {
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		return 'e'
	}
	return 'f'
}

func stringNode(s string) node {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// Encoding a string cannot fail: invalid UTF-8 becomes U+FFFD.
	_ = e.Encode(s)
	return node{scalar: escape.JSON(strings.TrimSuffix(b.String(), "\n"))}
}

func placeName(place string) string {
	if place == "" {
		return "the value"
	}
	return strings.TrimPrefix(place, ".")
}

func (n *node) write(b *bytes.Buffer, depth int) {
	switch n.kind {
	case scalarNode:
		b.WriteString(n.scalar)
	case arrayNode:
		n.writeList(b, depth, '[', ']', n.inline())
	case objectNode:
		n.writeList(b, depth, '{', '}', len(n.items) == 0)
	}
}

// inline reports whether an array stays on one line: one of scalars does.
func (n *node) inline() bool {
	for _, item := range n.items {
		if item.kind != scalarNode {
			return false
		}
	}
	return true
}

func (n *node) writeList(b *bytes.Buffer, depth int, open, shut byte, inline bool) {
	b.WriteByte(open)
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
			if inline {
				b.WriteByte(' ')
			}
		}
		if !inline {
			newline(b, depth+1)
		}
		if n.kind == objectNode {
			b.WriteString(stringNode(n.keys[i]).scalar)
			b.WriteString(": ")
		}
		item.write(b, depth+1)
	}
	if !inline && len(n.items) > 0 {
		newline(b, depth)
	}
	b.WriteByte(shut)
}

func newline(b *bytes.Buffer, depth int) {
	b.WriteByte('\n')
	for range depth {
		b.WriteString("  ")
	}
}
