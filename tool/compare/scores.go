// Tables of scores as people and other programs keep them: long ones, with a row for each score, and
// wide ones, with a column for each metric or each model.

package compare

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/filename"
	"repscope/internal/gunzip"
	"repscope/internal/run"
	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/report"
	"repscope/tool/compare/tracker"
)

// Tables say how tables of scores are read; the zero value goes by the names of their columns.
type Tables struct {
	Columns []string // ROLE=NAME: what the column NAME holds; see [Roles]
	Wide    string   // what the columns of numbers of a wide table are: [WideModels] or [WideMetrics]

	records bool // the file has rows alone, and no line of names
	rows    bool // each row is a run, whether a column names it or not
}

// What the columns of a wide table are.
const (
	WideModels  = "models"
	WideMetrics = "metrics"
)

// The roles of columns.
const (
	roleModel  = "model"
	roleTask   = "task"
	roleRun    = "run"
	roleMetric = "metric"
	roleScore  = "score"
	roleSkip   = "skip" // passed over
)

// Roles lists what a column of a table of scores can hold.
func Roles() []string { return []string{roleModel, roleTask, roleRun, roleMetric, roleScore, roleSkip} }

// roleColumns are the names by which columns have roles.
var roleColumns = []tabular.Column{
	{Name: roleModel, Found: []string{"method", "algorithm", "agent"}, Optional: true},
	{Name: roleTask, Found: []string{"dataset", "env", "environment", "game", "benchmark"}, Optional: true},
	{Name: roleRun, Found: []string{"seed", "trial", "repeat"}, Optional: true},
	{Name: roleMetric, Optional: true},
	{Name: roleScore, Found: []string{"value"}, Optional: true},
}

// most is how many tasks a table may have, and how many runs a model of one task.
const most = 1 << 14

// check finds wrong usage.
func (t Tables) check() error {
	named := map[string]string{}
	for _, spec := range t.Columns {
		role, name, ok := run.CutName(spec)
		switch {
		case !ok || role == "" || name == "":
			return fmt.Errorf("%q: want ROLE=NAME, with one of the roles %s", spec, strings.Join(Roles(), ", "))
		case !slices.Contains(Roles(), role):
			return fmt.Errorf("%q: there is no role %q, want one of %s", spec, role, strings.Join(Roles(), ", "))
		case named[role] != "" && role != roleTask && role != roleRun && role != roleSkip:
			return fmt.Errorf("the columns %s and %s both hold the %s; want one", named[role], name, role)
		case role == roleScore && t.Wide != "":
			return errors.New("a wide table has no column of scores; leave out score=" + name)
		}
		named[role] = name
	}
	return nil
}

// scoreTable reads one table of scores.
type scoreTable struct {
	path     string
	names    []string
	roles    []string // of the columns; empty: numbers of a wide table
	keys     [4][]int // places of the model, tasks, runs and metric, in the order of --columns
	given    Tables
	decimals tabular.Decimals
	columns  string // what columns of numbers are: [WideModels], [WideMetrics]
	counts   []int  // columns that number the rows
	first    []int  // the number of the first row in each of them
	model    string // of all rows, where no column says it
	rows     *csv.Reader

	tasks  map[string]*taskScores
	order  []string // of the tasks
	record map[string]int
	cells  int   // of scores
	blank  int   // of them without a number
	lines  []int // of the first of these
}

// taskScores are the scores of one task.
type taskScores struct {
	models, metrics []string
	scores          map[[2]string]*runScores // by model and metric
}

// runScores are the scores of one metric of one model.
type runScores struct {
	runs   []string
	lines  map[string]int
	values []report.Value
	empty  int // cells with nothing in them
}

