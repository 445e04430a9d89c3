// Package command is the smoothness binary: its flags, its files, its console table and its figure.
package command

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/smoothness"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
)

// Command is the smoothness binary.
var Command = run.Command{
	Name:       "smoothness",
	Summary:    "how smoothly an encoder maps small changes of the state to small changes of the latent",
	Manual:     manual,
	Out:        "evaluation_plots/smoothness_analysis",
	Defaults:   map[string]string{"latent-scale": string(spectrum.ScaleRMS)},
	Methods:    describeMethods,
	Definition: smoothness.Definition,
	Metrics:    smoothness.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{Frames: true})
		horizons := []int{1}
		list := new(option.List)
		list.Ints(&horizons, "horizons",
			"`LIST` of time differences between the two states of a pair").AtLeast(1).Distinct()
		flags.Declare(list)
		inputs.Sized(func(data *input.Data) error {
			for _, h := range horizons {
				if n := len(data.Pairs(h)); n < 3 {
					return fmt.Errorf("%s of states %s apart within an episode, want at least 3",
						text.Count(n, "pair"), text.Count(h, "frame"))
				}
			}
			return nil
		})
		return run.Job{
			Files: output.Files("smoothness", "smoothness_summary.csv", "smoothness_raw_data.csv", "smoothness_comparison.figure"),
			Run: func(ctx context.Context, env *run.Env) error {
				data, err := inputs.Load(ctx, env)
				if err != nil {
					return err
				}
				return analyse(ctx, env, data, horizons)
			},
			Plan:    func(ctx context.Context, env *run.Env) error { return dryRun(ctx, env, inputs, horizons) },
			Divides: true,
		}
	},
}

// dryRun says what a run would do.
func dryRun(ctx context.Context, env *run.Env, inputs *input.Inputs, horizons []int) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	var pairs [][]points.Pair
	for _, h := range horizons {
		list := data.Pairs(h)
		pairs = append(pairs, list)
		env.Plan.Count(fmt.Sprintf("pairs of states, horizon %d", h), len(list))
	}
	all := 0
	for _, list := range pairs {
		all += len(list)
	}
	env.Plan.Units = smoothness.Units(all)
	index, _ := input.PairStates(pairs...)
	data.Hold(len(index), input.LastFrames)
	output.PlanFiles(env, "smoothness_summary.csv", "smoothness_raw_data.csv")
	env.PlanFigures("smoothness_comparison")
	return nil
}

const manual = `smoothness relates the pixel distance of the last frames to the distance of the latents,
over pairs of states (s_t, s_t+h) of one episode. It reports the least-squares line
(slope, intercept, r, R²), Spearman's rank correlation, the Theil–Sen slope, and the ratio
latent/pixel distance (mean, median, 95th and 99th percentile, maximum: empirical
Lipschitz constants).

Latent distances are divided by the RMS distance between two random states
(--latent-scale rms), so that slopes of different models are comparable. The result file
also contains the raw numbers; the CSV files are raw, with the published columns.
Consecutive frames are not independent, so the classical p value and standard error of
the line (iid_p_value, iid_std_error; also under published) are too small. Intervals use the jackknife over
episodes or blocks of states with their pairs.

A low slope is not good by itself: a collapsed encoder maps everything to one point. Also
read R² (whether the latent follows the change at all) and the effective rank.

A few pairs can determine a line. If every episode starts with a blank frame, its pairs
may have nearly all of the variance of pixel distances; R² is then near 1 even for noise,
and deleting episodes does not reveal it. If pairs more than 3.2 standard deviations from
the mean distance have half of the variance or more, a warning names them, and slope, R²,
Spearman and Theil–Sen are also reported without them (leverage.without). A comparison of
lines has no p value if the other pairs do not confirm it, or if Theil–Sen or Spearman
contradict it.`

func analyse(ctx context.Context, env *run.Env, data *input.Data, horizons []int) error {
	lists := make([][]points.Pair, len(horizons))
	for i, h := range horizons {
		lists[i] = data.Pairs(h)
	}
	index, local := input.PairStates(lists...)
	states, err := data.Select(ctx, index, input.LastFrames)
	if err != nil {
		return err
	}
	if err := data.RoomForSpectra(states.Models, 0); err != nil {
		return err
	}
	in := smoothness.Input{Frames: states.Frames, PixelRange: data.States.Range(), Episode: states.Episode, Time: states.Time, Models: states.Models, Pairs: map[int][]points.Pair{}}
	for i, h := range horizons {
		in.Pairs[h] = local[i]
	}
	result, err := smoothness.Analyze(ctx, in, smoothness.Options{
		Settings: data.Settings(env, ""),
		Scale:    spectrum.Scale(data.Options.LatentScale),
	})
	if err != nil {
		return err
	}
	return write(result, env, data, states, local[0])
}

