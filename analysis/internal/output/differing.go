// Which models differ, at a glance.

package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/internal/run"
	"repscope/report"
)

const (
	mostHeadlines = 4 // metrics in the table of differences
	fewPairs      = 3 // pairs of models that are named
)

// PrintDiffering writes a row for each headline metric to the console: how many pairs of models differ after
// correction, and which. A few comparisons have a row each. Nothing is written where nothing was compared.
func PrintDiffering(env *run.Env, comparisons []report.Comparison) error {
	rows := headlineRows(env.Result, comparisons)
	all := slices.Concat(rows...)
	switch {
	case len(all) == 0:
		return nil
	case !slices.ContainsFunc(all, func(c report.Comparison) bool { return c.P.Defined() }):
		env.Print("Differences are not tested: %s\n\n", all[0].P.Reason)
		return nil
	case len(all) <= mostHeadlines:
		table := Table(all)
		noteDecisions(table, comparisons)
		return env.Table(table)
	}
	table := report.NewTable("", "Metric", "Pairs that differ", "")
	family := ""
	for _, row := range rows {
		count, which := differing(row)
		table.Row(row[0].Metric, count, which)
		family = cmp.Or(family, row[0].Family)
	}
	table.Note("p < %g after Holm's correction over %s; all comparisons: %s_comparisons.csv",
		results.Level, familyWords(family), env.Command.Name)
	noteDecisions(table, comparisons)
	return env.Table(table)
}

// headlineRows are the comparisons of each headline metric; of the first metrics where none is one.
func headlineRows(r *report.Result, comparisons []report.Comparison) [][]report.Comparison {
	var paths []string
	var rows [][]report.Comparison
	for _, c := range comparisons {
		path := cmp.Or(c.Path, c.Metric)
		i := slices.Index(paths, path)
		if i < 0 {
			i = len(paths)
			paths, rows = append(paths, path), append(rows, nil)
		}
		rows[i] = append(rows[i], c)
	}
	var chosen [][]report.Comparison
	for _, i := range report.Headlines(paths, r.Headline, mostHeadlines) {
		chosen = append(chosen, rows[i])
	}
	return chosen
}

// differing counts the pairs of models that differ among the tested pairs, and names them or the others where these are
// few.
func differing(comparisons []report.Comparison) (count, which string) {
	var differ, same []string
	for _, c := range comparisons {
		switch pair := c.A + " – " + c.B; {
		case !c.PHolm.Defined():
		case c.PHolm.V < results.Level:
			differ = append(differ, pair)
		default:
			same = append(same, pair)
		}
	}
	switch {
	case len(same) > 0 && len(same) <= fewPairs && len(differ) > 0:
		which = "all but " + strings.Join(same, ", ")
	case len(differ) <= fewPairs:
		which = strings.Join(differ, ", ")
	}
	tested := len(differ) + len(same)
	count = fmt.Sprintf("%d of %d", len(differ), tested)
	if tested < len(comparisons) {
		count += fmt.Sprintf("; %d not tested", len(comparisons)-tested)
	}
	return count, which
}

// noteDecisions adds to a table how much all comparisons of a run with several families decide.
func noteDecisions(t *report.Table, comparisons []report.Comparison) {
	if d := results.Decisions(comparisons); d.Families > 1 {
		t.Note("All comparisons: %s", d.Words())
	}
}

// familyWords names the tests over which p values are corrected.
func familyWords(family string) string {
	if family == results.FamilyRun {
		return "all comparisons of this run"
	}
	return "the comparisons of each metric"
}
