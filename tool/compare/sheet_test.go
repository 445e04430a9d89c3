// Tables for papers: what is marked, and that LaTeX fits the text.

package compare

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/report"
)

// sure is a row in which the models from the second on were found worse than the first, with
// intervals of six digits.
func sure(models int, metric string) *Row {
	row := &Row{Metric: metric, Direction: report.Lower, base: -1}
	for x := range models {
		v := 0.123456 + 0.1*float64(x)
		row.Cells = append(row.Cells, &Cell{Value: report.Number(v), CI: report.Between(v-0.00012345, v+0.00012345), Best: x == 0, of: &estimate{}})
	}
	return row
}

func named(models int, format string) *Result {
	r := &Result{Tasks: []string{""}}
	for x := range models {
		r.Models = append(r.Models, fmt.Sprintf(format, x))
	}
	for _, metric := range []string{"by_k[k=10].trustworthiness", "mse", "a_number.with_a_long_name[name=of_many_words/and_more].than_a_column_has"} {
		r.Table = append(r.Table, sure(models, metric))
	}
	return r
}

func written(t *testing.T, r *Result, name, orient string) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteTable(&b, name, orient); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// command are the parts of a cell that print nothing.
var command = regexp.MustCompile(`\\(scriptsize|raggedright|textbf|boldmath|allowbreak)\b ?|\\shortstack\[r\]|[{}]`)

// TestLaTeXFits: at every number of models the columns of every table fit into 345 points, by
// the widths of Computer Modern; no raw identifier is a label.
func TestLaTeXFits(t *testing.T) {
	t.Parallel()
	for _, models := range []int{1, 2, 4, 12, 40} {
		for _, format := range []string{"m%d", "encoder_decoder/epoch=%d-step=1000"} {
			for _, orient := range []string{OrientMetrics, OrientModels} {
				if orient == OrientModels && models == 40 {
					continue
				}
				text := written(t, named(models, format), "t.tex", orient)
				seen := 0
				for _, table := range strings.Split(text, `\begin{tabular}`)[1:] {
					spec, body, _ := strings.Cut(table, "\n")
					body, _, _ = strings.Cut(body, `\end{tabular}`)
					var widths []float64
					for line := range strings.Lines(body) {
						line, isRow := strings.CutSuffix(strings.TrimSpace(line), ` \\`)
						if !isRow {
							continue
						}
						for k, cell := range strings.Split(line, " & ") {
							scale := 1.0
							if strings.Contains(cell, "scriptsize") {
								scale = 0.7
							}
							width := 0.0
							for part := range strings.SplitSeq(cell, `\\`) { // the lines of a stack
								width = max(width, scale*textLength(strings.NewReplacer(`\_`, "_", `$\downarrow$`, "xx").Replace(command.ReplaceAllString(part, ""))))
							}
							if k == len(widths) {
								widths = append(widths, 0)
							}
							widths[k] = max(widths[k], width)
						}
					}
					total := 0.0
					for k, w := range widths {
						if k == 0 && strings.Contains(spec, "p{") {
							w = labelWidth
						}
						total += w + columnGap
					}
					seen += len(widths) - 1
					if total > textWidth+columnGap {
						t.Errorf("%d models, %s, by %s: a table of %.0f pt\n%s", models, format, orient, total, table)
					}
				}
				if want := map[string]int{OrientMetrics: models, OrientModels: 3}[orient]; seen != want {
					t.Errorf("%d models, by %s: %d columns, want %d", models, orient, seen, want)
				}
				if strings.Contains(text, `a\_number`) || strings.Contains(text, "by_k") || !strings.Contains(text, "Trustworthiness") {
					t.Errorf("raw labels:\n%s", text)
				}
			}
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	r := named(2, "m%d")
	for _, want := range []struct{ name, text string }{{"t.tex", `\textbf{0.12346}`}, {"t.tex", "% Bold: may be the best (95 % confidence set)"}, {"t.md", "**0.12346**"}, {"t.md", "Bold: may be the best"}} {
		if text := written(t, r, want.name, OrientMetrics); !strings.Contains(text, want.text) {
			t.Errorf("%s lacks %s:\n%s", want.name, want.text, text)
		}
	}
	for _, row := range r.Table {
		row.Cells[0].Best = false
	}
	for _, name := range []string{"t.tex", "t.md"} {
		if text := written(t, r, name, OrientMetrics); strings.Contains(text, "textbf") || strings.Contains(text, "**") || !strings.Contains(text, "Nothing is marked") {
			t.Errorf("%s marks a model:\n%s", name, text)
		}
	}
}

// TestHeadlineRows: of a long table every analysis is shown by its headline numbers.
func TestHeadlineRows(t *testing.T) {
	t.Parallel()
	r := &Result{Models: []string{"a", "b"}, Tasks: []string{""}}
	add := func(analysis string, n int, headline ...string) {
		for i := range n {
			row := sure(2, fmt.Sprintf("rows[k=%d].n%d", i, i%7))
			row.Analysis = analysis
			row.headline, row.named = slices.Contains(headline, report.Family(row.Metric)), true
			r.Table = append(r.Table, row)
		}
	}
	add("first", 3)
	if len(r.shown()) != 3 {
		t.Error("a short table is not whole")
	}
	add("second", 1500, "rows.n2", "rows.n5")
	add("third", 10)
	count := map[string]int{}
	for _, row := range r.shown() {
		count[row.Analysis]++
		if row.Analysis == "second" && !row.headline {
			t.Errorf("%s stands for the second", row.Metric)
		}
	}
	if count["first"] != 3 || count["second"] != 2 || count["third"] != mostHeadlines {
		t.Errorf("shown are %v", count)
	}
	for i := range 30 {
		add(fmt.Sprint("more", i), 2)
	}
	drawn := r.drawn()
	if len(drawn) != mostPanels || slices.ContainsFunc(drawn, func(row *Row) bool { return row.Analysis == "more0" }) == false {
		t.Errorf("%d panels", len(drawn))
	}
	r.all = true
	if len(r.shown()) != len(r.Table) {
		t.Error("what was asked for is not shown")
	}
}
