// Package command is the robustness binary: its flags, its files, its console table and its figures.
package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/robustness"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/measure/corruption"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
)

// Command is the robustness binary.
var Command = run.Command{
	Name:       "robustness",
	Summary:    "displacement of latents when frames are corrupted",
	Manual:     manual,
	Out:        "evaluation_plots/robustness_analysis",
	Defaults:   map[string]string{"latent-scale": string(spectrum.ScaleRMS)},
	Methods:    describeMethods,
	Definition: robustness.Definition,
	Metrics:    robustness.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{Frames: true, Encoders: true, ExampleSamples: exampleStates})
		o := robustness.Options{Corruption: corruption.Gaussian, Levels: robustness.DefaultLevels(), Clip: corruption.ClipRange, Draws: 1}
		list, unit, perSample := option.Of(&o), robustness.SpreadSD, false
		option.Choice(list, &unit, "noise-unit", []robustness.SpreadKind{robustness.SpreadSD, robustness.SpreadMAD},
			"`UNIT` of levels for vectors without --pixel-range: sd, the standard deviation of the states pooled "+
				"over their values, or mad, 1.4826 times their median absolute deviation (robust to outliers)")
		list.Bool(&perSample, "per-sample", "write the scores of every state to robustness_samples.csv; compare "+
			"uses them to pair models of different runs").Free()
		flags.Declare(list)
		inputs.Sized(func(data *input.Data) error {
			return checkUnit(data, o.Corruption, flags.Given("noise-unit"), flags.Given("clip") && o.Clip != corruption.ClipNone)
		})
		return run.Job{
			Files: output.Files("robustness", "robustness_summary.csv", "robustness_raw_data.csv", "robustness_comparison.figure", "robustness_distances.figure"),
			Check: func(*run.Options) error {
				for _, level := range o.Levels {
					if err := o.Corruption.CheckLevel(level); err != nil {
						return run.Usage("--levels: %v", err)
					}
				}
				if o.CompareLevel != 0 && !slices.Contains(o.Levels, o.CompareLevel) {
					return run.Usage("--box-level %v is not one of --levels %s", o.CompareLevel, flags.Lookup("levels").Value)
				}
				return nil
			},
			Run: func(ctx context.Context, env *run.Env) error {
				data, err := inputs.Load(ctx, env)
				if err != nil {
					return err
				}
				if o.CompareLevel == 0 && slices.Contains(o.Levels, 0.1) {
					o.CompareLevel = 0.1
				}
				return analyse(ctx, env, data, o, unit, perSample)
			},
			Plan: func(ctx context.Context, env *run.Env) error {
				if perSample {
					env.Plan.Write(output.SamplesFile(env))
				}
				return dryRun(ctx, env, inputs, o)
			},
			Divides: true,
		}
	},
}

// withoutRange reports whether levels are in units of the spread of the states: of vectors, for
// which no pixel range is given.
func withoutRange(data *input.Data) bool {
	return data.States.Vectors() && !data.States.Range().Given()
}

// checkUnit finds flags that have no effect on the states: a unit, and a rule of clipping.
func checkUnit(data *input.Data, kind corruption.Kind, unit, clip bool) error {
	why := ""
	switch vectors := data.States.Vectors(); {
	case clip && withoutRange(data):
		return run.Hint(run.Usage("--clip has no effect: vectors have no pixel range to clip to"),
			"give a range with --pixel-range LOW,HIGH, or remove --clip")
	case !unit:
		return nil
	case !vectors:
		why = "levels of images are shares of the pixel range"
	case !withoutRange(data):
		why = "levels are shares of --pixel-range"
	case kind == corruption.Contrast:
		why = "levels of contrast are shares of the contrast"
	default:
		return nil
	}
	return run.Hint(run.Usage("--noise-unit has no effect: %s", why), "remove it")
}

// dryRun says what a run would do.
func dryRun(ctx context.Context, env *run.Env, inputs *input.Inputs, o robustness.Options) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	env.Plan.Count("levels", len(o.Levels))
	env.Plan.Units = len(o.Levels) * o.Draws
	env.Plan.Again(1 + len(o.Levels)*o.Draws)
	data.Hold(2*len(data.Sample()), input.NoFrames) // clean and corrupted
	env.Plan.Search(len(data.Sample()), 1)
	output.PlanFiles(env, "robustness_summary.csv", "robustness_raw_data.csv")
	env.PlanFigures("robustness_comparison", "robustness_distances")
	return nil
}

// exampleStates is how many states of the built-in example are corrupted. Encoding all 1,960 at
// five levels by three networks is 1.8·10¹² operations, ten seconds of two processors; states of
// one episode tell much the same, and intervals of 192 states are a fifth wider.
const exampleStates = 192

