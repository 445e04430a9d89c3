// Package command is the forecast binary: its flags, its files, its console tables and its figures.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/forecast"
	"repscope/analysis/internal/output"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/report"
	"repscope/stat"
)

// Command is the forecast binary.
var Command = run.Command{
	Name: "forecast",
	Summary: "verification of ensemble forecasts of fields: errors, proper scores and calibration, with skill " +
		"over persistence and climatology",
	Manual:     manual(),
	Out:        "evaluation_plots/forecast",
	Methods:    describeMethods,
	Definition: forecast.Definition,
	Metrics:    everyScore,
	Describes:  true,
	Setup:      setup,
}

// settings are the values of the command's own flags.
type settings struct {
	flags      *run.Flags
	example    *input.GivenExample
	statistics *input.Statistics
	target     *input.Given
	forecasts  *input.Given
	models     *input.Files
	fields     *input.Given
	leads      *input.Given
	groups     *input.Given
	weights    *input.Given
	latitudes  *input.Given
	regions    *input.Given
	climate    string
	latitude   []float64 // of the rows of a target that is aligned by coordinates; nil: by position, or areas
	areas      []float64 // of the cells of a curvilinear grid

	variables, inputVariables names
	units                     names
	leadUnit                  string
	o                         forecast.Options
	documented, device        string
}

// names is a flag of a list of names.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }
func (n *names) Get() any       { return []string(*n) }
func (n *names) Set(text string) error {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return errors.New("a name is empty")
		}
		if slices.Contains(out, part) {
			return fmt.Errorf("the name %s occurs twice", part)
		}
		out = append(out, part)
	}
	*n = out
	return nil
}

// climateTarget is the value of --climatology that is no file.
const climateTarget = "target"

func setup(flags *run.Flags) run.Job {
	s := &settings{flags: flags}
	s.registerInputs(flags)
	s.registerScores(flags)
	return run.Job{
		Files: output.Files("forecast", slices.Concat(output.Pages(caseName(0)), figureFiles(),
			[]string{leadFile, variableFile, rankFile, spectrumFile, reliabilityFile, rocFile})...),
		Check:   func(o *run.Options) error { return s.check(flags, o) },
		Run:     s.run,
		Plan:    s.plan,
		Divides: true,
	}
}

// registerInputs adds the flags of inputs.
func (s *settings) registerInputs(flags *run.Flags) {
	s.example = input.RegisterExample(flags, exampleArrays)
	flags.Usage("--target FILE[:key] --forecast NAME=FILE[:key] … [flags]",
		"--target FILE[:key] --input FILE[:key] [flags]")
	flags.FileHint("files are given with --target FILE, --forecast NAME=FILE or --input FILE")
	flags.Title(run.Settings, "variables and members")
	s.target = s.example.Role(
		flags,
		input.Role{
			Name:  "target",
			Unit:  "sample",
			Wide:  true,
			Usage: "`FILE[:key]` of the truth [N,V,H,W], or [N,H,W] for one variable: " + dataset.FormatNames(),
		},
	)
	s.forecasts = s.example.Role(flags, input.Role{Name: "forecast", Unit: "sample", Named: true, Wide: true,
		Usage: "`NAME=FILE[:key]` of an ensemble [N,S,V,H,W], or of one member [N,V,H,W]; the axis V may be " +
			"missing for one variable (repeats)"})
	s.models = input.RegisterFiles(flags, "model",
		"`NAME=FILE.onnx` of a model that generates --n-samples members from the fields of --input (repeats)")
	s.fields = s.example.Role(flags, input.Role{Name: "input", Unit: "sample", Wide: true,
		Usage: "`FILE[:key]` of the initial fields of the forecasts [N,Vin,H,W]; also the prediction of persistence"})
	s.leads = s.example.Role(flags, input.Role{Name: "leads", Unit: "lead", Column: true,
		Usage: "`FILE[:key]` of the lead of every sample [N], or FILE.csv:column: numbers in any unit, or " +
			"durations (timedelta64, text such as PT6H), which are converted to hours"})
	s.groups = s.example.Role(flags, input.Role{Name: "groups", Unit: "group", Column: true,
		Usage: "`FILE[:key]` of the initial time or simulation of every sample [N], or FILE.csv:column: an " +
			"increasing number, a datetime64 or text such as 2020-01-31. Samples of one group count as dependent " +
			"(default: the k-th sample of every lead has initial time k)"})
	s.weights = s.example.Role(flags, input.Role{Name: "weights", Unit: "weight", Wide: true, Usage: "`FILE[:key]` " +
		"of the weights of cells [H,W] or of rows [H], such as areas or a mask"})
	s.latitudes = s.example.Role(flags, input.Role{Name: "lat", Unit: "latitude", Wide: true,
		Usage: "`FILE[:key]` of latitudes in degrees, of rows [H] or of cells [H,W]: cells are weighted by their " +
			"cosine, times --weights"})
	s.regions = s.example.Role(flags, input.Role{Name: "regions", Unit: "region", Named: true, Wide: true,
		Usage: "`NAME=FILE[:key]` of a mask [H,W] of 0 and 1, or of weights, for additional scores of that part of " +
			"the grid (repeats)"})
	flags.Group(run.Settings, "variables", "input-variables", "units", "lead-unit", "n-samples", "skip-nan",
		"skip-members")
	flags.Declare(option.Of(s))
	s.statistics = input.RegisterStatistics(flags, "initial times")
}

