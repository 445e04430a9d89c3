// One row for each model, across all analyses of a dataset.

package page

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"repscope/internal/text"
	"repscope/report"
)

// Section is the result of one task.
type Section struct {
	Dataset, Analysis string
	Folder            string // of its files, from the study's
	File              string // the result file, of one that was found
	Result            *report.Result
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

// Checkpoint is a model of a training run.
type Checkpoint struct {
	Model  string  `json:"model"`
	Series string  `json:"series"` // the models with which it makes a curve
	Step   float64 `json:"step"`
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
	var estimates []map[string]report.Named
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
			t.Rows = append(t.Rows, slices.Repeat([]Cell{{Value: report.Undefined(notMeasured)}}, len(t.Columns)))
		}
		models, estimates, rows = append(models, m), append(estimates, estimatesOf(m)), append(rows, row)
	}
	for _, path := range paths {
		metric, _ := s.Result.MetricOf(path)
		t.Columns = append(t.Columns, Column{s.Analysis, path, metric.Unit, metric.Direction})
		for row := range t.Rows {
			t.Rows[row] = append(t.Rows[row], Cell{Value: report.Undefined(notMeasured)})
		}
		cells := make([]Cell, len(models))
		for i, m := range models {
			cells[i] = cellOf(m, path, estimates[i])
		}
		mark(cells, s.Result, path, metric.Direction)
		for i, row := range rows {
			t.Rows[row][len(t.Columns)-1] = cells[i]
		}
	}
	return nil
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

// notMeasured is the reason of a cell of which the analysis has no model.
const notMeasured = "not measured"

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

// stepName is the name of a checkpoint: a run, and a last part that ends with its number.
var stepName = regexp.MustCompile(`^(.*\S)/[^/0-9]*([0-9]+(?:\.[0-9]+)?)$`)

// Checkpoints finds training runs by the names of models: run/a/100 and run/a/200, or run/a/step_100.
func Checkpoints(models []string) []Checkpoint {
	var list []Checkpoint
	count := map[string]int{}
	for _, name := range models {
		m := stepName.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if step, err := strconv.ParseFloat(m[2], 64); err == nil {
			list = append(list, Checkpoint{name, m[1], step})
			count[m[1]]++
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
