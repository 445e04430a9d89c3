// The compare binary: its flags, its files and its console tables.

package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/measure/study"
	"repscope/plots"
	"repscope/report"
	"repscope/report/junit"
	"repscope/tool/compare/tracker"
)

// Command is the compare binary.
var Command = run.Command{
	Name:      "compare",
	Summary:   "compares results: which models differ, by how much, and which differences are significant",
	Manual:    manual,
	Out:       "evaluation_plots/comparison",
	Arguments: "FILES…",
	Omit:      []string{"memory"},
	Methods:   describeMethods,
	Setup: func(flags *run.Flags) run.Job {
		c := register(flags)
		return run.Job{Files: mayWrite, Check: c.check, Run: c.run, Plan: c.plan}
	},
}

const manual = `compare reads result files of any binary (files, or folders that it searches) and puts
their models into one table per metric: values with intervals, the better direction, the
difference from a baseline with its interval, the improvement in percent, p values with
Holm's correction, and ranks. Models that do not differ share a rank. ~ marks undecided
rows, with the smallest difference that the test finds with 80 % power and the number of
blocks that the observed difference needs. * marks the models that may be the best: the
95 % confidence set, tested against all other models at once. Nothing is marked in a row
without a significant difference. Each table says in how many families p values are
corrected, and how many decisions remain with --family run. q is the false discovery rate
over the whole table (Benjamini and Yekutieli), for screening many rows.

Several analyses are printed as one screen with two headline metrics of each; --verbose
prints all headline metrics with intervals, differences and a sentence per row.

Name tasks and runs on the command line. Files of one task need no name; for several
tasks give TASK=FILE (or TASK=FOLDER). Training runs (seeds) of one model are NAME@RUN
in a file, or files given as @RUN=FILE, or TASK@RUN=FILE for both. The same model with
the same numbers in two files counts once.

If one file holds both models, the difference comes from that file. Across files it comes
from scores per sample (<analysis>_samples.csv), paired by name, in blocks of their
group, if both models have them. With several runs and no intervals it comes from one
number per run, by Welch's t test (unequal numbers of runs, one below five: Behrens and
Fisher's). Otherwise it comes from the two intervals, as if their
errors were independent. The column "from" names the source. A model with a single run is
assumed to vary like the runs of the other model, unless --fixed names it. Results with other data,
definitions, options or block lengths are rejected, with the differences listed, unless
--allow-different is set.

Over several tasks it computes the interquartile mean, mean and median, the probability
of improvement, performance profiles and average ranks (Agarwal et al. 2021).

It also reads {"metrics": {x, x_std}, "evaluation_config": …}, {"checkpoint": …,
"metrics": …}, {dataset: {key: value}}, lists of rows with "id" and "model", results and
logged samples of lm-evaluation-harness, output of go test -bench, and text tables: scores
per sample (model, sample, group), long tables (model, task, run, metric, score; several
rows of one model, task and metric are runs) and wide tables, with a column per metric or
per model. In a table with a column model, the other columns are metrics. Without it, the
other columns are models if there is a column metric, or a column task or run and no known
metric. --wide overrides this, and --columns maps columns with other names. Charts and
histories of Weights & Biases, tables of search_runs and folders mlruns of MLflow are
tables of the values at the last step. Losses (--losses) are drawn and summarized; losses
with different names are different functions and are never ranked.

Samples without a score (an empty cell, or a word that says why) are left out of means,
and counted. Bounds say where the mean is whatever these samples are, if the metric has a
lowest and a highest possible score.

With --fail-if-worse the exit status is 1 if a bound is broken; all files are written.`

// settings are the values of the command's own flags.
type settings struct {
	names, metrics, higher, lower           []string
	tables, figures, bounds, losses, wanted []string
	fixed                                   []string
	task, baseline, orient, family, choose  string
	weights, junit                          string
	scale, interval                         string
	read                                    Tables
	allow, independent, example             bool
}

