// The form of parts: values in the order of their fields, little endian, behind a
// fingerprint of their type.

package shard

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"strings"
)

// Encode returns the bytes of a value made of booleans, integers, floating-point numbers, strings,
// slices, arrays, pointers, and structs with exported fields only. Floating-point numbers keep their
// bits, including NaN; nil and empty slices differ. A type with MarshalBinary and, by pointer,
// UnmarshalBinary uses these methods. A field with the tag `shard:"-"` is left out and must be
// restored after decoding. Equal values have equal bytes. Errors: maps, interfaces and unexported
// fields, which would lose information.
func Encode(value any) ([]byte, error) {
	v := reflect.ValueOf(value)
	if !v.IsValid() {
		return nil, errors.New("nothing to encode")
	}
	print, err := fingerprint(v.Type())
	if err != nil {
		return nil, err
	}
	e := encoder{out: binary.LittleEndian.AppendUint64(nil, print)}
	e.value(v)
	return e.out, e.err
}

// Decode decodes the output of [Encode] for a value of the same type into the value that target points to. It never
// allocates more than a small multiple of the data.
func Decode(data []byte, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("decoding into %T, want a pointer", target)
	}
	print, err := fingerprint(v.Elem().Type())
	if err != nil {
		return err
	}
	d := decoder{data: data}
	if found := d.word(); d.err == nil && found != print {
		return fmt.Errorf("%w: it contains a type other than %s", ErrDamaged, v.Elem().Type())
	}
	d.value(v.Elem())
	if d.err == nil && len(d.data) > 0 {
		d.err = fmt.Errorf("%w: %d bytes too many", ErrDamaged, len(d.data))
	}
	return d.err
}

// fingerprint is a hash of a type's structure: kinds, and the names of fields.
func fingerprint(t reflect.Type) (uint64, error) {
	var text strings.Builder
	if err := describe(&text, t, nil); err != nil {
		return 0, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(text.String()))
	return h.Sum64(), nil
}

func describe(text *strings.Builder, t reflect.Type, within []reflect.Type) error {
	for _, outer := range within {
		if outer == t {
			return fmt.Errorf("%s contains itself and cannot be encoded", t)
		}
	}
	within = append(within, t)
	if marshals(t) {
		text.WriteString("own " + t.String())
		return nil
	}
	switch kind := t.Kind(); kind {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		text.WriteString(kind.String())
		return nil
	case reflect.Slice, reflect.Pointer, reflect.Array:
		if size := t.Elem().Size(); size == 0 {
			return fmt.Errorf("%s has elements without a size and cannot be encoded", t)
		}
		fmt.Fprintf(text, "%s of ", kind)
		if kind == reflect.Array {
			fmt.Fprintf(text, "%d ", t.Len())
		}
		return describe(text, t.Elem(), within)
	case reflect.Struct:
		text.WriteString("{")
		for i := range t.NumField() {
			f := t.Field(i)
			if leftOut(f) {
				continue
			}
			if !f.IsExported() {
				return fmt.Errorf("field %s of %s is not exported and cannot be encoded", f.Name, t)
			}
			text.WriteString(f.Name + " ")
			if err := describe(text, f.Type, within); err != nil {
				return err
			}
			text.WriteString(";")
		}
		text.WriteString("}")
		return nil
	default:
		return fmt.Errorf("%s cannot be encoded", t)
	}
}

