// Which comparisons the console shows.

package results

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
