// Package command is the sequence binary: its flags and configuration, its files, its console tables and its figures.
package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// Command is the sequence binary.
var Command = run.Command{
	Name: "sequence",
	Summary: "evaluation of masked language models of sequences: predictions by region, contacts, probes, " +
		"effects of substitutions",
	Manual: fmt.Sprintf(manual, metricHelp(), optionHelp()),
	Out:    "evaluation_plots/sequence",
	Interrupted: "interrupted; finished groups of sequences are kept in " + PartialFile + " of --out; run the same " +
		"command to continue",
	Methods:    describeMethods,
	Definition: sequence.Definition,
	Metrics:    everyNumber,
	Describes:  true,
	Setup: func(flags *run.Flags) run.Job {
		s := &settings{flags: flags}
		s.tree.register(flags)
		s.registerInputs(flags)
		s.registerMetrics(flags)
		return run.Job{Files: output.Files("sequence", mayWrite()...), Check: func(o *run.Options) error { return s.check(o) }, Run: s.run, Plan: s.plan, Divides: true}
	},
}

const manual = `sequence evaluates masked language models of sequences, such as paired antibody chains. It
runs ONNX models, or reads outputs that models produced elsewhere. The metrics are:

%s
Options of metrics, set with --set METRIC.KEY=VALUE (null: the default):

%s
A metric with a missing input is skipped, with a reason. Undefined numbers are null, never 0.
Hidden states, attentions and contact scores come from unmasked sequences; predictions are
for masked residues. Intervals use the jackknife over sequences, or over whole clusters
(--columns cluster=…). Models are compared on the sequences that they share.

sequence_sequences.csv contains the scores of single sequences. sequence_samples.csv contains
the contribution of each sequence to a number; the mean of a column is the number. compare
uses it to pair runs.`

// metricHelp is a line for every metric.
func metricHelp() string {
	var b strings.Builder
	for _, k := range registry {
		fmt.Fprintf(&b, "  %-20s %s\n", k.Name, k.About)
	}
	return b.String()
}

// optionHelp is a line for every option of a metric.
func optionHelp() string {
	var b strings.Builder
	for _, k := range registry {
		for _, o := range k.Options {
			value := "null"
			if o.Default != nil {
				value = fmt.Sprint(o.Default)
			}
			fmt.Fprintf(&b, "  %-36s %s\n", k.Name+"."+o.Name+"="+value, o.About)
		}
	}
	return b.String()
}

// check finds wrong usage before any file is opened.
func (s *settings) check(o *run.Options) error {
	if err := s.checkChoices(o); err != nil {
		return err
	}
	if s.planFile != "" {
		if err := o.Together("--mask-plan", "nothing to compute"); err != nil {
			return err
		}
	}
	if err := s.checkPlan(); err != nil {
		return err
	}
	if s.example.On() {
		if len(s.names()) > 0 || len(s.sequences.files) > 0 || len(s.substitutions.Names()) > 0 {
			return run.Usage("--example has its own models and sequences; remove --model, --dump, --positions, " +
				"--sequences and --substitutions")
		}
		return nil
	}
	switch {
	case len(s.names()) == 0 && s.planFile == "":
		return run.Hint(run.Usage("no models to evaluate"), "give --model NAME=FILE.onnx with --sequences FILE, --dump NAME=FILE.npz or --positions NAME=FILE.csv", "or try --example")
	case (len(s.models.Names()) > 0 || s.planFile != "") && len(s.sequences.files) == 0:
		return run.Hint(run.Usage("no sequences for the models"), "give the sequences with --sequences FILE")
	}
	if err := s.checkSubstitutions(); err != nil {
		return err
	}
	return s.checkNames()
}

// checkPlan finds flags that --mask-plan has no use for.
func (s *settings) checkPlan() error {
	datasets := s.datasets()
	switch {
	case s.planFile == "":
		return nil
	case !strings.HasSuffix(s.planFile, ".npz"):
		return run.Usage("--mask-plan %s: want a name that ends in .npz", s.planFile)
	case s.example.On() || len(s.names()) > 0:
		return run.Usage(
			"--mask-plan is for a model that runs elsewhere; remove --model, --dump, --positions and --example")
	case len(datasets) > 1:
		return run.Usage("--mask-plan writes the plan of one dataset, but %d are given", len(datasets))
	}
	return nil
}