// readTable reads a table of scores per sample, or one of scores of runs.
func readTable(path string, data []byte, tables Tables) ([]*File, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return readSampleFile(path, data) // that it is empty
	}
	plain := len(tables.Columns) == 0 && tables.Wide == ""
	if plain && report.IsSamples(path, data) {
		return readSampleFile(path, data)
	}
	t := &scoreTable{path: path, given: tables, tasks: map[string]*taskScores{}, record: map[string]int{}}
	var err error
	if t.rows, t.names, err = tabular.Open(path, bytes.NewReader(data), tabular.Options{}); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
		if errors.Is(err, tabular.ErrName) {
			err = text.WithHint(err, headHint(data))
		}
		return nil, err
	}
	if plain && slices.Contains(t.names, "sample") {
		return readSampleFile(path, data)
	}
	switch {
	case t.given.rows:
	case tracker.IsProject(t.names):
		return readProject(t, tracker.ProjectName, tracker.ReadProject)
	case tracker.IsSummaries(t.names):
		return readProject(t, tracker.SummaryName, tracker.ReadSummaries)
	}
	if what, hint := exportHint(t.names); what != "" && plain {
		return nil, text.WithHint(fmt.Errorf("%s: the table is %s", path, what), hint)
	}
	logged := tracker.IsChart(t.names)
	switch {
	case logged:
		data, err = tracker.Chart(t.rows, t.names)
	case tracker.IsHistoryTable(t.names):
		logged = true
		data, err = tracker.HistoryTable(t.rows, t.names, t.stem())
	}
	if logged {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files, err := readTable(path, data, tables)
		return files, noteLast(path, files, err)
	}
	t.searched()
	t.decimals.Comma = t.rows.Comma == ';'
	if err := t.head(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for n := 0; ; n++ {
		record, err := t.rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, tabular.Error(err))
		}
		if err := t.row(n, record); err != nil {
			return nil, err
		}
	}
	if len(t.order) == 0 {
		return nil, fmt.Errorf("%s: there are no rows", path)
	}
	return t.files()
}

// noteLast says of scores that a tracker logged by step which of them count.
func noteLast(path string, files []*File, err error) error {
	for _, f := range files {
		f.notes = append(f.notes, path+": scores are the values at the last step of each run; for curves give --losses")
	}
	return err
}

// projectReader reads the runs of a project from rows with these names, and keeps the columns that are asked for.
type projectReader func(rows *csv.Reader, names, asked []string) (*tracker.Project, error)

// readProject reads the runs of a project of Weights & Biases: several runs of a name are runs of one model.
func readProject(t *scoreTable, column string, read projectReader) ([]*File, error) {
	var asked []string
	model := false
	for _, spec := range t.given.Columns {
		role, name, _ := run.CutName(spec)
		asked = append(asked, name)
		model = model || role == roleModel
	}
	tables := t.given
	if !model {
		asked = append(asked, column)
		tables.Columns = append(slices.Clone(tables.Columns), roleModel+"="+column)
	}
	p, err := read(t.rows, t.names, asked)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.path, err)
	}
	tables.rows = true
	files, err := readTable(t.path, p.Text, tables)
	if err != nil || len(files) == 0 {
		return files, err
	}
	if len(p.Config) > 0 {
		files[0].notes = append(files[0].notes, fmt.Sprintf("%s: its configuration is no score: %s; name a column "+
			"that is with --columns, such as --columns model=%s", t.path, text.Few(p.Config, 5), p.Config[0]))
	}
	if p.Unfinished > 0 {
		files[0].lacks = append(files[0].lacks, fmt.Sprintf("%s: %d of %s are not finished: their scores are of the "+
			"last step so far; leave them out of the export", t.path, p.Unfinished, text.Count(p.Runs, "run")))
	}
	return files, nil
}