func register(flags *run.Flags) *settings {
	s := &settings{orient: OrientMetrics, family: FamilyMetric, weights: WeightSamples, interval: study.Jackknife.String()}
	flags.Usage("--example", "TASK=FILE TASK@RUN=FILE … [flags]", "--losses NAME=FILE … [flags]")
	flags.Arguments("results", "`[TASK][@RUN=]FILE` or folder, as an argument, in the order of the command line (repeats)")
	flags.Group(run.Inputs, "results")
	flags.Holds(func(o *run.Options, path string) string {
		for _, arg := range o.Args {
			if spec, err := ParseSpec(arg); err == nil && tracker.Holds(spec.Path, path) {
				return "argument " + arg
			}
		}
		return ""
	})
	flags.Reads(func(o *run.Options) (files []string) {
		for _, arg := range o.Args {
			if spec, err := ParseSpec(arg); err == nil {
				files = append(files, tracker.FilesOf(spec.Path)...)
			}
		}
		return files
	})
	flags.Declare(option.Of(s))
	flags.Several("names", "columns", "metrics", "higher", "lower", "fixed", "loss-columns")
	return s
}

// Declare lists the options.
func (s *settings) Declare(l *option.List) {
	list := func(values *[]string, name, usage string) { l.Texts(values, name, nil, usage) }
	l.Under(option.Inputs)
	l.Text(&s.task, "task", "`NAME` of the task for files without one")
	list(&s.read.Columns, "columns", "`LIST` of ROLE=NAME for tables of scores: the column NAME holds the model, task, run, metric or score, or is ignored (skip); "+
		"several tasks or runs are joined (repeats; default: columns with these names in any case, and common synonyms)")
	l.OneOf(&s.read.Wide, "wide", []string{WideModels, WideMetrics}, "`KIND` of the number columns of a wide table without a column model: models or metrics")
	l.WholeTexts(&s.losses, "losses", func(spec string) error { _, err := ParseLossSpec(spec); return err },
		"`NAME=FILE` of losses by step or epoch: CSV of W&B or TensorBoard, JSON lines, or a PyTorch checkpoint (repeats); NAME:COLUMN=FILE names a column of values").Reads()
	l.Bool(&s.example, "example", "compare a synthetic study: models trained several times on several tasks")

	l.Under(option.Own)
	list(&s.names, "names", "`LIST` of names: one for each file in turn if each has one model; or OLD=NEW, or FILE:OLD=NEW for the model of one file; an equals sign in a name has a backslash before it (repeats)")
	l.Text(&s.baseline, "baseline", "`NAME` of the model that the others are compared with (default: persistence, if there is such a model)")
	list(&s.fixed, "fixed", "`LIST` of models without other runs, such as untrained models; other models with a single run are assumed to vary as models with several runs do "+
		"(persistence is fixed)")
	list(&s.metrics, "metrics", "`LIST` of metrics: paths such as by_k[k=10].trustworthiness, else paths without rows, else their last names; * is any text; ANALYSIS:METRIC "+
		"for one analysis (default: the metrics by which the files compare models; with more than 24, console, figure, Markdown and LaTeX show the headline metrics)")
	list(&s.higher, "higher", "`LIST` of metrics where higher is better, if the files do not say so")
	list(&s.lower, "lower", "`LIST` of metrics where lower is better")
	l.OneOf(&s.orient, "orient", []string{OrientMetrics, OrientModels}, "`ROWS` of the tables: metrics or models")
	l.WholeTexts(&s.bounds, "fail-if-worse", func(bound string) error { _, _, err := parseBound(bound); return err },
		"`METRIC>PERCENT`: exit with status 1 if a model is worse than the baseline by more than that (repeats)")
	l.Bool(&s.allow, "allow-different", "compare results with different data, definitions, options or block lengths, with a warning")
	l.Bool(&s.independent, "independent", "take samples with a group each as independent even where neighbors in the "+
		"file are alike, for p values and intervals of differences")
	l.OneOf(&s.family, "family", Families(), "`NAME` of the tests that p values are corrected over: metric (all rows of a metric, in all tasks), task (all rows of a metric in one task) or run (the whole table)")
	l.OneOf(&s.weights, "weights", []string{WeightSamples, WeightGroups},
		"`NAME` of what counts alike in means of scores per sample: samples, or groups, such as episodes (mean of the "+
			"means of groups)")
	l.Path(&s.scale, "scale", "`FILE.csv` with the columns task, worst, best (and metric), for scores of tasks on one scale: (score − worst)/(best − worst)").Reads()
	l.OneOf(&s.interval, "interval", []string{study.Jackknife.String(), "bootstrap"}, "`NAME` of the intervals over tasks and runs: jackknife or bootstrap, which is stratified "+
		"by tasks, with --bootstrap resamples, and too narrow for few runs")
	list(&s.wanted, "loss-columns", "`LIST` of columns of --losses (default "+strings.Join(DefaultLossColumns(), ", ")+")")
	l.Text(&s.choose, "select", "`METRIC` that selects a checkpoint: the one with the best value, and all that may be the best")
	s.declareFiles(l)
}

