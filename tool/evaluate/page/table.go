// One row for each model, across all analyses of a dataset.

package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

// Section is the result of one task.
type Section struct {
	Dataset, Analysis string
	Folder            string // of its files, from the study's
	File              string // the result file, which may be compressed
	Result            *report.Result

	table *Table         // the numbers of the result below, as soon as they were needed
	from  *report.Result // of the table
}

// Name is the dataset and the analysis.
func (s *Section) Name() string {
	if s.Dataset == "" {
		return s.Analysis
	}
	return s.Dataset + "/" + s.Analysis
}

// Column is a number by which an analysis compares models.
type Column struct {
	Analysis, Path, Unit string
	Direction            report.Direction
	Headline             bool // it stands for the analysis
}

// Cell is a number of a model. Best says that the model is in the 95 % confidence set for the best and some model is
// not; BestP is the p value of no other model's being better, against all others at once, and undefined where nothing
// tests it.
type Cell struct {
	Value    report.Value
	Interval report.Interval
	Best     bool
	BestP    report.Value
}

// Table is the numbers of a dataset's models.
type Table struct {
	Dataset     string
	Columns     []Column
	Models      []string
	Rows        [][]Cell // by model and column
	Checkpoints []Checkpoint
	decisions   report.Decisions // of all results; together: of each result
}

// Checkpoint is a model of a training run.
type Checkpoint struct {
	Model  string  `json:"model"`
	Series string  `json:"series"` // the models with which it makes a curve
	Step   float64 `json:"step"`
}

// Tables puts sections into one table for each dataset, in their order.
func Tables(sections []Section) ([]Table, error) {
	var tables []Table
	for k := range sections {
		s := &sections[k]
		i := slices.IndexFunc(tables, func(t Table) bool { return t.Dataset == s.Dataset })
		if i < 0 {
			i = len(tables)
			tables = append(tables, Table{Dataset: s.Dataset})
		}
		numbers, err := s.numbers()
		if err != nil {
			return nil, err
		}
		tables[i].add(numbers)
	}
	return tables, nil
}

// add adds the columns of another table, and rows for models that have none.
func (t *Table) add(other *Table) {
	var rows []int
	for _, name := range other.Models {
		row := slices.Index(t.Models, name)
		if row < 0 {
			row = len(t.Models)
			t.Models, t.Rows = append(t.Models, name), append(t.Rows, unmeasured(len(t.Columns)))
		}
		rows = append(rows, row)
	}
	first := len(t.Columns)
	t.Columns = append(t.Columns, other.Columns...)
	for row := range t.Rows {
		t.Rows[row] = append(t.Rows[row], unmeasured(len(other.Columns))...)
	}
	for i, row := range rows {
		copy(t.Rows[row][first:], other.Rows[i])
	}
	d := other.decisions
	t.decisions.Families += d.Families
	t.decisions.Tests += d.Tests
	t.decisions.Decided += d.Decided
	t.decisions.Together += d.Together
}

// unmeasured are n cells of a model that an analysis does not have.
func unmeasured(n int) []Cell {
	return slices.Repeat([]Cell{{Value: report.Undefined(notMeasured)}}, n)
}

// numbers is the table of the section alone, which is computed once for a result and is not changed.
func (s *Section) numbers() (*Table, error) {
	if s.from == s.Result {
		return s.table, nil
	}
	t := &Table{Dataset: s.Dataset, Models: s.Result.Models.Keys(), decisions: decisionsOf(s.Result)}
	var models []report.Object
	var estimates []map[string]report.Named
	for _, name := range t.Models {
		m, err := s.Result.Model(name)
		if err != nil {
			return nil, err
		}
		models, estimates = append(models, m), append(estimates, estimatesOf(m))
	}
	t.Rows = make([][]Cell, len(models))
	tested := comparedOf(s.Result)
	for _, path := range columnsOf(s.Result) {
		metric, _ := s.Result.MetricOf(path)
		t.Columns = append(t.Columns, Column{s.Analysis, path, metric.Unit, metric.Direction, metric.Headline})
		cells := make([]Cell, len(models))
		for i, m := range models {
			cells[i] = cellOf(m, path, estimates[i])
		}
		mark(cells, s.Result, path, metric.Direction, tested[path])
		for row := range cells {
			t.Rows[row] = append(t.Rows[row], cells[row])
		}
	}
	s.table, s.from = t, s.Result
	return t, nil
}

// estimatesOf are the numbers of a model by their paths.
func estimatesOf(m report.Object) map[string]report.Named {
	all := map[string]report.Named{}
	for n := range m.Estimates() {
		all[n.Path] = n
	}
	return all
}

func cellOf(m report.Object, path string, estimates map[string]report.Named) Cell {
	if n, ok := estimates[path]; ok {
		return Cell{Value: n.Value, Interval: n.Interval}
	}
	if place, ok := m.Place(path); ok { // the same number by other members of its rows
		if n, ok := estimates[place]; ok {
			return Cell{Value: n.Value, Interval: n.Interval}
		}
	}
	if v, err := m.Number(path); err == nil {
		return Cell{Value: v}
	}
	if reason := Lacking(m); reason != "" {
		return Cell{Value: report.Undefined("%s: %s", notMeasured, reason)}
	}
	for i := range path { // a part of the model that was skipped as a whole
		if path[i] != '.' {
			continue
		}
		if v, err := m.Number(path[:i]); err == nil && !v.Defined() {
			return Cell{Value: v}
		}
	}
	return Cell{Value: report.Undefined(notMeasured)}
}