// write puts the result into the result file, the CSV files, the console and
// the figure.
func write(r *smoothness.Result, env *run.Env, data *input.Data, states *points.Selection, pairs []points.Pair) error {
	output.Enter(env, r.Warnings, r.Models, func(m smoothness.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	err := output.All(env,
		func(env *run.Env) error { return writeSummary(r, env) },
		func(env *run.Env) error { return writePairs(r, env, states, pairs) },
		func(env *run.Env) error { return printTables(r, env, len(pairs), data.Options.LatentScale) },
	)
	if err != nil {
		return err
	}
	figure, err := Figure(r, env.Options.Seed)
	if err != nil {
		return err
	}
	return env.Figure("smoothness_comparison", figure)
}

// per is a number of distances as they are in units of the RMS distance.
func per(v, rms report.Value) report.Value {
	switch {
	case !v.Defined():
		return v
	case !rms.Defined():
		return rms
	}
	return report.NumberOr(v.V/rms.V, "the RMS distance is 0")
}

// writeSummary writes a row per model, in the published columns of distances as they are, whose
// slopes are in units of each model's latents and do not compare; those in units of the RMS
// distance, which do, follow.
func writeSummary(r *smoothness.Result, env *run.Env) error {
	return output.ModelCSV(env, "smoothness_summary.csv", []string{
		"Model", "Regression_Slope", "Regression_Intercept", "R_Value", "R_Squared", "P_Value", "Std_Error",
		"Mean_Smoothness_Ratio", "Std_Smoothness_Ratio", "Median_Smoothness_Ratio", "Sample_Count", "iid_p_value", "iid_std_error",
		"Distance_Unit", "RMS_Distance", "Slope_Per_RMS_Distance", "Median_Ratio_Per_RMS_Distance", "Theil_Sen", "Spearman",
		"Top_Percent_Share", "R_Squared_Without_Decisive_Pairs", "Spearman_Without_Decisive_Pairs",
	}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			v := m.Raw
			if err := csv.Row(m.Name, v.Slope, v.Intercept, v.R, v.RSquared, v.Published.PValue, v.Published.StdError,
				v.Ratio.Mean, v.Ratio.SD, v.Ratio.Median, v.Pairs,
				v.IIDPValue, v.IIDStdError, "latents as they are", m.RMSDistance,
				per(v.Slope.Value, m.RMSDistance), per(v.Ratio.Median.Value, m.RMSDistance),
				v.TheilSen, v.Spearman, m.Leverage.TopShare,
				m.Leverage.Without.RSquared, m.Leverage.Without.Spearman); err != nil {
				return err
			}
		}
		return nil
	})
}

// writePairs writes a row per model and pair of the smallest horizon; pairs are
// positions in states. Frame and Next_Frame are the frames at which the two states begin.
func writePairs(r *smoothness.Result, env *run.Env, states *points.Selection, pairs []points.Pair) error {
	return env.Files.CSV("smoothness_raw_data.csv", []string{
		"Model", "Sample_ID", "Pixel_Distance", "Latent_Distance", "Smoothness_Ratio",
		"Frame", "Next_Frame", "Episode", "Horizon",
	}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for i, pair := range pairs {
				ratio := report.NumberOr(m.RawDistance[i]/r.PixelDistance[i], "the frames are equal")
				if err := csv.Row(m.Name, states.Index[pair.Now], r.PixelDistance[i], m.RawDistance[i], ratio,
					states.Time[pair.Now], states.Time[pair.Next], states.Episode[pair.Now], r.Horizon); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// printTables writes the tables to the console.
func printTables(r *smoothness.Result, env *run.Env, pairs int, scale string) error {
	columns := []string{"Model", "Horizon", "Slope", "R²", "Spearman", "Ratio median", "Effective rank", "Ratio P95"}
	several := len(r.Models[0].Horizons) > 1
	if !several {
		columns = slices.Delete(columns, 1, 2)
	}
	if !env.Options.Verbose {
		columns = columns[:len(columns)-1]
	}
	table := report.NewTable("", columns...)
	for _, m := range r.Models {
		for _, h := range m.Horizons {
			cells := []any{m.Name, h.Horizon, h.Slope, h.RSquared, h.Spearman, h.Ratio.Median, m.EffectiveRank, h.Ratio.P95}
			if !several {
				cells = slices.Delete(cells, 1, 2)
			}
			table.Row(cells...)
		}
	}
	what := fmt.Sprintf("%s of states %d apart; latent distances in scale %s", text.Count(pairs, "pair"), r.Horizon, scale)
	if r.Blocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.Blocks)
	}
	table.Note("%s", what)
	table.Note("Higher R² and Spearman: latents change as the frames do. A low effective rank is a sign of collapse")
	if env.Options.Verbose && several {
		table.Note("models are compared at horizon %d; smoothness_metrics.csv has all horizons", r.Horizon)
	}
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	if err := printRest(r, env); err != nil {
		return err
	}
	return output.PrintComparisons(env, r.Comparisons)
}

// printRest writes the numbers without pairs that decide the lines.
func printRest(r *smoothness.Result, env *run.Env) error {
	if r.Decisive == nil {
		return nil
	}
	table := report.NewTable(fmt.Sprintf("Without the %s that hold %.0f %% of the variance of the pixel distances", text.Count(len(r.Decisive), "pair"), 100*r.DecisiveShare),
		"Model", "Slope", "R²", "Spearman", "Theil–Sen", "Theil–Sen, all pairs")
	for _, m := range r.Models {
		w := m.Leverage.Without
		table.Row(m.Name, w.Slope, w.RSquared, w.Spearman,
			w.TheilSen, m.TheilSen)
	}
	return env.Details(table)
}
