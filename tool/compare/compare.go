// Package compare compares the results of models: which differ, by how much, and which of the differences are
// decided.
//
//	files, err := compare.Gather(ctx, []compare.Spec{{Path: "evaluation_plots"}}, 0)
//	result, err := compare.Compare(ctx, files, compare.Options{Baseline: "persistence"})
//	for _, row := range result.Table {
//		fmt.Println(row.Metric, row.Direction, row.Sentence)
//	}
//
// The axes of a study are named, never guessed: TASK=FILE names the task of a file; a model's runs are NAME@RUN in the
// file, or the files of @RUN=FILE. Numbers of one task and analysis are compared if their files were made from the same
// data, with the same definition and options.
//
// The difference of two models comes from the file that holds both; across files from scores per sample, paired by
// name, if both have them; else from the two intervals, as if their errors were independent. Every number says which.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/measure/study"
	"repscope/report"
	"repscope/stat"
)

// Options are the choices of a comparison; the zero value is the default.
type Options struct {
	// Baseline is the model that the others are compared with; empty: the one called
	// persistence, in any case, if there is one.
	Baseline string
	// Metrics are patterns (* any text, ? any letter) of paths, of paths without their
	// rows, or of the end of either; ANALYSIS: may stand before one. Empty: what the
	// files describe.
	Metrics        []string
	Higher, Lower  []string // patterns of metrics whose direction is said
	AllowDifferent bool     // compare results of different data or options
	// Independent takes samples with a group each as independent even where neighbors in the file are alike.
	Independent bool
	// Family of Holm's correction: "metric" (empty), all rows of a metric in all tasks; "task",
	// all rows of a task; or "run", the whole table.
	Family  string
	Fixed   []string // models that have no other runs, as those that are not trained; persistence is one
	Seed    uint64
	Threads int
	Scale   []TaskScale // of tasks, for aggregates
	Weights string      // WeightSamples (empty) or WeightGroups
	// Method and Resamples of intervals over tasks and runs: see [study.Options].
	Method    study.Method
	Resamples int
}

// alpha is the level of decisions.
const alpha = 0.05

// Result is a comparison.
type Result struct {
	Models   []string // in the order of the files
	Baseline string   // empty: none
	Tasks    []string // "" is the task without a name
	Table    []*Row
	Studies  []*Study
	Warnings []string
	// Decisions count the differences from the baseline, else all pairs.
	Decisions report.Decisions

	all    bool   // every row was asked for
	family string // of Holm's correction
}

// Row is one metric of all models.
type Row struct {
	Task      string           `json:"task,omitempty"`
	Analysis  string           `json:"analysis,omitempty"`
	Metric    string           `json:"metric"` // path in the model
	Direction report.Direction `json:"direction"`
	Unit      string           `json:"unit,omitempty"`
	Cells     []*Cell          `json:"-"` // in the order of the models; nil: the model has no such number
	Sentence  string           `json:"sentence"`
	Tests     Tests            `json:"family_tests"`

	base     int        // the baseline's position; −1: there is none
	headline bool       // it stands for its analysis
	summary  bool       // its task sums up others
	named    bool       // its file describes it by its whole name
	asked    bool       // an option names it
	scale    stat.Scale // on which its errors are symmetric
	pairs    pairs      // of all models
	groups   [][]int    // models that do not differ from each other
}

// Tests are the numbers of tests over which p values of a row are corrected.
type Tests struct {
	Baseline int `json:"baseline"` // differences from the baseline
	Pairs    int `json:"pairs"`    // all pairs, for ranks
}