// Lacking is the reason for which a result has a model without numbers; empty of a model that was measured.
func Lacking(m report.Object) string {
	if skipped, _ := m.Get("skipped"); skipped != true {
		return ""
	}
	if reason, ok := m.Get("reason"); ok && reason != "" {
		return fmt.Sprint(reason)
	}
	return "no reason is recorded"
}

// columnsOf are the paths by which a result compares models, or those it describes where nothing is compared.
func columnsOf(r *report.Result) []string {
	var paths []string
	for _, c := range r.Comparisons {
		path := c.Path
		if path == "" {
			path = c.Metric
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		return paths
	}
	for _, name := range r.Models.Keys() {
		m, err := r.Model(name)
		if err != nil {
			continue
		}
		for n := range m.Estimates() {
			if _, ok := r.MetricOf(n.Path); ok && n.NotCompared == "" && !slices.Contains(paths, n.Path) {
				paths = append(paths, n.Path)
			}
		}
	}
	return paths
}

// notMeasured is the reason of a cell whose model the analysis does not have.
const notMeasured = "not measured"

// alpha is the level at which a comparison decides.
const alpha = 0.05

// mark marks the models that may be the best: see [stat.BestSet].
func mark(cells []Cell, r *report.Result, path string, direction report.Direction, tested compared) {
	if direction != report.Higher && direction != report.Lower {
		return
	}
	sense := 1.0
	if direction == report.Lower {
		sense = -1
	}
	p := bestP(r, path, direction, tested)
	in, decided := stat.BestSet(p, alpha, func(i, j int) bool {
		c, sign := tested.of(i, j)
		return c != nil && c.PHolm.Defined() && c.PHolm.V < alpha && sense*sign*c.Difference.Float() > 0
	})
	for i := range cells {
		cells[i].Best = decided && in[i] && cells[i].Value.Defined()
		cells[i].BestP = report.NumberOr(p[i], "no test holds it against another model")
	}
}

// compared are the comparisons of one number by the places of their models.
type compared map[[2]int]*report.Comparison

// comparedOf are the comparisons of a result by the path of the number.
func comparedOf(r *report.Result) map[string]compared {
	place := map[string]int{}
	for i, name := range r.Models.Keys() {
		place[name] = i
	}
	out := map[string]compared{}
	for k := range r.Comparisons {
		c := &r.Comparisons[k]
		path := cmp.Or(c.Path, c.Metric)
		a, ok := place[c.A]
		b, also := place[c.B]
		if !ok || !also {
			continue
		}
		if out[path] == nil {
			out[path] = compared{}
		}
		out[path][[2]int{a, b}] = c
	}
	return out
}

// of is the comparison of two models, with the sign of its difference as i − j.
func (p compared) of(i, j int) (c *report.Comparison, sign float64) {
	if c := p[[2]int{i, j}]; c != nil {
		return c, 1
	}
	return p[[2]int{j, i}], -1
}

// bestP are the p values of models' being the best: those that the result has of all of them at once, else those that
// its pairs bound.
func bestP(r *report.Result, path string, direction report.Direction, tested compared) []float64 {
	names := r.Models.Keys()
	if e := r.ExtremesOf(path); e != nil {
		out := make([]float64, len(names))
		for i, name := range names {
			p, ok := e.P(name, direction)
			if !ok {
				p = math.NaN()
			}
			out[i] = p
		}
		return out
	}
	e := stat.PairExtremes(len(names), func(i, j int) (difference, p float64) {
		c, sign := tested.of(i, j)
		if c == nil || !c.Difference.Defined() {
			return math.NaN(), math.NaN()
		}
		return sign * c.Difference.V, c.P.Float()
	})
	if direction == report.Lower {
		return e.Lowest
	}
	return e.Highest
}

// Checkpoints finds training runs by the names of models: run/a/100 and run/a/200, or run/a/step_100.
func Checkpoints(models []string) []Checkpoint {
	var list []Checkpoint
	count := map[string]int{}
	for _, name := range models {
		if series, step, ok := text.CutStep(name); ok {
			list = append(list, Checkpoint{name, series, step})
			count[series]++
		}
	}
	return Ordered(slices.DeleteFunc(list, func(c Checkpoint) bool { return count[c.Series] < 2 }))
}

// Ordered sorts checkpoints by their runs and steps.
func Ordered(list []Checkpoint) []Checkpoint {
	slices.SortStableFunc(list, func(a, b Checkpoint) int {
		if a.Series != b.Series {
			return text.CompareNatural(a.Series, b.Series)
		}
		switch {
		case a.Step < b.Step:
			return -1
		case a.Step > b.Step:
			return 1
		}
		return 0
	})
	return list
}
