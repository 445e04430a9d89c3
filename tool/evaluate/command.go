// Package evaluate is the evaluate binary: a study, which is the analyses of a suite file over its datasets and models.
//
//	study, err := evaluate.ReadSuite(ctx, "study.yaml", analyses)
//
// [New] makes the command for the analyses that it is given; it knows none itself.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/folderlock"
	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const manual = `evaluate runs a whole study: the analyses of a suite file on its datasets and models.
Each task writes to its own folder (OUT/dataset/analysis), and a summary covers all tasks.
Running the same command again resumes the study: a task whose options, inputs and
program are unchanged is not run again.

  datasets:
    pong:
      frames: pong.npz:frames
      episodes: pong.npz:episode
      model: {jepa: jepa.onnx, "run": runs/*/step_*.onnx}
  analyses: [smoothness, neighborhood, manifold]
  defaults:
    seed: 1
    neighborhood: {k: [5, 10]}

The keys of a dataset are options of the analyses; a section named after an analysis
applies to that analysis only. "defaults" holds options for all datasets. The most specific
value wins: section of the dataset, dataset, section of the defaults, defaults. Options
that an analysis does not have are ignored there. "enabled: false" skips a dataset, "only"
and "skip" select its analyses; a section also enables its analysis.

A pattern (* or ?, or {name} for each value of "matrix: {name: […]}") stands for one model
per matching file. The matched part is appended to the name: run/a/100 for
runs/a/step_100.onnx. Models that differ only in their last number form a curve.

--width overrides the width in the defaults and also sets the width of the page's figures.

"models: [a, b]", or {a: {label: ours, group: trained}, b: null}, orders, names and groups the
models of the report; a name is a training run too. --sort ANALYSIS.METRIC sorts them.

report.html shows all results on one page. "evaluate report DIR…" makes this page from any
result files in folders, with or without a suite.

"outcome: reward.r2" names a number of summary.csv, or has options of validate: after the tasks,
validate tells which other numbers predict it, in OUT/validation.

"evaluate --dry-run" lists the tasks to run, with the reason. "evaluate --init FILES…"
prints a first suite file for these files, "evaluate --schema" a JSON Schema for editors.
"evaluate --check" compares results and inputs with their recorded digests. Paths are
relative to the working folder. Only one process works in a folder at a time; a lock left
by a killed process is detected. The exit status is 1 if a task failed; the other tasks
run all the same.`

// defaultJobs is how many tasks run at a time: what one reads, draws and writes on one core leaves the others to the
// next.
const defaultJobs = 2

// defaultOut stands for a folder of the suite file's name.
const defaultOut = "evaluation_plots/study"

// settings are the values of the command's own flags.
type settings struct {
	only, skip           []string
	failFast, list, wait bool
	schema, init, resume bool
	dryRun, example      bool
	verify               bool
	jobs                 int
	sort                 string
	commands             []run.Command
	validation           *run.Command // validate, for the outcome of a suite; nil: there is none

	page    string // --out of a report
	planned *study // the tasks to do, once they are known
	suite   *Suite
}

// New is the evaluate binary for the given analyses, and for validate if it is among the tools.
func New(commands []run.Command, tools ...run.Command) run.Command {
	return run.Command{
		Name:        "evaluate",
		Summary:     "runs a whole study from one file of datasets, models and analyses, and resumes it after an interruption",
		Manual:      manual,
		Out:         defaultOut,
		Arguments:   "SUITE.yaml",
		Interrupted: "interrupted; finished tasks are kept; run the same command again to resume",
		Omit:        []string{"seed", "bootstrap", "format", "memory", "threads", "config"},
		Long:        true,
		Methods:     describeMethods,
		Setup: func(flags *run.Flags) run.Job {
			s := &settings{commands: commands, jobs: defaultJobs, resume: true}
			if i := slices.IndexFunc(tools, func(c run.Command) bool { return c.Name == "validate" }); i >= 0 {
				s.validation = &tools[i]
			}
			s.register(flags)
			return run.Job{Instead: s.instead, Check: s.check, Files: s.mayWrite, Run: s.run}
		},
	}
}

func (s *settings) register(flags *run.Flags) {
	flags.Usage("--example", "report DIR… [flags]")
	flags.Answer("checkpoint", func(_ string, args []string) string {
		return "evaluate runs studies; generators are evaluated by generation: generation " + strings.Join(args, " ")
	})
	flags.Declare(option.Of(s))
}

