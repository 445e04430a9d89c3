// The sections of a page: one for each result.

package page

import (
	"fmt"
	"html/template"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

// section is a result as the template has it.
type section struct {
	Id, Name        string
	Dataset, Folder string
	Summary         string
	Manual          []string
	Facts           string
	Warnings        []string
	Figures         []figure
	Left            string // parts that are not shown, and where they are
	Table           grid
	Decided         string
	Methods         string // the place of the methods on the page
	Provenance      provenance
}

// section shows the i-th result.
func (b *builder) section(i int) (section, error) {
	s := &b.Sections[i]
	v := section{Id: "s" + itoa(i), Name: s.Analysis, Dataset: s.Dataset, Folder: relative(s.Folder), Warnings: shownWarnings(s.Result)}
	for _, c := range b.Commands {
		if c.Name == s.Analysis {
			v.Summary, v.Manual = c.Summary, paragraphs(c.Manual)
		}
	}
	numbers, err := s.numbers()
	if err != nil {
		return v, err
	}
	table := *numbers
	t := &table
	for _, all := range b.Tables {
		if all.Dataset == s.Dataset {
			t.Checkpoints = all.Checkpoints
		}
	}
	v.Facts = facts(s.Result)
	shown := chosenColumns(t.Columns, b.limits.columns)
	v.Table = grid{Id: v.Id + "-t", Caption: s.Name() + ": the numbers by which models are compared"}
	if len(shown) > 0 {
		v.Table.fill(b, t, shown)
	}
	if v.Figures, err = b.figures(&v, t); err != nil {
		return v, err
	}
	v.Left = b.left(s, t, len(shown))
	v.Decided = decided(s, t)
	v.Provenance = b.provenance(s)
	return v, nil
}

// chosenColumns are as many columns as fit: the headlines first, then the others in their order.
func chosenColumns(columns []Column, limit int) []int {
	if len(columns) <= limit {
		all := make([]int, len(columns))
		for i := range all {
			all[i] = i
		}
		return all
	}
	chosen := headline(columns, limit)
	for i := range columns {
		if len(chosen) < limit && !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// left says what a section does not show.
func (b *builder) left(s *Section, t *Table, shown int) string {
	var parts []string
	if n := len(t.Columns) - shown; n > 0 {
		parts = append(parts, fmt.Sprintf("%s of these models", text.Count(n, "more number")))
	}
	if b.limits.panels == 0 {
		parts = append(parts, "the figures, which are left out for more than "+itoa(figuredModels)+" models")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not shown here: " + strings.Join(parts, ", and ") + "."
}

// paragraphs splits a manual; an indented paragraph keeps its lines.
func paragraphs(manual string) []string {
	var list []string
	for part := range strings.SplitSeq(strings.TrimSpace(manual), "\n\n") {
		list = append(list, part)
	}
	return list
}

// facts are a line about a result.
func facts(r *report.Result) string {
	parts := []string{text.Count(r.Models.Len(), "model")}
	for _, in := range r.Inputs {
		if in.Role == "frames" && in.States > 0 {
			parts = append(parts, text.Count(in.States, "state"))
			if in.Episodes > 0 {
				parts = append(parts, text.Count(in.Episodes, "episode"))
			}
		}
	}
	parts = append(parts, fmt.Sprintf("seed %d", r.Seed), "device "+r.Device)
	return strings.Join(parts, " · ")
}

// decided says what the comparisons of a result decide.
func decided(s *Section, t *Table) string {
	r := s.Result
	if len(r.Comparisons) == 0 {
		return "Models were not compared: none is marked as the best."
	}
	d := decisionsOf(r)
	if d.Tests == 0 {
		return fmt.Sprintf("%s of models, none with a p value (%s): no model is marked as the best.",
			text.Count(len(r.Comparisons), "comparison"), r.Comparisons[0].P.Reason)
	}
	marked := 0
	for c := range t.Columns {
		if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[c].Best }) {
			marked++
		}
	}
	marks := "no model is excluded from the 95 % confidence set for the best of any number: none is marked"
	if marked > 0 {
		marks = fmt.Sprintf("in %d of %s some model is excluded from the 95 %% confidence set for the best",
			marked, text.Count(len(t.Columns), "number"))
	}
	table := r.Analysis + "_comparisons.csv"
	if gunzip.Name(s.File) != s.File { // large tables are left out
		table = filepath.Base(s.File)
	}
	return fmt.Sprintf("Comparisons of models: %s (p < 0.05 after Holm's correction; %s); %s.", d.Words(), table, marks)
}

// decisionsOf are the numbers of families, tests and decisions of a result.
func decisionsOf(r *report.Result) report.Decisions {
	families := map[string][]float64{}
	decided := 0
	for _, c := range r.Comparisons {
		families[c.Family] = append(families[c.Family], c.P.Float())
		if c.PHolm.Defined() && c.PHolm.V < alpha {
			decided++
		}
	}
	d := report.Decisions(stat.CountDecisions(slices.Collect(maps.Values(families)), alpha))
	d.Decided = decided
	return d
}

func (b *builder) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(b.view.Notices, text) {
		b.view.Notices = append(b.view.Notices, text)
	}
}

// besideNames names the files next to the page.
func (b *builder) besideNames() string {
	if len(b.Beside) == 0 {
		return "the result files"
	}
	return strings.Join(b.Beside, " and ")
}

// figure is one figure of a section.
type figure struct {
	Title, Note string
	SVG         template.HTML
	Keys        []entry // of curves
	Many        bool    // curves
}
