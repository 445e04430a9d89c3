// The screen of several analyses.

package compare

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"repscope/report"
)

// Several analyses are one screen: two numbers of each without intervals, in at most 100 columns; models without room are
// counted. What was asked for is not cut.
func TestSummary(t *testing.T) {
	t.Parallel()
	r := named(12, "a_model_with_a_long_name_%d")
	for i := range 5 {
		for _, metric := range []string{"first", "second", "third"} {
			row := sure(12, metric)
			row.Analysis, row.headline = fmt.Sprint("analysis", i), true
			r.Table = append(r.Table, row)
		}
	}
	r.Table = r.Table[3:]
	text := func() string {
		var b strings.Builder
		for _, table := range r.Console(false) {
			if err := table.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	screen := text()
	for line := range strings.Lines(screen) {
		if utf8.RuneCountInString(line) > summaryWidth+1 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	for want, n := range map[string]int{"first": 5, "second": 5, "third": 0, "[": 0, "0.12346*": 10, "more models and 5 more rows": 1} {
		if got := strings.Count(screen, want); got != n {
			t.Errorf("%q stands %d times, want %d:\n%s", want, got, n, screen)
		}
	}
	if r.all = true; strings.Count(text(), "third") == 0 {
		t.Error("what was asked for is cut")
	}
}

// Tables of a summary are shared by analyses of the same models only.
func TestStrictViews(t *testing.T) {
	t.Parallel()
	row := func(analysis string, models ...int) *Row {
		row := &Row{Analysis: analysis, Metric: "m", Cells: make([]*Cell, 6)}
		for _, x := range models {
			row.Cells[x] = &Cell{Value: report.Number(1), of: &estimate{}}
		}
		return row
	}
	rows := []*Row{row("a", 0, 1, 2, 3), row("b", 0, 1, 4, 5), row("c", 0, 1, 2, 3)}
	if got := len(views(rows, false)); got != 1 {
		t.Errorf("%d tables, want 1", got)
	}
	if got := len(views(rows, true)); got != 2 {
		t.Errorf("%d strict tables, want 2", got)
	}
}