// Cell is a number of one model, and how it differs from the baseline.
type Cell struct {
	Value report.Value    `json:"value"`
	CI    report.Interval `json:"value_ci"`
	SD    *report.Value   `json:"value_sd,omitempty"`
	Runs  int             `json:"runs"`
	// Difference is the model's value minus the baseline's.
	Difference   *report.Value    `json:"difference,omitempty"`
	DifferenceCI *report.Interval `json:"difference_ci,omitempty"`
	// Improvement is the difference in percent of the baseline's value, positive where
	// the model is better.
	Improvement *report.Value `json:"improvement_percent,omitempty"`
	P           *report.Value `json:"p,omitempty"`
	PHolm       *report.Value `json:"p_holm,omitempty"`
	// Q is the least false discovery rate, over the whole table, at which the difference is found: see
	// [stat.BenjaminiYekutieli].
	Q    *report.Value `json:"q_by,omitempty"`
	From Source        `json:"from,omitempty"`
	// Decision is "better", "worse", "differs" where neither direction is better, or "~".
	Decision string `json:"decision,omitempty"`
	// Detectable is the smallest difference that the test finds with 80 % power, Needed
	// the number of blocks with which it would find the one that was seen; of
	// undecided rows.
	Detectable *report.Value `json:"minimum_detectable_effect,omitempty"`
	Blocks     int           `json:"blocks,omitempty"`
	Needed     *report.Value `json:"blocks_needed,omitempty"`
	// Rank is one more than the number of models that were found better; 0 where
	// neither direction is better.
	Rank   int   `json:"rank,omitempty"`
	Places []int `json:"places,omitempty"` // the best and the worst place that the decisions leave
	// Best says that the model is in the 95 % confidence set for the best and some model is not.
	// BestP is the p value of no other model's being better, against all others at once.
	Best  bool          `json:"best"`
	BestP *report.Value `json:"best_p,omitempty"`
	Notes []string      `json:"notes,omitempty"`
	// Ungraded are the samples without a score, nil where all have one.
	Ungraded *Ungraded `json:"ungraded,omitempty"`

	of        *estimate
	mayBeBest bool // in the confidence set, which may be of all models
}

// group are the files of one task and analysis.
type group struct {
	task, analysis string
	files          []*File
	models         map[string][]*FileModel // runs, by name
	all            *samplesOfAll           // nil: not yet collected
}

// comparer makes one comparison.
type comparer struct {
	o      Options
	groups []*group
	result *Result
}

// Compare compares the models of files.
//
// Errors: two files with one model and run (see [Gathered.Rename]), files that differ in
// data, definition or options (unless allowed), an unknown baseline or metric, no metric
// in common, scores per sample that do not belong to their result.
func Compare(ctx context.Context, g *Gathered, o Options) (*Result, error) {
	g.settle()
	c := &comparer{o: o, result: &Result{all: len(o.Metrics) > 0, family: o.Family}}
	if err := c.group(joinLogged(g.Files)); err != nil {
		return nil, err
	}
	c.warnOfCase("models", c.result.Models, "rename one with --names")
	c.warnOfCase("tasks", c.result.Tasks, "mend the file")
	for _, g := range c.groups {
		g.unify()
	}
	if err := cmp.Or(checkWeights(o.Weights), c.weigh()); err != nil {
		return nil, err
	}
	if err := c.checkFixed(); err != nil {
		return nil, err
	}
	if err := c.chooseBaseline(); err != nil {
		return nil, err
	}
	if err := c.rows(); err != nil {
		return nil, err
	}
	if err := c.baselineShares(); err != nil {
		return nil, err
	}
	if err := c.roomForPairs(); err != nil {
		return nil, err
	}
	for _, row := range c.result.Table {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.differences(ctx, row); err != nil {
			return nil, err
		}
	}
	if err := c.correct(ctx); err != nil {
		return nil, err
	}
	err := parallel.Try(ctx, c.o.Threads, len(c.result.Table), func(_, i int) error { return c.decide(c.result.Table[i]) })
	if err != nil {
		return nil, err
	}
	return c.result, c.studies(ctx)
}

func (c *comparer) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if !slices.Contains(c.result.Warnings, w) {
		c.result.Warnings = append(c.result.Warnings, w)
	}
}

