// The validate binary: its flags and its run.

package validate

import (
	"context"
	"fmt"
	"slices"

	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const manual = `validate tells whether numbers that need no labels may be trusted for choosing a checkpoint or
a model. TABLE is summary.csv of evaluate, <analysis>_metrics.csv of an analysis, or any CSV or
TSV table with a row for each checkpoint. --outcome names the column that counts, such as a
success rate; higher is better, unless its metric or --lower says otherwise.

Rows of a training run have the same --run (default: a column run, seed or trial) and the
order of --after (default: a column step, epoch or iteration). In summary.csv both come from
the names of the models: run/a/100 and run/a/200. Without runs every row is a model.

For each number: Spearman's and Kendall's correlation with the outcome, the correlation after
the step is taken out, within runs and between runs; and the selection regret, which is the
outcome of the best row of a run less the outcome of the row that the number chooses, as a mean
over runs. References are the last checkpoint, a random one, and --validation-loss.

The best of several noisy outcomes is too good. --outcome-halves A,B names outcomes on two halves
of the evaluation, --outcome-se their standard error. With either, the best row is chosen by one
half and judged by the other, and correlations without the error of the outcome are given too.

p values come from outcomes that are permuted within runs. Checkpoints in order are compared
with other runs at the same step, and outcomes are shifted in time, since all numbers change in
training: this needs 3 runs that share 8 steps. p_max is corrected over all numbers. A number
predicts if p_max is below 0.05, and "None of them" is an answer.

Directions come from the descriptions of metrics, from --higher and --lower. If the direction of
a number is not known, its p value is two-sided, and its choice follows the other runs.`

// settings are the values of the command's own flags.
type settings struct {
	columns      Columns
	permutations int
	example      bool
	directions   Directions
}

// New is the validate binary, which knows the metrics of the given analyses.
func New(commands []run.Command) run.Command {
	return run.Command{
		Name:       "validate",
		Summary:    "whether numbers without labels predict an outcome, and what choosing checkpoints by them costs",
		Manual:     manual,
		Out:        "evaluation_plots/validation",
		Arguments:  "TABLE --outcome COLUMN",
		Omit:       []string{"memory"},
		Definition: Definition,
		Methods:    describeMethods,
		Setup: func(flags *run.Flags) run.Job {
			s := &settings{permutations: 999, directions: directionsOf(commands)}
			s.register(flags)
			return run.Job{Files: func(*run.Options) []string { return append(slices.Clone(tables), "validate.figure") },
				Check: s.check, Run: s.run, Plan: s.plan}
		},
	}
}

// tables are the CSV files of a run.
var tables = []string{"validate_numbers.csv", "validate_choices.csv"}

func (s *settings) register(flags *run.Flags) {
	flags.Usage("--example")
	c := &s.columns
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		l.Under(option.Inputs)
		l.Bool(&s.example, "example", "validate the built-in example: a synthetic table of 6 runs of 20 "+
			"checkpoints")
		l.Under(option.Own)
		l.Text(&c.Outcome, "outcome", "`COLUMN` of the outcome that numbers should predict")
		l.Text(&c.OutcomeSE, "outcome-se", "`COLUMN` of the standard error of the outcome")
		l.Texts(&c.Halves, "outcome-halves", nil, "`A,B`: columns of the outcome on two halves of the "+
			"evaluation; without --outcome the outcome is their mean")
		l.Text(&c.Run, "run", "`COLUMN` of the training run of each row (default: run, seed or trial; none: "+
			"every row is a model)")
		l.Text(&c.After, "after", "`COLUMN` of the training step, which orders the rows of a run and is taken "+
			"out of partial correlations (default: step, epoch or iteration; none: no order)")
		l.Text(&c.ValidationLoss, "validation-loss", "`COLUMN` of the validation loss, as a reference; lower is "+
			"better unless --higher names it")
		l.Texts(&c.Numbers, "numbers", nil, "`LIST` of columns that may predict the outcome; * is any text "+
			"(default: all columns of numbers)")
		l.Texts(&c.Higher, "higher", nil, "`LIST` of columns where higher values should be better; "+
			"* is any text")
		l.Texts(&c.Lower, "lower", nil, "`LIST` of columns where lower values should be better; "+
			"* is any text")
		l.Int(&s.permutations, "permutations", "`N` permutations for p values; 0: no p values").Draws(0)
	})))
	flags.Several("numbers", "higher", "lower")
}

