// Labels: their names, and the samples of each.

package generation

import (
	"slices"
	"strconv"

	"repscope/report"
)

// labels are the names of labels.
type labels map[int]string

// name is that of a label: its number where it has none.
func (l labels) name(label int) string {
	if name, ok := l[label]; ok {
		return name
	}
	return strconv.Itoa(label)
}

// distinct are the labels that occur, ascending.
func distinct(lists ...[]int) []int {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// members are the indices of the samples of each of the labels, which are ascending;
// samples of others are left out.
func members(of []int, all []int) [][]int {
	out := make([][]int, len(of))
	for i, label := range all {
		if k, ok := slices.BinarySearch(of, label); ok {
			out[k] = append(out[k], i)
		}
	}
	return out
}

// SkippedLabel is a label that has too few samples, and why it is left out.
type SkippedLabel struct {
	Label  int
	Reason string
}

// byLabel is an object with a part for every label, under its name: those of rows, and
// {"skipped": true, "reason": …} for those that were left out.
func byLabel[T any](names labels, rows []T, label func(*T) int, part func(*T) *report.Object, left []SkippedLabel) report.Object {
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
	for _, s := range left {
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