// Declare lists the options.
func (s *settings) Declare(l *option.List) {
	l.Texts(&s.only, "only", pattern, "`LIST` of datasets, analyses or dataset/analysis of the file to run (with * and ?)").Free()
	l.Texts(&s.skip, "skip", pattern, "`LIST` of datasets, analyses or dataset/analysis to skip (with * and ?)").Free()
	l.Bool(&s.failFast, "fail-fast", "start no further task after a failure").Free()
	l.Bool(&s.list, "list", "print the tasks and whether they are done, and stop").Free()
	l.Bool(&s.wait, "wait", "wait for another process that works in the folder").Free()
	l.Bool(&s.resume, "resume", "skip finished, unchanged tasks; --resume=false runs them again").Free()
	l.Int(&s.jobs, "jobs", "`N` tasks at a time, each with all cores. With N above 2, each has a 1/N share of half the memory. Use 1 if all tasks share one GPU").AtLeast(1).Free()
	l.Checked(&s.sort, "sort", sortable, "sort the models of the report by `ANALYSIS.METRIC` of the summary, "+
		"such as reward.r2, the best first, in each group").Free()
	l.Bool(&s.schema, "schema", "print a JSON Schema of suite files for editors, and stop").Free()
	l.Bool(&s.init, "init", "print a commented suite file for these files, and stop").Free()
	l.Bool(&s.dryRun, "dry-run", "list the tasks to run, why (the option, input or program that changed) and the files they would write, and stop; with --json as JSON").Free()
	l.Bool(&s.verify, "check", "compare the results of finished tasks, and their inputs, with the recorded digests, and stop; with --json as JSON").Free()
	l.Bool(&s.example, "example", "run all analyses on their built-in examples; no suite file is needed").Free()
}

// instead prints what needs no study.
func (s *settings) instead(ctx context.Context, o *run.Options, stdout io.Writer) (bool, error) {
	switch {
	case s.schema:
		return true, writeSchema(stdout, s.commands)
	case s.init:
		text, err := initial(o.Args, s.commands)
		if err != nil {
			return true, err
		}
		_, err = io.WriteString(stdout, text)
		return true, err
	case !s.list && !s.dryRun && !s.verify || reports(o):
		return false, nil
	}
	st, _, err := s.study(o)
	if err != nil {
		return true, err
	}
	if s.list {
		return true, st.listTasks(stdout)
	}
	if s.verify {
		all, err := st.checkAll(ctx)
		if err != nil {
			return true, err
		}
		return true, st.writeCheck(stdout, all, o.JSON, o.Quiet)
	}
	tasks, err := st.dryRun(ctx)
	if err != nil {
		return true, err
	}
	if err := st.writePlan(stdout, tasks, o.JSON); err != nil {
		return true, err
	}
	if n := countOf(tasks, "wrong"); n > 0 {
		return true, fmt.Errorf("%d of %d tasks cannot be run", n, len(st.tasks))
	}
	return true, nil
}

func (s *settings) check(o *run.Options) error {
	if reports(o) {
		if s.list || s.dryRun || s.verify {
			return run.Usage("report: it has neither --list nor --dry-run nor --check")
		}
		for _, folder := range o.Args[1:] { // before the first of them is made for the page
			if _, err := os.Stat(folder); err != nil {
				return regular.PathError(err)
			}
		}
		var err error
		s.page = s.given(o)
		o.Out, _, err = place(o, s.page)
		return err
	}
	if s.planned == nil {
		var err error
		if s.planned, s.suite, err = s.study(o); err != nil {
			return err
		}
		o.Out = s.planned.folder
	}
	return nil
}

// result is the name of the result file.
func (s *settings) result() string { return "evaluate.json" }

// mayWrite are the names of all files of a study, without its tasks, or of a report.
func (s *settings) mayWrite(o *run.Options) []string {
	if !reports(o) {
		return ownFiles("summary", reportWord)
	}
	_, name, err := place(o, s.page)
	if err != nil {
		return nil
	}
	return ownFiles(summaryOf(name), name)
}

// pattern returns the error of a pattern of --only and --skip.
func pattern(text string) error {
	if _, err := path.Match(text, ""); err != nil {
		return fmt.Errorf("%q is no pattern", text)
	}
	return nil
}

// sortable returns the error of a value of --sort that names no number.
func sortable(name string) error {
	if analysis, metric, _ := strings.Cut(name, "."); analysis == "" || metric == "" {
		return fmt.Errorf("%q is no number: want ANALYSIS.METRIC of the summary, such as reward.r2", name)
	}
	return nil
}