// searched names the columns of a table of runs of MLflow: metrics without what their names begin with, the name of the
// run as the model, and the rest, which is no score, to be skipped unless --columns names it.
func (t *scoreTable) searched() {
	if !tracker.IsSearch(t.names) {
		return
	}
	named := map[string]bool{}
	model := false
	for _, spec := range t.given.Columns {
		role, name, _ := run.CutName(spec)
		named[name] = true
		model = model || role == roleModel
	}
	options := t.given
	options.Columns = slices.Clone(options.Columns)
	for i, name := range t.names {
		metric, isMetric := strings.CutPrefix(name, tracker.Metrics)
		switch {
		case named[name]:
		case isMetric && !slices.Contains(t.names, metric):
			t.names[i] = metric
		case isMetric:
		case name == tracker.RunName && !model:
			options.Columns = append(options.Columns, roleModel+"="+name)
		case name == tracker.RunID && !model && !slices.Contains(t.names, tracker.RunName):
			options.Columns = append(options.Columns, roleModel+"="+name)
		default:
			options.Columns = append(options.Columns, roleSkip+"="+name)
		}
	}
	t.given = options
}

// head gives every column a role.
func (t *scoreTable) head() error {
	t.roles = make([]string, len(t.names))
	others := slices.Clone(t.names)
	for _, spec := range t.given.Columns {
		role, name, _ := run.CutName(spec)
		k := slices.Index(t.names, name)
		switch {
		case k < 0:
			return fmt.Errorf("--columns %s: %w", spec, tabular.Missing(name, t.names))
		case t.roles[k] != "":
			return fmt.Errorf("--columns: the column %s has two roles, %s and %s", name, t.roles[k], role)
		}
		t.roles[k], others[k] = role, ""
		t.key(k)
	}
	for _, c := range roleColumns {
		if t.place(c.Name) >= 0 || c.Name == roleScore && t.given.Wide != "" {
			continue
		}
		matches, err := tabular.Find(others, c)
		if err != nil {
			return run.Hint(err, fmt.Sprintf("say which: --columns %s=NAME, and what the other holds: %s", c.Name, roleHint("OTHER")))
		}
		if matches[0] >= 0 {
			t.roles[matches[0]] = c.Name
			if c.Name == roleScore {
				t.names[matches[0]] = strings.ToLower(t.names[matches[0]]) // it may name a metric
			}
			t.key(matches[0])
		}
	}
	for i, name := range t.names {
		if t.roles[i] == "" && (i == 0 && name == "" || slices.Contains(indexNames, strings.ToLower(name))) {
			t.roles[i] = roleSkip
			t.counts, t.first = append(t.counts, i), append(t.first, 0)
		}
	}
	return t.kind()
}

// indexNames are names of columns that number the rows, in lower case.
var indexNames = []string{"index", "unnamed: 0", "rownames", "row", "id", "#"}

// counted checks that the columns that number the rows do so, from 0 or 1; n is the number of the row from 0.
func (t *scoreTable) counted(n int, record []string) error {
	for k, i := range t.counts {
		cell := strings.TrimSpace(record[i])
		if n == 0 && cell == "1" {
			t.first[k] = 1
		}
		if cell == strconv.Itoa(n+t.first[k]) {
			continue
		}
		if t.names[i] == "" {
			return run.Hint(fmt.Errorf("the first column has no name and does not number the rows: it holds %q",
				record[i]),
				"name it in the first line: model, task or run")
		}
		return run.Hint(fmt.Errorf("the column %s is no metric and does not number the rows: it holds %q", t.names[i],
			record[i]),
			"say what it holds: "+roleHint(t.names[i]))
	}
	return nil
}

// key enters a column that tells scores apart.
func (t *scoreTable) key(k int) {
	if at := slices.Index([]string{roleModel, roleTask, roleRun, roleMetric}, t.roles[k]); at >= 0 {
		t.keys[at] = append(t.keys[at], k)
	}
}

// place is the index of the first column with a role; −1 if there is none.
func (t *scoreTable) place(role string) int { return slices.Index(t.roles, role) }

// free are the names of the columns without a role.
func (t *scoreTable) free() []string {
	var names []string
	for i, name := range t.names {
		if t.roles[i] == "" {
			names = append(names, name)
		}
	}
	return names
}

