// Package command is the similarity binary: its flags, its files, its console tables and its figure.
package command

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/similarity"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/parallel"
	"repscope/internal/run"
	"repscope/internal/text"
	measures "repscope/measure/similarity"
	"repscope/measure/spectrum"
	"repscope/report"
)

// Command is the similarity binary.
var Command = run.Command{
	Name:       "similarity",
	Summary:    "how alike the latent spaces of models are, and what chance would give",
	Manual:     manual,
	Out:        "evaluation_plots/similarity",
	Methods:    describeMethods,
	Definition: similarity.Definition,
	Metrics:    similarity.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{Baselines: true, Fewest: 2, ExampleSamples: 500, ByLayer: true})
		o := similarity.Options{
			Measures: slices.Clone(similarity.DefaultMeasures), K: []int{10}, Bandwidth: 0.5, Pairs: 50_000,
			LayerMeasures: slices.Clone(similarity.DefaultLayerMeasures),
			Permutations:  200, Null: similarity.NullTime, StitchPermutations: 39,
		}
		flags.Declare(option.Of(&o))
		return run.Job{
			Files: output.Files("similarity", "similarity_pairs.csv", "similarity.figure",
				"similarity_layers.csv", "similarity_layers.figure", "similarity_steps.csv", "similarity_steps.figure",
				"similarity_stitches.csv", "similarity_stitches.figure"),
			Check: func(*run.Options) error {
				if o.Stitch && !inputs.ByLayer() {
					return run.Hint(run.Usage("--stitch without --layers: no layers to stitch"),
						"give --layers A=PATTERN,B=PATTERN with the names of two models")
				}
				return nil
			},
			Run: func(ctx context.Context, env *run.Env) error {
				if o.Pairs == 0 {
					o.Pairs = -1
				}
				data, err := inputs.Load(ctx, env)
				if err != nil {
					return err
				}
				return analyse(ctx, env, data, o)
			},
			Plan:    func(ctx context.Context, env *run.Env) error { return dryRun(ctx, env, inputs, o.Stitch) },
			Divides: true,
		}
	},
}

// dryRun says what a run would do.
func dryRun(ctx context.Context, env *run.Env, inputs *input.Inputs, stitch bool) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	if err := several(len(data.Models)); err != nil {
		return err
	}
	env.Plan.Units = len(data.Models) * (len(data.Models) - 1) / 2
	data.Hold(len(data.Sample()), input.NoFrames)
	files, figures := []string{"similarity_pairs.csv"}, []string{"similarity"}
	if data.ByLayer() {
		files, figures = append(files, "similarity_layers.csv"), append(figures, "similarity_layers")
	}
	if stitch {
		files, figures = append(files, "similarity_stitches.csv"), append(figures, "similarity_stitches")
	}
	names := make([]string, len(data.Models))
	for i, m := range data.Models {
		names[i] = m.Name
	}
	if similarity.HasRuns(names) {
		files, figures = append(files, "similarity_steps.csv"), append(figures, "similarity_steps")
	}
	output.PlanFiles(env, files...)
	env.PlanFigures(figures...)
	return nil
}

func several(models int) error {
	if models < 2 {
		return run.Hint(fmt.Errorf("%s, want at least two to compare", text.Count(models, "model")),
			"add --model NAME=FILE or --latents NAME=FILE")
	}
	return nil
}

const manual = `similarity compares the latent spaces of every two models, which may differ in dimension.

Measures (--measures): linear CKA, also debiased (unbiased HSIC) and with Gaussian kernels;
mutual_knn, the share of common nearest neighbors; cknna, CKA over pairs that are neighbors
in both spaces; SVCCA and PWCCA; procrustes (1: equal after a rotation and scaling) and its
angle; rsa_spearman and rsa_pearson, the correlation of distances; distance_correlation;
unit_match, the correlation of single units under their best assignment; predictivity, R²
of a ridge regression from one space to the other in folds of episodes (_ab: from A to B);
information_imbalance, the rank in one space of the nearest neighbor in the other (0: A
knows the neighbors in B, 1: it knows nothing).

Raw scores grow with dimension, with few states and with states that change slowly,
although two spaces share nothing. The null (--permutations) shows what they are then: whole
episodes of B are given to episodes of A, so that the dependence in time stays; fewer than
5 episodes are rotated in time. --null independent exchanges single states, which suits
states without order only. p is the share of orders that score at least as much. adjusted is
0 at the mean of the null and 1 for identical spaces; gated starts at the 95 % threshold.
A score that does not exceed its null is no evidence of similarity.

--layers A=PATTERN,B=PATTERN compares every layer of A with every layer of B. The best pair of
layers is compared with the best pair in each order, so that the search is part of its p.
Latents named A:LAYER (--latents A:conv1=FILE) are layers of A. A model with layers stands
among the models with its last layer.

--stitch replaces a layer of one model by a linear map of a layer of another, the map of
predictivity fitted on other episodes, for every pair of these layers. error is how far the
outputs then are from the model's own: 0 where they are equal, 1 where they are like the mean.

Three or more models named RUN@STEP, such as jepa@1000, are checkpoints of a run: a curve shows
how alike each is to the last one.

p values are corrected (Holm) over the pairs of a measure. Intervals use the jackknife over
episodes or blocks. --reference NAME tests which of the other models is more like that one.

All measures but unit_match and pwcca ignore rotations of a space. --latent-scale l2 divides the
latents of each state by their length first, as cknna always does. cka_rbf and distance_correlation
need a matrix of all pairs of states and have no value where --memory does not hold it.`

