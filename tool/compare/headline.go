// Which rows are shown where there are too many.

package compare

import (
	"slices"

	"repscope/report"
)

// mostPanels is the number of metrics in one figure: of a table with more rows, which nobody
// asked for by --metrics, the headline numbers of every analysis are shown.
const mostPanels = 24

// mostHeadlines is the most numbers that stand for one analysis.
const mostHeadlines = 4

// shown are the rows of the tables that people read.
func (r *Result) shown() []*Row {
	if r.all || len(r.Table) <= mostPanels {
		return r.Table
	}
	return r.headlines(mostHeadlines)
}

// headlines are at most limit rows of each analysis in each task, and the rows that options name, in the order of the
// table.
func (r *Result) headlines(limit int) []*Row {
	var out []*Row
	for _, rows := range r.byAnalysis() {
		paths := make([]string, len(rows))
		first := map[string]*Row{} // of each path
		exact := false             // a metric's own name, and not the end of another's
		for i, row := range rows {
			paths[i] = row.Metric
			if first[row.Metric] == nil {
				first[row.Metric] = row
			}
			exact = exact || row.headline && row.named
		}
		chosen := report.Headlines(paths, func(path string) bool {
			row := first[path]
			return row.headline && row.named == exact
		}, limit)
		for i, row := range rows {
			if row.asked || slices.Contains(chosen, i) {
				out = append(out, row)
			}
		}
	}
	return out
}

// A view is a table of some rows, and of the models that have a number in any of them.
type view struct {
	models []int // positions
	rows   []*Row
}

// views are the tables of rows: analyses and tasks are in one table where at least half of the models of the smaller
// one are the other's too; strict: more than half of the models of the larger one.
func views(rows []*Row, strict bool) []view {
	var out []view
	for _, group := range (&Result{Table: rows}).byAnalysis() {
		joined := view{rows: group}
		for _, row := range group {
			for x, cell := range row.Cells {
				if cell != nil && !slices.Contains(joined.models, x) {
					joined.models = append(joined.models, x)
				}
			}
		}
		var rest []view
		for _, v := range out {
			common := 0
			for _, x := range v.models {
				if slices.Contains(joined.models, x) {
					common++
				}
			}
			a, b := len(v.models), len(joined.models)
			if 2*common < min(a, b) || strict && 2*common <= max(a, b) {
				rest = append(rest, v)
				continue
			}
			joined.rows = append(v.rows, joined.rows...)
			for _, x := range v.models {
				if !slices.Contains(joined.models, x) {
					joined.models = append(joined.models, x)
				}
			}
		}
		out = append(rest, joined)
	}
	place := map[*Row]int{}
	for i, row := range rows {
		place[row] = i
	}
	for i := range out {
		slices.Sort(out[i].models)
		slices.SortFunc(out[i].rows, func(a, b *Row) int { return place[a] - place[b] })
	}
	slices.SortFunc(out, func(a, b view) int { return place[a.rows[0]] - place[b.rows[0]] })
	return out
}

// names are the names of the models of a view.
func (v view) names(r *Result) []string {
	out := make([]string, len(v.models))
	for i, x := range v.models {
		out[i] = r.Models[x]
	}
	return out
}

// cells are the cells of the models of a view.
func (v view) cells(row *Row) []*Cell {
	out := make([]*Cell, len(v.models))
	for i, x := range v.models {
		out[i] = row.Cells[x]
	}
	return out
}

// byAnalysis are the rows of each task and analysis.
func (r *Result) byAnalysis() [][]*Row {
	var out [][]*Row
	for _, row := range r.Table {
		i := slices.IndexFunc(out, func(of []*Row) bool { return of[0].Task == row.Task && of[0].Analysis == row.Analysis })
		if i < 0 {
			i = len(out)
			out = append(out, nil)
		}
		out[i] = append(out[i], row)
	}
	return out
}

// drawn are the rows of the figure: those shown that some model has a number of, the ones that
// rank models first where there are too many, and of every analysis one before a second of any.
func (r *Result) drawn() []*Row {
	rows := slices.DeleteFunc(slices.Clone(r.shown()), func(row *Row) bool {
		return !slices.ContainsFunc(row.Cells, func(c *Cell) bool { return c != nil && c.Value.Defined() })
	})
	if len(rows) <= mostPanels {
		return rows
	}
	turn := map[*Row]int{}
	for _, group := range (&Result{Table: rows}).byAnalysis() {
		slices.SortStableFunc(group, func(a, b *Row) int { return a.unranked() - b.unranked() })
		for i, row := range group {
			turn[row] = i
		}
	}
	chosen := slices.Clone(rows)
	slices.SortStableFunc(chosen, func(a, b *Row) int { return turn[a] - turn[b] })
	chosen = chosen[:mostPanels]
	return slices.DeleteFunc(rows, func(row *Row) bool { return !slices.Contains(chosen, row) })
}

// unranked is 1 for a row that ranks no models, else 0.
func (row *Row) unranked() int {
	if row.sense() == 0 || row.notCompared() != "" {
		return 1
	}
	return 0
}