func roleHint(name string) string {
	return fmt.Sprintf("--columns task=%s, run=%s or skip=%s", name, name, name)
}

// kind finds out whether the table is long or wide, and what its columns are.
func (t *scoreTable) kind() error {
	model, metric, score := t.place(roleModel) >= 0, t.place(roleMetric) >= 0, t.place(roleScore)
	free := t.free()
	list := strings.Join(t.names, ", ")
	switch {
	case metric && score >= 0 && len(free) > 0:
		return run.Hint(fmt.Errorf("a table of one score in each row has the column %s too, which nothing says the use of (the columns are %s)", free[0], list),
			"say what it holds: "+roleHint(free[0]))
	case metric && score < 0 && model:
		return run.Hint(fmt.Errorf("there is a column of metrics and none of scores; the columns are %s, want model, metric, score", list),
			"name it: --columns score=NAME")
	case metric && score < 0 && t.given.Wide == WideMetrics, metric && t.given.Wide != "" && model:
		return fmt.Errorf("--wide %s: the column %s names the metrics already", t.given.Wide, t.names[t.place(roleMetric)])
	case model && t.given.Wide == WideModels:
		return fmt.Errorf("--wide models: the column %s names the models already", t.names[t.place(roleModel)])
	case metric && score < 0:
		t.columns = WideModels
	case model || score >= 0 && (len(free) == 0 || metric):
		t.columns = WideMetrics
	case t.given.Wide != "":
		t.columns = t.given.Wide
	case len(free) < 2 || t.place(roleTask) < 0 && t.place(roleRun) < 0 || score >= 0 || slices.ContainsFunc(free, isMetric):
		return run.Hint(fmt.Errorf("there is no column model, and the columns of numbers may be models or metrics; the columns are %s", list),
			"say which: --wide models or --wide metrics (of one model, called "+t.stem()+"), or name the column of models: --columns model=NAME")
	default:
		t.columns = WideModels
	}
	if !metric && score >= 0 {
		t.roles[score] = "" // a metric of its name
	}
	if !model {
		t.model = t.stem()
	}
	if t.place("") < 0 && t.place(roleScore) < 0 {
		return run.Hint(fmt.Errorf("there is no column of scores; the columns are %s", list), "want model, task, run, score, or a column for each metric")
	}
	return nil
}

func (t *scoreTable) stem() string { return filename.Stem(gunzip.Name(t.path)) }

// isMetric reports whether a name is one of a metric that is known.
func isMetric(name string) bool {
	_, ok := WellKnown(name)
	return ok
}

// row enters a row, the n-th from 0.
func (t *scoreTable) row(n int, record []string) error {
	line, _ := t.rows.FieldPos(0)
	if t.given.records {
		line--
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %w", t.path, line, fmt.Errorf(format, args...))
	}
	if err := t.counted(n, record); err != nil {
		return fail("%w", err)
	}
	var key [4]string // model, task, run, metric
	for index, places := range t.keys {
		var cells []string
		for _, i := range places {
			cell := strings.TrimSpace(record[i])
			if cell == "" {
				return fail("the cell of the column %s is empty, want the %s", t.names[i], t.roles[i])
			}
			cells = append(cells, cell)
		}
		key[index] = strings.Clone(strings.Join(cells, "/"))
	}
	key[0] = cmp.Or(key[0], t.model)
	if t.place(roleRun) < 0 {
		whole := strings.Join(record, "\x00")
		if first, twice := t.record[whole]; twice {
			return run.Hint(fail("the row repeats line %d", first), "leave it out, or number the runs in a column run")
		}
		t.record[whole] = line
	}
	task := t.tasks[key[1]]
	if task == nil {
		if len(t.order) == most {
			return fail("there are more than %d tasks", most)
		}
		task = &taskScores{scores: map[[2]string]*runScores{}}
		t.tasks[key[1]], t.order = task, append(t.order, key[1])
	}
	for i, role := range t.roles {
		if role != "" && role != roleScore {
			continue
		}
		model, metric := key[0], cmp.Or(key[3], roleScore)
		switch {
		case role == roleScore:
		case t.columns == WideModels:
			model = t.names[i]
		default:
			metric = t.names[i]
		}
		value, empty, err := t.score(line, record[i])
		if errors.Is(err, tabular.ErrDecimals) {
			return text.WithHint(fail("the column %s: %w", t.names[i], err), "write numbers without separators of thousands")
		}
		if err != nil {
			return text.WithHint(fail("the column %s holds %q, want a number", t.names[i], record[i]),
				cellHint(record[i], t.names[i]))
		}
		t.cells++
		if !value.Defined() {
			if t.blank++; len(t.lines) < mostExamples && !slices.Contains(t.lines, line) {
				t.lines = append(t.lines, line)
			}
		}
		if err := task.enter(model, metric, key[2], line, value, empty); err != nil {
			return run.Hint(fail("%w", err), t.repeatHint())
		}
	}
	return nil
}

