// Names of labels, and what stands in the rows of labels.

package command

import (
	"slices"
	"strconv"

	"repscope/analysis/generation"
	"repscope/analysis/internal/output"
	"repscope/report"
)

// labels are the names of labels.
type labels map[int]string

// name is the name of a label: its number where it has none.
func (l labels) name(label int) string {
	if name, ok := l[label]; ok {
		return name
	}
	return strconv.Itoa(label)
}

// byLabel is an object with a part for every label, under its name: parts of rows, and
// {"skipped": true, "reason": …} for those that were left out.
func byLabel[T any](names labels, rows []T, label func(*T) int, part func(*T) *report.Object,
	skipped []generation.SkippedLabel) report.Object {
	type entry struct {
		label int
		part  report.Object
	}
	var entries []entry
	for i := range rows {
		o := part(&rows[i])
		o.Set("label", label(&rows[i]))
		entries = append(entries, entry{label(&rows[i]), *o})
	}
	for _, s := range skipped {
		o := skippedObject(s.Reason)
		o.Set("label", s.Label)
		entries = append(entries, entry{s.Label, o})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.label - b.label })
	var out report.Object
	for _, e := range entries {
		out.Set(names.name(e.label), e.part)
	}
	return out
}

// ends are the ends of an interval for CSV files; NaN, an empty cell, where there is none.
func ends(ci report.Interval) [2]float64 {
	low, high := output.Ends(ci)
	return [2]float64{low, high}
}

// skippedObject stands in the place of a metric that was not computed.
func skippedObject(reason string) report.Object {
	var o report.Object
	o.Set("skipped", true)
	o.Set("reason", reason)
	return o
}
