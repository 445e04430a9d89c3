// Package command is the generation binary: its flags, its files, its console tables and its figures.
package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/generation"
	"repscope/analysis/internal/output"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/report"
)

// Command is the generation binary.
var Command = run.Command{
	Name: "generation",
	Summary: "evaluation of generative models: reconstruction, diversity, similarity to real data, latents, " +
		"control by labels",
	Out: "evaluation_plots/generation",
	Interrupted: "interrupted; finished metrics are kept in " + PartialFile + " of --out; run the same command to " +
		"continue",
	Manual:     fmt.Sprintf(manual, metricHelp()),
	Methods:    describeMethods,
	Metrics:    func() []report.Described { return generation.Described("") },
	Describes:  true,
	Definition: generation.Definition,
	Setup: func(flags *run.Flags) run.Job {
		f := register(flags)
		return run.Job{Files: output.Files("generation", mayWrite()...), Check: func(*run.Options) error { return f.check() }, Run: f.run, Plan: f.plan, Divides: true}
	},
}

const manual = `generation evaluates generators of binary grids (such as problems of a climbing board) or of
rows of numbers. Each generator has a name. The metrics, each with a tier that says how far
it is suited to choose a generator:

%s
A metric with a missing input is skipped, with a reason, as is a label with too few samples.
Unknown numbers are null, never 0. Each metric states which direction is better, the best
value reachable on these data, and the published target.

Samples count as independent unless --groups or --block is given, or neighboring samples are
alike: then ten groups of neighbors are deleted, and comparisons have no p value (--block 1 keeps
samples apart). --groups real=FILE groups the real samples, such as frames by episode. Intervals
use the jackknife over samples, of distances to real samples over both sides. Generators are
compared on shared data: the items that both reconstruct, or the real samples that both are
compared with.

After slow metrics, and when a run is stopped, the result so far is written to ` + PartialFile + `
in --out. Run the same command to continue a stopped run. If inputs, options or definitions
differ, the run starts again and reports why.`

// generatorFlags are the files of generators that are run here: see generator.go.
type generatorFlags struct {
	encoders, decoders *input.Files
	classifier, grids  string
	samples            int
	temperature        float64
}

// options are the values of the command's own flags.
type options struct {
	flags                                           *run.Flags
	example                                         *input.GivenExample
	statistics                                      *input.Statistics
	metrics                                         []string
	reconstruction, generated, latents, predictions *input.Files
	groups                                          *input.Files
	real, holdOut, realLatents, realPredictions     string
	labelNames                                      string
	generator                                       generatorFlags
	strict, revalidate                              bool
	o                                               generation.Options
	documented                                      string
}

// register adds the flags.
func register(flags *run.Flags) *options {
	f := &options{flags: flags, o: generation.Options{Threshold: generation.DefaultThreshold, Definition: generation.DefinitionDefault}}
	flags.Usage("--generated NAME=FILE … [flags]")
	flags.FileHint("give generated samples with --generated NAME=FILE")
	f.example = input.RegisterExample(flags, input.ArrayExample{Name: "boards", Usage: "measure the built-in example: models of a toy climbing board, with one known defect each"})
	f.statistics = input.RegisterStatistics(flags, "samples")
	f.reconstruction = input.RegisterFiles(flags, "reconstruction",
		"`NAME=FILE.npz` with original (0 or 1, [N,C,…]), recon_logits or recon_prob of the same shape, label [N] (repeats)")
	f.generated = input.RegisterFiles(flags, "generated",
		"`NAME=FILE` of generated samples: problems of a board (.json), grids (.npy, .npz with labels), or rows of "+
			"numbers (.csv with label; columns are matched with --real by name) (repeats)")
	f.latents = input.RegisterFiles(flags, "latents", "`NAME=FILE.npz` with latent [N,D] and label [N] (repeats)")
	f.predictions = input.RegisterFiles(flags, "predictions",
		"`NAME=FILE.csv` with the columns target (requested label) and predicted (label assigned by a classifier) "+
			"(repeats)")
	f.groups = input.RegisterFiles(flags, "groups",
		"`NAME=FILE[:key]` of a group number per sample of NAME, or of the real samples (real=FILE); samples of one "+
			"group are dependent, such as draws from one latent or frames of one episode (repeats)")
	flags.Declare(option.Of(option.Func(f.declareReal)))
	f.generator.register(flags)
	list := option.Of(&f.o)
	list.Selection(&f.metrics, "metrics", generation.Select,
		"`LIST` of metrics (default: all that the inputs allow): "+generation.Listing())
	list.Bool(&f.strict, "strict", "fail at the first unreadable problem instead of leaving it out")
	list.Bool(&f.revalidate, "revalidate",
		"determine valid problems by rule (a start, an end, at least 3 other holds), regardless of the file")
	flags.Declare(list)
	f.registerPublished(flags)
	return f
}

