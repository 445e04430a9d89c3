// Which comparisons the console shows.

package output

import (
	"fmt"
	"strings"
	"testing"

	"repscope/report"
)

// Of very many comparisons those with the first model are shown, and where the others are.
func TestPrinted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		models, rows int
		note         string
	}{{14, 91, ""}, {15, 14, "91 comparisons of other models in generation_comparisons.csv"}} {
		var all []report.Comparison
		for i := range c.models {
			for j := range i {
				all = append(all, report.Comparison{Metric: "iou", A: fmt.Sprint("m", j), B: fmt.Sprint("m", i), P: report.Number(0.5)})
			}
		}
		var b strings.Builder
		if err := printed(all, "generation").Write(&b); err != nil {
			t.Fatal(err)
		}
		if rows := strings.Count(b.String(), "iou"); rows != c.rows || !strings.Contains(b.String(), c.note) || strings.Contains(b.String(), "of other models") != (c.note != "") {
			t.Errorf("%d models: %d rows, want %d and %q:\n%s", c.models, rows, c.rows, c.note, b.String())
		}
	}
}

// A reason for want of p values is said once, and nothing of p values that are not there.
func TestTableWithoutTests(t *testing.T) {
	t.Parallel()
	row := report.Comparison{
		Metric: "m", Family: "m", A: "a", B: "b", Difference: report.Number(1), CI: report.Between(0, 2),
		P: report.Undefined("5 episodes are too few"), PHolm: report.Undefined("5 episodes are too few"),
	}
	written := func(comparisons ...report.Comparison) string {
		var b strings.Builder
		if err := Table(comparisons).Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := written(row, row)
	if strings.Count(text, "5 episodes are too few") != 1 || strings.Contains(text, "two-sided") {
		t.Errorf("no p values:\n%s", text)
	}
	row.P, row.PHolm = report.Number(0.01), report.Number(0.02)
	if text = written(row); !strings.Contains(text, "two-sided") {
		t.Errorf("a p value:\n%s", text)
	}
}
