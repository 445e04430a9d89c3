// Results in the forms of other programs.

package repscope

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/report/export"
)

const exportManual = `export reads finished results and writes them in the form of another program, into the folder of --out:

  every_eval_ever   a record for each model, of schema 0.3.0 of Every Eval Ever: data/COLLECTION/DEVELOPER/MODEL/UUID.json
  hf_eval_results   MODEL/.eval_results/ANALYSIS.yaml for model repositories on the Hugging Face Hub
  parquet           metrics.parquet and comparisons.parquet: the tidy tables of all results

Records have score, range, direction, 95 % interval, and standard error where the result has one. Numbers without a
value are left out of records, and numbers without a better direction out of every_eval_ever. Tables have all numbers;
missing values are null.`

// The values of --to.
const (
	toEveryEval = "every_eval_ever"
	toHub       = "hf_eval_results"
	toParquet   = "parquet"
)

// exportSettings are the values of its flags.
type exportSettings struct {
	to             string
	modelIDs, task []string
	o              export.Options
}

// Declare lists the options.
func (s *exportSettings) Declare(l *option.List) {
	l.OneOf(&s.to, "to", []string{toEveryEval, toHub, toParquet}, "`FORM` of the files").Free()
	l.Texts(&s.o.Metrics, "metrics", nil, "`LIST` of numbers: paths such as by_k[k=10].trustworthiness, or paths "+
		"without rows; * is any text (repeats; "+
		"default: the headline numbers)").Free()
	l.Text(&s.o.Dataset, "dataset", "`NAME` of the data").Free()
	l.Text(&s.o.DatasetID, "dataset-id", "`OWNER/NAME` of the dataset on the Hugging Face Hub").Free()
	l.Text(&s.o.Revision, "revision", "`COMMIT` of that dataset").Free()
	l.Texts(&s.modelIDs, "model-id", nil, "`NAME=DEVELOPER/MODEL` of a model of the result (repeats; default: "+
		"ORGANIZATION/NAME)").Free()
	l.Text(&s.o.Organization, "organization", "`NAME` of who made the evaluation").Free()
	l.OneOf(&s.o.Relationship, "relationship", append([]string{""}, export.Relationships()...),
		"`KIND` of relation between who evaluates and who developed the models").Free()
	l.WholeTexts(&s.task, "task-id", nil, "`[METRIC=]TASK` of the benchmark (repeats)").Free()
	l.Text(&s.o.SourceURL, "source-url", "`URL` of a page about the evaluation").Free()
	l.Text(&s.o.SourceName, "source-name", "`NAME` of that page").Free()
}

// exportCommand makes the command.
func exportCommand([]run.Command) run.Command {
	return run.Command{
		Name:      Name + " export",
		Summary:   "write results as records and tables of other programs",
		Manual:    exportManual,
		Out:       "exported",
		Arguments: "RESULT…",
		Omit:      []string{"bootstrap", "format", "width", "config", "memory", "seed", "threads", "json"},
		Setup: func(flags *run.Flags) run.Job {
			s := &exportSettings{}
			flags.Declare(option.Of(s))
			return run.Job{Check: s.check, Direct: s.run}
		},
	}
}

// check finds wrong usage before anything is read.
func (s *exportSettings) check(o *run.Options) error {
	wanted := func(flag, value, why string) error {
		if value != "" {
			return nil
		}
		return run.Usage("--to %s needs --%s: %s", s.to, flag, why)
	}
	if len(o.Args) == 0 {
		return run.Hint(run.Usage("no result to export"), "such as: repscope export neighborhood.json --to parquet")
	}
	var err error
	if s.o.ModelIDs, err = pairs("model-id", s.modelIDs); err != nil {
		return err
	}
	for name, id := range s.o.ModelIDs {
		if developer, model, ok := strings.Cut(id, "/"); name == "" || !ok || developer == "" || model == "" {
			return run.Usage("--model-id %s=%s: want NAME=DEVELOPER/MODEL", name, id)
		}
	}
	if s.o.Tasks, err = pairs("task-id", s.task); err != nil {
		return err
	}
	if s.o.SourceName != "" && s.o.SourceURL == "" {
		return run.Usage("--source-name needs --source-url")
	}
	switch s.to {
	case "":
		return run.Usage("want a form of the files: --to %s", strings.Join([]string{toEveryEval, toHub, toParquet},
			"|"))
	case toEveryEval:
		if err := wanted("organization", s.o.Organization, "who made the evaluation"); err != nil {
			return err
		}
		return wanted("relationship", s.o.Relationship, strings.Join(export.Relationships(), "|"))
	case toHub:
		if err := wanted("dataset-id", s.o.DatasetID, "the benchmark on the Hub"); err != nil {
			return err
		}
		return wanted("task-id", strings.Join(s.task, ""), "the task of the benchmark")
	case toParquet:
		if len(s.o.Metrics) > 0 {
			return run.Usage("--metrics: the tables of --to %s have all numbers; leave it out", toParquet)
		}
	}
	return nil
}

// pairs are texts NAME=VALUE; a text without a name has the empty one. The last equals sign divides, as paths have
// some.
func pairs(flag string, list []string) (map[string]string, error) {
	all := map[string]string{}
	for _, text := range list {
		i := strings.LastIndexByte(text, '=')
		name, value := text[:max(i, 0)], text[i+1:]
		if _, twice := all[name]; twice || value == "" {
			return nil, run.Usage("--%s %s: it is empty, or repeats another one", flag, text)
		}
		all[name] = value
	}
	return all, nil
}

// run reads the results and writes the files, all or none.
func (s *exportSettings) run(ctx context.Context, o *run.Options, stdout, _ io.Writer) error {
	var all []export.Output
	tables := export.NewTables()
	models := map[string]bool{}
	for _, path := range o.Args {
		r, err := report.Read(run.Expand(path))
		if err != nil {
			return regular.PathError(err)
		}
		for _, name := range r.Models.Keys() {
			models[name] = true
		}
		files, err := s.files(path, r, tables)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, files...)
	}
	for name := range s.o.ModelIDs {
		if !models[name] {
			return run.Usage("--model-id %s=…: no result has a model of this name", name)
		}
	}
	if s.to == toParquet {
		var err error
		if all, err = tables.Files(); err != nil {
			return err
		}
	}
	return write(ctx, o, all, stdout)
}

func (s *exportSettings) files(path string, r *report.Result, tables *export.Tables) ([]export.Output, error) {
	switch s.to {
	case toEveryEval:
		return export.EveryEvalEver(r, &s.o)
	case toHub:
		return export.EvalResults(r, &s.o)
	}
	return nil, tables.Add(path, r)
}

// write writes files into --out.
func write(ctx context.Context, o *run.Options, all []export.Output, stdout io.Writer) error {
	var paths, names []string
	for _, f := range all {
		if slices.Contains(names, f.Name) {
			return run.Hint(fmt.Errorf("two results make the file %s", f.Name),
				"export them into folders of their own with --out")
		}
		names = append(names, f.Name)
		paths = append(paths, filepath.Join(o.Out, filepath.FromSlash(f.Name)))
	}
	if err := run.Apart(o.Args, paths); err != nil {
		return err
	}
	out, err := report.Begin(o.Out)
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, f := range all {
		if err := out.File(f.Name, func(w io.Writer) error { return printTo(w, string(f.Content)) }); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("interrupted; no file was written")
	}
	if err := out.Commit(); err != nil || o.Quiet {
		return err
	}
	return printTo(stdout, fmt.Sprintf("%s: %s\n", o.Out, text.Few(names, 5)))
}