// declareReal lists the files of real samples.
func (f *options) declareReal(l *option.List) {
	l.Under(option.Inputs)
	l.Path(&f.real, "real",
		"`FILE` of the real samples that the generators were trained on, in a format of --generated").Reads()
	l.Path(&f.holdOut, "holdout",
		"`FILE` of real samples that no generator was trained on, as --real; reference for novelty and memorization").Reads()
	l.Path(&f.realLatents, "real-latents", "`FILE.npz` of latents of real samples, as --latents").Reads()
	l.Path(&f.realPredictions, "real-predictions", "`FILE.csv` of the classifier's predictions for real samples, as "+
		"--predictions; sets the ceiling of conditioning").Reads()
	l.Path(&f.labelNames, "label-names", "`FILE.json` of the names of labels, {\"0\": \"6A+\", …}").Reads()
}

// Declare lists the options of generators that are run here.
func (g *generatorFlags) Declare(l *option.List) {
	l.Under(option.Inputs)
	l.Path(&g.classifier, "classifier",
		"`FILE.onnx` of a model from grids to a score per label; replaces --predictions").Reads()
	l.Path(&g.grids, "grids", "`FILE[:key]` of real grids to reconstruct with --encoder and --decoder").Reads()
	l.Under(option.Own)
	l.Int(&g.samples, "num-samples",
		"`N` samples per label: drawn with --decoder (0: 100), or read from files (0: all)").AtLeast(0)
	g.temperature = 1
	l.Float(&g.temperature, "temperature", "factor `T` on standard normal latents before decoding")
}

// register adds the flags of generators that are run here.
func (g *generatorFlags) register(flags *run.Flags) {
	g.encoders = input.RegisterFiles(flags, "encoder", "`NAME=FILE.onnx` of a model from grids to latents (repeats)")
	g.decoders = input.RegisterFiles(flags, "decoder",
		"`NAME=FILE.onnx` of a model from latents, and optionally labels, to cells (repeats)")
	flags.Reads(func(*run.Options) []string { return latent.Beside(g.classifier) })
	flags.Declare(option.Of(g))
}

// check finds wrong usage before any file is opened.
func (f *options) check() error {
	if _, err := f.options().WithDefaults(); err != nil {
		return run.Usage("%v", err)
	}
	if f.example.On() {
		return f.checkExample()
	}
	if len(f.names()) == 0 {
		return run.Hint(run.Usage("no generators to evaluate"),
			"give --generated NAME=FILE, --reconstruction, --latents or --predictions", "or try --example")
	}
	if err := generation.CheckNames(f.names()); err != nil {
		return run.Usage("%v", err)
	}
	for _, name := range f.groups.Names() {
		if name == generation.RealRow {
			if f.real == "" && f.realLatents == "" && f.realPredictions == "" {
				return run.Usage("--groups real=…: no real samples are given: give --real, --real-latents or " +
					"--real-predictions")
			}
			continue
		}
		if !slices.Contains(f.names(), name) {
			return run.Hint(run.Usage("--groups %s=…: no other input has the name %s; the generators are %s", name, name, strings.Join(f.names(), ", ")), text.DidYouMean("", name, f.names()))
		}
	}
	if f.holdOut != "" && f.real == "" {
		return run.Usage("--holdout needs --real: the samples that the generators were trained on")
	}
	return f.generator.check(f.latents, f.generated)
}

