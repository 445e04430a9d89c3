// This file is for numbers that may be undefined, and for intervals.

package report

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// Value is a number that can be undefined. A finite V with an empty Reason is a number. Any other Value is written as
// null, with Reason next to it. The zero Value is the number 0.
type Value struct {
	V      float64
	Reason string // why the number is undefined; empty for a number
}

// Number returns v as a Value. NaN and infinities become undefined, with a
// general reason; use [Undefined] where the cause is known.
func Number(v float64) Value { return Value{V: v} }

// Undefined returns a Value without a number and the reason for that, such as
// "the latents are constant". Arguments are formatted as by fmt.Sprintf.
func Undefined(reason string, args ...any) Value {
	if len(args) > 0 {
		reason = fmt.Sprintf(reason, args...)
	}
	return Value{V: math.NaN(), Reason: reason}
}

// NumberOr returns v as a Value, or an undefined Value with the given reason
// when v is NaN or infinite.
func NumberOr(v float64, reason string) Value {
	if !finite(v) {
		return Value{V: v, Reason: reason}
	}
	return Value{V: v}
}

// Defined reports whether v is a finite number.
func (v Value) Defined() bool { return v.Reason == "" && finite(v.V) }

// Float returns the number, or NaN when it is undefined.
func (v Value) Float() float64 {
	if !v.Defined() {
		return math.NaN()
	}
	return v.V
}

// why returns the reason of an undefined value.
func (v Value) why() string {
	if v.Reason != "" {
		return v.Reason
	}
	return nonFiniteReason(v.V)
}

// Interval is a confidence interval, written as [low, high]. The zero Interval
// and one with a Reason or a NaN end is undefined and written as null.
type Interval struct {
	Low, High float64
	Reason    string // why there is no interval; empty for an interval

	set bool
}

// MarshalBinary returns all of the interval, with all its digits.
func (v Interval) MarshalBinary() ([]byte, error) {
	flag := byte(0)
	if v.set {
		flag = 1
	}
	out := binary.LittleEndian.AppendUint64([]byte{flag}, math.Float64bits(v.Low))
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v.High))
	return append(out, v.Reason...), nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (v *Interval) UnmarshalBinary(data []byte) error {
	if len(data) < 17 || data[0] > 1 {
		return fmt.Errorf("%d bytes are not an interval", len(data))
	}
	*v = Interval{
		Low:    math.Float64frombits(binary.LittleEndian.Uint64(data[1:])),
		High:   math.Float64frombits(binary.LittleEndian.Uint64(data[9:])),
		Reason: string(data[17:]),
		set:    data[0] == 1,
	}
	return nil
}

// Between returns the interval [low, high]. An end that is NaN makes it
// undefined; an infinite end is written as null inside the brackets.
func Between(low, high float64) Interval { return Interval{Low: low, High: high, set: true} }

// NoInterval returns an undefined interval and the reason for that, such as
// "intervals are off (bootstrap 0)".
func NoInterval(reason string, args ...any) Interval {
	if len(args) > 0 {
		reason = fmt.Sprintf(reason, args...)
	}
	return Interval{Low: math.NaN(), High: math.NaN(), Reason: reason}
}

// Defined reports whether the interval has two ends.
func (i Interval) Defined() bool {
	return i.Reason == "" && (i.set || i.Low != 0 || i.High != 0) && !math.IsNaN(i.Low) && !math.IsNaN(i.High)
}

func (i Interval) why() string {
	switch {
	case i.Reason != "":
		return i.Reason
	case math.IsNaN(i.Low) || math.IsNaN(i.High):
		return nonFiniteReason(math.NaN())
	}
	return "no interval was computed"
}

// Estimate is a number with what belongs to it, from an analysis to the files, the tables and the figures. As the
// field of a struct or a member of an [Object] called x it is written as the members x, x_sd if there is one, and
// x_ci; a cell of a CSV file has the number, a cell of a console table the interval, too.
type Estimate struct {
	Value
	SD *Value   // standard deviation over samples; nil: none is written
	CI Interval // of 95 %
}

// NoEstimate is an estimate without number and interval, and the reason for both.
func NoEstimate(reason string, args ...any) Estimate {
	return Estimate{Value: Undefined(reason, args...), CI: NoInterval(reason, args...)}
}

// Probability is a p value, the cell type of console tables: a small value
// prints as "below 0.0001", never as 0.
type Probability Value

// Defined reports whether p is a finite number.
func (p Probability) Defined() bool { return Value(p).Defined() }

// WithInterval pairs a value with its interval for a table cell.
func WithInterval(v Value, i Interval) Estimate { return Estimate{Value: v, CI: i} }

// Deviating is a number with its standard deviation or standard error, which tables show as "0.913 ± 0.012", with the
// decimals of two digits of the deviation. Without a deviation it is shown as the number alone.
type Deviating struct{ Value, Deviation Value }

// WithDeviation pairs a value with its standard deviation or standard error for a table cell.
func WithDeviation(v, deviation Value) Deviating { return Deviating{v, deviation} }

// Lack gives every [Value], [Interval] and [Estimate] of a struct and of the structs in it a reason instead of a
// number. It returns the struct.
func Lack[S any](s S, reason string, args ...any) S {
	lack(reflect.ValueOf(&s).Elem(), Undefined(reason, args...))
	return s
}

func lack(v reflect.Value, none Value) {
	switch p := v.Addr().Interface().(type) {
	case *Value:
		*p = none
	case *Interval:
		*p = NoInterval("%s", none.Reason)
	default:
		if v.Kind() != reflect.Struct {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				lack(v.Field(i), none)
			}
		}
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func nonFiniteReason(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "the value is positive infinity"
	case math.IsInf(v, -1):
		return "the value is negative infinity"
	}
	return "the value is not defined (NaN)"
}