// declareFiles lists the options of files that are written.
func (s *settings) declareFiles(l *option.List) {
	l.Path(&s.junit, "junit", "`FILE.xml` to write the bounds of --fail-if-worse to, as JUnit tests").Writes()
	l.Texts(&s.tables, "table", tableName, "`LIST` of files, .csv, .md or .tex, to write the table to as well as to --out (repeats)").Writes()
	l.Texts(&s.tables, "save-table", tableName, "`LIST`: the same as --table").Writes()
	l.Texts(&s.figures, "figure", figureName, "`LIST` of files, .png, .pdf or .svg, to write the figure to as well as to --out (repeats)").Writes()
	for _, name := range []string{"plot", "save-plot"} {
		l.Texts(&s.figures, name, figureName, "`LIST`: the same as --figure").Writes()
	}
}

func tableName(path string) error {
	if slices.Contains(TableFormats(), strings.TrimPrefix(filepath.Ext(path), ".")) {
		return nil
	}
	return fmt.Errorf("%q: want a name that ends in .%s", path, strings.Join(TableFormats(), ", ."))
}

func figureName(path string) error {
	if slices.Contains([]string{".png", ".pdf", ".svg"}, filepath.Ext(path)) {
		return nil
	}
	return fmt.Errorf("%q: want a name that ends in .png, .pdf or .svg", path)
}

// parseBound reads METRIC>PERCENT.
func parseBound(bound string) (metric string, percent float64, err error) {
	i := strings.LastIndexByte(bound, '>')
	if i <= 0 {
		return "", 0, fmt.Errorf("%q: want METRIC>PERCENT, such as mse>5 (in quotes, for the shell)", bound)
	}
	percent, err = run.ParseFloat(strings.TrimSuffix(strings.TrimSpace(bound[i+1:]), "%"))
	if err != nil || percent < 0 {
		return "", 0, fmt.Errorf("%q: want METRIC>PERCENT with a percentage from 0", bound)
	}
	return strings.TrimSpace(bound[:i]), percent, nil
}

// check finds wrong usage before any file is opened.
func (s *settings) check(o *run.Options) error {
	files := len(o.Args)
	switch {
	case s.example && (files > 0 || len(s.losses) > 0):
		return run.Usage("--example uses built-in results; leave out %s", strings.Join(slices.Concat(o.Args, s.losses), " "))
	case !s.example && files == 0 && len(s.losses) == 0:
		return run.Hint(run.Usage("no files to compare"), "give result files or folders: compare evaluation_plots", "or try --example")
	case len(s.wanted) > 0 && len(s.losses) == 0:
		return run.Usage("--loss-columns is for --losses; there are none")
	case files == 0 && !s.example:
		for _, flag := range []struct {
			name string
			set  bool
		}{{"columns", len(s.read.Columns) > 0}, {"wide", s.read.Wide != ""}, {"metrics",
			len(s.metrics) > 0}, {"names", len(s.names) > 0}, {"baseline", s.baseline != ""}, {"fail-if-worse", len(s.bounds) > 0},
			{"junit", s.junit != ""},
			{"fixed", len(s.fixed) > 0}, {"higher", len(s.higher) > 0}, {"lower", len(s.lower) > 0}, {"scale", s.scale != ""}, {"table", len(s.tables) > 0}, {"task", s.task != ""}} {
			if flag.set {
				return run.Usage("--%s applies to results, but only losses were given", flag.name)
			}
		}
	}
	for _, name := range s.higher {
		if slices.Contains(s.lower, name) {
			return run.Usage("--higher and --lower both name %s", name)
		}
	}
	if err := run.JUnitName(s.junit, "fail-if-worse", len(s.bounds) > 0); err != nil {
		return err
	}
	if err := s.read.check(); err != nil {
		return run.Usage("--columns %v", err)
	}
	for _, spec := range o.Args {
		if _, err := ParseSpec(spec); err != nil {
			return run.Usage("%v", err)
		}
	}
	return s.checkNames()
}