const manual = `robustness corrupts every state at several levels, encodes it again with every model, and
reports the displacement of the latent: mean, standard deviation, standard error, median
and extremes. relative_mean is the mean divided by the RMS distance between two random
states; two random states have 0.80 (one dimension) to 1 (many dimensions). relative_rms
is the same for the root mean square; two random states have 1. The flip rate is the
share of corrupted latents that are nearer to another clean latent than to their own (an
equally near latent of a repeated frame is not a flip). The cosine similarity is also
reported. All models receive the same corrupted frames. The noise of a state depends
neither on batch size, nor on threads, nor on other states. A model with a shorter
--window receives the last frames of the same corrupted states.

Noise is relative to the pixel range: x' = range·clip(x/range + σ·ε, 0, 1). The mean
change of the input after clipping is also reported. Vectors have no pixel range: their
levels are in units of the standard deviation of the states, pooled over the values
(--noise-unit; printed and stored as noise_unit), x' = x + σ·unit·ε, without clipping.
Intervals include the error of that unit, except for salt and pepper, which lie two units
below and above the mean. Vectors with --pixel-range are treated as images.

Latents of a collapsed encoder do not move at all: also read the spread of the latents
(RMS distance, effective rank) and the flip rate, which collapse does not improve.
Intervals use the jackknife over episodes or blocks of states, including the RMS distance.
The average of relative_mean over the levels (auc_relative) and its slope (curve_slope)
describe how flat the curve is.

With --example, 192 of 1,960 states are corrupted; --samples 0 uses all. Flip rates grow
with the number of states, because more latents compete as nearest neighbor.

Models must be encoders (--model, --weights, --baseline); precomputed latents cannot
encode a corrupted frame.`

func analyse(ctx context.Context, env *run.Env, data *input.Data, o robustness.Options, unit robustness.SpreadKind,
	perSample bool) error {
	index := data.Sample()
	clean, err := data.Latents(ctx, index)
	if err != nil {
		return err
	}
	in := robustness.Input{
		States:     data.States.Subset(index),
		PixelRange: data.States.Range(),
		Number:     index,
		Episode:    data.Episodes(index),
		Time:       data.Frame(index),
	}
	if withoutRange(data) && o.Corruption != corruption.Contrast {
		if in.Spread, err = robustness.NewSpread(ctx, in.States, unit, env.Options.Threads); err != nil {
			return fmt.Errorf("frames %s: %w", data.States.Array().Name(), err)
		}
		env.Result.Extra.Set("noise_unit", in.Spread)
	}
	for i, m := range data.Models {
		in.Models = append(in.Models, robustness.Encoder{Name: m.Name, Clean: clean[i], Content: m.Content(),
			Encode: func(ctx context.Context, states latent.Source) (points.Points, error) {
				return m.Encode(ctx, states, "")
			}, EncodeNoisy: m.EncodeNoisy})
	}
	o.L2 = data.Options.LatentScale == string(spectrum.ScaleL2)
	o.Settings = data.Settings(env, "corrupting and encoding")
	result, err := robustness.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	for _, u := range result.Unmeasured {
		if err := data.LeaveOut(ctx, u.Name, errors.New(u.Reason)); err != nil {
			return err
		}
	}
	if perSample {
		if err := writeSamples(result, env, index, data.Episodes(index), o.Draws); err != nil {
			return err
		}
	}
	return write(result, env, data, index, o.Draws)
}

// writeSamples writes the scores of every state, means over its draws. Distances relative
// to the spread of the latents are no means of states: their error holds the error of the spread
// in it.
func writeSamples(r *robustness.Result, env *run.Env, index, episodes []int, draws int) error {
	var metrics []string
	var models []output.SampleScores
	for _, m := range r.Models {
		scores := output.SampleScores{Model: m.Name, Sample: index, Group: episodes}
		for l, level := range m.Levels {
			prefix := "levels" + report.Row("sigma", level.Sigma) + "."
			for _, score := range []struct {
				name   string
				values []float64
			}{{"mean", m.Distances[l]}, {"cosine", m.Cosines[l]}, {"flip_rate", m.Flips[l]}} {
				if len(models) == 0 {
					metrics = append(metrics, prefix+score.name)
				}
				scores.Scores = append(scores.Scores, ofStates(score.values, draws))
			}
		}
		models = append(models, scores)
	}
	return output.Samples(env, "state", "episode", metrics, models)
}

// ofStates are the means over the draws of each state that are defined.
func ofStates(values []float64, draws int) []float64 {
	out := make([]float64, len(values)/draws)
	for i := range out {
		sum, count := 0.0, 0
		for _, v := range values[i*draws : (i+1)*draws] {
			if !math.IsNaN(v) {
				sum += v
				count++
			}
		}
		out[i] = sum / float64(count) // NaN for none
	}
	return out
}