func analyse(ctx context.Context, env *run.Env, data *input.Data, o similarity.Options) error {
	states, err := data.Select(ctx, data.Sample(), input.NoFrames)
	if err != nil {
		return err
	}
	layers, err := data.Layered(ctx, states)
	if err != nil {
		return err
	}
	if err := several(len(states.Models)); err != nil {
		return err
	}
	in := similarity.Input{Episode: states.Episode, Models: states.Models}
	for _, model := range layers {
		in.Layers = append(in.Layers, similarity.Layered{Name: model.Name, Layers: model.Layers})
	}
	if o.Stitch {
		if err := addStages(ctx, data, layers, states, &in); err != nil {
			return err
		}
	}
	need := in.Bytes(parallel.Workers(env.Options.Threads, o.Permutations+1))
	if err := data.RoomForSpectra(states.Models, need); err != nil {
		return err
	}
	o.Settings, o.Scale = data.Settings(env, "comparing"), spectrum.Scale(data.Options.LatentScale)
	result, err := similarity.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	return write(result, env, o)
}

// write puts the result into the result file, the CSV file, the console and the figure.
func write(r *similarity.Result, env *run.Env, o similarity.Options) error {
	output.Enter(env, r.Warnings, r.Models, func(m similarity.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	env.Result.Extra.Set("pairs", r.Pairs)
	steps := []func(*run.Env) error{
		func(env *run.Env) error { return writePairs(r, env) },
		func(env *run.Env) error { return printTables(r, env, o) },
	}
	if len(r.Layers) > 0 {
		env.Result.Extra.Set("layers", r.Layers)
		steps = append(steps,
			func(env *run.Env) error { return writeLayers(r, env) },
			func(env *run.Env) error { return printLayers(r, env) })
	}
	if len(r.Stitches) > 0 {
		env.Result.Extra.Set("stitches", r.Stitches)
		steps = append(steps,
			func(env *run.Env) error { return writeStitches(r, env) },
			func(env *run.Env) error { return printStitches(r, env) })
	}
	if len(r.Runs) > 0 {
		env.Result.Extra.Set("runs", r.Runs)
		steps = append(steps, func(env *run.Env) error { return writeRuns(r, env) })
	}
	if err := output.All(env, steps...); err != nil {
		return err
	}
	if err := env.Figure("similarity", Figure(r)); err != nil {
		return err
	}
	if len(r.Runs) > 0 {
		if err := env.Figure("similarity_steps", RunFigure(r)); err != nil {
			return err
		}
	}
	if len(r.Stitches) > 0 {
		if err := env.Figure("similarity_stitches", StitchFigure(r)); err != nil {
			return err
		}
	}
	if len(r.Layers) == 0 {
		return nil
	}
	return env.Figure("similarity_layers", LayerFigure(r))
}

// noNull is the chance of a run without a null.
func noNull() similarity.ScoreNull {
	return report.Lack(similarity.ScoreNull{}, "no null (--permutations 0)")
}

// chanceOf is what a score is under the null.
func chanceOf(s similarity.PairScore) similarity.ScoreNull {
	switch {
	case s.Null != nil:
		return *s.Null
	case !s.Value.Defined():
		return report.Lack(similarity.ScoreNull{}, "%s", s.Value.Reason)
	}
	return noNull()
}

// writePairs writes a row for each pair and score.
func writePairs(r *similarity.Result, env *run.Env) error {
	return output.ModelCSV(env, "similarity_pairs.csv", []string{
		"Model_A", "Model_B", "Score", "Value", "CI_Low", "CI_High", "Null_Mean", "Null_SD", "Null_Threshold",
		"P", "P_Holm", "Adjusted", "Gated", "Null_States", "Null_Value",
	}, func(csv *report.CSV) error {
		for _, p := range r.Pairs {
			for _, name := range r.Scores {
				s := p.Score(name)
				low, high := output.Ends(s.Value.CI)
				c := chanceOf(s)
				if err := csv.Row(p.A, p.B, name, s.Value.Value, report.NumberOr(low, "no interval"),
					report.NumberOr(high, "no interval"), c.Mean, c.SD, c.Threshold, c.P, c.PHolm, c.Adjusted,
					c.Gated, c.States, c.Value); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// headlines are the scores of the first table and of the figure: two, headline measures first.
func headlines(r *similarity.Result) []string {
	var out []string
	for _, want := range []string{"cka_debiased", "mutual_knn", "cka", "procrustes"} {
		for _, name := range r.Scores {
			if m, _ := measures.Find(name); m.Name == want && len(out) < 2 {
				out = append(out, name)
				break
			}
		}
	}
	for _, name := range r.Scores {
		if len(out) < 2 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// mostPairs is the number of pairs that the console shows.
const mostPairs = 45

// printTables writes the tables to the console.
func printTables(r *similarity.Result, env *run.Env, o similarity.Options) error {
	shown := headlines(r)
	columns := []string{"A", "B"}
	for _, name := range shown {
		columns = append(columns, measures.TitleOf(name), "… null", "p (Holm)")
	}
	table := report.NewTable("", columns...)
	for i, p := range r.Pairs {
		if i == mostPairs {
			break
		}
		cells := []any{p.A, p.B}
		for _, name := range shown {
			c := chanceOf(p.Score(name))
			cells = append(cells, scoreAtNull(r, p.Score(name)), c.Mean, report.Probability(c.PHolm))
		}
		table.Row(cells...)
	}
	what := text.Count(r.Models[0].States, "state")
	switch s := cutNull(r); {
	case s != nil:
		what = fmt.Sprintf("%d of %s: episodes cut to one length, as the null needs them; similarity_pairs.csv has the "+
			"scores of all states", s.States, text.Count(r.Models[0].States, "state"))
		if r.Blocks != "" {
			what += " with 95 % intervals"
		}
	case r.Blocks != "":
		what += "; [95 % intervals] by deleting each of " + r.Blocks
	}
	table.Note("%s", what)
	if o.Permutations > 0 {
		how := "exchanges of whole episodes"
		if o.Null == similarity.NullIndependent {
			how = "orders of single states"
		}
		table.Note("… null: mean over %d %s; a score near it is no evidence of similarity", o.Permutations, how)
	}
	if len(r.Pairs) > mostPairs {
		table.Note("%d of %d pairs; all: similarity_pairs.csv", mostPairs, len(r.Pairs))
	}
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	if err := env.Details(allScores(r)); err != nil {
		return err
	}
	return output.PrintComparisons(env, r.Comparisons)
}

// firstNull is the null of some score; nil without.
func firstNull(r *similarity.Result) *similarity.ScoreNull {
	for _, p := range r.Pairs {
		for _, name := range r.Scores {
			if s := p.Score(name); s.Null != nil {
				return s.Null
			}
		}
	}
	return nil
}

// cutNull is the null of some score where it uses fewer states than there are; nil where it uses all.
func cutNull(r *similarity.Result) *similarity.ScoreNull {
	if s := firstNull(r); s != nil && s.States < r.Models[0].States {
		return s
	}
	return nil
}

// scoreAtNull is the score of the states that the null uses: with fewer states than there are, it has no interval.
func scoreAtNull(r *similarity.Result, s similarity.PairScore) report.Estimate {
	if s.Null == nil || cutNull(r) == nil {
		return s.Value
	}
	return report.WithInterval(s.Null.Value, report.NoInterval("intervals are of all states"))
}

// allScores has a row for each pair and score.
func allScores(r *similarity.Result) *report.Table {
	table := report.NewTable("All scores", "A", "B", "Score", "Value", "States of null", "Null", "Threshold", "p",
		"Adjusted", "Gated")
	for i, p := range r.Pairs {
		if i == mostPairs {
			break
		}
		for _, name := range r.Scores {
			s := p.Score(name)
			c := chanceOf(s)
			table.Row(p.A, p.B, measures.TitleOf(name), s.Value, c.Value, c.Mean, c.Threshold, report.Probability(c.P),
				c.Adjusted, c.Gated)
		}
	}
	table.Note("States of null: the score of the states that the null uses")
	table.Note("Adjusted: 0 at the mean of the null, 1 for identical spaces; gated: the same from the 95 %% threshold")
	return table
}
