// Errors and intervals: how this package, and the measures above it, say that
// something is undefined.

package stat

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// UndefinedError reports that a quantity cannot be computed from the data, with the reason.
type UndefinedError struct {
	Quantity string // the wanted quantity, such as "regression"
	Reason   string // why it is undefined, such as "x is constant"
}

// Error returns "quantity: reason".
func (e *UndefinedError) Error() string { return e.Quantity + ": " + e.Reason }

// Undefined returns an [UndefinedError] whose reason is formatted as by fmt.Sprintf.
func Undefined(quantity, format string, arguments ...any) error {
	return &UndefinedError{Quantity: quantity, Reason: fmt.Sprintf(format, arguments...)}
}

// Reason returns the reason of an [UndefinedError] inside err, the whole text of any other error, and
// "" for nil. Result files write it next to a null.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	if u, ok := errors.AsType[*UndefinedError](err); ok {
		return u.Reason
	}
	return err.Error()
}

// Interval is a confidence interval [Low, High] at the given Level (0.95 for
// 95 %). Where it is undefined Low and High are NaN and Reason says why.
type Interval struct {
	Low, High float64
	Level     float64
	Reason    string
}

// Defined reports whether both ends are finite numbers.
func (v Interval) Defined() bool { return isFinite(v.Low) && isFinite(v.High) }

// MarshalJSON writes [low, high], or null where the interval is undefined.
func (v Interval) MarshalJSON() ([]byte, error) {
	if !v.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64{v.Low, v.High})
}

func noInterval(level float64, format string, arguments ...any) Interval {
	return Interval{Low: math.NaN(), High: math.NaN(), Level: level, Reason: fmt.Sprintf(format, arguments...)}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkFinite returns an error that names the first value that is NaN or Inf.
func checkFinite(quantity, name string, values []float64) error {
	for i, v := range values {
		if !isFinite(v) {
			return Undefined(quantity, "%s[%d] is %v, want finite numbers", name, i, v)
		}
	}
	return nil
}

// checkPair checks two arrays of paired observations.
func checkPair(quantity string, x, y []float64, atLeast int) error {
	if len(x) != len(y) {
		return Undefined(quantity, "x has %d values and y has %d, want the same number", len(x), len(y))
	}
	if len(x) < atLeast {
		return Undefined(quantity, "%d observations, want at least %d", len(x), atLeast)
	}
	if err := checkFinite(quantity, "x", x); err != nil {
		return err
	}
	return checkFinite(quantity, "y", y)
}

// checkLevel returns level, 0.95 for 0, or an error outside (0, 1).
func checkLevel(quantity string, level float64) (float64, error) {
	if level == 0 {
		return 0.95, nil
	}
	if !(level > 0 && level < 1) {
		return level, Undefined(quantity, "confidence level %v, want a number between 0 and 1", level)
	}
	return level, nil
}

// IsUndefined reports whether an error says that a quantity is undefined.
func IsUndefined(err error) bool {
	_, undefined := errors.AsType[*UndefinedError](err)
	return undefined
}