// Declare lists the options of variables, inputs that have no role, and the published scripts.
func (s *settings) Declare(l *option.List) {
	l.Var(&s.variables, "variables", "`LIST` of the names of the variables of --target (default v0,v1,…)")
	l.Var(&s.inputVariables, "input-variables",
		"`LIST` of the names of the variables of --input (default: as --variables)")
	l.Var(&s.units, "units", "`LIST` of the units of the variables, for figures").Free()
	l.Text(&s.leadUnit, "lead-unit", "`NAME` of the unit of --leads, for figures").Free()
	l.Checked(&s.documented, "documented-json", output.JSONName,
		"`FILE` for {metrics, evaluation_config} of the first model, in the published format").Writes().Alias("save-results")
	l.Under(option.Inputs)
	l.Path(&s.climate, "climatology", "`FILE[:key]` of a climatology [V,H,W], or of one per sample "+
		"[N,V,H,W]; target: the mean target over all other initial times").Reads()
	l.Under(option.Running)
	s.device = device
	l.Checked(&s.device, "device", checkDevice,
		"`DEVICE` of the published scripts; models always run on the CPU")
}

// registerScores adds the flags of scores.
func (s *settings) registerScores(flags *run.Flags) {
	s.o = forecast.Defaults()
	flags.Declare(option.Of(&s.o))
	s.registerPublished(flags)
}

// check finds wrong usage in the flags alone.
func (s *settings) check(flags *run.Flags, o *run.Options) error {
	set := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	hint := "or run the built-in example: forecast --example"
	switch {
	case !s.target.Any():
		return run.Hint(run.Usage("no target"), "give the truth with --target FILE[:key] [N,V,H,W]", hint)
	case !s.forecasts.Any() && !s.fields.Any():
		return run.Hint(run.Usage("no forecast to score"),
			"give one with --forecast NAME=FILE [N,S,V,H,W], or --input FILE for persistence alone", hint)
	case len(s.models.Names()) > 0 && !s.fields.Any():
		return run.Hint(run.Usage(
			"--model needs the initial fields, but there is no --input"),
			"give the fields with --input FILE [N,Vin,H,W]")
	case set["input-variables"] && !s.fields.Any():
		return run.Hint(run.Usage("--input-variables %s has no effect: there is no --input", &s.inputVariables),
			"leave it out")
	case s.o.SkipMembers && s.o.Members == 0:
		return run.Hint(run.Usage(
			"--skip-members needs --n-samples: it scores the first --n-samples finite members of every sample"),
			"add --n-samples N, the number of finite members that every sample has")
	case s.o.SkipMembers && len(s.forecasts.Names()) == 0:
		return run.Hint(run.Usage("--skip-members has no effect: there is no --forecast"), "leave it out")
	case s.units != nil && s.variables != nil && len(s.units) != len(s.variables):
		return run.Usage("--units has %d names, but --variables has %d", len(s.units), len(s.variables))
	case s.leadUnit != "" && !s.leads.Any():
		return run.Hint(run.Usage("--lead-unit %s has no effect: there are no --leads", s.leadUnit), "leave it out")
	}
	if s.example.On() {
		s.ofExample(set)
	}
	if err := s.checkEvents(); err != nil {
		return err
	}
	return s.checkNames()
}

// checkEvents finds options of events where there are none.
func (s *settings) checkEvents() error {
	if len(s.o.Thresholds)+len(s.o.EventQuantiles) > 0 {
		return nil
	}
	idle := ""
	if s.o.Windows != nil {
		idle = "--fss-windows"
	} else if s.o.EventRule != forecast.EventAtLeast {
		idle = "--event-rule " + s.o.EventRule
	}
	if idle != "" {
		return run.Hint(run.Usage("%s has no effect: no event is defined", idle),
			"define events with --thresholds or --event-quantiles")
	}
	return nil
}