func (s *settings) checkNames() error {
	for _, name := range s.names {
		if old, renamed, ok := run.CutName(name); ok && (old == "" || renamed == "") {
			return run.Usage("--names %s: want OLD=NEW", name)
		}
	}
	for i, figure := range s.figures {
		if slices.Contains(s.figures[:i], figure) {
			return run.Usage("--figure: %s is given twice", figure)
		}
	}
	for i, table := range s.tables {
		if slices.Contains(s.tables[:i], table) {
			return run.Usage("--table: %s is given twice", table)
		}
	}
	return nil
}

// gather reads all that is given.
func (s *settings) gather(ctx context.Context, env *run.Env) (*Gathered, []*Losses, error) {
	var g *Gathered
	var err error
	if args := env.Options.Args; s.example {
		if g, err = Example(env.Options.Seed); err != nil {
			return nil, nil, err
		}
	} else if len(args) > 0 {
		var specs []Spec
		for _, arg := range args {
			spec, err := ParseSpec(arg)
			if err != nil {
				return nil, nil, run.Usage("%v", err)
			}
			if spec.Task == "" {
				spec.Task = s.task
			}
			spec.Tables = &s.read
			specs = append(specs, spec)
		}
		if g, err = Gather(ctx, specs, env.Options.Threads); err != nil {
			return nil, nil, err
		}
		for _, folder := range g.Empty {
			env.Warn("%s: there are no result files in it; the comparison goes on without it; check the path", folder)
		}
		for _, f := range g.Files {
			for _, lack := range f.lacks {
				env.Warn("%s", lack)
			}
		}
		for _, note := range g.notes() {
			env.Note("note: %s", note)
		}
		if len(g.Read) > 0 {
			env.Note("note: read %s; another name is given with --names OLD=NEW", strings.Join(g.Read, ", "))
		}
		if len(g.Ignored) > 0 {
			env.Note("note: ignored in the folders: %s (no measurements in them; name files of other layouts explicitly)", strings.Join(g.Ignored, ", "))
		}
		if err := g.Rename(s.names); err != nil {
			return nil, nil, err
		}
		if err := g.enter(env); err != nil {
			return nil, nil, err
		}
	}
	losses, err := s.readLosses(env)
	return g, losses, err
}

// notes say how files were read, each once.
func (g *Gathered) notes() []string {
	var notes []string
	for _, f := range g.Files {
		for _, note := range f.notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// enter enters the files as inputs.
func (g *Gathered) enter(env *run.Env) error {
	for _, f := range g.Files {
		if err := env.Read(f.reads()...); err != nil {
			return err
		}
		if slices.ContainsFunc(env.Result.Inputs, func(in report.Input) bool { return in.Path == f.Path }) {
			continue
		}
		env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "result", Name: f.Task, Path: f.Path, SHA256: f.SHA256, Kind: f.layout()})
	}
	return nil
}

// reads are the file, the file of its scores per sample, and all other files of its run, which belong to the result.
func (f *File) reads() []string {
	list, folder := []string{f.Path}, filepath.Dir(f.Path)
	if f.result == nil {
		return list
	}
	if f.result.Samples != nil {
		list = append(list, filepath.Join(folder, filepath.Base(f.result.Samples.File)))
	}
	sums, err := report.ReadSums(strings.TrimSuffix(f.Path, ".json") + report.SumsEnding)
	if err != nil {
		return list // repscope verify reports it
	}
	for _, sum := range sums {
		file := filepath.FromSlash(sum.Name)
		if !filepath.IsAbs(file) {
			file = filepath.Join(folder, file)
		}
		list = append(list, file)
	}
	return list
}

