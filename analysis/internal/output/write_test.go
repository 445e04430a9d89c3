// Which comparisons the console shows.

package output

import (
	"fmt"
	"slices"
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
	}{{14, 91, ""}, {15, 14, "91 comparisons of other models: generation_comparisons.csv"}} {
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

// At a glance the console counts the pairs that differ, and names few of them or few others.
func TestDiffering(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		same         []string // pairs that do not differ
		count, which string
	}{
		{nil, "6 of 6", ""},
		{[]string{"a – b"}, "5 of 6", "all but a – b"},
		{[]string{"a – b", "a – c", "a – d", "b – c"}, "2 of 6", "b – d, c – d"},
		{[]string{"a – b", "a – c", "a – d", "b – c", "b – d", "c – d"}, "0 of 6", ""},
	} {
		var all []report.Comparison
		for j, b := range names {
			for _, a := range names[:j] {
				p := 0.01
				if slices.Contains(c.same, a+" – "+b) {
					p = 0.05
				}
				all = append(all, report.Comparison{Metric: "m", A: a, B: b, PHolm: report.Number(p)})
			}
		}
		if count, which := differing(all); count != c.count || which != c.which {
			t.Errorf("not different %v: %q %q, want %q %q", c.same, count, which, c.count, c.which)
		}
	}
}

// Headline metrics stand for the others: of one with a parameter the row in the middle.
func TestHeadlineRows(t *testing.T) {
	t.Parallel()
	r := report.NewResult("neighborhood")
	r.Describe(report.Described{Name: "by_k.trustworthiness", Better: report.Higher, Headline: true}, report.Described{Name: "ties", Better: report.Neither})
	var all []report.Comparison
	for _, path := range []string{"by_k[k=5].trustworthiness", "by_k[k=10].trustworthiness", "by_k[k=20].trustworthiness", "ties"} {
		all = append(all, report.Comparison{Metric: path, Path: path, A: "a", B: "b"}, report.Comparison{Metric: path, Path: path, A: "a", B: "c"})
	}
	rows := headlineRows(r, all)
	if len(rows) != 1 || len(rows[0]) != 2 || rows[0][0].Path != "by_k[k=10].trustworthiness" {
		t.Errorf("headline rows: %v", rows)
	}
}

// Pairs without a p value, as those of a collapsed model, neither differ nor agree.
func TestDiffering_Untested(t *testing.T) {
	t.Parallel()
	pair := func(a, b string, p report.Value) report.Comparison { return report.Comparison{A: a, B: b, PHolm: p} }
	low, high, none := report.Number(0.01), report.Number(0.5), report.Undefined("b is collapsed")
	for _, c := range []struct {
		comparisons  []report.Comparison
		count, which string
	}{
		{[]report.Comparison{pair("a", "b", none), pair("a", "c", low), pair("b", "c", none)}, "1 of 1; 2 not tested", "a – c"},
		{[]report.Comparison{pair("a", "b", none), pair("a", "c", high), pair("b", "c", none)}, "0 of 1; 2 not tested", ""},
	} {
		if count, which := differing(c.comparisons); count != c.count || which != c.which {
			t.Errorf("got %q and %q, want %q and %q", count, which, c.count, c.which)
		}
	}
}
