// This file is for the numbers of a result with all that belongs to each: interval,
// spread, and why models must not be compared by it.

package report

import (
	"iter"
	"slices"
	"strings"

	"repscope/internal/text"
)

// Named is a number of a model with what belongs to it.
type Named struct {
	Path     string // of [Object.Number]
	Value    Value
	Interval Interval
	SD       Value // "x_sd", or "x_std" of other programs; undefined where there is none
	// NotCompared says why models must not be compared by this number; empty if they may.
	NotCompared string
}

// Estimates walks over all numbers of an object as [Object.Numbers] does, each with its
// interval and spread, which have no place of their own. Of several intervals of one
// number it is that which assumes least.
func (o Object) Estimates() iter.Seq[Named] {
	return func(yield func(Named) bool) { o.estimates("", "", yield) }
}

func (o Object) estimates(prefix, notCompared string, yield func(Named) bool) bool {
	reasons := o.reasons()
	extras := extrasOf(o)
	if why, ok := o.values["not_compared"].(string); ok {
		notCompared = why
	}
	for _, key := range o.keys {
		if extras.taken[key] || o.isSpread(key) {
			continue
		}
		path := prefix + key
		switch v := o.values[key].(type) {
		case Object:
			if key != "skipped" && !v.estimates(path+".", notCompared, yield) {
				return false
			}
		case []any:
			names := rowNames(v)
			for i, row := range v {
				if part, ok := row.(Object); ok && !part.estimates(path+names[i]+".", notCompared, yield) {
					return false
				}
			}
		default:
			x, ok := valueOf(v, reasons[key])
			if !ok {
				continue
			}
			named := Named{Path: path, Value: x, Interval: o.intervalFor(extras.intervals[key], reasons), SD: o.spread(key), NotCompared: notCompared}
			if !yield(named) {
				return false
			}
		}
	}
	return true
}

// spreads are the endings of the names of spreads.
var spreads = []string{"_sd", "_std"}

// isSpread reports whether a member is the spread of another.
func (o Object) isSpread(key string) bool {
	return slices.ContainsFunc(spreads, func(ending string) bool {
		base, ok := strings.CutSuffix(key, ending)
		return ok && hasNumber(o, base)
	})
}

// spread is that of a number over samples.
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

// intervalFor is the interval that assumes least.
func (o Object) intervalFor(intervals []namedInterval, reasons map[string][]string) Interval {
	best := -1
	rank := func(name string) int {
		switch name {
		case "":
			return 0
		case "assumed":
			return 2
		}
		return 1
	}
	for i, of := range intervals {
		if best < 0 || rank(of.name) < rank(intervals[best].name) {
			best = i
		}
	}
	if best < 0 {
		return NoInterval("the result has no interval of it")
	}
	key := intervals[best].key
	ci, ok := intervalOf(o.values[key], reasons[key])
	if !ok {
		return NoInterval("the result has no interval of it")
	}
	return ci
}

// Parse reads JSON that is no result file: values are those of [ReadFrom], in the
// order of the file. NaN, Infinity and -Infinity, which some programs write though
// they are no JSON, are null. Errors name the file, the line and the column:
// text that is no JSON, [ErrTruncated], a name used twice in one object.
func Parse(name string, data []byte) (any, error) {
	_, e, err := parse(name, data)
	if err != nil {
		if cleaned, changed := text.WithoutNaN(data); changed {
			_, e, err = parse(name, cleaned)
		}
	}
	if err != nil {
		return nil, err
	}
	return e.plain(), nil
}
