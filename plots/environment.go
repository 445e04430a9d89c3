// The environment of a figure's panels: styles by name, what the legend must
// show, and what the reader must be told.

package plots

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of legend keys; a series drawn in several ways has several.
const (
	keyFill = 1 << iota
	keyLine
	keyMarker
)

// environment is shared by the panels of one figure while they are prepared.
type environment struct {
	order    []string
	index    map[string]int
	keys     map[string]int // kinds of key of the series the legend must explain
	panel    string         // name of the panel being prepared, for messages
	notes    []string       // for the footnote
	warnings []string
}

func newEnvironment(series []string) (*environment, error) {
	env := &environment{index: map[string]int{}, keys: map[string]int{}}
	for _, name := range series {
		if _, twice := env.index[name]; twice {
			return nil, fmt.Errorf("plots: series %q is listed twice", name)
		}
		env.style(name)
	}
	return env, nil
}

// style returns the style of a named series; the name joins the order.
func (env *environment) style(name string) Style {
	if name == "" {
		return anonymous()
	}
	i, known := env.index[name]
	if !known {
		i = len(env.order)
		env.index[name] = i
		env.order = append(env.order, name)
	}
	return SeriesStyle(i)
}

// explain asks for a legend entry.
func (env *environment) explain(name string, kind int) {
	if name != "" {
		env.keys[name] |= kind
	}
}

// errorf makes an error that names the panel.
func (env *environment) errorf(format string, args ...any) error {
	return fmt.Errorf("plots: %s: %s", env.panel, fmt.Sprintf(format, args...))
}

// text checks strings that will be drawn.
func (env *environment) text(strs ...string) {
	for _, s := range strs {
		if missing := undrawable(s); len(missing) > 0 {
			w := fmt.Sprintf("%s: the font has no glyph for %q in %q", env.panel, string(missing), s)
			if !slices.Contains(env.warnings, w) {
				env.warnings = append(env.warnings, w)
			}
		}
	}
}

// names checks that the names of a panel's series are different.
func (env *environment) names(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if name != "" && seen[name] {
			return env.errorf("series %q appears twice", name)
		}
		seen[name] = true
		env.text(name)
	}
	return nil
}

// note tells the reader what was left out. undefined says whether NaN is worth a
// word (it is not where it shows as a gap or as "n/a").
func (env *environment) note(d dropped, undefined bool) {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			values := "values"
			if n == 1 {
				values = "value"
			}
			parts = append(parts, fmt.Sprintf("%d %s %s", n, values, what))
		}
	}
	add(d.nonpositive, "non-positive on a log axis")
	add(d.infinite, "infinite or above 1e300")
	if undefined {
		add(d.undefined, "undefined (NaN)")
	}
	if len(parts) == 0 {
		return
	}
	note := "P" + env.panel[1:] + ": not shown: " + strings.Join(parts, ", ") + "."
	env.notes = append(env.notes, note)
	env.warnings = append(env.warnings, note)
}

// sameLength checks the lengths of a series' parts; nil slices are skipped where
// they are optional.
func (env *environment) sameLength(name string, n int, low, high []float64) error {
	if (low == nil) != (high == nil) {
		return env.errorf("series %q: Low and High must both be given or both be nil", name)
	}
	if low != nil && (len(low) != n || len(high) != n) {
		return env.errorf("series %q: %d values but %d low and %d high interval ends", name, n, len(low), len(high))
	}
	return nil
}