// ofExample are the options that suit the example where they are not given: its cases are
// drawn independently, and near cells tell enough.
func (s *settings) ofExample(set map[string]bool) {
	if !set["block"] {
		s.statistics.Block = stat.BlockSpec{Kind: stat.EpisodeBlocks}
	}
	if !set["max-distance"] {
		s.o.MaxDistance = exampleDistance
	}
	if !set["tile"] {
		s.o.Tile = exampleTile
	}
	if !set["thresholds"] && !set["event-quantiles"] {
		s.o.EventQuantiles = []float64{0.9}
	}
}

// exampleDistance is --max-distance of the example, exampleTile --tile: of its 24 × 36 cells, none is left out.
const (
	exampleDistance = 6
	exampleTile     = 6
)

// checkNames finds names that two models or regions would have.
func (s *settings) checkNames() error {
	names := append(s.forecasts.Names(), s.models.Names()...)
	for i, name := range names {
		if slices.Contains(forecast.Baselines(), name) {
			return run.Hint(run.Usage("%s is the name of a baseline", name), "give the forecast another name")
		}
		if slices.Contains(names[:i], name) {
			return run.Usage("two forecasts are named %q", name)
		}
	}
	if slices.Contains(s.regions.Names(), "all") {
		return run.Usage("--regions all=…: the name all is reserved for the whole grid; choose another")
	}
	return nil
}

// exist finds files that are not there before any is read.
func (s *settings) exist() error {
	for _, g := range []*input.Given{s.target, s.forecasts, s.fields, s.leads, s.groups, s.weights, s.latitudes, s.regions} {
		if err := g.Existing(); err != nil {
			return err
		}
	}
	if err := s.models.Exist(); err != nil {
		return err
	}
	if s.climate != "" && s.climate != climateTarget {
		if err := dataset.Exists(s.climate); err != nil {
			return fmt.Errorf("climatology: %w", err)
		}
	}
	return nil
}

// options returns the options of the analysis, with the settings of the run.
func (s *settings) options(env *run.Env) forecast.Options {
	o := s.o
	o.Settings = s.statistics.Settings(env, "")
	o.Memory = env.WorkingMemory()
	o.Progress = env.ProgressOf("scoring", "samples")
	return o
}

// run does the work.
func (s *settings) run(ctx context.Context, env *run.Env) error {
	in, err := s.input(ctx, env)
	if err != nil {
		return err
	}
	s.noteDevice(env)
	o := s.options(env)
	result, err := forecast.Analyze(ctx, *in, o)
	if err != nil {
		return s.explain(ctx, env, in, err)
	}
	for _, u := range result.Unmeasured {
		env.LeaveOut(u.Name, errors.New(u.Reason))
		in.Forecasts = slices.DeleteFunc(in.Forecasts, func(f forecast.Forecast) bool { return f.Name == u.Name })
	}
	return s.write(ctx, env, in, o, result)
}

// hinted adds what can be done about an error; skipping says that members are left out.
func hinted(err error, skipping bool) error {
	var bad *forecast.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	hints := []string{"leave out such samples for all models with --skip-nan"}
	if len(bad.Index) == 5 && !skipping {
		hints = append(hints,
			"or leave out such members with --skip-members --n-samples N, the number of finite members that every "+
				"sample has")
	}
	return run.Hint(err, hints...)
}

// plan says what a run would do.
func (s *settings) plan(ctx context.Context, env *run.Env) error {
	in, err := s.input(ctx, env)
	if err != nil {
		return err
	}
	p, err := forecast.Plan(*in, s.options(env))
	if err != nil {
		return err
	}
	env.Plan.Count("samples", p.Samples)
	for _, m := range p.Models {
		members := fmt.Sprintf("%s of %d members", m.Kind, m.Members)
		if m.Members == 1 {
			members = m.Kind + " of one member"
		}
		env.Plan.Models = append(env.Plan.Models, run.PlanModel{Name: m.Name, Given: members})
	}
	env.Plan.Held = p.Bytes
	output.PlanFiles(env, files(env, in, p)...)
	planFigures(env, in, p)
	return nil
}

// everyScore describes all scores that an ensemble can have.
func everyScore() []report.Described {
	var all []forecast.Formula
	for _, f := range forecast.Families() {
		all = append(all, f.Scores...)
	}
	return forecast.Described(all)
}