// check finds wrong usage before any file is opened.
func (s *settings) check(o *run.Options) error {
	c := &s.columns
	named := []struct{ flag, value string }{{"outcome", c.Outcome}, {"outcome-se", c.OutcomeSE}, {"run", c.Run},
		{"after", c.After}, {"validation-loss", c.ValidationLoss}}
	switch {
	case s.example && len(o.Args) > 0:
		return run.Usage("--example has its own table; leave out %s", o.Args[0])
	case len(o.Args) > 1:
		return run.Usage("there are %d tables; want one, with a row for each checkpoint", len(o.Args))
	case len(c.Halves) != 0 && len(c.Halves) != 2:
		return run.Usage("--outcome-halves names %s, want two: A,B", text.Count(len(c.Halves), "column"))
	case len(c.Halves) == 2 && c.Halves[0] == c.Halves[1]:
		return run.Usage("--outcome-halves names %s twice; want the two halves", c.Halves[0])
	case len(c.Halves) == 2 && c.OutcomeSE != "":
		return run.Usage("--outcome-halves and --outcome-se cannot be used together: the halves already give the error")
	case c.OutcomeSE != "" && c.Outcome == "":
		return run.Usage("--outcome-se is the error of --outcome, which is missing")
	case s.permutations > 0 && s.permutations < 19:
		return run.Usage("--permutations %d: want 0 or at least 19, which give p values of 0.05", s.permutations)
	}
	if s.example {
		for _, n := range named {
			if n.value != "" {
				return run.Usage("--example has its own columns; leave out --%s", n.flag)
			}
		}
		if len(c.Halves) > 0 {
			return run.Usage("--example has its own columns; leave out --outcome-halves")
		}
		return nil
	}
	for i, n := range named {
		for _, other := range named[:i] {
			if n.value != "" && n.value != None && n.value == other.value {
				return run.Usage("--%s and --%s both name %s", other.flag, n.flag, n.value)
			}
		}
	}
	for _, pattern := range c.Higher {
		if slices.Contains(c.Lower, pattern) {
			return run.Usage("--higher and --lower both name %s", pattern)
		}
	}
	switch {
	case len(o.Args) == 0:
		return run.Hint(run.Usage("no table to validate"), "give a table: validate summary.csv --outcome COLUMN",
			"or try --example")
	case c.Outcome == "" && len(c.Halves) == 0:
		return run.Hint(run.Usage("there is no outcome"), "name its column with --outcome")
	}
	return nil
}

// load reads the table.
func (s *settings) load(env *run.Env) (*Input, error) {
	if s.example {
		env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "table", Path: "example:checkpoints"})
		return Example(env.Options.Seed, s.columns), nil
	}
	path := run.Expand(env.Options.Args[0])
	in, digest, err := Read(path, s.columns, s.directions)
	if err != nil {
		return nil, err
	}
	if err := env.Read(path); err != nil {
		return nil, err
	}
	env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "table", Path: path, SHA256: digest,
		Shape: []int{len(in.Outcome) + in.Empty, len(in.Numbers)}})
	for _, note := range in.notes {
		env.Note("note: %s", note)
	}
	return in, nil
}

func (s *settings) options(env *run.Env) Options {
	return Options{Intervals: env.Options.Bootstrap > 0, Permutations: s.permutations, Seed: env.Options.Seed,
		Threads: env.Options.Threads}
}

func (s *settings) run(ctx context.Context, env *run.Env) error {
	in, err := s.load(env)
	if err != nil {
		return err
	}
	r, err := Analyze(ctx, in, s.options(env))
	if err != nil {
		return fmt.Errorf("%s: %w", env.Result.Inputs[0].Path, err)
	}
	return r.write(env)
}

func (s *settings) plan(_ context.Context, env *run.Env) error {
	in, err := s.load(env)
	if err != nil {
		return err
	}
	env.Plan.Count("rows", len(in.Outcome))
	env.Plan.Count("numbers", len(in.Numbers))
	env.Plan.Write(tables...)
	env.PlanFigures("validate")
	return nil
}