// group sorts files by task and analysis, and checks that the files of a group agree.
func (c *comparer) group(files []*File) error {
	groups := map[[2]string]*group{}
	tasks, models := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		key := [2]string{f.Task, f.Analysis}
		g := groups[key]
		if g == nil {
			g = &group{task: f.Task, analysis: f.Analysis, models: map[string][]*FileModel{}}
			groups[key], c.groups = g, append(c.groups, g)
		}
		if err := c.agree(g, f); err != nil {
			return err
		}
		g.files = append(g.files, f)
		if !tasks[f.Task] {
			tasks[f.Task], c.result.Tasks = true, append(c.result.Tasks, f.Task)
		}
		for _, m := range f.Models {
			if !models[m.Name] {
				models[m.Name], c.result.Models = true, append(c.result.Models, m.Name)
			}
			if err := g.enter(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// warnOfCase warns of names that differ in case alone.
func (c *comparer) warnOfCase(what string, names []string, mend string) {
	first := map[string]string{}
	for _, name := range names {
		lower := strings.ToLower(name)
		if other, ok := first[lower]; ok {
			c.warn("the %s %s and %s differ in case alone and are taken for two; if they are one, %s", what, other,
				name, mend)
		} else {
			first[lower] = name
		}
	}
}

// agree refuses a file that was made in other ways than the first of its group.
func (c *comparer) agree(g *group, f *File) error {
	if len(g.files) == 0 {
		return nil
	}
	first := g.files[0]
	if f.Layout != first.Layout && (f.result == nil) != (first.result == nil) {
		return fmt.Errorf("%s is %s and %s is %s: nothing says that their numbers mean the same", first.Path, first.layout(), f.Path, f.layout())
	}
	list := differences(first, f)
	if i := slices.IndexFunc(g.files, func(g *File) bool { return g.hashes != nil }); i > 0 {
		if other := otherDocuments(g.files[i], f); other != "" {
			list = append(list, other)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if c.o.AllowDifferent {
		c.warn("compared although %s (--allow-different): differences may come from that", strings.Join(list, "; "))
		return nil
	}
	return &DifferentError{What: g.name(), Found: list}
}

// DifferentError says why numbers of two files must not be compared.
type DifferentError struct {
	What  string // task and analysis
	Found []string
}

func (e *DifferentError) Error() string {
	return fmt.Sprintf("the results %sare not of the same measurement: %s", e.What, strings.Join(e.Found, "; "))
}

func (g *group) name() string {
	var parts []string
	if g.analysis != "" {
		parts = append(parts, "of "+g.analysis+" ")
	}
	if g.task != "" {
		parts = append(parts, fmt.Sprintf("of task %q ", g.task))
	}
	return strings.Join(parts, "")
}

// unify gives rows of lists the names by which some file of the group compares models: what
// its own comparisons call fss[quantile=0.9;window=3].fss is that everywhere, whatever tells
// the rows of another file apart.
func (g *group) unify() {
	var declared []string
	for _, f := range g.files {
		if f.result == nil {
			continue
		}
		for _, c := range f.result.Comparisons {
			if path := cmp.Or(c.Path, c.Metric); strings.Contains(path, "[") && !slices.Contains(declared, path) {
				declared = append(declared, path)
			}
		}
	}
	for _, f := range g.files {
		for _, m := range f.Models {
			for _, path := range declared {
				m.call(path)
			}
		}
	}
}

// call renames the numbers of the row in which a path leads to a number, so that it is that
// number's.
func (m *FileModel) call(path string) {
	if _, ok := m.find(path); ok {
		return
	}
	place, ok := m.part.Place(path)
	row, name := place[:strings.LastIndexByte(place, ']')+1], path[:strings.LastIndexByte(path, ']')+1]
	if !ok || row == "" || row == name || place[len(row):] != path[len(name):] {
		return
	}
	for i := range m.Numbers {
		if rest, ok := strings.CutPrefix(m.Numbers[i].Path, row+"."); ok {
			if m.own == nil {
				m.own = map[string]string{}
			}
			m.own[name+"."+rest] = m.Numbers[i].Path
			m.Numbers[i].Path = name + "." + rest
		}
	}
	m.index()
}

// layout describes a file's layout in words.
func (f *File) layout() string {
	if f.result != nil {
		return "a result of " + f.Analysis
	}
	return "of the published layout " + f.Layout
}

// everywhere are the files that have the same numbers of the model.
func (m *FileModel) everywhere() []*FileModel { return append([]*FileModel{m}, m.alike...) }

// enter adds a run of a model. The same numbers in two files are one, as of a baseline
// that was measured along with every model.
func (g *group) enter(m *FileModel) error {
	runs := g.models[m.Name]
	for i, other := range runs {
		switch {
		case other.file == m.file && other.Run != m.Run: // two runs of one file may have one score
		case other.sameNumbers(m):
			other.alike = append(other.alike, m)
			return nil
		case m.sameNumbers(other):
			m.alike, other.alike = append(other.alike, other), nil
			runs[i] = m
			return nil
		case other.Run == m.Run && other.file == m.file:
			return fmt.Errorf("%s: the models %s and %s both become %s%s", m.file.Path, other.Given, m.Given, m.Name, atRun(m.Run))
		case other.Run == m.Run:
			return &TwiceError{Model: m.Name, Run: m.Run, Where: g.name(), Files: [2]string{other.file.Path, m.file.Path}, Given: m.Given}
		}
	}
	g.models[m.Name] = append(runs, m)
	return nil
}

func atRun(run string) string {
	if run == "" {
		return ""
	}
	return " in run " + run
}

// TwiceError says that two files have one model.
type TwiceError struct {
	Model, Run, Where, Given string
	Files                    [2]string
}

func (e *TwiceError) Error() string {
	return fmt.Sprintf("two results %sare of the model %s%s with different numbers: %s and %s", e.Where, e.Model, atRun(e.Run), e.Files[0], e.Files[1])
}

// Hints say how to tell them apart.
func (e *TwiceError) Hints() []string {
	a, b := e.Files[0], e.Files[1]
	return []string{
		fmt.Sprintf("for runs (seeds) of one model give @1=%s @2=%s", a, b),
		fmt.Sprintf("for two tasks give FIRST=%s SECOND=%s", a, b),
		fmt.Sprintf("for two models rename one: --names %s:%s=NAME", b, e.Given),
	}
}

// sameNumbers reports whether the model has every number of the other: a baseline has rows of more steps
// ahead if another model predicts more.
func (m *FileModel) sameNumbers(other *FileModel) bool {
	for _, o := range other.Numbers {
		i, ok := m.find(o.Path)
		if !ok {
			return false
		}
		if v := m.Numbers[i].Value; v.Defined() != o.Value.Defined() || v.Defined() && v.V != o.Value.V {
			return false
		}
	}
	return len(other.Numbers) > 0 || len(m.Numbers) == 0
}

// chooseBaseline finds the model that others are compared with.
func (c *comparer) chooseBaseline() error {
	models := c.result.Models
	if c.o.Baseline == "" {
		if i := slices.IndexFunc(models, isPersistence); i >= 0 {
			c.result.Baseline = models[i]
		}
		return nil
	}
	if !slices.Contains(models, c.o.Baseline) {
		return fmt.Errorf("--baseline %s: no file has such a model (there are %s)%s", c.o.Baseline, strings.Join(models, ", "), didYouMean(c.o.Baseline, models))
	}
	c.result.Baseline = c.o.Baseline
	return nil
}

// checkFixed finds names of --fixed that no model has.
func (c *comparer) checkFixed() error {
	for _, name := range c.o.Fixed {
		if models := c.result.Models; !slices.Contains(models, name) {
			return fmt.Errorf("--fixed %s: no file has such a model (there are %s)%s", name, strings.Join(models, ", "), didYouMean(name, models))
		}
	}
	return nil
}

// fixed reports whether a model has no other runs than those it has.
func (c *comparer) fixed(name string) bool {
	return isPersistence(name) || slices.Contains(c.o.Fixed, name)
}

// isPersistence reports whether a model is the forecast that nothing changes.
func isPersistence(name string) bool { return strings.EqualFold(name, "persistence") }

// didYouMean is the end of a message that names the nearest of some names.
func didYouMean(name string, among []string) string {
	if near := text.Nearest(name, among); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// baselineShares refuses a baseline that shares no number with any other model, and names the models that could be
// one.
func (c *comparer) baselineShares() error {
	if c.o.Baseline == "" || len(c.result.Models) < 2 {
		return nil
	}
	var could []string
	for x, name := range c.result.Models {
		shares := slices.ContainsFunc(c.result.Table, func(row *Row) bool {
			return row.Cells[x] != nil && slices.ContainsFunc(row.Cells, func(cell *Cell) bool { return cell != nil && cell != row.Cells[x] })
		})
		switch {
		case shares && name == c.result.Baseline:
			return nil
		case shares:
			could = append(could, name)
		}
	}
	instead := "no two models share one"
	if len(could) > 0 {
		instead = "a baseline could be " + strings.Join(could, ", ")
	}
	return fmt.Errorf("--baseline %s: it has none of the compared numbers that another model has; %s", c.result.Baseline, instead)
}
