// Shared state of panels while they are prepared for one drawing: the order of the series, which fixes their styles,
// the legend's entries, and the notes for the reader.

package plots

import (
	"fmt"
	"slices"
	"strings"
)

// preparation is shared by the panels of one figure (or of one foreign plot).
type preparation struct {
	order    []string
	ordered  int // number of first series that are steps of one quantity; 0: none
	index    map[string]int
	keys     map[string]int // kinds of key of the series the legend must explain
	shown    []legendKey    // the keys of one panel's series, in order of appearance
	panel    string         // name of the panel being prepared, for messages
	absent   []absence      // the series that the panel being prepared cannot show
	undrawn  []absence      // of all panels
	notes    []string       // for the footnote
	warnings []string
}

// absence is a series, or several, without anything to draw, and the reason.
type absence struct {
	reason string
	names  []string
}

// newOrdered is newPreparation for series that may be steps of one quantity.
func newOrdered(series []string, ordered bool) (*preparation, error) {
	prep, err := newPreparation(series)
	if err == nil && ordered {
		prep.ordered = len(series)
	}
	return prep, err
}

func newPreparation(series []string) (*preparation, error) {
	fonts() // before gonum sets a text in a plot that the panel is put into
	prep := &preparation{index: map[string]int{}, keys: map[string]int{}}
	for _, name := range series {
		if _, twice := prep.index[name]; twice {
			return nil, fmt.Errorf("plots: series %q is listed twice", name)
		}
		prep.style(name)
	}
	return prep, nil
}

// style returns the style of a named series; the name joins the order.
func (prep *preparation) style(name string) Style {
	if name == "" {
		return anonymous()
	}
	i, ok := prep.index[name]
	if !ok {
		i = len(prep.order)
		prep.index[name] = i
		prep.order = append(prep.order, name)
	}
	if i < prep.ordered {
		return stepStyle(i, prep.ordered)
	}
	return SeriesStyle(i)
}

// show notes how a series is drawn.
func (prep *preparation) show(name string, kinds int) {
	for i := range prep.shown {
		if prep.shown[i].name == name {
			prep.shown[i].kinds |= kinds
			return
		}
	}
	prep.shown = append(prep.shown, legendKey{name: name, style: prep.style(name), kinds: kinds})
}

// explain notes how a series is drawn and requests a legend entry.
func (prep *preparation) explain(name string, kinds int) {
	prep.show(name, kinds)
	if name != "" {
		prep.keys[name] |= kinds
	}
}

// lack notes that nothing can be drawn of a series, for a reason ("": not known).
func (prep *preparation) lack(name, reason string) {
	if reason == "" {
		return
	}
	for _, list := range []*[]absence{&prep.absent, &prep.undrawn} {
		i := slices.IndexFunc(*list, func(a absence) bool { return a.reason == reason })
		if i < 0 {
			i = len(*list)
			*list = append(*list, absence{reason: reason})
		}
		if !slices.Contains((*list)[i].names, name) {
			(*list)[i].names = append((*list)[i].names, name)
		}
	}
}

// reasons are the reasons of the panel being prepared, a line each, with the names if there are several.
func (prep *preparation) reasons() string {
	var lines []string
	for _, a := range prep.absent {
		line := a.reason
		if len(prep.absent) > 1 {
			line = strings.Join(a.names, ", ") + ": " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// footer is the text under a figure: its footnote and notes, and the values that the panels omit.
func (prep *preparation) footer(footnote string, notes []string) string {
	parts := []string{strings.TrimSpace(footnote)}
	for _, note := range slices.Concat(notes, prep.notes) {
		if note = strings.TrimSpace(note); note == "" {
			continue
		}
		if !strings.ContainsAny(note[len(note)-1:], ".!?") {
			note += "."
		}
		if !slices.Contains(parts, note) {
			parts = append(parts, note)
		}
	}
	var undrawn []string
	for _, a := range prep.undrawn {
		undrawn = append(undrawn, strings.Join(a.names, ", ")+" ("+a.reason+")")
	}
	if len(undrawn) > 0 {
		parts = append(parts, "Undefined: "+strings.Join(undrawn, "; ")+".")
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// errorf makes an error that names the panel.
func (prep *preparation) errorf(format string, args ...any) error {
	return fmt.Errorf("plots: %s: %s", prep.panel, fmt.Sprintf(format, args...))
}

// text checks strings that will be drawn.
func (prep *preparation) text(strs ...string) {
	for _, s := range strs {
		if missing := undrawable(s); len(missing) > 0 {
			w := fmt.Sprintf("the font has no glyph for %q in %q: boxes are drawn instead", string(missing), s)
			if !slices.Contains(prep.warnings, w) {
				prep.warnings = append(prep.warnings, w)
			}
		}
	}
}

// names checks that the names of a panel's series are different.
func (prep *preparation) names(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if name != "" && seen[name] {
			return prep.errorf("series %q appears twice", name)
		}
		seen[name] = true
		prep.text(name)
	}
	return nil
}

// note reports omitted values. undefined says whether NaN is mentioned (it is not if it shows as a gap or as "n/a").
func (prep *preparation) note(d dropped, undefined bool) {
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
	note := "P" + prep.panel[1:] + ": not shown: " + strings.Join(parts, ", ") + "."
	prep.notes = append(prep.notes, note)
	prep.warnings = append(prep.warnings, note)
}

// sameLength checks the lengths of a series' parts; nil slices are skipped where
// they are optional.
func (prep *preparation) sameLength(name string, n int, low, high []float64) error {
	if (low == nil) != (high == nil) {
		return prep.errorf("series %q: Low and High must both be given or both be nil", name)
	}
	if low != nil && (len(low) != n || len(high) != n) {
		return prep.errorf("series %q: %d values but %d low and %d high interval ends", name, n, len(low), len(high))
	}
	return nil
}
