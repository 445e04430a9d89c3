// Errors of encoding/json in the terms of a file.

package text

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshal is [json.Unmarshal] with the error of [JSONError].
func Unmarshal(data []byte, into any) error { return JSONError(json.Unmarshal(data, into)) }

// JSONError says of a value of another type what it is and what it should be, as in "total_frames is the number 1.5,
// want a whole number", where encoding/json names types of Go. Other errors stay as they are.
func JSONError(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("%s is %s, want %s", cmp.Or(strings.ToLower(strings.Trim(wrong.Field, ".")), "the value"),
		found(wrong.Value), wanted(wrong.Type))
}

// found is a value of JSON, as encoding/json describes it, in words.
func found(value string) string {
	switch kind, number, _ := strings.Cut(value, " "); {
	case number != "":
		return "the number " + number
	case kind == "array":
		return "a list"
	case kind == "object":
		return "an object"
	case kind == "bool":
		return "true or false"
	}
	return "a " + value
}

// wanted is the value of JSON that a type of Go is read from.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch kind := t.Kind(); {
	case kind >= reflect.Int && kind <= reflect.Int64:
		return "a whole number"
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		return "a whole number from 0"
	case kind == reflect.Float32 || kind == reflect.Float64:
		return "a number"
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Slice || kind == reflect.Array:
		return "a list"
	case kind == reflect.Struct || kind == reflect.Map:
		return "an object"
	}
	return "a string"
}
