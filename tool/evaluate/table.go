// One row for each model, across all analyses of a dataset.

package evaluate

import (
	"math"
	"path/filepath"
	"slices"

	"repscope/report"
)

// Section is the result of one task.
type Section struct {
	Dataset, Analysis string
	Folder            string // of its files, from the study's
	Result            *report.Result
}

// Column is a number by which an analysis compares models.
type Column struct {
	Analysis, Path, Unit string
	Direction            report.Direction
}

// Cell is a number of a model. Best says that no other model is better and some model is worse, as the comparisons decide.
type Cell struct {
	Value    report.Value
	Interval report.Interval
	Best     bool
}

// Table is the numbers of a dataset's models.
type Table struct {
	Dataset     string
	Columns     []Column
	Models      []string
	Rows        [][]Cell // by model and column
	Checkpoints []Checkpoint
}

// sections are the results that a study has in its folder, in the order of the tasks.
func (s *study) sections() ([]Section, error) {
	var list []Section
	for _, p := range s.tasks {
		if p.state != finished && p.state != unchanged {
			continue
		}
		result, err := report.Read(filepath.Join(s.folder, filepath.FromSlash(p.Name()), p.Analysis+".json"))
		if err != nil {
			return nil, err
		}
		list = append(list, Section{p.Dataset, p.Analysis, p.Name(), result})
	}
	return list, nil
}

// Tables puts sections into one table for each dataset, in their order.
func Tables(sections []Section) ([]Table, error) {
	var tables []Table
	for _, s := range sections {
		i := slices.IndexFunc(tables, func(t Table) bool { return t.Dataset == s.Dataset })
		if i < 0 {
			i = len(tables)
			tables = append(tables, Table{Dataset: s.Dataset})
		}
		if err := tables[i].add(&s); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// add adds the columns of a section, and rows for models that have none.
func (t *Table) add(s *Section) error {
	paths := columnsOf(s.Result)
	var models []report.Object
	var intervals []map[string]report.Interval // by model and path
	var rows []int
	for _, name := range s.Result.Models.Keys() {
		m, err := s.Result.Model(name)
		if err != nil {
			return err
		}
		row := slices.Index(t.Models, name)
		if row < 0 {
			row = len(t.Models)
			t.Models = append(t.Models, name)
			t.Rows = append(t.Rows, make([]Cell, len(t.Columns)))
		}
		models, rows, intervals = append(models, m), append(rows, row), append(intervals, intervalsOf(m))
	}
	for _, path := range paths {
		metric, _ := s.Result.MetricOf(path)
		t.Columns = append(t.Columns, Column{s.Analysis, path, metric.Unit, metric.Direction})
		for row := range t.Rows {
			t.Rows[row] = append(t.Rows[row], Cell{Value: report.Undefined("not measured")})
		}
		cells := make([]Cell, len(models))
		for i, m := range models {
			cells[i] = cellOf(m, path, intervals[i])
		}
		mark(cells, s.Result, path, metric.Direction)
		for i, row := range rows {
			t.Rows[row][len(t.Columns)-1] = cells[i]
		}
	}
	return nil
}

func cellOf(m report.Object, path string, intervals map[string]report.Interval) Cell {
	v, err := m.Number(path)
	if err != nil {
		return Cell{Value: report.Undefined(err.Error())}
	}
	return Cell{Value: v, Interval: intervals[path]}
}

// intervalsOf are the intervals of all numbers of a model, by their paths.
func intervalsOf(m report.Object) map[string]report.Interval {
	intervals := map[string]report.Interval{}
	for n := range m.Estimates() {
		intervals[n.Path] = n.Interval
	}
	return intervals
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

// alpha is the level at which a comparison decides.
const alpha = 0.05

// mark finds the best models: those to which the best number belongs or of which no comparison says that they are worse, if it
// says so of any model.
func mark(cells []Cell, r *report.Result, path string, direction report.Direction) {
	if direction != report.Higher && direction != report.Lower {
		return
	}
	better := func(a, b float64) bool {
		if direction == report.Lower {
			a, b = b, a
		}
		return a > b
	}
	top := -1
	for i, c := range cells {
		if v := c.Value; v.Defined() && !math.IsNaN(v.V) && (top < 0 || better(v.V, cells[top].Value.V)) {
			top = i
		}
	}
	if top < 0 {
		return
	}
	names := r.Models.Keys()
	worse := make([]bool, len(cells))
	decided := false
	for _, c := range r.Comparisons {
		if c.Path != path && (c.Path != "" || c.Metric != path) {
			continue
		}
		a, b := slices.Index(names, c.A), slices.Index(names, c.B)
		if a != top && b != top || a < 0 || b < 0 || !c.PHolm.Defined() || c.PHolm.V >= alpha {
			continue
		}
		worse[a+b-top] = true
		decided = true
	}
	for i := range cells {
		cells[i].Best = decided && !worse[i] && cells[i].Value.Defined()
	}
}
