// Package command is the canvas binary: its flags, the files that it finds, its console tables and its figures.
package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/store"
	"repscope/analysis/internal/output"
	"repscope/internal/example/screens"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// Command is the canvas binary.
var Command = run.Command{
	Name:    "canvas",
	Summary: "generated interface designs against references: pixels, layout, texts, saliency, tools",
	Out:     "evaluation_plots/canvas",
	Interrupted: "interrupted; cases that were scored are kept in " + store.JournalFile +
		" of --out, from which the same command continues with --resume",
	Methods:    describeMethods,
	Definition: canvas.Definition,
	Metrics:    func() []report.Described { return canvas.Described(canvas.Kinds(), func(string) bool { return false }) },
	Describes:  true,
	Setup: func(flags *run.Flags) run.Job {
		s := &settings{}
		s.register(flags)
		return run.Job{Files: s.mayWrite, Check: s.check, Run: s.run, Plan: s.plan, Divides: true}
	},
}

func init() {
	var b strings.Builder
	for _, k := range canvas.Kinds() {
		fmt.Fprintf(&b, "  %-20s %s\n", k.Name, k.About)
	}
	Command.Manual = fmt.Sprintf(manual, b.String())
}

const manual = `canvas scores interface designs that models have generated against references: one design,
or all of a benchmark, which is a folder of

  benchmarks/<task without _gen>_gt/<gid>.png, <gid>.json      (of modifications <gid>-base and <gid>-target)
  results/<task>/<variant>/<gid>-<model>-<variant>/<case>-canvas.png, <case>-json-structure.json,
      <case>-json-response.json, snapshots/<case>-snapshot-N.png, <case>-snapshot-N-structure.json

where <gid> has two parts between dashes, such as gid6-27, and <case> is <gid>-<model>-<variant>. The metrics are:

%s
What nobody gave is null with a reason, never 0. A case whose files are missing or cannot be read
counts as failed: the others go on, all files are written, and the exit code is 1.

Rows of cases are kept in evaluation_results.json, in eval_outputs/<task>/<variant> of the tree or
in --out, beside canvas.json. A run replaces the rows of the cases it scores, and keeps all others;
--resume takes over what was computed of the same files by the same definitions.`

// run scores the cases that the flags name.
func (s *settings) run(ctx context.Context, env *run.Env) (err error) {
	in, err := s.load(env)
	if err != nil {
		return err
	}
	digests := source.NewDigests(in.Read)
	in.Read = digests.Read
	kinds, err := s.open(env, in)
	if err != nil {
		return err
	}
	if s.semantic.precompute && uses(kinds, canvas.NeedSemantic) {
		path := filepath.Join(env.Options.Out, scoresFile)
		progress := env.ProgressOf("captions", "cases")
		if err := precomputeSemantic(ctx, &s.shared, in.Cases, in.Read, path, progress); err != nil {
			return err
		}
		if err := env.Files.Adopt(scoresFile, path+store.Partial, ""); err != nil {
			return err
		}
		env.Note("note: scores of captions are kept in %s", path)
	}
	o := s.options(env, kinds)
	progress := s.progress(env, len(in.Cases))
	o.Done = func(_ int, row *canvas.CaseRow) error {
		defer progress()
		return s.writeReports(env, row)
	}
	var rows *store.Store
	if !s.single() && (!env.Divided() || env.Merging()) {
		if rows, err = openStore(env, s.newStore(env, in, kinds, digests)); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, rows.Close())
			}
		}()
		o.Known = rows.Known
		o.Done = func(i int, row *canvas.CaseRow) error {
			defer progress()
			return errors.Join(s.writeReports(env, row), rows.Done(i, row))
		}
	}
	result, err := canvas.Analyze(ctx, *in, o)
	if err != nil {
		return err
	}
	if rows != nil {
		if env.Merging() {
			if err := rows.EnterAll(result.Rows); err != nil {
				return err
			}
		}
		if err := s.keep(env, rows); err != nil {
			return err
		}
	}
	s.enterInputs(env, in, kinds, digests)
	if err := adoptReports(env.Files); err != nil {
		return err
	}
	r := outcome{result, kinds, &s.shared, in.Read, outputs{plots: s.plots, reports: s.reports, resume: s.resume}}
	if err := r.write(ctx, env); err != nil {
		return err
	}
	env.AfterCommit(func() error { return failed(result.Rows) })
	return nil
}

// single reports whether one case is given by its files.
func (s *settings) single() bool { return !s.example && s.task == "" }

// order is that of models where something says it: the flag, or the damage of the example.
func (s *settings) order() []string {
	order := slices.Clone(s.models)
	if s.example && len(order) == 0 {
		for _, level := range screens.Levels() {
			order = append(order, level.Model)
		}
	}
	return order
}

// options returns the options of the analysis, with the settings of the run.
func (s *settings) options(env *run.Env, kinds []canvas.Kind) canvas.Options {
	o := canvas.Options{Settings: s.statistics.Settings(env, ""), Setting: &s.shared, Kinds: kinds, Models: s.order(), Workers: s.workers}
	o.Intervals = o.Intervals && !s.single()
	if o.Workers == 0 {
		o.Workers = env.Options.Threads
	}
	return o
}