// repeatHint says what to do about a score that is there twice, or too often.
func (t *scoreTable) repeatHint() string {
	if t.place(roleRun) < 0 {
		return "scores of single samples want the columns model, sample, group"
	}
	return "is a column that tells the rows apart a task? say --columns task=NAME (several are joined)"
}

// score reads a cell: a number, or why it is none.
func (t *scoreTable) score(line int, cell string) (v report.Value, empty bool, err error) {
	cell = strings.TrimSpace(cell)
	switch strings.ToLower(cell) {
	case "":
		return report.Undefined("line %d has an empty cell", line), true, nil
	case "na", "n/a", "none", "null", "<na>":
		return report.Undefined("line %d has %s", line, cell), false, nil
	}
	f, err := t.decimals.Score(cell)
	if errors.Is(err, tabular.ErrDecimals) {
		return v, false, err
	}
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return v, false, err
	}
	return report.NumberOr(f, fmt.Sprintf("line %d has %s", line, cell)), false, nil
}

// enter adds a score; without a name of its own a run has its number.
func (s *taskScores) enter(model, metric, run string, line int, v report.Value, empty bool) error {
	key := [2]string{model, metric}
	scores := s.scores[key]
	if scores == nil {
		scores = &runScores{lines: map[string]int{}}
		s.scores[key] = scores
		if !slices.Contains(s.models, model) {
			s.models = append(s.models, model)
		}
		if !slices.Contains(s.metrics, metric) {
			s.metrics = append(s.metrics, metric)
		}
	}
	if run == "" {
		run = strconv.Itoa(len(scores.runs) + 1)
	}
	if first, twice := scores.lines[run]; twice {
		return fmt.Errorf("%s of %s%s is in line %d already", metric, model, atRun(run), first)
	}
	if len(scores.runs) == most {
		return fmt.Errorf("%s has more than %d rows of the metric %s, and each row would be a run", model, most, metric)
	}
	if empty {
		scores.empty++
	}
	scores.runs, scores.values, scores.lines[run] = append(scores.runs, run), append(scores.values, v), line
	return nil
}