func (s *settings) readLosses(env *run.Env) ([]*Losses, error) {
	var specs []LossSpec
	for _, argument := range s.losses {
		spec, err := ParseLossSpec(argument)
		if err != nil {
			return nil, run.Usage("--losses: %v", err)
		}
		spec.Path = run.Expand(spec.Path)
		specs = append(specs, spec)
		env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "losses", Name: spec.Name, Path: spec.Path})
	}
	var columns []string
	if len(s.wanted) > 0 {
		columns = s.wanted
	}
	return ReadLosses(specs, columns)
}

// options returns the options of the comparison.
func (s *settings) options(env *run.Env) (Options, error) {
	o := Options{Baseline: s.baseline, Metrics: s.metrics, Higher: s.higher, Lower: s.lower, AllowDifferent: s.allow,
		Independent: s.independent, Family: s.family, Fixed: s.fixed, Weights: s.weights, Seed: env.Options.Seed,
		Threads: env.Options.Threads, Resamples: env.Options.Bootstrap}
	if s.interval == "bootstrap" {
		o.Method = study.Percentile
	}
	var err error
	if s.scale != "" {
		o.Scale, err = ReadScale(s.scale)
	}
	return o, err
}

// ReadScale reads the worst and the best score of tasks: CSV with the columns task,
// worst, best, and metric if the scale is of one metric.
func ReadScale(path string) ([]TaskScale, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer f.Close()
	out, err := readScale(path, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// scaleColumns are the columns of a file of scales.
var scaleColumns = []tabular.Column{{Name: "task"}, {Name: "worst"}, {Name: "best"}, {Name: "metric", Optional: true}}

func readScale(name string, r io.Reader) ([]TaskScale, error) {
	rows, names, err := tabular.Open(name, r, tabular.Options{})
	if err != nil {
		return nil, err
	}
	columns, err := tabular.Find(names, scaleColumns...)
	if err != nil {
		return nil, err
	}
	var out []TaskScale
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, tabular.Error(err)
		}
		line, _ := rows.FieldPos(0)
		s := TaskScale{Task: strings.TrimSpace(row[columns[0]])}
		if columns[3] >= 0 {
			s.Metric = strings.TrimSpace(row[columns[3]])
		}
		ends := [2]string{row[columns[1]], row[columns[2]]}
		for k, to := range []*float64{&s.Worst, &s.Best} {
			if *to, err = run.ParseFloat(strings.TrimSpace(ends[k])); err != nil {
				return nil, fmt.Errorf("line %d: worst %q and best %q of task %s: want numbers", line, ends[0], ends[1], s.Task)
			}
		}
		if slices.ContainsFunc(out, func(o TaskScale) bool { return o.Task == s.Task && o.Metric == s.Metric }) {
			return nil, fmt.Errorf("line %d: task %s has a scale already; want one row of a task and metric", line, s.Task)
		}
		out = append(out, s)
	}
}

// outcome is all that a run found.
type outcome struct {
	result   *Result // nil where only losses are given
	gathered *Gathered
	losses   []*Losses
	selected []Selected
	broken   []Broken
	checks   []junit.Check // of the bounds
}

// compute reads and compares.
func (s *settings) compute(ctx context.Context, env *run.Env) (*outcome, error) {
	out := &outcome{}
	var err error
	if out.gathered, out.losses, err = s.gather(ctx, env); err != nil {
		return nil, err
	}
	if out.gathered != nil {
		o, err := s.options(env)
		if err != nil {
			return nil, err
		}
		if out.result, err = Compare(ctx, out.gathered, o); err != nil {
			var different *DifferentError
			if errors.As(err, &different) {
				err = run.Hint(err, "name tasks as TASK=FILE if these are several, or compare them all the same with --allow-different")
			}
			return nil, err
		}
		for _, w := range out.result.Warnings {
			env.Warn("%s", w)
		}
		for _, bound := range s.bounds {
			metric, percent, err := parseBound(bound)
			if err != nil {
				return nil, run.Usage("--fail-if-worse: %v", err)
			}
			broken, err := out.result.Worse(metric, percent)
			if err != nil {
				return nil, err
			}
			out.broken = append(out.broken, broken...)
			var lines []string
			for _, b := range broken {
				lines = append(lines, b.String())
			}
			out.checks = append(out.checks, junit.Check{Name: bound, Failure: strings.Join(lines, "\n")})
		}
	}
	if s.choose != "" {
		out.selected, err = Select(out.result, out.losses, s.choose)
	}
	return out, err
}