// write puts the result into the result file, the CSV files, the console and
// the figure.
func write(r *robustness.Result, env *run.Env, data *input.Data, index []int, draws int) error {
	output.Enter(env, r.Warnings, r.Models, func(m robustness.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	err := output.All(env,
		func(env *run.Env) error { return writeSummary(r, env) },
		func(env *run.Env) error {
			return writeDistances(r, env, index, data.Frame(index), data.Episodes(index), draws)
		},
		func(env *run.Env) error { return printTables(r, env, len(index), len(data.Index())) },
	)
	if err != nil {
		return err
	}
	if err := env.Figure("robustness_comparison", Figure(r, data.Options.LatentScale == string(spectrum.ScaleRMS))); err != nil {
		return err
	}
	return env.Figure("robustness_distances", DistancesFigure(r))
}

func writeSummary(r *robustness.Result, env *run.Env) error {
	return output.ModelCSV(env, "robustness_summary.csv", []string{
		"Model", "Noise_Level", "Mean_Distance", "Std_Error", "Std_Dev", "Min_Distance", "Max_Distance", "Median_Distance", "Sample_Count",
	}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for _, l := range m.Levels {
				if err := csv.Row(m.Name, l.Sigma, l.Mean, l.SE, l.SD, l.Min, l.Max, l.Median, l.Samples); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeDistances writes a row per model, level, state and draw. Frame is the frame at
// which the state begins.
func writeDistances(r *robustness.Result, env *run.Env, index, frames, episodes []int, draws int) error {
	return env.Files.CSV("robustness_raw_data.csv", []string{
		"Model", "Noise_Level", "Sample_ID", "Distance", "Frame", "Episode", "Draw",
	}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for l, level := range m.Levels {
				for i, d := range m.Distances[l] {
					if err := csv.Row(m.Name, level.Sigma, index[i/draws], d, frames[i/draws], episodes[i/draws], i%draws); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// printTables writes the tables to the console; states of all are corrupted.
func printTables(r *robustness.Result, env *run.Env, states, all int) error {
	columns := []string{"Model"}
	for _, name := range []string{"Relative mean", "Flip rate", "Cosine"} {
		columns = append(columns, fmt.Sprintf("%s at %g", name, r.CompareLevel))
	}
	table := report.NewTable("", append(columns, "AUC relative", "Effective rank")...)
	for _, m := range r.Models {
		cells := []any{m.Name}
		for _, l := range m.Levels {
			if l.Sigma == r.CompareLevel {
				cells = append(cells, l.RelativeMean, l.FlipRate, l.Cosine)
			}
		}
		table.Row(append(cells, m.AUCRelative, m.EffectiveRank)...)
	}
	what := text.Count(states, "state")
	if states < all {
		what += fmt.Sprintf(" of %d, drawn with the seed (--samples)", all)
	}
	if r.Blocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.Blocks)
	}
	table.Note("%s; %s", r.Corruption, what)
	table.Note("Relative: distance / RMS distance of two random states, 0 is best; flip rate: another state is nearest; " +
		"AUC: mean over levels")
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	if err := env.Details(levelTable(r)); err != nil {
		return err
	}
	if err := env.Details(spreadTable(r)); err != nil {
		return err
	}
	return output.PrintComparisons(env, shown(r))
}

// levelTable has a row for each model and level.
func levelTable(r *robustness.Result) *report.Table {
	table := report.NewTable("By level", "Model",
		"Level", "Distance", "Relative mean", "Relative RMS", "Flip rate", "Cosine", "Input change")
	for _, m := range r.Models {
		for _, l := range m.Levels {
			table.Row(m.Name, l.Sigma, l.Mean, l.RelativeMean, l.RelativeRMS, l.FlipRate, l.Cosine, l.InputPerturbation.Value)
		}
	}
	if r.Spread == nil {
		table.Note("Input change: mean pixel distance after clipping")
		return table
	}
	what := "levels in units of"
	if r.Corruption == corruption.SaltPepper {
		what = "salt and pepper lie 2 units from the mean of all values; a unit is"
	}
	table.Note("Input change: mean distance; %s %s; nothing is clipped", what, r.Spread)
	return table
}

// spreadTable has the slopes of the curves and the spread of the clean latents.
func spreadTable(r *robustness.Result) *report.Table {
	table := report.NewTable("Curves, and the spread of the clean latents", "Model", "Curve slope", "RMS distance",
		"n eff. (latents)", "n eff. (distances)", "Duplicates")
	reliable := true
	for _, m := range r.Models {
		table.Row(m.Name, m.CurveSlope, m.RMSDistance, m.NEffMeanLatent, m.NEff, m.Duplicates)
		reliable = reliable && (m.NEffReliable || !m.NEff.Defined()) && (m.NEffMeanLatentReliable || !m.NEffMeanLatent.Defined())
	}
	table.Note("n eff.: effective sample size, of distances at level %g", r.CompareLevel)
	if !reliable {
		table.Note("Some are not reliable: see n_eff_reliable and n_eff_mean_latent_reliable in the result file")
	}
	return table
}

// shown are the comparisons for the console: comparisons of the relative mean at other levels
// than the compared one are in the files.
func shown(r *robustness.Result) []report.Comparison {
	return slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool {
		return strings.HasPrefix(c.Metric, "relative_mean at ") && c.Metric != fmt.Sprintf("relative_mean at %g", r.CompareLevel)
	})
}