// files makes a file of each task.
func (t *scoreTable) files() ([]*File, error) {
	var files []*File
	numbered := t.place(roleRun) < 0
	noSpread, noInterval := report.Undefined("no spread was computed"), report.NoInterval("one run has no interval")
	for _, name := range t.order {
		task := t.tasks[name]
		f := &File{Path: t.path, Task: name, Layout: layoutTable, inside: t.place(roleTask) >= 0, described: true,
			notes: t.notes()}
		for _, model := range task.models {
			runs := map[string]*FileModel{}
			for _, metric := range task.metrics {
				scores := task.scores[[2]string{model, metric}]
				if scores == nil || scores.empty == len(scores.values) {
					continue // it was not measured
				}
				if numbered && !t.given.rows && len(scores.runs) > 1 && t.columns == WideMetrics && len(t.free()) > 1 {
					return nil, run.Hint(fmt.Errorf("%s:%d: %s%s has a second row, and no column names the run; the columns are %s", t.path,
						scores.lines["2"], model, inTask(name), strings.Join(t.names,
							", ")), "name the column that tells the rows apart: --columns run=NAME, or task=NAME")
				}
				for i, run := range scores.runs {
					m := runs[run]
					if m == nil {
						m = f.add(model, nil)
						m.Run, m.settled, runs[run] = run, true, m
						if numbered && len(scores.runs) == 1 {
							m.Run = ""
						}
					}
					m.Numbers = append(m.Numbers, report.Named{Path: metric, Value: scores.values[i],
						SD: noSpread, Interval: noInterval})
				}
			}
		}
		for _, m := range f.Models {
			m.index()
		}
		if len(f.Models) > 0 {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: every cell of a score is empty", t.path)
	}
	files[0].lacks = t.lacks()
	return files, nil
}

// mostExamples is how many missing scores a message names.
const mostExamples = 3

// lacks says how many scores are missing: cells without a number, and models without any row in a task.
func (t *scoreTable) lacks() []string {
	var out []string
	if t.blank > 0 {
		where := make([]string, len(t.lines))
		for i, line := range t.lines {
			where[i] = strconv.Itoa(line)
		}
		out = append(out, fmt.Sprintf("%s: %d of %s without a number (line %s%s): a model has no mean where one run has "+
			"none; fill them in, or "+
			"leave out the rows", t.path, t.blank, text.Count(t.cells, "score"), strings.Join(where,
			", "), more(t.blank, len(where))))
	}
	var models []string
	seen := map[string]bool{}
	rows, all := 0, 0
	for _, task := range t.tasks {
		rows += len(task.scores)
		for _, model := range task.models {
			if !seen[model] {
				seen[model] = true
				models = append(models, model)
			}
		}
	}
	for _, task := range t.tasks {
		all += len(task.metrics) * len(models)
	}
	if rows == all {
		return out
	}
	slices.Sort(models)
	var examples []string
	for _, name := range t.order {
		task := t.tasks[name]
		for _, metric := range task.metrics {
			for _, model := range models {
				if len(examples) < mostExamples && task.scores[[2]string{model, metric}] == nil {
					examples = append(examples, fmt.Sprintf("%s of %s%s", metric, model, inTask(name)))
				}
			}
		}
		if len(examples) == mostExamples {
			break
		}
	}
	return append(out, fmt.Sprintf("%s: %d of %d combinations of model, task and metric have no row (%s%s): "+
		"aggregates over tasks leave out what not "+
		"all models have; add the missing scores", t.path, all-rows, all, strings.Join(examples, ", "), more(all-rows,
		len(examples))))
}

// more is the end of a list of examples.
func more(all, named int) string {
	if all > named {
		return ", …"
	}
	return ""
}

func inTask(name string) string {
	if name == "" {
		return ""
	}
	return " in task " + name
}

// notes say how a table was read whose columns are models, or number its rows.
func (t *scoreTable) notes() []string {
	var out []string
	if t.columns == WideModels {
		free := t.free()
		out = append(out, fmt.Sprintf("%s: its %s are the models %s; for metrics say --wide metrics", t.path,
			text.Count(len(free), "column"),
			strings.Join(free, ", ")))
		if t.place(roleTask) < 0 && t.place(roleRun) < 0 && len(t.order) == 1 {
			out = append(out, t.path+": its rows are runs of one task; rows that are tasks need a column task with their names")
		}
	}
	for _, i := range t.counts {
		if name := t.names[i]; name != "" {
			out = append(out, fmt.Sprintf("%s: its column %s numbers the rows and is no metric", t.path, name))
		}
	}
	return out
}

// finite reports whether a number is one.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