func (s *settings) run(ctx context.Context, env *run.Env) error {
	if err := s.writable(); err != nil {
		return err
	}
	out, err := s.compute(ctx, env)
	if err != nil {
		return err
	}
	if err := out.enter(env); err != nil {
		return err
	}
	if err := out.write(env, s.orient); err != nil {
		return err
	}
	if err := s.copies(env, out); err != nil {
		return err
	}
	if err := env.Verdict(s.junit, out.checks); err != nil {
		return err
	}
	return out.print(env)
}

// writable finds folders of --table, --figure and --junit that cannot be written.
func (s *settings) writable() error {
	elsewhere := slices.Concat(s.tables, s.figures)
	if s.junit != "" {
		elsewhere = append(elsewhere, s.junit)
	}
	for _, path := range elsewhere {
		files, err := report.Begin(filepath.Dir(run.Expand(path)))
		if err != nil {
			return err
		}
		files.Abort()
	}
	return nil
}

// copies writes what goes outside of --out.
func (s *settings) copies(env *run.Env, out *outcome) error {
	for _, path := range s.tables {
		if err := env.Files.Elsewhere(run.Expand(path), func(w io.Writer) error { return out.result.WriteTable(w, path, s.orient) }); err != nil {
			return err
		}
	}
	for _, path := range s.figures {
		var b bytes.Buffer
		figure := out.mainFigure()
		err := env.Options.Fit(figure)
		if err == nil {
			err = figure.Render(&b, strings.TrimPrefix(filepath.Ext(path), "."))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := env.Files.Elsewhere(run.Expand(path), func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
			return err
		}
	}
	return nil
}

// mayWrite are the names of all files that a run may write.
func mayWrite(*run.Options) []string {
	return []string{"compare_table.csv", "compare_table.md", "compare_table.tex", "compare.figure", "compare_study.csv", "compare_profiles.csv",
		"compare_study.figure", "compare_losses.csv", "compare_losses.figure"}
}

// files are the names of the tables in --out.
func (out *outcome) files() (tables, figures []string) {
	if out.result != nil {
		tables = []string{"compare_table.csv", "compare_table.md", "compare_table.tex"}
		figures = append(figures, "compare")
		if len(out.result.Studies) > 0 {
			tables, figures = append(tables, "compare_study.csv", "compare_profiles.csv"), append(figures, "compare_study")
		}
	}
	if len(out.losses) > 0 {
		tables, figures = append(tables, "compare_losses.csv"), append(figures, "compare_losses")
	}
	return tables, figures
}

// plan says what a run would do.
func (s *settings) plan(ctx context.Context, env *run.Env) error {
	if err := s.writable(); err != nil {
		return err
	}
	out, err := s.compute(ctx, env)
	if err != nil {
		return err
	}
	if out.result != nil {
		env.Plan.Count("files", len(out.gathered.Files))
		env.Plan.Count("tasks", len(out.result.Tasks))
		env.Plan.Count("metrics", len(out.result.Table))
		for _, name := range out.result.Models {
			env.Plan.Models = append(env.Plan.Models, run.PlanModel{Name: name, Given: "of " + text.Count(out.gathered.of(name), "result")})
		}
	}
	env.Plan.Count("losses", len(out.losses))
	tables, figures := out.files()
	env.Plan.Write(tables...)
	env.PlanFigures(figures...)
	return nil
}

// of is the number of files that have a model.
func (g *Gathered) of(name string) int {
	n := 0
	for _, f := range g.Files {
		if slices.ContainsFunc(f.Models, func(m *FileModel) bool { return m.Name == name }) {
			n++
		}
	}
	return n
}

// mainFigure is the figure that --figure names.
func (out *outcome) mainFigure() *plots.Figure {
	if out.result == nil {
		return LossFigure(out.losses)
	}
	return out.result.Figure()
}