// checkExample finds inputs other than the example's own.
func (f *options) checkExample() error {
	var flags []string
	for _, part := range []struct {
		name string
		set  bool
	}{{"real", f.real != ""}, {"holdout", f.holdOut != ""}, {"real-latents", f.realLatents != ""}, {"real-predictions", f.realPredictions != ""},
		{"label-names", f.labelNames != ""}, {"groups", len(f.groups.Names()) > 0}, {"generated", len(f.names()) > 0}} {
		if part.set {
			flags = append(flags, "--"+part.name)
		}
	}
	if len(flags) > 0 {
		return run.Usage("--example has its own generators and real samples; remove %s", strings.Join(flags, ", "))
	}
	return nil
}

// names are the names of the generators, in the order of the command line.
func (f *options) names() []string {
	var names []string
	for _, files := range []*input.Files{f.reconstruction, f.generated, f.latents, f.predictions, f.generator.encoders, f.generator.decoders} {
		for _, name := range files.Names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	run.InOrder(f.flags, names, func(name string) string { return name }, "reconstruction", "generated", "latents",
		"predictions", "encoder", "decoder")
	return names
}

// options returns the options of the analysis.
func (f *options) options() generation.Options {
	o := f.o
	o.Metrics = f.metrics
	return o
}

// run loads what the flags name and analyzes it.
func (f *options) run(ctx context.Context, env *run.Env) error {
	in, drawn, err := f.load(ctx, env)
	if err != nil {
		return err
	}
	objects := func(r *generation.Result) report.Object { return Objects(r, in, drawn) }
	result, err := f.analyze(ctx, env, in, objects)
	if err != nil {
		return err
	}
	switch reason, lacking := result.Nothing(); {
	case reason == "":
	case lacking:
		env.Warn("no metric was computed: %s", reason)
	default:
		if err := run.Remove(partialPath(env)); err != nil {
			return err
		}
		return fmt.Errorf("no metric can be computed: %s", reason)
	}
	models := objects(result)
	if err := f.writeDocumented(env, result, models); err != nil {
		return err
	}
	return writeResult(ctx, result, env, in, models)
}

// analyze computes the metrics.
func (f *options) analyze(ctx context.Context, env *run.Env, in *generation.Input,
	objects func(*generation.Result) report.Object) (*generation.Result, error) {
	o := f.options()
	o.Settings = f.statistics.Settings(env, "")
	if env.Divided() {
		return generation.Analyze(ctx, *in, o)
	}
	p := newPartial(env, objects)
	env.AfterCommit(func() error { return run.Remove(p.path) })
	progress := env.Progress("metrics")
	return p.continued(ctx, *in, o, env.Note, func(done, total int) {
		progress(done, total)
		if afterUnit != nil {
			afterUnit(done)
		}
	})
}

// afterUnit, if not nil, is called after every metric of a generator: a test stops runs there.
var afterUnit func(done int)

// plan says what a run would do.
func (f *options) plan(ctx context.Context, env *run.Env) error {
	in, _, err := f.load(ctx, env)
	if err != nil {
		return err
	}
	o, err := f.options().WithDefaults()
	if err != nil {
		return err
	}
	if _, err := generation.Work(*in, o); err != nil {
		return err
	}
	for i := range in.Generators {
		g := &in.Generators[i]
		env.Plan.States += g.Generated.N()
		var would []string
		for _, name := range o.Metrics {
			if reason := generation.Find(name).Missing(in, g); reason != "" {
				would = append(would, fmt.Sprintf("%s skipped (%s)", name, reason))
			} else {
				would = append(would, name)
			}
		}
		env.Plan.Models = append(env.Plan.Models, run.PlanModel{Name: g.Name, Given: strings.Join(would, ", ")})
		env.Plan.Held += heldByGenerator(g)
	}
	env.Plan.Held += held(in.Real) + held(in.HoldOut)
	planFigures(env, in, o)
	output.PlanFiles(env, planFiles(env, in, o)...)
	return nil
}

// held is about the memory of the samples.
func held(s *generation.Samples) int64 {
	if s == nil {
		return 0
	}
	return int64(len(s.Rows.U8)) + 4*int64(len(s.Rows.F32)) + 8*int64(len(s.Rows.F64))
}

func heldByGenerator(g *generation.Generator) int64 {
	n := held(g.Generated)
	if g.Latents != nil {
		n += held(&generation.Samples{Rows: g.Latents.Points})
	}
	return n
}