var (
	marshaler   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// marshals reports whether values of a type say themselves how they are encoded.
func marshals(t reflect.Type) bool {
	return t.Implements(marshaler) && reflect.PointerTo(t).Implements(unmarshaler)
}

// leftOut reports whether a field is excluded from the encoded value.
func leftOut(f reflect.StructField) bool { return f.Tag.Get("shard") == "-" }

// absent is the length of a nil slice.
const absent = math.MaxUint64

type encoder struct {
	out []byte
	err error
}

func (e *encoder) word(v uint64) { e.out = binary.LittleEndian.AppendUint64(e.out, v) }

func (e *encoder) bytes(v []byte) {
	e.word(uint64(len(v)))
	e.out = append(e.out, v...)
}

func (e *encoder) flag(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	e.out = append(e.out, b)
}

func (e *encoder) value(v reflect.Value) {
	if marshals(v.Type()) {
		text, err := v.Interface().(encoding.BinaryMarshaler).MarshalBinary()
		if e.err == nil {
			e.err = err
		}
		e.bytes(text)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		e.flag(v.Bool())
	case reflect.Uint8:
		e.out = append(e.out, uint8(v.Uint()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.word(uint64(v.Int()))
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.word(v.Uint())
	case reflect.Float32:
		e.out = binary.LittleEndian.AppendUint32(e.out, math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		e.word(math.Float64bits(v.Float()))
	case reflect.String:
		e.bytes([]byte(v.String()))
	case reflect.Pointer:
		e.flag(!v.IsNil())
		if !v.IsNil() {
			e.value(v.Elem())
		}
	case reflect.Slice:
		e.slice(v)
	case reflect.Array:
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	default: // a struct: describe let nothing else through
		for i := range v.NumField() {
			if !leftOut(v.Type().Field(i)) {
				e.value(v.Field(i))
			}
		}
	}
}

func (e *encoder) slice(v reflect.Value) {
	if v.IsNil() {
		e.word(absent)
		return
	}
	e.word(uint64(v.Len()))
	switch list := v.Interface().(type) { // the long ones
	case []uint8:
		e.out = append(e.out, list...)
	case []int64:
		for _, w := range list {
			e.word(uint64(w))
		}
	case []float32:
		for _, w := range list {
			e.out = binary.LittleEndian.AppendUint32(e.out, math.Float32bits(w))
		}
	case []float64:
		for _, w := range list {
			e.word(math.Float64bits(w))
		}
	default:
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	}
}

type decoder struct {
	data []byte
	err  error
}

// take returns the next n bytes, or n zeros after an error.
func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.data) {
		d.err = fmt.Errorf("%w: found %d bytes, expected %d", ErrDamaged, len(d.data), n)
	}
	if d.err != nil {
		return make([]byte, n)
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) word() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

// length reads the number of elements that take at least size bytes each.
func (d *decoder) length(size int) int {
	n := d.word()
	if d.err == nil && n > uint64(len(d.data)/size) {
		d.err = fmt.Errorf("%w: %d elements in %d bytes", ErrDamaged, n, len(d.data))
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *decoder) value(v reflect.Value) {
	if d.err != nil {
		return
	}
	if marshals(v.Type()) {
		text := d.take(d.length(1))
		if d.err == nil {
			if err := v.Addr().Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(text); err != nil {
				d.err = fmt.Errorf("%w: %w", ErrDamaged, err)
			}
		}
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.take(1)[0] != 0)
	case reflect.Uint8:
		v.SetUint(uint64(d.take(1)[0]))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.integer(v, int64(d.word()))
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.unsigned(v, d.word())
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(d.take(4)))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(d.word()))
	case reflect.String:
		v.SetString(string(d.take(d.length(1))))
	case reflect.Pointer:
		if d.take(1)[0] != 0 && d.err == nil {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case reflect.Slice:
		d.slice(v)
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	default:
		for i := range v.NumField() {
			if !leftOut(v.Type().Field(i)) {
				d.value(v.Field(i))
			}
		}
	}
}

func (d *decoder) integer(v reflect.Value, word int64) {
	if d.err == nil && v.OverflowInt(word) {
		d.err = fmt.Errorf("%w: %d is not a %s", ErrDamaged, word, v.Type())
	}
	v.SetInt(word)
}

func (d *decoder) unsigned(v reflect.Value, word uint64) {
	if d.err == nil && v.OverflowUint(word) {
		d.err = fmt.Errorf("%w: %d is not a %s", ErrDamaged, word, v.Type())
	}
	v.SetUint(word)
}

func (d *decoder) slice(v reflect.Value) {
	if len(d.data) >= 8 && binary.LittleEndian.Uint64(d.data) == absent {
		d.word()
		return
	}
	n := d.length(least(v.Type().Elem()))
	if d.err != nil {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	if list, ok := v.Interface().([]float32); ok { // a long one
		for i, raw := 0, d.take(4*n); i < n; i++ {
			list[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return
	}
	for i := range n {
		d.value(v.Index(i))
	}
}

// least is the smallest number of bytes that a value of a type takes.
func least(t reflect.Type) int {
	if marshals(t) {
		return 8
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Uint8, reflect.Pointer:
		return 1
	case reflect.Float32:
		return 4
	case reflect.Array:
		return max(1, t.Len()*least(t.Elem()))
	case reflect.Struct:
		sum := 0
		for i := range t.NumField() {
			if f := t.Field(i); !leftOut(f) {
				sum += least(f.Type)
			}
		}
		return max(1, sum)
	default: // numbers, and the length of strings and slices
		return 8
	}
}