// checkSubstitutions finds assays of datasets that there are not.
func (s *settings) checkSubstitutions() error {
	for _, name := range s.substitutions.Names() {
		assay, dataset, several := strings.Cut(name, "/")
		switch datasets := s.datasets(); {
		case assay == "" || several && dataset == "" || strings.Contains(dataset, "/"):
			return run.Usage("--substitutions %s=…: want ASSAY=FILE or ASSAY/DATASET=FILE", name)
		case several && !slices.Contains(datasets, dataset):
			return run.Hint(run.Usage("--substitutions %s=…: unknown dataset %q; the datasets are %s", name, dataset,
				strings.Join(datasets, ", ")), text.DidYouMean("", dataset, datasets))
		}
	}
	return nil
}

// checkNames finds names that stand twice, and datasets without a name.
func (s *settings) checkNames() error {
	seen := map[string]string{}
	for _, files := range []struct {
		flag string
		of   *input.Files
	}{{"dump", s.dumps}, {"positions", s.positions}, {"model", s.models}} {
		for _, name := range files.of.Names() {
			model, dataset, several := strings.Cut(name, "/")
			if model == "" || several && dataset == "" || strings.Contains(dataset, "/") {
				return run.Usage("--%s %s=…: want NAME=FILE or NAME/DATASET=FILE", files.flag, name)
			}
			if several && files.flag == "model" {
				return run.Hint(run.Usage("--model %s=…: a model always runs on all datasets of --sequences", name),
					"give "+model+"=FILE.onnx")
			}
			places := []string{dataset}
			if !several {
				places = s.datasets()[:1]
			}
			if files.flag == "model" {
				places = s.datasets()[:len(s.sequences.files)]
			}
			for _, place := range places {
				full := model + "/" + place
				if other := seen[full]; other != "" {
					return run.Usage("--%s %s: model %[4]s of dataset %[5]s is also given with "+
						"--%[3]s", files.flag, name, other, model, place)
				}
				seen[full] = files.flag
			}
		}
	}
	return nil
}

// run loads what the flags name and evaluates it.
func (s *settings) run(ctx context.Context, env *run.Env) error {
	if s.planFile != "" {
		return s.writePlan(ctx, env)
	}
	in, err := s.load(ctx, env)
	if err != nil {
		return err
	}
	o := s.options(env)
	o.Progress = env.ProgressOf("evaluating", "sequences")
	p, err := sequence.NewPlan(*in, o)
	if err != nil {
		return err
	}
	var result *sequence.Result
	if p.Runs() && !env.Divided() {
		result, err = continued(ctx, env, p)
	} else {
		result, err = p.Work().Run(ctx)
	}
	if err != nil {
		return err
	}
	return s.write(ctx, env, result)
}

// plan says what a run would do.
func (s *settings) plan(ctx context.Context, env *run.Env) error {
	if s.planFile != "" {
		p, err := s.maskPlan(env)
		if err != nil {
			return err
		}
		env.Plan.Count("sequences", p.Sequences.Len())
		env.InPlaceOfResult(s.planFile)
		return nil
	}
	in, err := s.load(ctx, env)
	if err != nil {
		return err
	}
	o := s.options(env)
	p, err := sequence.NewPlan(*in, o)
	if err != nil {
		return err
	}
	for _, d := range p.Datasets {
		env.Plan.Count("sequences of "+d.Name, d.Sequences())
		for _, m := range d.Planned {
			var would []string
			for _, k := range m.Kinds {
				would = append(would, k.Name)
			}
			for _, left := range m.Skipped {
				would = append(would, fmt.Sprintf("%s skipped (%s)", left.Metric, left.Reason))
			}
			name := m.Name
			if len(p.Datasets) > 1 {
				name += "/" + d.Name
			}
			env.Plan.Models = append(env.Plan.Models, run.PlanModel{Name: name, Given: strings.Join(would, ", ")})
		}
	}
	env.Plan.Held = o.Memory / 4
	output.PlanFiles(env, filesOfPlan(env, p)...)
	return s.planFigures(env, p)
}

// everyNumber describes the numbers of all metrics.
func everyNumber() []report.Described {
	var out []report.Described
	for _, k := range metrics.All() {
		out = append(out, sequence.Described(&k)...)
	}
	return out
}
