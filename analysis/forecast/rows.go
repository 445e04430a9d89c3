// Scores in rows of lists, such as scores of thresholds.

package forecast

import (
	"strconv"
	"strings"

	"repscope/report"
)

// rowOf is the object of a row of a list, such as events[threshold=5], which is made at
// its first use.
func rowOf(o *report.Object, row string, list func(name string) (rows *[]any, paths *[]string)) *report.Object {
	name, rest, _ := strings.Cut(row, "[")
	rows, paths := list(name)
	for i, path := range *paths {
		if path == row {
			return (*rows)[i].(*report.Object)
		}
	}
	out := &report.Object{}
	for part := range strings.SplitSeq(strings.TrimSuffix(rest, "]"), ";") {
		key, value, _ := strings.Cut(part, "=")
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			out.SetParameter(key, v)
		} else {
			out.SetParameter(key, value)
		}
	}
	*rows, *paths = append(*rows, out), append(*paths, row)
	if len(*rows) == 1 {
		o.Set(name, nil) // its place
	}
	return out
}

// number is a number as text, with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