// study reads the suite and finds the tasks to do.
func (s *settings) study(o *run.Options) (*study, *Suite, error) {
	suite, err := s.suiteOf(o)
	if err != nil {
		return nil, nil, err
	}
	suite.arrangement.Sort = s.sort
	st := &study{failFast: s.failFast, resume: s.resume, jobs: s.jobs, folder: suite.Folder(s.given(o))}
	var names []string
	for i := range suite.Datasets {
		for k := range suite.Datasets[i].Tasks {
			t := &suite.Datasets[i].Tasks[k]
			names = append(names, t.Dataset, t.Analysis, t.Name())
			if (len(s.only) == 0 || chosen(s.only, t)) && !chosen(s.skip, t) {
				st.tasks = append(st.tasks, &planned{Task: t})
			} else {
				st.omitted = append(st.omitted, t.Name())
			}
		}
	}
	for _, pattern := range slices.Concat(s.only, s.skip) {
		if !slices.ContainsFunc(names, func(name string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			return nil, nil, run.Hint(run.Usage("%q: no dataset, analysis or task of %s", pattern, suite.Path), text.DidYouMean("", pattern, names))
		}
	}
	if err := st.plan(); err != nil {
		return nil, nil, err
	}
	// No file of the study or of a task is one that another task reads.
	reads := st.reads(suite)
	var outputs []string
	for _, p := range st.tasks {
		p.Apart = reads
		for _, name := range p.settled.Files {
			outputs = append(outputs, filepath.Join(escape.Glob(st.folderOf(p)), filepath.FromSlash(name)))
		}
	}
	for _, name := range append(ownFiles("summary", reportWord), s.result(), "evaluate"+report.SumsEnding,
		memoryName+"/*", outcomeFolder+"/*") {
		outputs = append(outputs, filepath.Join(escape.Glob(st.folder), name))
	}
	return st, suite, run.Apart(reads, outputs)
}

// suiteOf reads the suite that the command line names.
func (s *settings) suiteOf(o *run.Options) (*Suite, error) {
	switch {
	case s.example && len(o.Args) > 0:
		return nil, run.Usage("--example has its own suite; leave %s out", o.Args[0])
	case s.example:
		return exampleSuite(o.Context(), s.commands, lineOptionsOf(o))
	case len(o.Args) != 1:
		return nil, run.Hint(run.Usage("%d suite files: want one", len(o.Args)), `begin with "evaluate --init FILES…"`,
			"or run the built-in example: evaluate --example")
	}
	return openSuite(o.Context(), o.Args[0], s.commands, lineOptionsOf(o))
}

// given is the folder of the command line, empty without.
func (s *settings) given(o *run.Options) string {
	if o.Out == defaultOut {
		return ""
	}
	return o.Out
}

// chosen reports whether a pattern names a task, its dataset or its analysis.
func chosen(patterns []string, t *Task) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		for _, name := range []string{t.Dataset, t.Analysis, t.Name()} {
			if ok, _ := path.Match(pattern, name); ok {
				return true
			}
		}
		return false
	})
}

func (s *settings) run(ctx context.Context, env *run.Env) error {
	if reports(&env.Options) {
		return s.report(ctx, env)
	}
	st := s.planned
	var err error
	if st.lock, err = folderlock.Take(ctx, st.folder, "evaluate", s.wait); err != nil {
		var busy *folderlock.Busy
		if errors.As(err, &busy) {
			return run.Hint(err, "wait for it with --wait")
		}
		return err
	}
	env.AtEnd(st.lock.Release) // after the study's own files have their names
	if err := errors.Join(sweepOwn(st.folder), st.again()); err != nil {
		return err
	}
	st.say, st.fail, st.progress = env.Note, env.Message, env.ProgressOf("study", "tasks")
	for _, p := range st.tasks {
		if p.state == unchanged {
			st.say("%s: unchanged", p.Name())
		}
	}
	if st.count(unchanged) == len(st.tasks) {
		done, err := st.summarized(s.suite)
		if err != nil {
			return err
		}
		if done {
			env.LeaveAsItWas(fmt.Sprintf("%s: all of %s as they were", st.folder, text.Count(len(st.tasks), "task")))
			return nil
		}
	}
	if err := run.Remove(filepath.Join(st.folder, recordName)); err != nil {
		return err
	}
	if err := st.run(ctx); err != nil {
		return err
	}
	if err := s.summarize(env, st, s.suite); err != nil {
		return err
	}
	env.AfterCommit(func() error {
		if err := s.validate(ctx, env, st); err != nil {
			return err // the next run does it again
		}
		return st.remember(s.suite, env.Files.Names())
	})
	if n := st.count(failed); n > 0 {
		var names []string
		for _, p := range st.tasks {
			if p.state == failed {
				names = append(names, p.Name())
			}
		}
		env.AfterCommit(func() error {
			return fmt.Errorf("%d of %d tasks failed: %s", n, len(st.tasks), strings.Join(names, ", "))
		})
	}
	return nil
}