// progress returns what is called when a case is finished.
func (s *settings) progress(env *run.Env, total int) func() {
	bar, done := env.ProgressOf("scoring", "cases"), 0
	return func() {
		done++
		bar(done, total)
	}
}

// skipped are the metrics that are not computed because of a flag, with the reason.
func (s *settings) skipped(kinds []canvas.Kind) map[string]string {
	out := map[string]string{}
	for _, k := range kinds {
		switch {
		case s.skipSemantic && k.Needs&canvas.NeedSemantic != 0:
			out[k.Name] = "skipped: --skip-semantic"
		case s.skipMaps && k.Needs&(canvas.NeedSaliency|canvas.NeedFixations) != 0:
			out[k.Name] = "skipped: --skip-saliency"
		}
	}
	return out
}

// newStore returns the store of a run, which is not open yet.
func (s *settings) newStore(env *run.Env, in *canvas.Input, kindsOfRun []canvas.Kind, d *source.Digests) *store.Store {
	return &store.Store{Dir: env.Options.Out, Settings: &s.shared, Kinds: kindsOfRun, All: canvas.Kinds(), Cases: in.Cases,
		Skipped: s.skipped(kindsOfRun), Resume: s.resume, Steps: s.snapshots, Digests: d}
}

// openStore opens what is known of cases.
func openStore(env *run.Env, rows *store.Store) (*store.Store, error) {
	if err := rows.Open(true); err != nil {
		return nil, err
	}
	if n := rows.Interrupted; n > 0 {
		env.Note("note: %s of a run that was interrupted are taken into %s", text.Count(n, "row"), store.ResultsFile)
	}
	return rows, nil
}

// keep writes the files of rows; the journal is gone when they have their names.
func (s *settings) keep(env *run.Env, rows *store.Store) error {
	if err := rows.Write(env.Files); err != nil {
		return err
	}
	if s.resume {
		env.Note("note: %d of %d metrics of cases are those of earlier runs", rows.Reused, rows.Reusable())
	}
	env.AfterCommit(rows.Finish)
	return nil
}

// mayWrite are the names of all files that a run may write beside those of every analysis.
func (s *settings) mayWrite(o *run.Options) []string {
	files := output.Files("canvas", casesFile, agreementFile)(o)
	for _, name := range []string{figureScores, figureSpread, figureSteps, figureImprovements, figureAgreement, figureCases, figureOverlay, figureOverlay + "_*"} {
		files = append(files, name+".figure")
	}
	if !s.single() {
		files = append(files, store.RowFiles...)
	}
	if s.semantic.precompute {
		files = append(files, scoresFile)
	}
	for _, folder := range store.ReportFolders {
		files = append(files, folder+"/*", folder+"/*/*")
	}
	return append(files, plotsFolder+"/*.figure")
}

// failed says which cases failed, as the error of a run that has written all the same.
func failed(rows []canvas.CaseRow) error {
	const most = 3 // all are in the table and in canvas.json
	var lines []string
	n := 0
	for _, row := range rows {
		if len(row.Row.Failures) == 0 {
			continue
		}
		if n++; n <= most {
			lines = append(lines, fmt.Sprintf("%s: %s", row.Case.Name(), strings.Join(row.Row.Failures, "; ")))
		}
	}
	if n == 0 {
		return nil
	}
	if n > most {
		lines = append(lines, fmt.Sprintf("and %d more", n-most))
	}
	return fmt.Errorf("%d of %s failed; all others are scored, and the files are written\n%s", n, text.Count(len(rows), "case"),
		strings.Join(lines, "\n"))
}

// plan says what a run would do.
func (s *settings) plan(ctx context.Context, env *run.Env) error {
	in, err := s.load(env)
	if err != nil {
		return err
	}
	kinds, err := s.open(env, in)
	if err != nil {
		return err
	}
	env.Plan.Count("cases", len(in.Cases))
	env.Plan.Count("metrics", len(kinds))
	models := map[string]int{}
	for _, c := range in.Cases {
		models[c.Model]++
	}
	for _, name := range distinct(modelNames(in.Cases)) {
		env.Plan.Models = append(env.Plan.Models, run.PlanModel{Name: name, Given: text.Count(models[name], "case")})
	}
	if !s.single() {
		rows := s.newStore(env, in, kinds, source.NewDigests(in.Read))
		if err := rows.Open(false); err != nil {
			return err
		}
		env.Plan.Write(rows.Names()...)
	}
	if s.semantic.precompute {
		env.Plan.Write(scoresFile)
	}
	planOutputs(env, in.Cases, kinds, in.Ratings != nil)
	return nil
}

// modelNames are those of all cases.
func modelNames(cases []source.Case) []string {
	var out []string
	for _, c := range cases {
		out = append(out, c.Model)
	}
	return out
}
